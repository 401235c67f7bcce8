// SPDX-License-Identifier: Apache-2.0

import FileSystem
import HealthViews

/// The time of a workout in the zones of one type.
struct WorkoutZoneTable {
    let group: HKWorkoutZoneGroup

    private var type: String { HealthTypes.type(for: group.configuration.quantityType.identifier).shortName }

    private var sum: Double { group.zoneDurations.reduce(0) { $0 + $1.duration } }

    // MARK: Text

    /// Writes a table with a row for each zone, from low to high.
    func write(_ output: Output) throws(DiskError) {
        let isPulse = group.configuration.quantityType == HKQuantityType(.heartRate)
        var table = Table([
            .init(title: "zone"), .init(title: isPulse ? "pulse" : "power"),
            .init(title: "time", alignment: .right), .init(title: "share", alignment: .right, omission: 1),
        ])
        for one in group.zoneDurations {
            let share = sum > 0 ? one.duration / sum : 0
            table.append([
                "\(one.zone.index + 1)", Self.range(one.zone, isPulse ? "" : " W"), WorkoutText.length(one.duration),
                "\(AmountText.whole(share * 100)) %",
            ])
        }
        table.fit(output.columns)
        try table.write(to: output)
    }

    /// Returns the values of a zone: `under 132`, `132 to 144`, `from 168`.
    private static func range(_ zone: HKWorkoutZone, _ unit: String) -> String {
        func text(_ bound: HKQuantity) -> String {
            let isWhole = bound.value.rounded() == bound.value
            return NumberText.fixed(bound.value, decimals: isWhole ? 0 : 1)
        }
        guard let least = zone.minimum else { return zone.maximum.map { "under \(text($0))\(unit)" } ?? "" }
        return zone.maximum.map { "\(text(least)) to \(text($0))\(unit)" } ?? "from \(text(least))\(unit)"
    }

    /// The time in each zone in one line: `heartRate 0 s, 62.5 s, 540 s`.
    var line: String {
        type + " " + group.zoneDurations.map { "\(NumberText.json($0.duration)) s" }.joined(separator: ", ")
    }

    // MARK: JSON

    /// Writes the tables of all types as a list; nothing without zones.
    static func write(_ groups: [HKWorkoutZoneGroup], _ json: inout JSONWriter) {
        if groups.isEmpty { return }
        json.key("zones")
        json.beginArray()
        for group in groups { WorkoutZoneTable(group: group).write(&json) }
        json.endArray()
    }

    private func write(_ json: inout JSONWriter) {
        json.beginObject()
        json.field("type", type)
        json.field("unit", group.configuration.unit.unitString)
        json.field("source", "\(group.configuration.source)")
        json.key("durations")
        json.beginArray()
        for one in group.zoneDurations {
            json.beginObject()
            json.field("minimum", one.zone.minimum?.value)
            json.field("maximum", one.zone.maximum?.value)
            json.field("duration", one.duration)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}

extension WorkoutZones {
    /// The times as HealthKit's values, ascending by the identifier of the type.
    var sortedGroups: [HKWorkoutZoneGroup] {
        sorted { $0.key < $1.key }.map { HKWorkoutZoneGroup($0.value) }
    }
}
