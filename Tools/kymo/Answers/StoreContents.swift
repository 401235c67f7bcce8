// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthViews

/// What a store holds after an import, in numbers.
struct StoreContents {
    /// The start of the first and the end of the last sample; nil without samples.
    private let range: (first: Int64, last: Int64)?
    private let types: Int
    private let sources: Int
    private let workouts: Int
    private let routes: Int
    private let electrocardiograms: Int

    init(_ store: HealthStore) throws {
        let overviews = try store.types()
        let first = overviews.map(\.first).min()
        range = first.map { ($0, overviews.map(\.last).max() ?? $0) }
        types = overviews.count
        sources = try store.sources().count
        // A workout of an export that is not read yet is only an element.
        let elements = try store.objectCounts()[.workout] ?? 0
        workouts = max(elements, try ListedType.workout.overview(store)?.count ?? 0)
        let files = Set(try store.documents().map(\.path).filter { $0.contains("workout-routes/") }).count
        routes = max(files, try ListedType.workoutRoute.overview(store)?.count ?? 0)
        electrocardiograms = try ListedType.electrocardiogram.overview(store)?.count ?? 0
    }

    private var counts: [(count: Int, noun: String)] {
        [
            (types, "type"), (sources, "source"), (workouts, "workout"), (routes, "route"),
            (electrocardiograms, "electrocardiogram"),
        ]
    }

    /// Returns one line: `from 3 March 2019 to 22 November 2026: 41 types, 6 sources, 161 workouts`; nil without
    /// samples.
    func text(_ zone: CivilZone) -> String? {
        guard let range else { return nil }
        let list = counts.filter { $0.count > 0 }.map { NumberText.count($0.count, $0.noun) }
        let dates = "from \(Self.date(range.first, zone)) to \(Self.date(range.last, zone))"
        return "\(dates): \(list.joined(separator: ", "))"
    }

    /// Writes the field `contents`.
    func write(_ zone: CivilZone, _ json: inout JSONWriter) {
        json.key("contents")
        json.beginObject()
        json.field("first", range?.first, zone)
        json.field("last", range?.last, zone)
        for (count, noun) in counts { json.field(noun + "s", count) }
        json.endObject()
    }

    private static func date(_ instant: Int64, _ zone: CivilZone) -> String {
        DayText.dated(CalendarDate(containing: instant, in: zone))
    }
}
