// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// A reader of the parts that `WorkoutWriter` writes.
struct WorkoutReader {
    var bytes: ByteReader
    /// The version of the bytes.
    let version: UInt8
    private let texts: [String]

    /// Reads the version and the texts.
    ///
    /// - Parameter latest: the latest version that can be read, after `version`; nil for `version` alone.
    /// - Throws: for an unknown version an error that `HealthStoreError` converts to `newerFormat`.
    init(_ plain: [UInt8], version: UInt8, to latest: UInt8? = nil) throws(ByteError) {
        bytes = ByteReader(plain)
        self.version = try bytes.u8()
        guard (version...max(version, latest ?? version)).contains(self.version) else {
            throw ByteError(offset: 0, what: HealthMetadata.unknownPart)
        }
        var texts: [String] = []
        for _ in 0..<(try Self.count(&bytes)) { texts.append(try bytes.string()) }
        self.texts = texts
    }

    /// Reads a number of items. Throws if it exceeds the remaining bytes, because each item has at least one byte.
    static func count(_ bytes: inout ByteReader) throws(ByteError) -> Int {
        let count = try bytes.varint()
        guard count <= UInt64(bytes.remaining) else {
            throw ByteError(offset: bytes.offset, what: "\(count) items exceed the bytes")
        }
        return Int(count)
    }

    mutating func content() throws(ByteError) -> WorkoutContent {
        let activity = try activityType()
        let unknown = try flag() ? try text() : nil
        let duration = try bytes.double()
        let totals = WorkoutTotals(
            energy: try quantity(), distance: try quantity(), strokes: try quantity(), flights: try quantity())
        let statistics = try statistics()
        return WorkoutContent(
            activity: activity, unknownActivity: unknown, duration: duration, events: try events(),
            activities: try activities(), statistics: statistics, totals: totals)
    }

    mutating func events() throws(ByteError) -> [HKWorkoutEvent] {
        var events: [HKWorkoutEvent] = []
        for _ in 0..<(try Self.count(&bytes)) { if let event = try event() { events.append(event) } }
        return events
    }

    mutating func activities() throws(ByteError) -> [WorkoutActivity] {
        var activities: [WorkoutActivity] = []
        for _ in 0..<(try Self.count(&bytes)) { activities.append(try part()) }
        return activities
    }

    /// Reads an event; nil for a type unknown to this version.
    private mutating func event() throws(ByteError) -> HKWorkoutEvent? {
        let type = try bytes.varint()
        let (start, end, values) = (try date(), try date(), try metadata())
        return Int(exactly: type).flatMap { HKWorkoutEventType(rawValue: $0) }
            .map { HKWorkoutEvent($0, start: start, end: end, values: values) }
    }

    private mutating func part() throws(ByteError) -> WorkoutActivity {
        let uuid = try uuid()
        let configuration = try configuration()
        let start = try date()
        let end = try optionalDate()
        let values = try metadata()
        let stated = try bytes.double()
        return WorkoutActivity(
            uuid: uuid, configuration: configuration, start: start, end: end, metadata: values,
            statistics: try statistics(), statedDuration: stated.isNaN ? nil : stated)
    }

    mutating func configuration() throws(ByteError) -> WorkoutConfiguration {
        var configuration = WorkoutConfiguration(try activityType())
        configuration.location =
            Int(exactly: try bytes.varint()).flatMap { .init(rawValue: $0) } ?? .unknown
        configuration.swimming =
            Int(exactly: try bytes.varint()).flatMap { .init(rawValue: $0) } ?? .unknown
        configuration.lapLength = try quantity()
        return configuration
    }

    mutating func uuid() throws(ByteError) -> UUID { UUID(high: try bytes.u64(), low: try bytes.u64()) }

    private mutating func statistics() throws(ByteError) -> WorkoutStatistics {
        var found = WorkoutStatistics()
        for _ in 0..<(try Self.count(&bytes)) {
            let type = try text()
            var one = WorkoutStatistic(unit: try unit())
            let mask = try bytes.u8()
            if mask & 1 != 0 { one.sum = try bytes.double() }
            if mask & 2 != 0 { one.average = try bytes.double() }
            if mask & 4 != 0 { one.minimum = try bytes.double() }
            if mask & 8 != 0 { one.maximum = try bytes.double() }
            if mask & 16 != 0 {
                one.recent = WorkoutStatistic.Recent(value: try bytes.double(), start: try date(), end: try date())
            }
            if mask & 32 != 0 { one.interval = (try date(), try date()) }
            found[type] = one
        }
        return found
    }

    mutating func members() throws(ByteError) -> IdentityRuns {
        let starts = try flag() ? (try date(), try date()) : nil
        var runs: [IdentityRuns.Run] = []
        var last = IdentityRuns.Run(high: 0, low: 0)
        for _ in 0..<(try Self.count(&bytes)) {
            let isNew = try flag()
            let high = isNew ? try bytes.u64() : last.high
            let low = try bytes.varint() &+ (isNew ? 0 : last.low)
            let count = try bytes.varint()
            guard count > 0, low <= .max - (count - 1) else {
                throw ByteError(offset: bytes.offset, what: "impossible run of \(count) identities")
            }
            last = IdentityRuns.Run(high: high, low: low, count: count)
            runs.append(last)
        }
        return IdentityRuns(runs, starts: starts.flatMap { $0 <= $1 ? $0...$1 : nil })
    }

    private mutating func activityType() throws(ByteError) -> HKWorkoutActivityType {
        UInt(exactly: try bytes.varint()).flatMap { HKWorkoutActivityType(rawValue: $0) } ?? .other
    }

    private mutating func quantity() throws(ByteError) -> HKQuantity? {
        guard try flag() else { return nil }
        return HKQuantity(unit: try unit(), doubleValue: try bytes.double())
    }

    private mutating func unit() throws(ByteError) -> HKUnit {
        let text = try text()
        guard let unit = try? HKUnit(parsing: text) else {
            throw ByteError(offset: bytes.offset, what: "unknown unit '\(text)'")
        }
        return unit
    }

    mutating func metadata() throws(ByteError) -> HealthMetadataValues? {
        let count = try Self.count(&bytes)
        if count == 0 { return nil }
        let part = Array(try bytes.bytes(count))
        guard let values = try? HealthMetadata(decoding: part).values else {
            throw ByteError(offset: bytes.offset, what: "metadata cannot be read")
        }
        return values
    }

    mutating func date() throws(ByteError) -> Date { StoredTime.endDate(try bytes.zigzag()) }

    mutating func optionalDate() throws(ByteError) -> Date? { try flag() ? try date() : nil }

    mutating func flag() throws(ByteError) -> Bool { try bytes.u8() != 0 }

    mutating func text() throws(ByteError) -> String {
        let number = try bytes.varint()
        guard number < UInt64(texts.count) else { throw ByteError(offset: bytes.offset, what: "no text \(number)") }
        return texts[Int(number)]
    }
}
