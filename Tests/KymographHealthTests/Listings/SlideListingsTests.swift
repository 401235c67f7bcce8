// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

#if canImport(Darwin)
    import HealthKit
#else
    import KymographHealth
#endif

/// Listings of Apple's talk of 2018 on quantity types, quantity series and statistics, written so that they compile
/// with HealthKit, too: ``ListingStore/init()`` is the only declaration of this package.
@Suite("S-6 S-113 S-116 S-117 S-118 S-121 listings of the talk of 2018")
struct SlideListingsTests {
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

    private func metres(_ value: Double) -> HKQuantity { HKQuantity(unit: .meter(), doubleValue: value) }

    @Test("the types to share and to read are sets of types that queries accept")
    func types() async throws {
        let typesToShare: Set = [
            HKSampleType.workoutType()
        ]
        let typesToRead: Set = [
            try #require(HKQuantityType.quantityType(forIdentifier: .heartRate)),
            try #require(HKQuantityType.quantityType(forIdentifier: .activeEnergyBurned)),
            try #require(HKQuantityType.quantityType(forIdentifier: .distanceWalkingRunning)),
        ]
        #expect(typesToShare.isSubset(of: [HKObjectType.workoutType()]) && typesToShare.count == 1)
        #expect(typesToRead.filter { $0.aggregationStyle == .cumulative }.count == 2)
        let slides = try ListingStore()
        let day = DateInterval(start: start, duration: 86_400)
        let amounts: [HKQuantityTypeIdentifier: HKQuantity] = [
            .heartRate: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 64),
            .activeEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 12),
            .distanceWalkingRunning: metres(900), .stepCount: HKQuantity(unit: .count(), doubleValue: 1_200),
        ]
        for (identifier, amount) in amounts {
            let sample = HKQuantitySample(
                type: HKQuantityType(identifier), quantity: amount, start: day.start, end: day.end)
            try await slides.healthStore.save(sample)
        }
        let descriptor = HKSampleQueryDescriptor(predicates: typesToRead.map { .quantitySample(type: $0) })
        let found = try await descriptor.result(for: slides.healthStore)
        #expect(found.count == 3 && Set(found.map(\.quantityType)) == typesToRead)
    }

    @Test("a builder inserts one distance after the other and completes the series")
    func builder() async throws {
        let slides = try ListingStore()
        let quantityType = HKQuantityType(.distanceWalkingRunning)
        // Create an HKQuantitySeriesSampleBuilder.
        let seriesBuilder = HKQuantitySeriesSampleBuilder(
            healthStore: slides.healthStore, quantityType: quantityType, startDate: start, device: nil)
        // Insert quantities.
        let distances = [2.25, 0.75, 1.5, 2.25]
        var next = 0
        var shouldInsert: Bool { next < distances.count }
        while shouldInsert {
            let quantity = HKQuantity(unit: .meter(), doubleValue: distances[next])
            try seriesBuilder.insert(quantity, at: start.addingTimeInterval(Double(next)))
            next += 1
        }
        #expect(try await slides.samples(quantityType).isEmpty, "the series is not stored before it is finished")
        // Complete the series.
        let end = start.addingTimeInterval(4)
        let samples = try await withCheckedThrowingContinuation { waiting in
            seriesBuilder.finishSeries(metadata: nil, endDate: end) { samples, error in
                waiting.resume(with: samples.map { .success($0) } ?? .failure(error ?? NoAnswer()))
            }
        }
        let series = try #require(samples.first as? HKCumulativeQuantitySeriesSample)
        #expect(samples.count == 1 && series.count == 4 && series.quantityType == quantityType)
        #expect(series.sum.doubleValue(for: .meter()) == 6.75)
        #expect(series.startDate == start && series.endDate == end && series.device == nil)
        // A sample query returns it as one sample, also in a later process.
        slides.restart()
        let stored = try await slides.samples(quantityType)
        #expect(stored.map(\.uuid) == [series.uuid])
        let sum = (stored.first as? HKCumulativeQuantitySample)?.sumQuantity.doubleValue(for: .meter())
        #expect(sum == 6.75)
    }

    @Test("a query passes each quantity of a series to its handler, in order, and marks the last one")
    func query() async throws {
        let slides = try ListingStore()
        let seriesSample = try await slides.run([2.25, 0.75, 1.5, 2.25], from: start)
        // Collect the quantities in the handler, then execute the query.
        let quantities = Collected<HKQuantity>()
        let dates = Collected<Date>()
        let calls: Int = try await withCheckedThrowingContinuation { waiting in
            let calls = Collected<Bool>()
            let seriesQuery = HKQuantitySeriesSampleQuery(sample: seriesSample) { _, quantity, date, done, error in
                calls.append(done)
                if let error { return waiting.resume(throwing: error) }
                if let quantity { quantities.append(quantity) }
                if let date { dates.append(date) }
                if done { waiting.resume(returning: calls.all.count) }
            }
            slides.healthStore.execute(seriesQuery)
        }
        #expect(calls == 4 && quantities.all == [2.25, 0.75, 1.5, 2.25].map(metres))
        #expect(dates.all == (0..<4).map { start.addingTimeInterval(Double($0)) })
    }

    @Test("a wrong unit, a time before the series and a series without quantities are errors")
    func errors() async throws {
        let slides = try ListingStore()
        let seriesBuilder = HKQuantitySeriesSampleBuilder(
            healthStore: slides.healthStore, quantityType: HKQuantityType(.distanceWalkingRunning), startDate: start,
            device: nil)
        #expect(throws: (any Error).self) {
            try seriesBuilder.insert(HKQuantity(unit: .second(), doubleValue: 1), at: start)
        }
        #expect(throws: (any Error).self) { try seriesBuilder.insert(metres(1), at: start.addingTimeInterval(-1)) }
        let code: HKError.Code? = await withCheckedContinuation { waiting in
            seriesBuilder.finishSeries(metadata: nil) { samples, error in
                #expect(samples == nil)
                waiting.resume(returning: (error as? HKError)?.code)
            }
        }
        #expect(code == .errorNoData)
        #expect(try await slides.samples(HKQuantityType(.distanceWalkingRunning)).isEmpty)
    }

    @Test("all quantities of a series count, in the sum and in the curve of its seconds")
    func statistics() async throws {
        let slides = try ListingStore()
        _ = try await slides.run([2.25, 0.75, 1.5, 2.25], from: start)
        let distance = HKSamplePredicate.quantitySample(type: HKQuantityType(.distanceWalkingRunning))
        let whole = HKStatisticsQueryDescriptor(predicate: distance, options: [.cumulativeSum, .duration])
        let all = try #require(try await whole.result(for: slides.healthStore))
        #expect(all.sumQuantity() == metres(6.75) && all.duration()?.doubleValue(for: .second()) == 4)
        let curve = HKStatisticsCollectionQueryDescriptor(
            predicate: distance, options: .cumulativeSum, anchorDate: start,
            intervalComponents: DateComponents(second: 1))
        let seconds = try await curve.result(for: slides.healthStore)
        #expect(seconds.statistics().map { $0.sumQuantity() } == [2.25, 0.75, 1.5, 2.25].map(metres))
        #expect(seconds.statistics().map(\.startDate) == (0..<4).map { start.addingTimeInterval(Double($0)) })
    }

    /// The talk uses a delegate of the live workout builder; here an observer query reports the collected types.
    @Test("a label shows the newest heart rate as samples are collected")
    func label() async throws {
        let slides = try ListingStore()
        let healthStore = slides.healthStore
        let unit = HKUnit.count().unitDivided(by: .minute())
        let heartRateType = try #require(HKQuantityType.quantityType(forIdentifier: .heartRate))
        let label = Collected<Double>()
        let updateHeartRateLabel = { @Sendable (statistics: HKStatistics?) in
            if let newest = statistics?.mostRecentQuantity() { label.append(newest.doubleValue(for: unit)) }
        }
        let types = [heartRateType, HKQuantityType(.stepCount)]
        let observer = HKObserverQuery(
            queryDescriptors: types.map { HKQueryDescriptor(sampleType: $0, predicate: nil) }
        ) {
            _, collectedTypes, completion, _ in
            defer { completion() }
            guard let collectedTypes, collectedTypes.contains(heartRateType) else { return }
            let update = HKStatisticsQuery(
                quantityType: heartRateType, quantitySamplePredicate: nil, options: .mostRecent
            ) { _, updatedStatistics, _ in updateHeartRateLabel(updatedStatistics) }
            healthStore.execute(update)
        }
        healthStore.execute(observer)
        @Sendable func save(_ beats: Double, at second: Int) async throws {
            let date = start.addingTimeInterval(Double(second))
            let quantity = HKQuantity(unit: unit, doubleValue: beats)
            try await healthStore.save(
                HKQuantitySample(type: heartRateType, quantity: quantity, start: date, end: date))
        }
        // An observer query does not report when it has started; it reports every later change.
        for second in 0..<400 where label.all.isEmpty {
            try await save(70, at: second)
            try await Task.sleep(for: .milliseconds(20))
        }
        for (second, beats) in [(1_000, 72.0), (1_001, 75)] {
            try await save(beats, at: second)
            await label.wait { $0.contains(beats) }
        }
        healthStore.stop(observer)
        // An observer may be called twice for one commit, and once for several commits in quick succession.
        #expect(Set(label.all) == [70, 72, 75])
    }
}

extension ListingStore {
    /// Saves distances of one second each as one sample.
    fileprivate func run(_ metres: [Double], from start: Date) async throws -> HKQuantitySample {
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: healthStore, quantityType: HKQuantityType(.distanceWalkingRunning), startDate: start,
            device: nil)
        for (second, distance) in metres.enumerated() {
            let interval = DateInterval(start: start.addingTimeInterval(Double(second)), duration: 1)
            try builder.insert(HKQuantity(unit: .meter(), doubleValue: distance), for: interval)
        }
        return try #require(try await builder.finishSeries(metadata: nil).first)
    }
}
