// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

/// The examples of `Docs/Guide/HealthData.md`. The lines between the marks are those of the page.
@Suite("S-9 S-22 S-37 S-56 S-113 S-118 the examples of the page about health data")
struct HealthDataExampleTests {
    private let now = Date(timeIntervalSinceReferenceDate: 757_382_400)

    @Test("a sample, a predicate, a type and a unit")
    func values() throws {
        // example health-data begins
        let sample = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .pound(), doubleValue: 154.3),
            start: now, end: now, metadata: [HKMetadataKeyWasUserEntered: true])
        let kilos = sample.quantity.doubleValue(for: .gramUnit(with: .kilo))  // 69.989302691
        try HealthSaveRules.check(sample)  // throws what `save` would throw

        let measured = HKQuery.predicateForObjects(
            withMetadataKey: HKMetadataKeyWasUserEntered, operatorType: .notEqualTo, value: true)
        let isMeasured = measured.evaluate(with: sample)  // false

        let steps = HealthTypes.find("step-count")  // also stepCount, StepCount, the identifier
        print(steps?.aggregationStyle == .cumulative, steps?.canonicalUnit?.unitString ?? "")
        let suggestion = HealthTypes.suggestions(for: "hartrate").first?.shortName  // heartRate
        let foreign = try HKUnit(parsing: "mL/kg/min").unitString  // mL/min·kg
        // example health-data ends

        #expect(abs(kilos - 69.989_302_691) < 1e-9 && !isMeasured)
        #expect(steps?.aggregationStyle == .cumulative && steps?.canonicalUnit?.unitString == "count")
        #expect(suggestion == "heartRate" && foreign == "mL/min·kg")
    }

    @Test("a series of heart rates, and its quantities")
    func series() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let start = now
        let rates = (0..<60).map { 62 + Double($0 % 7) }
        let dates = rates.indices.map { start.addingTimeInterval(Double($0 + 1)) }

        // example quantity-series begins
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: health, quantityType: HKQuantityType(.heartRate), startDate: start, device: .local())
        try builder.insert(HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 61), at: start)
        try builder.insert(values: rates, unit: HKUnit(from: "count/min"), starts: dates)  // not in HealthKit
        let series = try await builder.finishSeries(metadata: nil, endDate: nil)

        let query = HKQuantitySeriesSampleQueryDescriptor(
            predicate: .quantitySample(type: HKQuantityType(.heartRate)), options: .includeSample)
        for try await one in query.results(for: health) {
            print(one.dateInterval.start, one.quantity, one.sample?.count ?? 0)
        }
        // example quantity-series ends

        #expect(series.map(\.count) == [61])
        var found: [Double] = []
        for try await one in query.results(for: health) {
            found.append(one.quantity.doubleValue(for: HKUnit(from: "count/min")))
            #expect(one.sample?.uuid == series.first?.uuid)
        }
        #expect(found == [61] + rates)
    }

    @Test("an electrocardiogram, and its voltages")
    func electrocardiogram() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let start = now
        let microvolts = (0..<64).map { Double($0 * $0) / 8 }

        // example electrocardiogram begins
        let builder = HealthElectrocardiogramBuilder(
            healthStore: health, device: .local(), start: start,
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try builder.append(voltages: microvolts, unit: .voltUnit(with: .micro))
        let recording = try await builder.finish(classification: .sinusRhythm)
        for try await one in HKElectrocardiogramQueryDescriptor(recording).results(for: health) {
            print(one.timeSinceSampleStart, one.quantity(for: .appleWatchSimilarToLeadI)?.value ?? .nan)
        }
        // example electrocardiogram ends

        #expect(recording.numberOfVoltageMeasurements == 64 && recording.classification == .sinusRhythm)
        var found: [Double] = []
        for try await one in HKElectrocardiogramQueryDescriptor(recording).results(for: health) {
            found.append(one.quantity(for: .appleWatchSimilarToLeadI)?.value ?? .nan)
        }
        #expect(found == microvolts)
    }

    @Test("a summary that is computed from a sample, with a goal")
    func summaries() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let calendar = zurich
        let first = DateComponents(calendar: calendar, year: 2024, month: 1, day: 1)
        let last = DateComponents(calendar: calendar, year: 2024, month: 1, day: 31)
        let noon = try #require(first.date).addingTimeInterval(12 * 3_600)
        try await health.save(
            HKQuantitySample(
                type: HKQuantityType(.activeEnergyBurned), quantity: HKQuantity(unit: .kilocalorie(), doubleValue: 120),
                start: noon, end: noon.addingTimeInterval(600)))

        // example activity-summaries begins
        try await health.setActivityGoals(
            HealthActivityGoals(activeEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 500)))
        let january = HKQuery.predicate(forActivitySummariesBetweenStart: first, end: last)
        for one in try await HKActivitySummaryQueryDescriptor(predicate: january).result(for: health) {
            print(one.dateComponents(for: calendar), one.activeEnergyBurned, one.activeEnergyBurnedGoal)
        }
        // example activity-summaries ends

        let found = try await HKActivitySummaryQueryDescriptor(predicate: january).result(for: health)
        #expect(found.map { $0.dateComponents(for: calendar).day } == [1])
        #expect(found.map { $0.activeEnergyBurned.doubleValue(for: .kilocalorie()) } == [120])
        #expect(found.map { $0.activeEnergyBurnedGoal.doubleValue(for: .kilocalorie()) } == [500])
    }
}
