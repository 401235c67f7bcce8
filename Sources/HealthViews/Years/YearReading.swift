// SPDX-License-Identifier: Apache-2.0

internal import CivilTime

extension HealthStore {
    /// Reads the values of a report.
    ///
    /// - Parameter only: the identifiers of the types; nil for all.
    package func review(_ span: DaySpan, only: Set<String>? = nil) throws -> YearReview {
        let reader = ReviewReader(store: self, span: span, only: only)
        return try reader.read()
    }
}

/// Reads the values of a report from a store.
private struct ReviewReader {
    let store: HealthStore
    let span: DaySpan
    let only: Set<String>?

    /// Fewer values of a measure are not drawn.
    private static let fewest = 10
    /// The most electrocardiograms of a report.
    private static let mostRecordings = 3

    func read() throws -> YearReview {
        var review = YearReview(span: span)
        let stored = Dictionary(
            uniqueKeysWithValues: try store.types().filter { overview in
                overview.last >= span.bounds.start && overview.first < span.bounds.end
                    && only?.contains(overview.type.identifier) ?? true
            }.map { ($0.type.identifier, $0) })
        for overview in stored.values {
            let rows = try store.statistics(
                StatisticsRequest(overview.type, range: span.bounds, merging: .union)
            ).rows
            let count = rows.reduce(0) { $0 + $1.count }
            if count > 0 { review.contents.append((overview.type, count)) }
        }
        review.contents.sort { ($1.samples, $0.type.identifier) < ($0.samples, $1.type.identifier) }
        review.samples = review.contents.reduce(0) { $0 + $1.samples }
        review.types = review.contents.count
        let present = Set(review.contents.map(\.type.identifier))
        func type(_ identifier: HKQuantityTypeIdentifier) -> HealthType? {
            present.contains(identifier.rawValue) ? HealthTypes.type(for: identifier) : nil
        }
        try readMovement(&review, type)
        try readHeart(&review, type)
        if present.contains(HKCategoryTypeIdentifier.sleepAnalysis.rawValue) {
            review.nights = try store.nights(NightRequest(range: span.bounds, zone: span.zone.identifier))
        }
        try readMeasures(&review, type)
        try readRecordings(&review)
        review.pairs = pairs(review)
        return review
    }

    private func readMovement(
        _ review: inout YearReview, _ type: (HKQuantityTypeIdentifier) -> HealthType?
    ) throws {
        review.steps = try type(.stepCount).map { try store.daily($0, span, unit: .count()) }
        review.distance = try type(.distanceWalkingRunning).map {
            try store.daily($0, span, unit: .meterUnit(with: .kilo))
        }
        let goals = try store.activityDays(touching: span.bounds, zone: span.zone)
        review.activity = goals.filter { $0.values.goals.activeEnergyBurned != nil }
        for identifier in [HKQuantityTypeIdentifier.stepCount, .distanceWalkingRunning, .activeEnergyBurned] {
            guard let type = type(identifier) else { continue }
            let who = try store.whoCounted(StatisticsRequest(type, range: span.bounds))
            if who.shares.count > 1 { review.counted.append(who) }
        }
    }

    private func readHeart(
        _ review: inout YearReview, _ type: (HKQuantityTypeIdentifier) -> HealthType?
    ) throws {
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        if let resting = type(.restingHeartRate) {
            let months = Buckets.calendar(.months(1), anchor: span.bounds.start, zone: span.zone.identifier)
            let all = TimeRange(.min, span.bounds.end)
            review.resting = try store.spreads(resting, months, all, unit: perMinute)
            review.restingDays = try store.daily(resting, span, unit: perMinute)
        }
        if let heart = type(.heartRate) {
            review.heart = try store.spreads(heart, span.buckets, span.bounds, unit: perMinute)
        }
        review.variability = try type(.heartRateVariabilitySDNN).map {
            try store.daily($0, span, unit: .secondUnit(with: .milli))
        }
    }

    private func readMeasures(
        _ review: inout YearReview, _ type: (HKQuantityTypeIdentifier) -> HealthType?
    ) throws {
        for identifier in [
            HKQuantityTypeIdentifier.bodyMass, .bloodPressureSystolic, .bloodPressureDiastolic, .bloodGlucose,
            .oxygenSaturation,
        ] {
            guard let type = type(identifier) else { continue }
            let daily = try store.daily(type, span)
            let samples = zip(span.dates, daily.values).compactMap { date, value in
                value.map { (at: DaySpan(date, through: date, in: span.zone).bounds.start, value: $0) }
            }
            if samples.count >= Self.fewest {
                review.measures.append(YearReview.Measure(type: type, unit: daily.unit, samples: samples))
            }
        }
    }

    private func readRecordings(_ review: inout YearReview) throws {
        var found: [HKSample] = []
        let type = HKObjectType.electrocardiogramType()
        try store.list(type, startingIn: span.bounds, backward: true, asOf: nil) { one in
            found.append(one.sample)
            return found.count < Self.mostRecordings
        }
        for one in found {
            guard let object = try store.object(one.uuid, parts: 1 << 20),
                let sample = object.sample as? HKElectrocardiogram,
                let frequency = sample.samplingFrequency?.doubleValue(for: .hertz())
            else { continue }
            review.recordings.append(
                YearReview.Recording(
                    start: object.start, classification: "\(sample.classification)",
                    heartRate: sample.averageHeartRate?.doubleValue(for: .count().unitDivided(by: .minute())),
                    millivolts: object.voltages.map { $0.voltage.doubleValue(for: .voltUnit(with: .milli)) },
                    frequency: frequency, source: sample.sourceRevision.source.name))
        }
    }

    /// Returns the pairs of types with enough common days, the strongest correlation first.
    private func pairs(_ review: YearReview) -> [TypePair] {
        var asleep = [Double?](repeating: nil, count: span.count)
        for night in review.nights where !night.stages.isEmpty {
            let place = Int(night.date.number - span.first.number)
            if asleep.indices.contains(place) {
                asleep[place] = Double(night.asleep.components.seconds) / 3_600
            }
        }
        let sleep = DailySeries(
            type: HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis), unit: "hr", first: span.first,
            values: asleep)
        let series = [review.steps, review.restingDays, review.variability, sleep].compactMap { $0 }
        var found: [TypePair] = []
        for (place, x) in series.enumerated() {
            for y in series[(place + 1)...] {
                let pair = TypePair(x, y)
                if pair.points.count >= 30, pair.rankCorrelation != nil { found.append(pair) }
            }
        }
        return found.sorted { abs($0.rankCorrelation ?? 0) > abs($1.rankCorrelation ?? 0) }
    }
}
