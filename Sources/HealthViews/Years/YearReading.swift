// SPDX-License-Identifier: Apache-2.0

internal import CivilTime

extension HealthStore {
    /// Reads the values of a report.
    ///
    /// - Parameter only: the identifiers of the types; nil for all.
    package func review(_ span: DaySpan, only: Set<String>? = nil) throws -> YearReview {
        try ReviewReader(store: self, span: span, only: only).read()
    }
}

/// Reads the values of a report from a store.
private struct ReviewReader {
    let store: HealthStore
    let span: DaySpan
    let only: Set<String>?

    /// A measure is drawn if at least this many days have a value, and a pair of types if they share this many days.
    private static let fewestDays = 10
    private static let fewestPairs = 30
    /// The most electrocardiograms of a report.
    private static let mostRecordings = 3
    /// The most routes of a report.
    private static let mostRoutes = 6

    /// The types of the span with samples, by identifier.
    private typealias Present = (HKQuantityTypeIdentifier) -> HealthType?

    func read() throws -> YearReview {
        var review = YearReview(span: span)
        review.contents = try contents()
        review.samples = review.contents.reduce(0) { $0 + $1.samples }
        review.types = review.contents.count
        let identifiers = Set(review.contents.map(\.type.identifier))
        func present(_ identifier: HKQuantityTypeIdentifier) -> HealthType? {
            identifiers.contains(identifier.rawValue) ? HealthTypes.type(for: identifier) : nil
        }
        try readMovement(&review, present)
        try readHeart(&review, present)
        if identifiers.contains(HKCategoryTypeIdentifier.sleepAnalysis.rawValue) {
            review.nights = try store.nights(NightRequest(range: span.bounds, zone: span.zone.identifier))
        }
        let measures: [HKQuantityTypeIdentifier] = [
            .bodyMass, .bloodPressureSystolic, .bloodPressureDiastolic, .bloodGlucose, .oxygenSaturation,
        ]
        review.measures = try measures.compactMap { try daily(present($0)) }
            .filter { $0.daysWithData >= Self.fewestDays }
        if wants(HKObjectType.workoutType()) {
            let workouts = try store.workouts(WorkoutRequest(range: span.bounds))
            if !workouts.all.isEmpty { review.workouts = workouts }
            review.routes = try routes(workouts)
        }
        if wants(HKObjectType.electrocardiogramType()) {
            for one in try store.electrocardiograms(startingIn: span.bounds).all.suffix(Self.mostRecordings).reversed()
            {
                review.recordings.append((one, try store.voltages(of: one)))
            }
        }
        review.pairs = pairs(review)
        return review
    }

    /// Returns the latest workouts with a route, the latest first.
    private func routes(_ workouts: WorkoutList) throws -> [(one: WorkoutSummary, route: RouteOutline)] {
        var found: [(one: WorkoutSummary, route: RouteOutline)] = []
        for one in workouts.all.reversed() where one.hasRoute && found.count < Self.mostRoutes {
            if let route = try store.route(of: one.id) { found.append((one, route)) }
        }
        return found
    }

    private func wants(_ type: HKSampleType) -> Bool { only?.contains(type.identifier) ?? true }

    /// Returns the types with the number of samples that start in the span, most samples first.
    private func contents() throws(HealthStoreError) -> [(type: HealthType, samples: Int)] {
        var found: [(type: HealthType, samples: Int)] = []
        for overview in try store.types() {
            guard overview.last >= span.bounds.start, overview.first < span.bounds.end,
                only?.contains(overview.type.identifier) ?? true
            else { continue }
            let request = StatisticsRequest(overview.type, range: span.bounds, merging: .union)
            let rows = try store.ifConvertible { () throws(HealthStoreError) in try store.statistics(request).rows }
            let count = (rows ?? []).reduce(0) { $0 + $1.count }
            if count > 0 { found.append((overview.type, count)) }
        }
        return found.sorted { ($1.samples, $0.type.identifier) < ($0.samples, $1.type.identifier) }
    }

    /// Returns the value of each day; nil without the type.
    private func daily(_ type: HealthType?, _ unit: HKUnit? = nil) throws(HealthStoreError) -> DailySeries? {
        guard let type else { return nil }
        return try store.ifConvertible { () throws(HealthStoreError) in try store.daily(type, span, unit: unit) }
    }

    private func readMovement(_ review: inout YearReview, _ present: Present) throws {
        review.steps = try daily(present(.stepCount), .count())
        review.distance = try daily(present(.distanceWalkingRunning), .meterUnit(with: .kilo))
        let days = try store.activityDays(touching: span.bounds, zone: span.zone)
        review.activity = days.filter { $0.values.moveGoal != nil }
        for identifier in [HKQuantityTypeIdentifier.stepCount, .distanceWalkingRunning, .activeEnergyBurned] {
            guard let type = present(identifier) else { continue }
            let who = try store.ifConvertible { () throws(HealthStoreError) in
                try store.whoCounted(StatisticsRequest(type, range: span.bounds))
            }
            if let who, who.shares.count > 1 { review.counted.append(who) }
        }
    }

    private func readHeart(_ review: inout YearReview, _ present: Present) throws {
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        func spreads(_ type: HealthType?, _ buckets: Buckets, _ range: TimeRange) throws(HealthStoreError) -> [Spread] {
            guard let type else { return [] }
            let found = try store.ifConvertible { () throws(HealthStoreError) in
                try store.spreads(type, buckets, range, unit: perMinute)
            }
            return found ?? []
        }
        let months = Buckets.calendar(.months(1), anchor: monthStart, zone: span.zone.identifier)
        review.resting = try spreads(present(.restingHeartRate), months, TimeRange(.min, span.bounds.end))
        review.restingDays = try daily(present(.restingHeartRate), perMinute)
        let monday = span.first.adding(1 - span.first.weekday)
        let weeks = Buckets.calendar(
            .weeks(1), anchor: DaySpan(monday, through: monday, in: span.zone).bounds.start, zone: span.zone.identifier)
        review.heart = try spreads(present(.heartRate), review.isLong ? weeks : span.buckets, span.bounds)
        review.variability = try daily(present(.heartRateVariabilitySDNN), .secondUnit(with: .milli))
    }

    /// The first instant of the month in which the span begins.
    private var monthStart: Int64 {
        let first = CalendarDate(number: Civil.days(year: span.first.year, month: span.first.month, day: 1))
        return DaySpan(first, through: first, in: span.zone).bounds.start
    }

    /// Returns the pairs of types with enough common days, the strongest correlation first.
    private func pairs(_ review: YearReview) -> [TypePair] {
        var asleep = [Double?](repeating: nil, count: span.count)
        for night in review.nights where !night.stages.isEmpty {
            let place = Int(night.date.number - span.first.number)
            if asleep.indices.contains(place) { asleep[place] = night.asleep.inSeconds / 3_600 }
        }
        let sleep = DailySeries(
            type: HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis), unit: "hr", first: span.first,
            values: asleep)
        let series = [review.steps, review.restingDays, review.variability, sleep].compactMap { $0 }
        var found: [TypePair] = []
        for (place, x) in series.enumerated() {
            for y in series[(place + 1)...] {
                let pair = TypePair(x, y)
                if pair.points.count >= Self.fewestPairs, pair.rankCorrelation != nil { found.append(pair) }
            }
        }
        return found.sorted { abs($0.rankCorrelation ?? 0) > abs($1.rankCorrelation ?? 0) }
    }
}
