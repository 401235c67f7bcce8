// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth

/// An athlete with a health store.
struct Athlete {
    let health: HKHealthStore
    let wearer: SimulatedWearer
    /// The calendar of the athlete's place of residence.
    let calendar: Calendar

    static let heartRate = HKQuantityType(.heartRate)
    static let steps = HKQuantityType(.stepCount)
    static let distance = HKQuantityType(.distanceWalkingRunning)
    static let sleep = HKCategoryType(.sleepAnalysis)

    /// The unit beats per minute.
    static let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())

    /// The interval of daily statistics: a day of the athlete's calendar, including days with clock changes.
    var days: DateComponents { DateComponents(calendar: calendar, timeZone: calendar.timeZone, day: 1) }

    /// Saves heart rates, steps and sleep of several days, each day in one durable commit. Returns the saved samples.
    func recordDays(_ count: Int, from first: Date) async throws -> [HKSample] {
        let wanted: Set<HKSampleType> = [Self.heartRate, Self.steps, Self.sleep]
        var saved: [HKSample] = []
        for offset in 0..<count {
            guard let day = calendar.date(byAdding: .day, value: offset, to: first) else { continue }
            let samples = wearer.samples(of: day).filter { wanted.contains($0.sampleType) }
            try await health.save(samples)
            saved += samples
        }
        return saved
    }

    /// Records a run as one sample with the distance of each second.
    ///
    /// - Parameter paces: the metres of each second.
    func recordRun(at start: Date, paces: [Double]) async throws -> HKQuantitySample? {
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: health, quantityType: Self.distance, startDate: start, device: SimulatedWearer.device)
        for (second, metres) in paces.enumerated() {
            let interval = DateInterval(start: start.addingTimeInterval(Double(second)), duration: 1)
            try builder.insert(HKQuantity(unit: .meter(), doubleValue: metres), for: interval)
        }
        return try await builder.finishSeries(metadata: [HKMetadataKeyIndoorWorkout: false]).first
    }

    /// Returns the newest heart rates, the newest first.
    func newestHeartRates(_ count: Int) async throws -> [HKQuantitySample] {
        let query = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: Self.heartRate)],
            sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: count)
        return try await query.result(for: health)
    }

    /// Returns the statistics of each day of a period.
    func daily(
        _ type: HKQuantityType, _ options: HKStatisticsOptions, from start: Date, to end: Date
    ) async throws -> HKStatisticsCollection {
        let period = HKQuery.predicateForSamples(withStart: start, end: end, options: .strictStartDate)
        let query = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: type, predicate: period), options: options, anchorDate: start,
            intervalComponents: days)
        return try await query.result(for: health)
    }

    /// Returns the hours of sleep in the nights that end on a day.
    func hoursAsleep(on day: Date) async throws -> Double {
        guard let span = calendar.dateInterval(of: .day, for: day) else { return 0 }
        let asleep = HKCategoryValueSleepAnalysis.predicateForSamples(
            equalTo: HKCategoryValueSleepAnalysis.allAsleepValues)
        let night = HKQuery.predicateForSamples(withStart: span.start, end: span.end, options: .strictEndDate)
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [asleep, night])
        let query = HKSampleQueryDescriptor(predicates: [.categorySample(type: Self.sleep, predicate: both)])
        let stages = try await query.result(for: health)
        return stages.reduce(0) { $0 + $1.endDate.timeIntervalSince($1.startDate) } / 3_600
    }

    /// Returns the duration in seconds of each whole kilometre of a run, computed from its quantities.
    func splits(of run: HKQuantitySample) async throws -> [TimeInterval] {
        let itself = HKQuery.predicateForObject(with: run.uuid)
        let query = HKQuantitySeriesSampleQueryDescriptor(
            predicate: .quantitySample(type: run.quantityType, predicate: itself))
        var splits: [TimeInterval] = []
        var (metres, kilometreBegan) = (0.0, run.startDate)
        for try await step in query.results(for: health) {
            metres += step.quantity.doubleValue(for: .meter())
            if metres >= Double(splits.count + 1) * 1_000 {
                splits.append(step.dateInterval.end.timeIntervalSince(kilometreBegan))
                kilometreBegan = step.dateInterval.end
            }
        }
        return splits
    }
}
