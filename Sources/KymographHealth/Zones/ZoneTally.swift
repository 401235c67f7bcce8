// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The time in zones of a workout in progress and of its activities, updated with each sample.
///
/// A value holds from its start to the start of the next value, at most ten seconds beyond its end, and not in pauses.
/// Values are ordered by start, end and value. All times are whole nanoseconds, so that sums are exact.
///
/// The tally counts the hold of a value when the next value is added. A change of counted time marks the type as stale:
/// a value before the latest value, an earlier pause, an earlier end. All values of a stale type are then removed and
/// added again in order, so that the order of additions has no effect.
struct ZoneTally: Sendable {
    /// The longest time that a value holds after its end, in nanoseconds.
    static let longestHold: Int64 = 10_000_000_000

    /// A range of time. The end is `Int64.max` while the range is open.
    private struct Span: Sendable, Equatable {
        var start: Int64
        var end: Int64
        /// The length, at most `Int64.max`; 0 if the end is not after the start.
        var length: Int64 {
            if end <= start { return 0 }
            let (length, isOver) = end.subtractingReportingOverflow(start)
            return isOver ? .max : length
        }

        func intersection(_ other: Span) -> Span { Span(start: max(start, other.start), end: min(end, other.end)) }
    }

    /// The whole workout, or an activity.
    private struct Scope: Sendable {
        /// The identity of the activity; nil for the whole workout.
        let uuid: UUID?
        var span: Span
    }

    /// The counted time of one type.
    private struct Counter: Sendable {
        let type: String
        let configuration: HKWorkoutZoneConfiguration
        /// The latest value in order of start, end and value. Its hold is not counted yet.
        var last: WorkoutTally.Item?
        /// The time in each zone of the first scope, then of the second scope, and so on.
        var times: [Int64]
        var isStale = false

        init(_ configuration: HKWorkoutZoneConfiguration, scopes: Int) {
            type = configuration.quantityType.identifier
            self.configuration = configuration
            times = [Int64](repeating: 0, count: scopes * configuration.zones.count)
        }
    }

    /// The counters, at most one for each type with zones.
    private var counters: [Counter] = []
    /// The whole workout, then its activities.
    private var scopes = [Scope(uuid: nil, span: Span(start: .min, end: .max))]
    /// The pauses in ascending order, disjoint.
    private var pauses: [Span] = []

    private func place(of type: String) -> Int? { counters.firstIndex { $0.type == type } }

    // MARK: - The workout

    /// Sets the zones of a type.
    ///
    /// - Parameter hasSamples: whether samples of the type were added before.
    mutating func set(_ configuration: HKWorkoutZoneConfiguration, hasSamples: Bool) {
        var counter = Counter(configuration, scopes: scopes.count)
        counter.isStale = hasSamples
        counters.removeAll { $0.type == counter.type }
        counters.append(counter)
    }

    /// Sets the end of the workout.
    mutating func set(end: Int64) { set(end: end, at: 0) }

    /// Adds an activity, or changes the end of a known activity.
    mutating func set(part uuid: UUID, start: Int64, end: Int64) {
        if let place = scopes.firstIndex(where: { $0.uuid == uuid }) { return set(end: end, at: place) }
        scopes.append(Scope(uuid: uuid, span: Span(start: start, end: end)))
        for place in counters.indices {
            counters[place].times += [Int64](repeating: 0, count: counters[place].configuration.zones.count)
        }
        markStale(from: start)
    }

    private mutating func set(end: Int64, at place: Int) {
        let before = scopes[place].span.end
        scopes[place].span.end = end
        if before != end { markStale(from: min(before, end)) }
    }

    /// Marks the types with counted time after an instant as stale.
    private mutating func markStale(from time: Int64) {
        for place in counters.indices {
            if let last = counters[place].last, time < last.start { counters[place].isStale = true }
        }
    }

    /// Sets all pauses of the workout.
    mutating func set(_ pauses: WorkoutPauses) {
        let new = pauses.pauses.compactMap { pause in
            StoredTime.nanoseconds(pause.start).map { start in
                Span(start: start, end: pause.end.flatMap { StoredTime.nanoseconds($0) } ?? .max)
            }
        }
        for place in counters.indices {
            guard let last = counters[place].last else { continue }
            if Self.before(last.start, self.pauses) != Self.before(last.start, new) { counters[place].isStale = true }
        }
        self.pauses = new
    }

    /// Returns the pauses up to a time.
    private static func before(_ time: Int64, _ pauses: [Span]) -> [Span] {
        pauses.filter { $0.start < time }.map { Span(start: $0.start, end: min($0.end, time)) }
    }

    // MARK: - Values

    /// The types whose values must be added again.
    var staleTypes: [String] { counters.filter(\.isStale).map(\.type) }

    /// Adds a value in the canonical unit of a type. Types without zones are ignored.
    ///
    /// - Complexity: O(activities) for a value after the latest value. Otherwise O(1), and the type becomes stale.
    mutating func add(_ type: String, _ item: WorkoutTally.Item) {
        guard let place = place(of: type) else { return }
        let last = counters[place].last
        if let last, item < last {
            counters[place].isStale = true
            return
        }
        counters[place].last = item
        guard let last, !counters[place].isStale else { return }
        let (configuration, scopes) = (counters[place].configuration, scopes)
        let (zone, zones) = (configuration.zone(of: last.value), configuration.zones.count)
        Self.eachActive(Self.hold(last, until: item.start), pauses) { piece in
            for (number, scope) in scopes.enumerated() {
                let length = piece.intersection(scope.span).length
                if length > 0 { Self.add(length, to: &counters[place].times[number * zones + zone]) }
            }
        }
    }

    /// Removes the values of a type. The caller then adds all values of the type in order of start, end and value.
    mutating func clear(_ type: String) {
        guard let place = place(of: type) else { return }
        counters[place] = Counter(counters[place].configuration, scopes: scopes.count)
    }

    /// Returns the time in which a value holds if the next value starts at `end`.
    private static func hold(_ item: WorkoutTally.Item, until end: Int64) -> Span {
        let (longest, isOver) = max(item.start, item.end).addingReportingOverflow(longestHold)
        return Span(start: item.start, end: min(end, isOver ? .max : longest))
    }

    /// Calls `body` with the pieces of a range outside of all pauses.
    ///
    /// - Complexity: O(1 + pauses that end after the start of the range).
    private static func eachActive(_ range: Span, _ pauses: [Span], _ body: (Span) -> Void) {
        // Backwards from the last pause: most ranges are at the end of the workout.
        var end = range.end
        for pause in pauses.reversed() {
            if pause.end <= range.start || end <= range.start { break }
            if pause.start >= end { continue }
            if pause.end < end { body(Span(start: pause.end, end: end)) }
            end = pause.start
        }
        if range.start < end { body(Span(start: range.start, end: end)) }
    }

    private static func add(_ length: Int64, to time: inout Int64) {
        let (sum, isOver) = time.addingReportingOverflow(length)
        time = isOver ? .max : sum
    }

    // MARK: - Results

    /// Returns the zones of a type; nil without zones.
    func configuration(_ type: String) -> HKWorkoutZoneConfiguration? {
        place(of: type).map { counters[$0].configuration }
    }

    /// The zone of a value, and the start of the value.
    struct Position: Sendable {
        /// The index of the zone.
        let zone: Int
        let start: Int64
    }

    /// Returns the position of the latest value of each type with zones.
    var positions: [String: Position] {
        var found: [String: Position] = [:]
        for counter in counters {
            guard let last = counter.last else { continue }
            found[counter.type] = Position(zone: counter.configuration.zone(of: last.value), start: last.start)
        }
        return found
    }

    /// The times of the types with values. While the workout is in progress, the latest value counts up to the end of
    /// its sample.
    ///
    /// - Requires: no stale types.
    var times: WorkoutZones { times(at: 0) }

    /// Returns the times of an activity, for the types that have time in it.
    func times(ofPart uuid: UUID) -> WorkoutZones {
        guard !counters.isEmpty, let place = scopes.firstIndex(where: { $0.uuid == uuid }) else { return [:] }
        return times(at: place).filter { !$0.value.isEmpty }
    }

    private func times(at place: Int) -> WorkoutZones {
        var found: WorkoutZones = [:]
        for counter in counters { found[counter.type] = times(of: counter, at: place) }
        return found
    }

    /// Returns the times of a type in a scope; nil without values.
    private func times(of counter: Counter, at place: Int) -> WorkoutZoneTimes? {
        guard let last = counter.last else { return nil }
        let (span, zones) = (scopes[place].span, counter.configuration.zones.count)
        var times = Array(counter.times[place * zones..<(place + 1) * zones])
        let zone = counter.configuration.zone(of: last.value)
        let isInProgress = scopes[0].span.end == .max
        Self.eachActive(Self.hold(last, until: isInProgress ? max(last.start, last.end) : .max), pauses) { piece in
            Self.add(piece.intersection(span).length, to: &times[zone])
        }
        return WorkoutZoneTimes(counter.configuration, nanoseconds: times)
    }
}

/// The changes of zones by added samples.
struct ZoneChanges: Sendable {
    /// The positions of the latest values before and after the addition, by type.
    let before: [String: ZoneTally.Position]
    let after: [String: ZoneTally.Position]
    /// The times in the zones; nil if no zone has changed, or if they must be computed again from the saved samples.
    let times: WorkoutZones?

    init(before: [String: ZoneTally.Position], after tally: WorkoutTally) {
        self.before = before
        after = tally.zones.positions
        let hasChanged = after.contains { type, position in position.zone != before[type]?.zone }
        times = hasChanged && tally.staleTypes.isEmpty ? tally.zones.times : nil
    }
}
