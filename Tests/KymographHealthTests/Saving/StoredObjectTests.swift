// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-3 objects are found by their identity")
struct StoredObjectTests {
    private let clock = Date(timeIntervalSinceReferenceDate: 700_000_000)
    private let heartRate = HKQuantityType(.heartRate)
    private let perMinute = HKUnit(from: "count/min")

    /// Saves objects with a health store, and returns the engine's view of the store and the result.
    private func make<R>(_ body: (HKHealthStore) async throws -> R) async throws -> (TestHealthStore, R) {
        let bench = try TestHealthStore()
        bench.store.close()
        let health = HKHealthStore(directory: bench.directory.file("store"))
        let result = try await body(health)
        health.close()
        try bench.reopen()
        return (bench, result)
    }

    @Test("a sample is found with its HealthKit properties and its stored properties")
    func sample() async throws {
        let (bench, saved) = try await make { health in
            let all = (0..<100).map { number in
                HKQuantitySample(
                    type: heartRate, quantity: HKQuantity(unit: perMinute, doubleValue: Double(60 + number)),
                    start: clock.addingTimeInterval(Double(number / 3)), end: clock.addingTimeInterval(40),
                    metadata: ["number": number])
            }
            try await health.save(all)
            return all
        }
        for (number, sample) in saved.enumerated() {
            let found = try #require(try bench.store.object(sample.uuid, parts: 0))
            #expect(found.sample.uuid == sample.uuid && found.created != nil && found.quantities.isEmpty)
            #expect((found.sample as? HKQuantitySample)?.quantity == sample.quantity)
            #expect(found.metadata.values["number"] == .integer(number) && found.end - found.start <= 40 * second)
        }
        #expect(try bench.store.object(UUID(), parts: 0) == nil)
        _ = try bench.store.delete(HealthTypes.type(for: .heartRate))
        #expect(try bench.store.object(saved[7].uuid, parts: 0) == nil)
    }

    @Test("a series is found with its first quantities and by each quantity, and a correlation with its members")
    func objects() async throws {
        let (bench, found) = try await make { health in
            let builder = HKQuantitySeriesSampleBuilder(
                healthStore: health, quantityType: heartRate, startDate: clock, device: nil)
            for number in 0..<50 {
                try builder.insert(
                    HKQuantity(unit: perMinute, doubleValue: Double(60 + number)),
                    at: clock.addingTimeInterval(Double(number)))
            }
            let series = try #require(try await builder.finishSeries(metadata: ["a": "b"], endDate: nil).first)
            // Another series at the same time, with quantities between those of the first.
            let other = HKQuantitySeriesSampleBuilder(
                healthStore: health, quantityType: heartRate, startDate: clock, device: nil)
            for number in 0..<50 {
                try other.insert(
                    HKQuantity(unit: perMinute, doubleValue: 1), at: clock.addingTimeInterval(Double(number) + 0.5))
            }
            _ = try await other.finishSeries(metadata: nil, endDate: nil)
            let meal = HKCorrelation(
                type: HKCorrelationType(.food), start: clock, end: clock,
                objects: [
                    HKQuantitySample(
                        type: HKQuantityType(.dietaryProtein), quantity: HKQuantity(unit: .gram(), doubleValue: 12),
                        start: clock, end: clock)
                ])
            try await health.save(meal)
            return (series, meal)
        }
        let series = try #require(try bench.store.object(found.0.uuid, parts: 20))
        #expect((series.sample as? HKQuantitySample)?.count == 50 && series.metadata["a"] == "b")
        #expect(series.quantities.map(\.value) == (0..<20).map { Double(60 + $0) })
        #expect(try bench.store.object(found.0.uuid, parts: 1_000)?.quantities.count == 50)
        let quantity = try #require(try bench.store.samples(SampleRequest(HealthTypes.type(for: .heartRate))).first)
        #expect(try bench.store.object(quantity.uuid, parts: 0)?.sample.uuid == found.0.uuid)
        let meal = try #require(try bench.store.object(found.1.uuid, parts: 0))
        #expect((meal.sample as? HKCorrelation)?.objects == found.1.objects)
    }
}

@Suite("S-28 encoding of an imported correlation")
struct CorrelationBodyTests {
    private func body(_ count: Int, _ element: CorrelationBody.Element?) -> CorrelationBody {
        CorrelationBody(
            members: (0..<count).map {
                .init(
                    type: "HKQuantityTypeIdentifierDietary\($0)",
                    identity: SampleIdentity(high: .min + Int64($0), low: .max - Int64($0)), start: -Int64($0))
            }, element: element)
    }

    @Test("imported and saved correlations decode to themselves; saved ones keep format version 1")
    func roundTrip() throws {
        for count in [0, 1, 2, 200] {
            for element in [nil, CorrelationBody.Element(object: 7, digest: -3)] {
                let one = body(count, element)
                #expect(try CorrelationBody(one.bytes) == one)
            }
        }
        let saved = try ObjectExpander.decode(body(1, nil).bytes)
        let imported = try ObjectExpander.decode(body(1, .init(object: 1, digest: 2)).bytes)
        #expect(saved[0] == 1 && imported[0] == 2)
    }

    @Test("truncated bytes and newer versions are errors")
    func damage() throws {
        let plain = try ObjectExpander.decode(body(3, .init(object: 1, digest: 2)).bytes)
        for count in 0..<plain.count {
            let cut = ObjectCompressor.plain(Array(plain[..<count]))
            #expect(throws: HealthStoreError.self, "\(count) bytes") { try CorrelationBody(cut) }
        }
        var newer = plain
        newer[0] = 3
        let error = #expect(throws: HealthStoreError.self) { try CorrelationBody(ObjectCompressor.plain(newer)) }
        #expect(error?.kind == .newerFormat)
    }
}
