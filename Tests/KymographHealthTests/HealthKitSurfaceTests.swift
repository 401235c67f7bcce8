// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

#if canImport(Darwin)
    import HealthKit
#else
    import KymographHealth
#endif

/// Names of HealthKit that programs use in their own declarations, as types and protocols.
@Suite("S-6 S-40 S-49 S-130 S-132 S-133 S-134 HealthKit's protocols and types in a program's own declarations")
struct HealthKitSurfaceTests {
    private func answer<Query: HKAsyncQuery>(of query: Query, _ store: HKHealthStore) async throws -> Query.Output {
        try await query.result(for: store)
    }

    private func updates<Query: HKAsyncSequenceQuery>(of query: Query, _ store: HKHealthStore) -> Query.Sequence {
        query.results(for: store)
    }

    private func predicate<Value: HKCategoryValuePredicateProviding>(_ value: Value) -> NSPredicate {
        Value.predicateForSamples(equalTo: [value])
    }

    @Test("generic code runs queries through HKAsyncQuery and HKAsyncSequenceQuery, and builds category predicates")
    func protocols() async throws {
        #expect(HKHealthStore.isHealthDataAvailable())
        let directory = try TemporaryDirectory()
        let store = HKHealthStore(directory: directory.file("store"))
        defer { store.close() }
        let type = HKCategoryType(.sleepAnalysis)
        let now = Date(timeIntervalSinceReferenceDate: 700_000_000)
        try await store.save(
            [HKCategoryValueSleepAnalysis.inBed, .asleepREM].map { value in
                HKCategorySample(type: type, value: value.rawValue, start: now, end: now + 60)
            })
        let inBed = HKSamplePredicate.categorySample(
            type: type, predicate: predicate(HKCategoryValueSleepAnalysis.inBed))
        let found = try await answer(of: HKSampleQueryDescriptor(predicates: [inBed], sortDescriptors: []), store)
        #expect(found.map(\.value) == [HKCategoryValueSleepAnalysis.inBed.rawValue])
        let anchored = HKAnchoredObjectQueryDescriptor(predicates: [inBed], anchor: nil)
        for try await update in updates(of: anchored, store) {
            #expect(update.addedSamples.map(\.uuid) == found.map(\.uuid))
            break
        }
    }

    @Test("a heartbeat series is an HKSeriesSample, and the four update frequencies have HealthKit's raw values")
    func classes() async throws {
        let directory = try TemporaryDirectory()
        let store = HKHealthStore(directory: directory.file("store"))
        defer { store.close() }
        let builder = HKHeartbeatSeriesBuilder(
            healthStore: store, device: nil, start: Date(timeIntervalSinceReferenceDate: 700_000_000))
        try await builder.addHeartbeat(at: 0.5, precededByGap: false)
        let series: HKSeriesSample = try await builder.finishSeries()
        #expect(series.count == 1)
        let frequencies: [HKUpdateFrequency] = [.immediate, .hourly, .daily, .weekly]
        #expect(frequencies.map(\.rawValue) == [1, 2, 3, 4])
        let key = HKMetadataKeyWasUserEntered
        #expect(key == "HKWasUserEntered")
    }
}
