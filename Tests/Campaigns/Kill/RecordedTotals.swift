// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// A number of things, and the sum of a digest of each, independent of their order.
struct RecordedTotal: Equatable, Sendable {
    var count = 0
    var digest: UInt64 = 0

    init() {}

    init(_ texts: some Sequence<String>) { for text in texts { add(text) } }

    mutating func add(_ text: String) {
        count += 1
        digest &+= text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    static func + (a: RecordedTotal, b: RecordedTotal) -> RecordedTotal {
        var sum = a
        sum.count += b.count
        sum.digest &+= b.digest
        return sum
    }

    /// The total in the lines of a worker.
    var text: String { "\(count):\(digest)" }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let count = Int(parts[0]), let digest = UInt64(parts[1]) else { return nil }
        (self.count, self.digest) = (count, digest)
    }
}

/// What a store holds of all workouts and of the session in progress.
struct RecordedContent: Equatable, Sendable {
    /// Samples by identity, type, value and start.
    var samples = RecordedTotal()
    /// Events by type, start and end.
    var events = RecordedTotal()
    /// Activities by type and start.
    var activities = RecordedTotal()
    var locations = 0
    var workouts = 0

    var text: String { "\(samples.text) \(events.text) \(activities.text) \(locations) \(workouts)" }

    init() {}

    init?(_ words: some Collection<Substring>) {
        let words = Array(words)
        guard words.count == 5, let samples = RecordedTotal(words[0]), let events = RecordedTotal(words[1]),
            let activities = RecordedTotal(words[2]), let locations = Int(words[3]), let workouts = Int(words[4])
        else { return nil }
        (self.samples, self.events, self.activities) = (samples, events, activities)
        (self.locations, self.workouts) = (locations, workouts)
    }

    static func + (a: RecordedContent, b: RecordedContent) -> RecordedContent {
        var sum = a
        sum.samples = a.samples + b.samples
        sum.events = a.events + b.events
        sum.activities = a.activities + b.activities
        sum.locations += b.locations
        sum.workouts += b.workouts
        return sum
    }

    static func text(_ sample: HKQuantitySample) -> String {
        "\(sample.uuid) \(sample.quantityType.identifier) \(sample.quantity.value.bitPattern) "
            + "\(sample.startDate.timeIntervalSince1970)"
    }

    static func text(_ event: HKWorkoutEvent) -> String {
        "\(event.type.rawValue) \(event.dateInterval.start.timeIntervalSince1970) \(event.dateInterval.duration)"
    }

    static func text(_ type: HKWorkoutActivityType, _ start: Date) -> String {
        "\(type.rawValue) \(start.timeIntervalSince1970)"
    }
}

/// An action of a worker, reported before it begins.
enum RecordedAction: Sendable {
    /// The sensors deliver seconds from an instant on: a number of whole seconds since 1970.
    case sensors(from: Int, seconds: Int)
    /// The program adds one of these.
    case samples(RecordedTotal)
    case event(RecordedTotal)
    case activity(RecordedTotal)
    case locations(Int)
    /// The program starts a workout with an activity, or saves it.
    case begin(activity: RecordedTotal)
    case finish

    var name: String { String(text.prefix { $0 != " " }) }

    /// The words of a line.
    var text: String {
        switch self {
        case .sensors(let from, let seconds): "sensors \(from) \(seconds)"
        case .samples(let total): "samples \(total.text)"
        case .event(let total): "event \(total.text)"
        case .activity(let total): "activity \(total.text)"
        case .locations(let count): "locations \(count)"
        case .begin(let total): "begin \(total.text)"
        case .finish: "finish"
        }
    }

    init?(_ words: some Collection<Substring>) {
        let words = Array(words)
        guard let name = words.first else { return nil }
        let total = words.count == 2 ? RecordedTotal(words[1]) : nil
        switch (String(name), total, words.count) {
        case ("sensors", _, 3):
            guard let from = Int(words[1]), let seconds = Int(words[2]) else { return nil }
            self = .sensors(from: from, seconds: seconds)
        case ("samples", let total?, 2): self = .samples(total)
        case ("event", let total?, 2): self = .event(total)
        case ("activity", let total?, 2): self = .activity(total)
        case ("begin", let total?, 2): self = .begin(activity: total)
        case ("locations", _, 2):
            guard let count = Int(words[1]) else { return nil }
            self = .locations(count)
        case ("finish", _, 1): self = .finish
        default: return nil
        }
    }
}
