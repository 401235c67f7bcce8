// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import HealthViews

/// The properties of a workout that `kymo show` prints: all stored properties in their stored units, and statistics of
/// frequencies, such as heart rates, per minute.
struct WorkoutFields {
    let workout: HKWorkout
    let zone: CivilZone
    /// The maximum number of events.
    let limit: Int

    private var content: WorkoutContent { workout.content }
    private var events: ArraySlice<HKWorkoutEvent> { content.events.prefix(limit) }

    private var totals: [(name: String, value: HKQuantity?)] {
        [
            ("energy", content.totals.energy), ("distance", content.totals.distance),
            ("strokes", content.totals.strokes), ("flights", content.totals.flights),
        ]
    }

    private func statistics(_ all: WorkoutStatistics) -> [(type: String, value: WorkoutStatistic)] {
        all.map { ($0.key, $0.value.inUsualUnit) }.sorted { $0.0 < $1.0 }
    }

    private static func numbers(_ one: WorkoutStatistic) -> [(name: String, value: Double)] {
        let all = [("sum", one.sum), ("average", one.average), ("minimum", one.minimum), ("maximum", one.maximum)]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    // MARK: Text

    /// The lines of text, each with a name.
    var lines: [(String, String)] {
        var lines = [("activity", content.unknownActivity ?? content.activity.name)]
        lines.append(("duration", "\(NumberText.json(content.duration)) s"))
        for (name, value) in totals {
            if let value { lines.append((name, ShownUnit(value.unit.unitString).text(value.value))) }
        }
        lines += statistics(content.statistics).map { ("statistic", Self.text($0.type, $0.value)) }
        lines += content.zones.sortedGroups.map { ("zones", WorkoutZoneTable(group: $0).line) }
        for part in content.activities where content.activities.count > 1 {
            let end = part.end.map { " to \(time($0))" } ?? ""
            lines.append(("part", "\(part.configuration.activity.name) \(time(part.start))\(end)"))
            lines += statistics(part.statistics).map { ("", Self.text($0.type, $0.value)) }
            lines += part.zones.sortedGroups.map { ("", WorkoutZoneTable(group: $0).line) }
        }
        for event in events {
            let end = event.end > event.start ? " to \(time(event.end))" : ""
            lines.append(("event", "\(event.type) \(time(event.start))\(end)\(Self.metadata(event))"))
        }
        let left = content.events.count - events.count
        if left > 0 { lines.append(("", "and \(left) more; --parts \(content.events.count) shows all")) }
        return lines
    }

    private static func text(_ type: String, _ one: WorkoutStatistic) -> String {
        let unit = ShownUnit(one.unit.unitString)
        return type + " " + numbers(one).map { "\($0.name) \(unit.text($0.value))" }.joined(separator: ", ")
    }

    private static func metadata(_ event: HKWorkoutEvent) -> String {
        (event.values ?? [:]).sorted { $0.key < $1.key }.map { "  \($0.key) = \(text($0.value))" }.joined()
    }

    private static func text(_ value: HealthMetadataValue) -> String {
        switch value {
        case .string(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .real(let number): NumberText.json(number)
        case .quantity(let quantity): ShownUnit(quantity.unit.unitString).text(quantity.value)
        default: "\(value)"
        }
    }

    private func time(_ date: Date) -> String {
        StoredTime.nanoseconds(date).map { Civil.format($0, zone: zone, style: .spaced) } ?? "open"
    }

    // MARK: JSON

    func write(_ json: inout JSONWriter) {
        json.field("activity", content.unknownActivity ?? content.activity.name)
        json.field("duration", content.duration)
        for (name, value) in totals {
            guard let value else { continue }
            json.key(name)
            json.beginObject()
            json.field("value", value.value)
            json.field("unit", value.unit.unitString)
            json.endObject()
        }
        write(content.statistics, &json)
        WorkoutZoneTable.write(content.zones.sortedGroups, &json)
        json.key("activities")
        json.beginArray()
        for part in content.activities {
            json.beginObject()
            json.field("uuid", part.uuid.uuidString)
            json.field("activity", part.configuration.activity.name)
            json.field("start", StoredTime.nanoseconds(part.start), zone)
            json.field("end", part.end.flatMap { StoredTime.nanoseconds($0) }, zone)
            write(part.statistics, &json)
            WorkoutZoneTable.write(part.zones.sortedGroups, &json)
            json.endObject()
        }
        json.endArray()
        if content.events.isEmpty { return }
        json.key("events")
        json.beginArray()
        for event in events {
            json.beginObject()
            json.field("type", "\(event.type)")
            json.field("start", StoredTime.nanoseconds(event.start), zone)
            json.field("end", StoredTime.nanoseconds(event.end), zone)
            for (key, value) in (event.values ?? [:]).sorted(by: { $0.key < $1.key }) {
                json.field(key, Self.text(value))
            }
            json.endObject()
        }
        json.endArray()
    }

    private func write(_ all: WorkoutStatistics, _ json: inout JSONWriter) {
        if all.isEmpty { return }
        json.key("statistics")
        json.beginArray()
        for (type, one) in statistics(all) {
            json.beginObject()
            json.field("type", type)
            for (name, value) in Self.numbers(one) { json.field(name, value) }
            json.field("unit", one.unit.unitString)
            json.endObject()
        }
        json.endArray()
    }
}
