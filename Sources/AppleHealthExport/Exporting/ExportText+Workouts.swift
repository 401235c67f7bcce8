// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

extension ExportText {
    /// Writes a workout with its events, activities, statistics and routes, in the form of exports since version 12.
    mutating func workout(_ workout: ExportedWorkout) {
        let content = workout.content
        put(" <Workout")
        attribute("workoutActivityType", content.unknownActivity ?? content.activity.name)
        duration(content.duration)
        totals(content)
        origin(workout.metadata.hasNoSource ? nil : workout.source, workout.version, workout.device)
        dates(workout.created, workout.start, workout.end)
        put(">\n")
        entries(workout.metadata, 2)
        for event in content.events { self.event(event) }
        let whole = WorkoutConfiguration(content.activity, metadata: workout.metadata.values)
        for activity in content.activities { self.activity(activity, content, whole) }
        statistics(content.statistics, workout.start, workout.end, 2)
        for route in workout.routes { self.route(route) }
        put(" </Workout>\n")
    }

    /// Writes the totals that the statistics do not state.
    private mutating func totals(_ content: WorkoutContent) {
        let sums = WorkoutTotals(content.statistics, of: content.activity)
        func total(_ name: String, _ total: HKQuantity?, _ sum: HKQuantity?) {
            guard let total, total.value != sum?.value || total.unit != sum?.unit else { return }
            number(name, total.value)
            attribute(name + "Unit", total.unit.unitString)
        }
        total("totalDistance", content.totals.distance, sums.distance)
        total("totalEnergyBurned", content.totals.energy, sums.energy)
        total("totalSwimmingStrokeCount", content.totals.strokes, sums.strokes)
        total("totalFlightsClimbed", content.totals.flights, sums.flights)
    }

    private mutating func event(_ event: HKWorkoutEvent) {
        guard let start = StoredTime.nanoseconds(event.start), let end = StoredTime.nanoseconds(event.end) else {
            return
        }
        put("  <WorkoutEvent")
        attribute("type", event.type.name)
        date(" date=\"", start)
        if end > start { duration(Double(UInt64(bitPattern: end &- start)) / 1e9) }
        values(event.values ?? [:], 3, closing: "  </WorkoutEvent>\n")
    }

    /// Writes a part of a workout.
    ///
    /// - Parameter whole: the configuration that the metadata of the workout states.
    private mutating func activity(
        _ activity: WorkoutActivity, _ content: WorkoutContent, _ whole: WorkoutConfiguration
    ) {
        guard let start = StoredTime.nanoseconds(activity.start) else { return }
        let end = activity.end.flatMap { StoredTime.nanoseconds($0) }
        put("  <WorkoutActivity")
        attribute("uuid", activity.uuid.uuidString)
        date(" startDate=\"", start)
        if let end { date(" endDate=\"", end) }
        duration(activity.duration(content.events))
        put(">\n")
        statistics(activity.statistics, start, end ?? start, 3)
        // Only metadata can state a configuration of the part's own.
        var stated = whole
        stated.activity = activity.configuration.activity
        let own = stated == activity.configuration ? [:] : activity.configuration.metadata
        entries(own.merging(activity.metadata ?? [:]) { $1 }, 3)
        put("  </WorkoutActivity>\n")
    }

    private mutating func statistics(_ all: WorkoutStatistics, _ start: Int64, _ end: Int64, _ indent: Int) {
        for (type, one) in all.mapValues(\.inUsualUnit).sorted(by: { $0.key < $1.key }) {
            blanks(indent)
            put("<WorkoutStatistics")
            attribute("type", type)
            date(" startDate=\"", one.interval.flatMap { StoredTime.nanoseconds($0.start) } ?? start)
            date(" endDate=\"", one.interval.flatMap { StoredTime.nanoseconds($0.end) } ?? end)
            for (name, value) in [
                ("average", one.average), ("minimum", one.minimum), ("maximum", one.maximum), ("sum", one.sum),
            ] {
                if let value { number(name, value) }
            }
            attribute("unit", one.unit.unitString)
            put("/>\n")
        }
    }

    /// Writes a route with its points: an XML alone has no files beside it.
    private mutating func route(_ route: ExportedRoute) {
        put("  <WorkoutRoute")
        origin(route.metadata.hasNoSource ? nil : route.source, route.version, route.device)
        dates(route.created, route.start, route.end)
        put(">\n")
        entries(route.metadata, 3)
        let columns = Self.columns.map { (name: $0.name, column: $0.column, values: route.locations.values($0.column)) }
        for (place, time) in route.locations.times.enumerated() {
            put("   <Location")
            date(" date=\"", time)
            for (name, column, values) in columns { number(name, values?[place] ?? column.missing) }
            put("/>\n")
        }
        put("  </WorkoutRoute>\n")
    }

    private static let columns: [(name: String, column: RouteColumn)] = [
        ("latitude", .latitude), ("longitude", .longitude), ("altitude", .altitude),
        ("horizontalAccuracy", .horizontalAccuracy), ("verticalAccuracy", .verticalAccuracy), ("course", .course),
        ("speed", .speed),
    ]

    /// Writes a duration in minutes, or in seconds if minutes would be parsed as another duration.
    private mutating func duration(_ seconds: Double) {
        let minutes = seconds / 60
        number("duration", minutes * 60 == seconds ? minutes : seconds)
        attribute("durationUnit", minutes * 60 == seconds ? "min" : "s")
    }

    mutating func number(_ name: String, _ value: Double) {
        put(" ")
        put(name)
        put("=\"")
        DecimalText.append(value, to: &bytes)
        put("\"")
    }

    /// Ends a start tag, and writes metadata as the only content of the element.
    private mutating func values(_ values: HealthMetadataValues, _ indent: Int, closing: String) {
        if values.isEmpty { return put("/>\n") }
        put(">\n")
        entries(values, indent)
        put(closing)
    }

    private mutating func entries(_ values: HealthMetadataValues, _ indent: Int) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            blanks(indent)
            put("<MetadataEntry")
            attribute("key", key)
            attribute("value", value.exportText)
            put("/>\n")
        }
    }
}
