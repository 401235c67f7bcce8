// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// A writer of the parts of a workout's body. Texts that repeat, such as types and units, are written once.
struct WorkoutWriter {
    /// The bytes without the texts.
    var plain = ByteWriter(capacity: 512)
    private(set) var texts: [String] = []
    private var numbers: [String: Int] = [:]
    private var metadata = MetadataWriter()

    /// The complete bytes: a version, the texts, the parts.
    func bytes(version: UInt8) -> [UInt8] {
        var all = ByteWriter(capacity: 64 + plain.bytes.count)
        all.put(version)
        all.put(varint: UInt64(texts.count))
        for text in texts { all.put(string: text) }
        all.put(bytes: plain.bytes)
        return all.bytes
    }

    mutating func put(_ content: WorkoutContent) {
        plain.put(varint: UInt64(content.activity.rawValue))
        put(optional: content.unknownActivity)
        plain.put(double: content.duration)
        for total in [content.totals.energy, content.totals.distance, content.totals.strokes, content.totals.flights] {
            put(total)
        }
        put(content.statistics)
        put(content.events)
        put(content.activities)
    }

    mutating func put(_ events: [HKWorkoutEvent]) {
        plain.put(varint: UInt64(events.count))
        for event in events {
            plain.put(varint: UInt64(event.type.rawValue))
            put(event.start)
            put(event.end)
            put(event.values)
        }
    }

    mutating func put(_ activities: [WorkoutActivity]) {
        plain.put(varint: UInt64(activities.count))
        for activity in activities { put(activity) }
    }

    mutating func put(_ activity: WorkoutActivity) {
        put(activity.uuid)
        put(activity.configuration)
        put(activity.start)
        put(optional: activity.end)
        put(activity.metadata)
        plain.put(double: activity.statedDuration ?? .nan)
        put(activity.statistics)
    }

    mutating func put(_ configuration: WorkoutConfiguration) {
        plain.put(varint: UInt64(configuration.activity.rawValue))
        plain.put(varint: UInt64(configuration.location.rawValue))
        plain.put(varint: UInt64(configuration.swimming.rawValue))
        put(configuration.lapLength)
    }

    mutating func put(_ uuid: UUID) {
        let halves = uuid.halves
        plain.put(halves.high)
        plain.put(halves.low)
    }

    mutating func put(optional date: Date?) {
        plain.put(date == nil ? 0 : 1 as UInt8)
        if let date { put(date) }
    }

    private mutating func put(_ statistics: WorkoutStatistics) {
        plain.put(varint: UInt64(statistics.count))
        for (type, one) in statistics.sorted(by: { $0.key < $1.key }) {
            put(text: type)
            put(text: one.unit.unitString)
            let numbers = [one.sum, one.average, one.minimum, one.maximum]
            var mask: UInt8 = 0
            for (bit, number) in numbers.enumerated() where number != nil { mask |= 1 << UInt8(bit) }
            if one.recent != nil { mask |= 16 }
            if one.interval != nil { mask |= 32 }
            plain.put(mask)
            for case let number? in numbers { plain.put(double: number) }
            if let recent = one.recent {
                plain.put(double: recent.value)
                put(recent.start)
                put(recent.end)
            }
            if let interval = one.interval {
                put(interval.start)
                put(interval.end)
            }
        }
    }

    mutating func put(_ members: IdentityRuns) {
        let starts = members.starts
        plain.put(starts == nil ? 0 : 1 as UInt8)
        if let starts {
            put(starts.lowerBound)
            put(starts.upperBound)
        }
        plain.put(varint: UInt64(members.runs.count))
        var last = IdentityRuns.Run(high: 0, low: 0)
        for run in members.runs {
            plain.put(run.high == last.high ? 0 : 1 as UInt8)
            if run.high != last.high { plain.put(run.high) }
            plain.put(varint: run.low &- (run.high == last.high ? last.low : 0))
            plain.put(varint: run.count)
            last = run
        }
    }

    mutating func put(_ quantity: HKQuantity?) {
        plain.put(quantity == nil ? 0 : 1 as UInt8)
        guard let quantity else { return }
        put(text: quantity.unit.unitString)
        plain.put(double: quantity.value)
    }

    mutating func put(_ date: Date) { plain.put(zigzag: StoredTime.end(date) ?? 0) }

    mutating func put(_ values: HealthMetadataValues?) {
        metadata.write(values ?? [:])
        plain.put(varint: UInt64(metadata.bytes.count))
        plain.put(bytes: metadata.bytes)
    }

    mutating func put(optional text: String?) {
        plain.put(text == nil ? 0 : 1 as UInt8)
        if let text { put(text: text) }
    }

    mutating func put(text: String) {
        let number = numbers[text] ?? texts.count
        if number == texts.count {
            texts.append(text)
            numbers[text] = number
        }
        plain.put(varint: UInt64(number))
    }
}
