// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// A workout in stored form: its properties, the identities of its samples and, for an imported workout, its element.
/// `Docs/Format/Catalog.md` describes the bytes.
struct WorkoutRecord: Sendable, Equatable {
    var content: WorkoutContent
    /// The samples that a builder or a program added; empty for an imported workout.
    var members: IdentityRuns
    /// The imported element; nil for a workout saved by a program.
    var element: CorrelationBody.Element?

    init(_ content: WorkoutContent, members: IdentityRuns = IdentityRuns(), element: CorrelationBody.Element? = nil) {
        self.content = content
        self.members = members
        self.element = element
    }

    private static let version: UInt8 = 1

    /// The bytes of the body.
    var body: [UInt8] {
        var writer = WorkoutWriter()
        writer.put(content)
        writer.put(members)
        writer.plain.put(element == nil ? 0 : 1 as UInt8)
        if let element {
            writer.plain.put(element.object)
            writer.plain.put(element.digest)
        }
        var plain = ByteWriter(capacity: 64 + writer.plain.bytes.count)
        plain.put(Self.version)
        plain.put(varint: UInt64(writer.texts.count))
        for text in writer.texts { plain.put(string: text) }
        plain.put(bytes: writer.plain.bytes)
        return ObjectCompressor(level: 6, dictionary: false).encode(plain.bytes)
    }

    /// Parses the bytes of `body`.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        self = try Self.parse(body) { reader throws(ByteError) in
            let content = try reader.content()
            let members = try reader.members()
            var element: CorrelationBody.Element?
            if try reader.bytes.u8() == 1 {
                element = CorrelationBody.Element(object: try reader.bytes.i64(), digest: try reader.bytes.i64())
            }
            return WorkoutRecord(content, members: members, element: element)
        }
    }

    /// Parses a body, and adds the samples of the workout that it replaces.
    init(_ body: [UInt8], including members: IdentityRuns) throws(HealthStoreError) {
        try self.init(body)
        self.members = self.members.union(members)
    }

    /// Parses the properties only.
    static func content(_ body: [UInt8]) throws(HealthStoreError) -> WorkoutContent {
        try parse(body) { reader throws(ByteError) in try reader.content() }
    }

    private static func parse<T>(
        _ body: [UInt8], _ read: (inout WorkoutReader) throws(ByteError) -> T
    ) throws(HealthStoreError) -> T {
        var bytes = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            guard try bytes.u8() == version else { throw ByteError(offset: 0, what: HealthMetadata.unknownPart) }
            let count = try WorkoutReader.count(&bytes)
            var texts: [String] = []
            for _ in 0..<count { texts.append(try bytes.string()) }
            var reader = WorkoutReader(bytes: bytes, texts: texts)
            return try read(&reader)
        } catch {
            throw HealthStoreError(error, in: "a workout")
        }
    }
}

/// A writer of the parts of a workout. Texts that repeat, such as types and units, are written once.
private struct WorkoutWriter {
    var plain = ByteWriter(capacity: 512)
    private(set) var texts: [String] = []
    private var numbers: [String: Int] = [:]
    private var metadata = MetadataWriter()

    mutating func put(_ content: WorkoutContent) {
        plain.put(varint: UInt64(content.activity.rawValue))
        put(optional: content.unknownActivity)
        plain.put(double: content.duration)
        for total in [content.totals.energy, content.totals.distance, content.totals.strokes, content.totals.flights] {
            put(total)
        }
        put(content.statistics)
        plain.put(varint: UInt64(content.events.count))
        for event in content.events {
            plain.put(varint: UInt64(event.type.rawValue))
            put(event.start)
            put(event.end)
            put(event.values)
        }
        plain.put(varint: UInt64(content.activities.count))
        for activity in content.activities { put(activity) }
    }

    private mutating func put(_ activity: WorkoutActivity) {
        let halves = activity.uuid.halves
        plain.put(halves.high)
        plain.put(halves.low)
        plain.put(varint: UInt64(activity.configuration.activity.rawValue))
        plain.put(varint: UInt64(activity.configuration.location.rawValue))
        plain.put(varint: UInt64(activity.configuration.swimming.rawValue))
        put(activity.configuration.lapLength)
        put(activity.start)
        plain.put(activity.end == nil ? 0 : 1 as UInt8)
        if let end = activity.end { put(end) }
        put(activity.metadata)
        plain.put(double: activity.statedDuration ?? .nan)
        put(activity.statistics)
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

    private mutating func put(_ quantity: HKQuantity?) {
        plain.put(quantity == nil ? 0 : 1 as UInt8)
        guard let quantity else { return }
        put(text: quantity.unit.unitString)
        plain.put(double: quantity.value)
    }

    private mutating func put(_ date: Date) { plain.put(zigzag: StoredTime.end(date) ?? 0) }

    private mutating func put(_ values: HealthMetadataValues?) {
        metadata.write(values ?? [:])
        plain.put(varint: UInt64(metadata.bytes.count))
        plain.put(bytes: metadata.bytes)
    }

    private mutating func put(optional text: String?) {
        plain.put(text == nil ? 0 : 1 as UInt8)
        if let text { put(text: text) }
    }

    private mutating func put(text: String) {
        let number = numbers[text] ?? texts.count
        if number == texts.count {
            texts.append(text)
            numbers[text] = number
        }
        plain.put(varint: UInt64(number))
    }
}

/// A reader of the parts that `WorkoutWriter` writes.
private struct WorkoutReader {
    var bytes: ByteReader
    let texts: [String]

    /// Reads a number of items, of which each takes at least one byte.
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
        var events: [HKWorkoutEvent] = []
        for _ in 0..<(try Self.count(&bytes)) { if let event = try event() { events.append(event) } }
        var activities: [WorkoutActivity] = []
        for _ in 0..<(try Self.count(&bytes)) { activities.append(try part()) }
        return WorkoutContent(
            activity: activity, unknownActivity: unknown, duration: duration, events: events, activities: activities,
            statistics: statistics, totals: totals)
    }

    /// Reads an event; nil for a type unknown to this version.
    private mutating func event() throws(ByteError) -> HKWorkoutEvent? {
        let type = try bytes.varint()
        let (start, end, values) = (try date(), try date(), try metadata())
        return Int(exactly: type).flatMap { HKWorkoutEventType(rawValue: $0) }
            .map { HKWorkoutEvent($0, start: start, end: end, values: values) }
    }

    private mutating func part() throws(ByteError) -> WorkoutActivity {
        let uuid = UUID(high: try bytes.u64(), low: try bytes.u64())
        var configuration = WorkoutConfiguration(try activityType())
        configuration.location =
            Int(exactly: try bytes.varint()).flatMap { .init(rawValue: $0) } ?? .unknown
        configuration.swimming =
            Int(exactly: try bytes.varint()).flatMap { .init(rawValue: $0) } ?? .unknown
        configuration.lapLength = try quantity()
        let start = try date()
        let end = try flag() ? try date() : nil
        let values = try metadata()
        let stated = try bytes.double()
        return WorkoutActivity(
            uuid: uuid, configuration: configuration, start: start, end: end, metadata: values,
            statistics: try statistics(), statedDuration: stated.isNaN ? nil : stated)
    }

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

    private mutating func metadata() throws(ByteError) -> HealthMetadataValues? {
        let count = try Self.count(&bytes)
        if count == 0 { return nil }
        let part = Array(try bytes.bytes(count))
        guard let values = try? HealthMetadata(decoding: part).values else {
            throw ByteError(offset: bytes.offset, what: "metadata cannot be read")
        }
        return values
    }

    private mutating func date() throws(ByteError) -> Date { StoredTime.endDate(try bytes.zigzag()) }

    private mutating func flag() throws(ByteError) -> Bool { try bytes.u8() != 0 }

    private mutating func text() throws(ByteError) -> String {
        let number = try bytes.varint()
        guard number < UInt64(texts.count) else { throw ByteError(offset: bytes.offset, what: "no text \(number)") }
        return texts[Int(number)]
    }
}
