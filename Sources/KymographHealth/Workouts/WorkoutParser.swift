// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A parser of one `Workout` element. It reads the attributes and the children in any order, and computes a digest of
/// them.
struct WorkoutParser {
    private(set) var reader: MarkupReader
    /// A digest of the tags so far.
    private(set) var digest: UInt64 = 0
    private(set) var notes: [String] = []
    private let units: UnitCache

    /// - Parameter units: the units of earlier elements, most of which repeat.
    init(_ xml: [UInt8], _ units: UnitCache) {
        reader = MarkupReader(xml)
        self.units = units
    }

    /// The attributes of the `Workout` tag and its children, before the workout is complete.
    private struct Draft {
        var activity: HKWorkoutActivityType
        var unknownActivity: String?
        /// In seconds; nil if the element states none.
        var duration: Double?
        var totals: WorkoutTotals
        var metadata: [WorkoutElement.Entry] = []
        var statistics = WorkoutStatistics()
        var events: [HKWorkoutEvent] = []
        var parts: [PartElement] = []
        var routes: [WorkoutElement.Route] = []
    }

    /// Parses the element; nil if it is not a complete `Workout` with a readable start and end.
    mutating func workout() -> WorkoutElement? {
        guard next() == .start, reader.isNamed("Workout"), let times = times("startDate", "endDate") else { return nil }
        let origin = origin()
        var draft = Draft(activity: .other, duration: duration(), totals: totals())
        if let name = reader["workoutActivityType"] {
            if let known = HKWorkoutActivityType(name: name) {
                draft.activity = known
            } else {
                draft.unknownActivity = name
            }
        }
        while let tag = next(), reader.depth > 0 {
            if tag == .start { take(into: &draft, times) }
        }
        guard reader.depth == 0 else { return nil }
        let metadata = draft.metadata.withoutRepetitions
        return WorkoutElement(
            origin: origin, start: times.start, end: times.end, content: content(draft, metadata.values, times),
            metadata: metadata, routes: draft.routes, notes: notes, digest: Int64(bitPattern: digest))
    }

    /// Reads one child of the workout up to its end.
    private mutating func take(into draft: inout Draft, _ times: Times) {
        if reader.isNamed("MetadataEntry") {
            if let entry = entry() { draft.metadata.append(entry) }
            skip()
        } else if reader.isNamed("WorkoutEvent") {
            if let event = event() { draft.events.append(event) }
        } else if reader.isNamed("WorkoutStatistics") {
            takeStatistic(into: &draft.statistics, times)
        } else if reader.isNamed("WorkoutActivity") {
            if let part = part(times) { draft.parts.append(part) }
        } else if reader.isNamed("WorkoutRoute") {
            draft.routes.append(route())
        } else {
            skip()
        }
    }

    /// Returns the workout of the parsed parts.
    private func content(
        _ draft: Draft, _ values: HealthMetadataValues, _ times: Times
    ) -> WorkoutContent {
        let (start, end) = (StoredTime.date(times.start), StoredTime.date(times.end))
        let events = WorkoutContent.sorted(draft.events + Self.further(draft.parts.flatMap(\.events), draft.events))
        // Old elements have totals, new elements have statistics. Each is derived from the other.
        var statistics = draft.totals.statistics(of: draft.activity)
        statistics.merge(draft.statistics) { $1 }
        let sums = WorkoutTotals(statistics, of: draft.activity)
        let totals = WorkoutTotals(
            energy: draft.totals.energy ?? sums.energy, distance: draft.totals.distance ?? sums.distance,
            strokes: draft.totals.strokes ?? sums.strokes, flights: draft.totals.flights ?? sums.flights)
        var activities = draft.parts.enumerated().map { place, part in
            var activity = part.activity(of: draft.activity, values)
            if part.uuid == nil { activity.uuid = Self.uuid(ofPart: place, digest) }
            return activity
        }
        activities = activities.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
        if activities.isEmpty {
            let configuration = WorkoutConfiguration(draft.activity, metadata: values)
            activities = [
                WorkoutActivity(
                    uuid: Self.uuid(ofPart: 0, digest), configuration: configuration, start: start, end: end,
                    statistics: statistics, statedDuration: draft.duration)
            ]
        }
        return WorkoutContent(
            activity: draft.activity, unknownActivity: draft.unknownActivity,
            duration: draft.duration ?? WorkoutPauses(events).activeTime(from: start, to: end), events: events,
            activities: activities, statistics: statistics, totals: totals)
    }

    /// Returns the identity of an activity without a UUID in the element.
    private static func uuid(ofPart place: Int, _ digest: UInt64) -> UUID {
        SampleIdentity.digested(Array("part \(place) of \(digest)".utf8)).uuid
    }

    /// Returns the events of activities that the workout does not have. Exports repeat events of the workout in its
    /// activities.
    private static func further(_ nested: [HKWorkoutEvent], _ own: [HKWorkoutEvent]) -> [HKWorkoutEvent] {
        struct Key: Hashable {
            let type: HKWorkoutEventType
            let start: Date
            let end: Date
        }
        func key(_ event: HKWorkoutEvent) -> Key { Key(type: event.type, start: event.start, end: event.end) }
        var seen = Set(own.map(key))
        return nested.filter { seen.insert(key($0)).inserted }
    }

    // MARK: - Tags

    /// A start and an end that a store can hold, in nanoseconds since 1970-01-01 UTC.
    typealias Times = (start: Int64, end: Int64)

    /// Moves to the next tag, and adds it to the digest.
    mutating func next() -> MarkupReader.Tag? {
        guard let tag = reader.next() else { return nil }
        digest = MarkupReader.mix(digest &* 31 &+ (tag == .start ? reader.digest : 1))
        return tag
    }

    /// Skips the children of the last start tag, up to its end tag.
    mutating func skip() {
        let depth = reader.depth
        while let tag = next(), tag == .start || reader.depth >= depth {}
    }

    /// Adds a note about a child element or attribute that is left out.
    mutating func note(_ text: String) {
        if notes.count < WorkoutElement.mostNotes { notes.append(text) }
    }

    // MARK: - Attributes

    /// Returns the interval of two attributes; nil if an attribute is missing, unreadable or not storable, or if the
    /// end is before the start.
    func times(_ first: String, _ last: String) -> Times? {
        guard let start = instant(first), let end = instant(last) ?? reader.secondInstant(first), end >= start,
            end <= TimeLimits.latest
        else { return nil }
        return (start, end)
    }

    /// Returns the instant of an attribute; nil if it is missing, unreadable or not storable.
    func instant(_ name: String) -> Int64? {
        reader.instant(name).flatMap { TimeLimits.earliest..<TimeLimits.latest ~= $0 ? $0 : nil }
    }

    /// Returns the origin from the attributes of the last tag.
    func origin() -> WorkoutElement.Origin {
        WorkoutElement.Origin(
            source: reader["sourceName"], version: reader["sourceVersion"],
            device: reader["device"].map { HeapAddress.stripped($0) }, created: reader.instant("creationDate"))
    }

    /// Returns the metadata entry of the last tag; nil without a key or a value.
    mutating func entry() -> WorkoutElement.Entry? {
        guard let key = reader["key"], let value = reader["value"] else {
            note("a MetadataEntry without a key or a value")
            return nil
        }
        return WorkoutElement.Entry(key: key, value: value)
    }

    /// Returns the attribute `duration` in seconds; nil if it is missing or unreadable. A duration without a unit is in
    /// minutes.
    mutating func duration() -> Double? {
        guard let number = reader.number("duration"), number >= 0 else { return nil }
        guard let text = reader["durationUnit"] else { return number * 60 }
        guard let unit = unit(text), unit.isCompatible(with: .second()) else {
            note("a duration in \(text.prefix(40))")
            return nil
        }
        let seconds = HKQuantity(unit: unit, doubleValue: number).doubleValue(for: .second())
        return seconds.isFinite ? seconds : nil
    }

    /// Returns the totals from the attributes of the last tag.
    private mutating func totals() -> WorkoutTotals {
        WorkoutTotals(
            energy: total("totalEnergyBurned", .kilocalorie()), distance: total("totalDistance", .meter()),
            strokes: total("totalSwimmingStrokeCount", .count()), flights: total("totalFlightsClimbed", .count()))
    }

    private mutating func total(_ name: String, _ dimension: HKUnit) -> HKQuantity? {
        guard let number = reader.number(name) else { return nil }
        let text = reader[name + "Unit"]
        guard let unit = text.map({ unit($0) }) ?? dimension, unit.isCompatible(with: dimension) else {
            note("\(name) in \((text ?? "").prefix(40))")
            return nil
        }
        return HKQuantity(unit: unit, doubleValue: number)
    }

    /// Returns the unit of a text; nil if the text is not a unit.
    func unit(_ text: String) -> HKUnit? { units[text] }
}

/// The units of texts, each parsed once.
final class UnitCache {
    private var units: [String: HKUnit?] = [:]
    private static let most = 1_000

    /// Returns the unit of a text; nil if the text is not a unit.
    subscript(_ text: String) -> HKUnit? {
        if let known = units[text] { return known }
        let unit = text.utf8.count <= 256 ? try? HKUnit(parsing: text) : nil
        if units.count < Self.most { units[text] = .some(unit) }
        return unit
    }
}

extension HeapAddress {
    /// Returns the description of a device without its address.
    static func stripped(_ text: String) -> String {
        String(decoding: stripped(Array(text.utf8)), as: UTF8.self)
    }
}
