// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FoundationEssentials
import HealthViews

/// The output of one workout in all formats.
struct WorkoutAnswer {
    let store: HealthStore
    let one: WorkoutSummary
    /// The short form of the identity.
    let short: String
    let zone: CivilZone
    let text: WorkoutText

    /// The number of slices of the pulse in JSON.
    private static let slices = 500

    func write(_ output: Output, _ format: RowFormat?) throws {
        let columns = max(20, output.columns - WorkoutScreen.margin)
        let points = format == nil ? columns * 2 : Self.slices
        guard let details = try store.workout(one.id, split: text.unit.metres, points: points) else {
            throw Failure(.failed, "the workout \(short) was deleted meanwhile; \"kymo workouts\" lists the others")
        }
        switch format {
        case nil: try WorkoutScreen(details: details, zone: zone, text: text).show(output)
        case .json?, .jsonl?:
            var json = JSONWriter(lines: format == .json ? 1 : 0)
            write(details, &json)
            json.endLine()
            try output.write(json.take())
        case .csv?, .csvSafe?:
            guard let route = details.route else {
                throw Failure.usage("the workout \(short) has no route; --json writes its other values")
            }
            try write(route, RowWriter(output, format ?? .csv, columns: Self.columns))
        }
    }

    /// The names of the fields of a location, in order.
    private static let columns = ["time", "latitude", "longitude", "altitude", "speed"]

    private func write(_ route: RouteOutline, _ writer: consuming RowWriter) throws {
        for point in route.pieces.joined() {
            writer.beginRow()
            writer.instant("time", point.time, zone)
            writer.number("latitude", point.latitude)
            writer.number("longitude", point.longitude)
            writer.number("altitude", point.altitude)
            writer.number("speed", point.speed)
            try writer.endRow()
        }
        try writer.finish()
    }

    private func write(_ details: WorkoutDetails, _ json: inout JSONWriter) {
        let one = details.summary
        json.beginObject()
        json.field("id", short)
        json.field("uuid", one.id.uuid.uuidString)
        json.field("activity", one.activityName)
        time(TimeRange(one.start, one.end), one.duration, &json)
        json.field("distance", one.distance)
        json.field("energy", one.energy)
        json.field("strokes", one.strokes)
        json.field("flights", one.flights)
        json.field("climb", details.climb)
        json.field("swolf", details.swolf)
        json.field("lapLength", details.lapLength)
        if let isIndoor = one.isIndoor { json.field("isIndoor", isIndoor) }
        json.field("source", one.source)
        json.field("device", details.device)
        if let pulse = one.pulse { write(pulse, &json) }
        list("pauses", details.pauses, &json) { pause, json in
            json.field("start", pause.start, zone)
            json.field("end", pause.end, zone)
        }
        list("parts", details.parts, &json) { part, json in
            json.field("activity", part.activityName)
            time(part.range, part.duration, &json)
            json.field("distance", part.distance)
            json.field("energy", part.energy)
            if let pulse = part.pulse { write(pulse, &json) }
        }
        list("splits", details.splits, &json) { split, json in
            time(split.range, split.duration, &json)
            json.field("distance", split.distance)
            json.field("pulse", split.pulse)
        }
        list("laps", details.laps, &json) { lap, json in
            time(lap.range, lap.duration, &json)
            json.field("strokeStyle", lap.style.map { "\($0)" })
            json.field("strokes", lap.strokes)
            json.field("swolf", lap.swolf)
        }
        list("pulseSlices", (details.pulseCurve?.slices ?? []).filter { $0.count > 0 }, &json) { slice, json in
            json.field("start", slice.start, zone)
            json.field("end", slice.end, zone)
            json.field("least", slice.min?.value)
            json.field("greatest", slice.max?.value)
        }
        WorkoutZoneTable.write(details.zones, &json)
        if let route = details.route {
            json.key("route")
            json.beginObject()
            json.field("locations", route.count)
            json.field("length", route.length)
            json.field("climb", route.climb)
            json.field("north", route.north)
            json.field("south", route.south)
            json.field("east", route.east)
            json.field("west", route.west)
            json.endObject()
        }
        json.endObject()
    }

    private func time(_ range: TimeRange, _ duration: Double, _ json: inout JSONWriter) {
        json.field("start", range.start, zone)
        json.field("end", range.end, zone)
        json.field("duration", duration)
    }

    private func write(_ pulse: PulseRange, _ json: inout JSONWriter) {
        json.field("averagePulse", pulse.average)
        json.field("leastPulse", pulse.least)
        json.field("greatestPulse", pulse.greatest)
    }

    /// Writes a list of objects; nothing for an empty list.
    private func list<Item>(
        _ name: String, _ items: [Item], _ json: inout JSONWriter, _ body: (Item, inout JSONWriter) -> Void
    ) {
        if items.isEmpty { return }
        json.key(name)
        json.beginArray()
        for item in items {
            json.beginObject()
            body(item, &json)
            json.endObject()
        }
        json.endArray()
    }
}
