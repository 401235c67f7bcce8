// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A `WorkoutActivity` element.
struct PartElement {
    /// The identity; nil if the element has none.
    let uuid: UUID?
    let times: WorkoutParser.Times
    /// The duration in seconds; nil if the element has none.
    let duration: Double?
    var metadata: [WorkoutElement.Entry] = []
    var statistics = WorkoutStatistics()
    var events: [HKWorkoutEvent] = []

    /// Returns the element as an activity of a workout. The element has no activity type. In a `swimBikeRun` workout
    /// the statistics determine the type; otherwise it is the type of the workout.
    ///
    /// - Parameters:
    ///   - type: the activity type of the workout.
    ///   - values: the metadata of the workout, for keys that the element does not have.
    func activity(of type: HKWorkoutActivityType, _ values: HealthMetadataValues) -> WorkoutActivity {
        let own = metadata.values
        let type = type == .swimBikeRun ? WorkoutTypes.activity(ofPartWith: statistics.keys) : type
        return WorkoutActivity(
            uuid: uuid ?? UUID(high: 0, low: 0),
            configuration: WorkoutConfiguration(type, metadata: values.merging(own) { $1 }),
            start: StoredTime.date(times.start), end: StoredTime.date(times.end), metadata: own.isEmpty ? nil : own,
            statistics: statistics, statedDuration: duration)
    }
}

extension WorkoutParser {
    /// Parses a `WorkoutActivity` up to its end tag; nil without a readable start. Without an end date the activity
    /// ends with the workout.
    mutating func part(_ whole: Times) -> PartElement? {
        let start = instant("startDate")
        let end = reader["endDate"] == nil ? max(whole.end, start ?? 0) : instant("endDate")
        guard let start, let end, end >= start else {
            note("a WorkoutActivity without a readable start and end")
            skip()
            return nil
        }
        var part = PartElement(
            uuid: reader["uuid"].flatMap(Self.uuid), times: (start, end), duration: duration())
        let depth = reader.depth
        while let tag = next(), tag == .start || reader.depth >= depth {
            guard tag == .start else { continue }
            if reader.isNamed("MetadataEntry") {
                if let entry = entry() { part.metadata.append(entry) }
                skip()
            } else if reader.isNamed("WorkoutEvent") {
                if let event = event() { part.events.append(event) }
            } else if reader.isNamed("WorkoutStatistics") {
                takeStatistic(into: &part.statistics, part.times)
            } else {
                skip()
            }
        }
        return part
    }

    /// Returns the UUID of a text, with or without hyphens.
    private static func uuid(_ text: String) -> UUID? {
        if let uuid = UUID(uuidString: text) { return uuid }
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
        return UUID(uuidString: groups.joined(separator: "-"))
    }

    /// Parses a `WorkoutEvent` up to its end tag; nil for an unknown type or an unreadable date.
    mutating func event() -> HKWorkoutEvent? {
        let (name, start, duration) = (reader["type"] ?? "", instant("date"), duration() ?? 0)
        var entries: [WorkoutElement.Entry] = []
        let depth = reader.depth
        while let tag = next(), tag == .start || reader.depth >= depth {
            if tag == .start, reader.isNamed("MetadataEntry"), let entry = entry() { entries.append(entry) }
        }
        guard let type = HKWorkoutEventType(name: name) else {
            note("a WorkoutEvent of the unknown type \(name.prefix(80))")
            return nil
        }
        guard let start else {
            note("a WorkoutEvent without a readable date")
            return nil
        }
        // Whole nanoseconds: a double of minutes is more precise than that.
        let length = Int64(max(0, min(9e18, (duration * 1e9).rounded())))
        let (end, isLate) = start.addingReportingOverflow(length)
        return HKWorkoutEvent(
            type, start: StoredTime.date(start),
            end: StoredTime.date(isLate ? TimeLimits.latest : min(end, TimeLimits.latest)), values: entries.values)
    }

    /// Parses a `WorkoutStatistics` up to its end tag. For a repeated type the first element counts.
    ///
    /// - Parameter owner: the times of the workout or activity.
    mutating func takeStatistic(into statistics: inout WorkoutStatistics, _ owner: Times) {
        defer { skip() }
        guard let type = reader["type"], !type.isEmpty else { return note("a WorkoutStatistics without a type") }
        guard let text = reader["unit"], let unit = unit(text),
            HKQuantityType(HKQuantityTypeIdentifier(rawValue: type)).is(compatibleWith: unit)
        else {
            return note(
                "a WorkoutStatistics of \(type.prefix(80)) with the unit '\((reader["unit"] ?? "").prefix(40))'")
        }
        var one = WorkoutStatistic(unit: unit)
        one.sum = reader.number("sum")
        one.average = reader.number("average")
        one.minimum = reader.number("minimum")
        one.maximum = reader.number("maximum")
        guard one.sum ?? one.average ?? one.minimum ?? one.maximum != nil else {
            return note("a WorkoutStatistics of \(type.prefix(80)) without a number")
        }
        if let times = times("startDate", "endDate"), times != owner {
            one.interval = (StoredTime.date(times.start), StoredTime.date(times.end))
        }
        if statistics[type] == nil { statistics[type] = one }
    }

    /// Parses a `WorkoutRoute` up to its end tag.
    mutating func route() -> WorkoutElement.Route {
        var route = WorkoutElement.Route(origin: origin())
        let depth = reader.depth
        while let tag = next(), tag == .start || reader.depth >= depth {
            guard tag == .start else { continue }
            if reader.isNamed("FileReference") {
                route.path = route.path ?? reader["path"]
            } else if reader.isNamed("Location") {
                takeLocation(into: &route.points)
            } else if reader.isNamed("MetadataEntry"), let entry = entry() {
                route.metadata.append(entry)
            }
        }
        route.metadata = route.metadata.withoutRepetitions
        return route
    }

    /// Appends the point of a `Location`.
    private mutating func takeLocation(into points: inout RoutePoints) {
        guard let time = instant("date"), let latitude = reader.number("latitude"),
            let longitude = reader.number("longitude"), abs(latitude) <= 90, abs(longitude) <= 180
        else { return note("a Location without a readable date and position") }
        var point = RoutePoints.Point(time: time, latitude: latitude, longitude: longitude)
        point.altitude = reader.number("altitude") ?? point.altitude
        point.horizontalAccuracy = reader.number("horizontalAccuracy") ?? point.horizontalAccuracy
        point.verticalAccuracy = reader.number("verticalAccuracy") ?? point.verticalAccuracy
        point.course = reader.number("course") ?? point.course
        point.speed = reader.number("speed") ?? point.speed
        points.append(point)
    }
}
