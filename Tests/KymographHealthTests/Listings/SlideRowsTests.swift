// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
    import HealthKit
#else
    import KymographHealth
#endif

/// Short listings of Apple's talks, written so that they compile with HealthKit, too.
@Suite(
    "S-1 S-54 S-69 S-122 S-123 S-124 S-125 S-126 S-154 S-156 S-157 short listings of the talks"
)
struct SlideRowsTests {
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

    private final class Store {
        let directory: TemporaryDirectory
        let health: HKHealthStore

        init() throws {
            directory = try TemporaryDirectory()
            health = HKHealthStore(directory: directory.file("store"))
        }

        deinit { health.close() }
    }

    private func save(
        _ identifier: HKQuantityTypeIdentifier, _ unit: HKUnit, _ value: Double, _ store: Store,
        metadata: [String: Any]? = nil
    ) async throws {
        try await store.health.save(
            HKQuantitySample(
                type: HKQuantityType(identifier), quantity: HKQuantity(unit: unit, doubleValue: value), start: start,
                end: start, metadata: metadata))
    }

    @Test("S-1 one part of a program reads what another part saves, from the same store")
    func shared() async throws {
        let store = try Store()
        try await save(.bodyMass, .gramUnit(with: .kilo), 70, store)
        let other = HKHealthStore(directory: store.directory.file("store"))
        let all = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HKQuantityType(.bodyMass))], sortDescriptors: [])
        #expect(try await all.result(for: other).map { $0.quantity.doubleValue(for: .gram()) } == [70_000])
    }

    @Test("S-54 a sample at the earliest permitted date is saved, one before it is refused")
    func earliest() async throws {
        let store = try Store()
        let earliest = store.health.earliestPermittedSampleDate()
        func sample(_ date: Date) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(.height), quantity: HKQuantity(unit: .meter(), doubleValue: 1.8), start: date,
                end: date)
        }
        try await store.health.save(sample(earliest))
        await #expect(throws: (any Error).self) {
            try await store.health.save(sample(earliest.addingTimeInterval(-1)))
        }
    }

    @Test("S-69 handlers run on threads of the store")
    @MainActor func threads() async throws {
        let store = try Store()
        let isMain = await withCheckedContinuation { waiting in
            let query = HKSampleQuery(
                sampleType: HKQuantityType(.stepCount), predicate: nil, limit: HKObjectQueryNoLimit,
                sortDescriptors: nil
            ) { _, _, _ in
                waiting.resume(returning: Thread.isMainThread)
            }
            store.health.execute(query)
        }
        #expect(!isMain)
    }

    @Test("S-122 to S-126 sleep stages are values of one category type; a night has one sample per period of a stage")
    func sleep() async throws {
        let store = try Store()
        let type = HKCategoryType(.sleepAnalysis)
        let stages: [HKCategoryValueSleepAnalysis] = [
            .inBed, .asleepUnspecified, .awake, .asleepCore, .asleepDeep, .asleepREM,
        ]
        #expect(stages.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        let night = stages.enumerated().map { number, stage in
            HKCategorySample(
                type: type, value: stage.rawValue, start: start.addingTimeInterval(Double(number) * 1800),
                end: start.addingTimeInterval(Double(number + 1) * 1800))
        }
        try await store.health.save(night)
        func found(_ predicate: NSPredicate) async throws -> [Int] {
            let query = HKSampleQueryDescriptor(
                predicates: [.categorySample(type: type, predicate: predicate)],
                sortDescriptors: [SortDescriptor(\.startDate)])
            return try await query.result(for: store.health).map(\.value)
        }
        #expect(HKCategoryValueSleepAnalysis.allAsleepValues.map(\.rawValue).sorted() == [1, 3, 4, 5])
        let asleep = HKCategoryValueSleepAnalysis.predicateForSamples(
            equalTo: HKCategoryValueSleepAnalysis.allAsleepValues)
        #expect(try await found(asleep) == [1, 3, 4, 5])
        let deep = HKCategoryValueSleepAnalysis.predicateForSamples(equalTo: [.asleepDeep])
        #expect(try await found(deep) == [4])
    }

    @Test("S-154 S-156 S-157 running metrics and cardio recovery are quantities; recovery has metadata of its test")
    func metrics() async throws {
        let store = try Store()
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        let metrics: [(HKQuantityTypeIdentifier, HKUnit, Double)] = [
            (.runningStrideLength, .meter(), 1.21), (.runningPower, .watt(), 305),
            (.runningGroundContactTime, .secondUnit(with: .milli), 241),
            (.runningVerticalOscillation, .meterUnit(with: .centi), 8.5),
            (.runningSpeed, .meter().unitDivided(by: .second()), 3.4),
        ]
        for (identifier, unit, value) in metrics {
            try await save(identifier, unit, value, store)
            let type = HKQuantityType(identifier)
            let average = HKStatisticsQueryDescriptor(
                predicate: .quantitySample(type: type), options: .discreteAverage)
            #expect(try await average.result(for: store.health)?.averageQuantity()?.doubleValue(for: unit) == value)
        }
        let metadata: [String: Any] = [
            HKMetadataKeyHeartRateRecoveryTestType: 1, HKMetadataKeyHeartRateRecoveryActivityType: 37,
            HKMetadataKeyHeartRateRecoveryActivityDuration: HKQuantity(unit: .minute(), doubleValue: 31),
            HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate: HKQuantity(unit: perMinute, doubleValue: 171),
        ]
        try await save(.heartRateRecoveryOneMinute, perMinute, 34, store, metadata: metadata)
        let query = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HKQuantityType(.heartRateRecoveryOneMinute))], sortDescriptors: [])
        let sample = try #require(try await query.result(for: store.health).first)
        #expect(sample.metadata?[HKMetadataKeyHeartRateRecoveryActivityType] as? Int == 37)
        let most = sample.metadata?[HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate] as? HKQuantity
        #expect(most?.doubleValue(for: perMinute) == 171)
    }
}
