// SPDX-License-Identifier: Apache-2.0

package import CivilTime
import HealthCatalog
package import HealthModel

extension HealthStore {
    /// Returns the activity of some days, by date. A day with an imported summary has the values of that summary; the
    /// values of every other day are computed from its samples. Days with neither are omitted.
    ///
    /// - Parameters:
    ///   - days: counted from 1970-01-01; nil for all.
    ///   - zone: the time zone of the days.
    ///   - lifecycle: the query's lifecycle. Reading stops when it is stopped, and the result is then incomplete.
    /// - Throws: `errorDatabaseInaccessible`.
    /// - Complexity: O(days), the index entries and cut blocks of three sums, the samples of stand hours, the imported
    ///   elements of the days, and the workouts.
    package func activityDays(
        _ days: ClosedRange<Int64>? = nil, zone: CivilZone, _ lifecycle: QueryLifecycle? = nil
    ) throws(HKError) -> [ActivityDay] {
        try HKError.converting {
            try ActivitySearch(self, days ?? ActivityDays.all, ActivityDays(zone: zone), lifecycle).run()
        }
    }

    /// Returns the activity of the days that overlap a time range.
    package func activityDays(touching range: TimeRange, zone: CivilZone) throws(HKError) -> [ActivityDay] {
        if range == .all { return try activityDays(zone: zone) }
        if range.isEmpty { return [] }
        let calendar = ActivityDays(zone: zone)
        let first = range.start == .min ? ActivityDays.all.lowerBound : calendar.day(of: range.start)
        let last = range.end == .max ? ActivityDays.all.upperBound : calendar.day(of: range.end - 1)
        return try activityDays(first...max(first, last), zone: zone)
    }
}

extension TimeRange {
    /// Returns the range of the UTC midnights of the dates that overlap this range in a zone. Imported summaries are
    /// stored at these midnights.
    package func dates(_ zone: CivilZone) -> TimeRange {
        if self == .all || isEmpty { return self }
        let (calendar, length) = (ActivityDays(zone: zone), ActivityDays.nanosecondsPerDay)
        // No summary exists outside of these limits, and no day number either.
        let first = max(start, TimeLimits.earliest), last = min(end, TimeLimits.latest) - 1
        if last < first { return TimeRange(start, start) }
        return TimeRange(calendar.day(of: first) * length, calendar.day(of: last) * length + 1)
    }
}

/// One computation of activity summaries.
private struct ActivitySearch {
    private let store: HealthStore
    private let view: HealthView
    private let days: ClosedRange<Int64>
    private let calendar: ActivityDays
    private let lifecycle: QueryLifecycle?

    init(
        _ store: HealthStore, _ days: ClosedRange<Int64>, _ calendar: ActivityDays, _ lifecycle: QueryLifecycle?
    ) throws {
        self.store = store
        view = try store.currentView()
        self.days = days
        self.calendar = calendar
        self.lifecycle = lifecycle
    }

    func run() throws -> [ActivityDay] {
        let mode = HKActivityMoveMode(exported: view.tables.rows.characteristics[Self.moveMode] ?? "") ?? .activeEnergy
        var found: [Int64: ActivityDay] = [:]
        for (day, values) in try computed(mode) {
            found[day] = ActivityDay(day: day, values: values, isImported: false)
        }
        try eachImported { day, summary in
            found[day] = ActivityDay(day: day, values: summary.values(mode), isImported: true)
        }
        return found.values.sorted { $0.day < $1.day }
    }

    private static let moveMode = HKCharacteristicTypeIdentifier.activityMoveMode.rawValue

    /// Calls `body` with the imported summaries by day; of several summaries of one day, the newest comes last.
    private func eachImported(_ body: (Int64, ImportedSummary) -> Void) throws {
        guard days.overlaps(ActivityDays.all) else { return }
        let known = days.clamped(to: ActivityDays.all)
        let length = ActivityDays.nanosecondsPerDay
        let range = TimeRange(known.lowerBound * length, known.upperBound * length + 1)
        try store.objects(.activitySummary, range: range, asOf: view.snapshot.sequence) { object in
            guard let start = object.start else { return true }
            body(start.dividedDown(by: length), ImportedSummary(object.xml))
            return !(lifecycle?.isStopped ?? false)
        }
    }

    // Values computed from samples.

    private func computed(_ mode: HKActivityMoveMode) throws -> [Int64: ActivityValues] {
        guard let range = calendar.range(days) else { return [:] }
        var none = ActivityValues()
        none.moveMode = mode
        none.goals = HealthActivityGoals(settings: view.tables.rows.settings)
        var found: [Int64: ActivityValues] = [:]
        for (identifier, unit, path) in Self.sums {
            for (day, sum) in try sums(of: HKQuantityType(identifier), unit, range) {
                found[day, default: none][keyPath: path] = HKQuantity(unit: unit, doubleValue: sum)
            }
        }
        for (day, energy) in try WorkoutEnergy(store: store, view: view, calendar: calendar).byDay(range)
        where days.contains(day) {
            let known = found[day, default: none].activeEnergyBurned.doubleValue(for: .kilocalorie())
            found[day, default: none].activeEnergyBurned = HKQuantity(unit: .kilocalorie(), doubleValue: known + energy)
        }
        for (day, hours) in try standHours(range) {
            found[day, default: none].appleStandHours = HKQuantity(unit: .count(), doubleValue: Double(hours))
        }
        return found
    }

    private static var sums: [(HKQuantityTypeIdentifier, HKUnit, WritableKeyPath<ActivityValues, HKQuantity>)] {
        [
            (.activeEnergyBurned, .kilocalorie(), \.activeEnergyBurned), (.appleMoveTime, .minute(), \.appleMoveTime),
            (.appleExerciseTime, .minute(), \.appleExerciseTime),
        ]
    }

    /// Returns the sum of each day with samples.
    private func sums(of type: HKQuantityType, _ unit: HKUnit, _ range: TimeRange) throws -> [(Int64, Double)] {
        let isAll = days == ActivityDays.all
        let window = SamplePredicate.time(
            start: StoredTime.date(range.start), end: StoredTime.date(range.end), options: [])
        let question = StatisticsQuestion(
            type: type, predicate: isAll ? .always(true) : window, options: .cumulativeSum)
        let search = try StatisticsSearch(question, store, lifecycle, in: view)
        let intervals = try CalendarIntervals(daysOf: calendar.zone)
        guard let (grid, groups) = try search.run(intervals) else { return [] }
        let table = search.table(groups)
        let conversion = try? UnitConversion(from: table.unit, to: unit)
        var found: [(Int64, Double)] = []
        for (row, isThere) in table.all.isThere.enumerated() where isThere {
            let day = calendar.day(of: grid.edges[row])
            let sum = table.all.sum[row]
            if days.contains(day), !sum.isNaN { found.append((day, conversion?.convert(sum) ?? sum)) }
        }
        return found
    }

    /// Returns the number of hours with standing, by day; 0 for days whose samples have no such hour.
    private func standHours(_ range: TimeRange) throws -> [Int64: Int] {
        let rows = view.tables.byType[HKCategoryTypeIdentifier.appleStandHour.rawValue] ?? []
        var hours: [Int64: Set<ActivityDays.Hour>] = [:]
        let stood = Double(HKCategoryValueAppleStandHour.stood.rawValue)
        let (calendar, lifecycle) = (calendar, lifecycle)
        // The tables may contain a series that is newer than the snapshot.
        let ids = rows.map { SeriesID(rawValue: $0.series) }.filter { view.snapshot.has($0) }
        try view.snapshot.scan(
            ids, over: range, columns: [.starts, .values]
        ) { batch throws(StoreError) in
            for place in 0..<batch.count {
                let sample = batch[place]
                let day = calendar.day(of: sample.start)
                if sample.value == stood {
                    hours[day, default: []].insert(calendar.hour(of: sample.start))
                } else if hours[day] == nil {
                    hours[day] = []
                }
            }
            return !(lifecycle?.isStopped ?? false)
        }
        return hours.mapValues(\.count)
    }
}
