// SPDX-License-Identifier: Apache-2.0

internal import CivilTime

/// Reads an overview of a day from a store.
struct OverviewReader {
    let store: HealthStore
    let zone: CivilZone
    let now: Int64

    /// The number of days in a picture of a week, and in a picture of a month.
    private static let week = 7
    private static let month = 30
    /// A comparison needs at least this many days with data.
    private static let fewest = 7

    private var today: CalendarDate { CalendarDate(containing: now, in: zone) }

    private func type(_ identifier: HKQuantityTypeIdentifier) -> HealthType { HealthTypes.type(for: identifier) }

    func read() throws -> DayOverview? {
        let workout = try store.latestWorkout(before: now)
        guard let day = try latestDay(workout) else {
            return nil
        }
        var found = DayOverview(date: day, isToday: day == today, zone: zone)
        found.steps = try steps(day)
        found.activity = try activity(day)
        found.restingPulse = try restingPulse(day)
        found.sleep = try lastNight(day)
        found.weight = try weight(day)
        found.lastWorkout = workout
        for overview in try store.types() {
            found.samples += overview.samples
            found.first = min(found.first ?? .max, overview.first)
        }
        found.lastImport = try store.imports().map(\.at).max()
        found.daysSinceImport = found.lastImport.map {
            Int(today.number - CalendarDate(containing: $0, in: zone).number)
        }
        return found
    }

    /// Returns the latest day, up to today, that has data of a person's day.
    private func latestDay(_ workout: WorkoutSummary?) throws -> CalendarDate? {
        let end = DaySpan(today, through: today, in: zone).bounds.end
        var types = [HKQuantityTypeIdentifier.stepCount, .activeEnergyBurned, .appleExerciseTime, .restingHeartRate]
            .map(type)
        types.append(HealthTypes.type(for: HKCategoryTypeIdentifier.appleStandHour))
        var days = try types.compactMap { try store.latestDay(of: $0, before: end, in: zone) }
        let sleep = HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis)
        if let latest = try store.latest(sleep, before: now) {
            // Sleep belongs to the day on which it ends.
            days.append(CalendarDate(containing: max(latest.start, min(latest.end, now)), in: zone))
        }
        if let workout { days.append(CalendarDate(containing: workout.start, in: zone)) }
        return try days.max() ?? store.latestDay(of: type(.bodyMass), before: end, in: zone)
    }

    /// Returns the days up to a day.
    private func span(_ count: Int, to day: CalendarDate) -> DaySpan {
        DaySpan(day.adding(1 - count), through: day, in: zone)
    }

    private func mean(_ values: some Sequence<Double?>, atLeast fewest: Int = 1) -> Double? {
        let present = values.compactMap { $0 }
        return present.count >= fewest ? present.reduce(0, +) / Double(present.count) : nil
    }

    /// Returns the place of the latest of some days with data.
    private func latest(_ values: ArraySlice<Double?>) -> (place: Int, value: Double)? {
        guard let place = values.lastIndex(where: { $0 != nil }), let value = values[place] else { return nil }
        return (place, value)
    }

    /// Returns the value of each day; nil if no sample has a unit that converts.
    private func daily(_ type: HealthType, _ span: DaySpan, _ unit: HKUnit?) throws(HealthStoreError) -> DailySeries? {
        try store.ifConvertible { () throws(HealthStoreError) in try store.daily(type, span, unit: unit) }
    }

    private func steps(_ day: CalendarDate) throws -> DayOverview.Measure? {
        guard let series = try daily(type(.stepCount), span(Self.week + Self.month + 1, to: day), .count())
        else { return nil }
        let recent = series.values.suffix(Self.week)
        guard let (place, value) = latest(recent) else { return nil }
        let full = day == today ? series.values.dropLast() : series.values[...]
        let average = mean(full.suffix(Self.week))
        let before = mean(full.dropLast(Self.week).suffix(Self.month), atLeast: Self.fewest)
        var change: Double?
        if let average, let before, before > 0 { change = average / before - 1 }
        return DayOverview.Measure(
            type: series.type, unit: series.unit, date: series.first.adding(place), value: value,
            recent: Array(recent), average: average, change: change)
    }

    private func restingPulse(_ day: CalendarDate) throws -> DayOverview.Measure? {
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        guard let series = try daily(type(.restingHeartRate), span(Self.month, to: day), perMinute),
            let (place, value) = latest(series.values[...])
        else { return nil }
        return DayOverview.Measure(
            type: series.type, unit: series.unit, date: series.first.adding(place), value: value,
            recent: series.values, average: mean(series.values), change: nil)
    }

    private func weight(_ day: CalendarDate) throws -> DayOverview.Measure? {
        let end = DaySpan(today, through: today, in: zone).bounds.end
        guard let sample = try store.latest(type(.bodyMass), before: end) else { return nil }
        let date = CalendarDate(containing: sample.start, in: zone)
        let span = span(Self.month, to: max(day, date))
        let unit = sample.unit.flatMap { try? HKUnit(parsing: $0) }
        let recent = try daily(sample.type, span, unit)?.values ?? []
        return DayOverview.Measure(
            type: sample.type, unit: sample.unit, date: date, value: sample.value, recent: recent,
            average: mean(recent, atLeast: 2), change: nil)
    }

    private func activity(_ day: CalendarDate) throws -> DayOverview.Activity? {
        let first = day.adding(1 - Self.week)
        var recent = [Double?](repeating: nil, count: Self.week)
        var latest: ActivityDay?
        for one in try store.activityDays(first.number...day.number, zone: zone) {
            let values = one.values
            let amounts = [
                values.activeEnergyBurned, values.appleMoveTime, values.appleExerciseTime, values.appleStandHours,
            ]
            guard amounts.contains(where: { $0.value > 0 }) else { continue }
            latest = one
            recent[Int(one.day - first.number)] = values.moved.value
        }
        return latest.map {
            DayOverview.Activity(date: CalendarDate(number: $0.day), values: $0.values, recent: recent)
        }
    }

    private func lastNight(_ day: CalendarDate) throws -> DayOverview.Sleep? {
        let span = span(Self.week, to: day)
        let nights = try store.nights(NightRequest(range: span.bounds, zone: zone.identifier))
        guard let latest = nights.last(where: { $0.asleep > .zero }) else { return nil }
        var recent = [Double?](repeating: nil, count: Self.week)
        for night in nights where night.asleep > .zero {
            let place = Int(night.date.number - span.first.number)
            if recent.indices.contains(place) { recent[place] = night.asleep.inSeconds }
        }
        return DayOverview.Sleep(night: latest, recent: recent)
    }
}

extension ActivityValues {
    /// What the move ring counts: energy, or time in motion.
    package var moved: HKQuantity { moveMode == .appleMoveTime ? appleMoveTime : activeEnergyBurned }

    /// The goal of the move ring; nil without one.
    package var moveGoal: HKQuantity? { moveMode == .appleMoveTime ? goals.appleMoveTime : goals.activeEnergyBurned }
}
