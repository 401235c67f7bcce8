// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
package import CivilTime
import HealthCatalog
package import HealthModel

extension HealthStore {
    /// What is said of the activity of some days, by date: of a day that an import tells of, what it tells, of others
    /// what their samples say. Days of which neither says anything are left out.
    ///
    /// - Parameters:
    ///   - days: counted from 1970-01-01; nil for all.
    ///   - zone: by whose clocks a day begins.
    ///   - course: no more is read once it is stopped; what comes then means nothing.
    /// - Throws: `errorDatabaseInaccessible`.
    /// - Complexity: O(days), the index entries and cut blocks of three sums, the samples of stand hours, and the
    ///   imported elements of the days.
    package func activityDays(
        _ days: ClosedRange<Int64>? = nil, zone: CivilZone, _ course: QueryLifecycle? = nil
    ) throws(HKError) -> [ActivityDay] {
        do {
            if mode != .readWrite { try refresh() }
            return try ActivitySearch(self, days ?? ActivityDays.all, ActivityDays(zone: zone), course).run()
        } catch {
            throw HKError(any: error)
        }
    }

    /// The same of the days that a range of time touches.
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
    /// The midnights in UTC of the dates of which it has a part by the clocks of a zone: where imported summaries are.
    package func dates(_ zone: CivilZone) -> TimeRange {
        if self == .all || isEmpty { return self }
        let (calendar, length) = (ActivityDays(zone: zone), ActivityDays.nanosecondsPerDay)
        // What no summary is as far away as has no day.
        let first = max(start, TimeLimits.earliest), last = min(end, TimeLimits.latest) - 1
        if last < first { return TimeRange(start, start) }
        return TimeRange(calendar.day(of: first) * length, calendar.day(of: last) * length + 1)
    }
}

/// One computation of summaries.
private struct ActivitySearch {
    private let store: HealthStore
    private let view: HealthView
    private let days: ClosedRange<Int64>
    private let calendar: ActivityDays
    private let course: QueryLifecycle?

    init(_ store: HealthStore, _ days: ClosedRange<Int64>, _ calendar: ActivityDays, _ course: QueryLifecycle?) throws {
        self.store = store
        view = try store.view()
        self.days = days
        self.calendar = calendar
        self.course = course
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

    /// Gives the imported summaries by day; of several of a day the newest comes last.
    private func eachImported(_ body: (Int64, ImportedSummary) -> Void) throws {
        guard days.overlaps(ActivityDays.all) else { return }
        let known = days.clamped(to: ActivityDays.all)
        let length = ActivityDays.nanosecondsPerDay
        let range = TimeRange(known.lowerBound * length, known.upperBound * length + 1)
        try store.objects(.activitySummary, range: range, asOf: view.snapshot.sequence) { object in
            guard let start = object.start else { return true }
            body(start.dividedDown(by: length), ImportedSummary(object.xml))
            return !(course?.isStopped ?? false)
        }
    }
}

// What samples say.
extension ActivitySearch {
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

    /// The sum of each day that has any.
    private func sums(of type: HKQuantityType, _ unit: HKUnit, _ range: TimeRange) throws -> [(Int64, Double)] {
        let isAll = days == ActivityDays.all
        let window = SamplePredicate.time(
            start: StoredTime.date(range.start), end: StoredTime.date(range.end), options: [])
        let search = try StatisticsSearch(
            store, type, isAll ? .always(true) : window, .cumulativeSum, course, in: view)
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

    /// In how many hours of each day somebody stood; of days with samples none of which says so, zero.
    private func standHours(_ range: TimeRange) throws -> [Int64: Int] {
        let rows = view.tables.byType[HKCategoryTypeIdentifier.appleStandHour.rawValue] ?? []
        var hours: [Int64: Set<ActivityDays.Hour>] = [:]
        let stood = Double(HKCategoryValueAppleStandHour.stood.rawValue)
        let (calendar, course) = (calendar, course)
        // The tables may know a series that is newer than the snapshot.
        let ids = rows.map { SeriesID(rawValue: $0.series) }.filter { view.snapshot.has($0) }
        try view.snapshot.scan(
            ids, over: range, columns: [.starts, .values]
        ) { batch throws(StoreError) in
            for row in batch.rows {
                let start = batch.block.starts[row]
                let day = calendar.day(of: start)
                if batch.block.values[row] == stood {
                    hours[day, default: []].insert(calendar.hour(of: start))
                } else if hours[day] == nil {
                    hours[day] = []
                }
            }
            return !(course?.isStopped ?? false)
        }
        return hours.mapValues(\.count)
    }
}
