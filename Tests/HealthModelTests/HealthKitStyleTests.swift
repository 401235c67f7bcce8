// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

/// Code in the style of HealthKit programs, which has to compile. `#require` replaces `!`.
@Suite("S-6 S-9 S-37 code written for HealthKit compiles")
struct HealthKitStyleTests {
    private let now = Date(timeIntervalSinceReferenceDate: 700_000_000)

    @Test("a program builds sets of types to share and read")
    func types() throws {
        let share: Set<HKSampleType> = [.workoutType(), HKQuantityType(.activeEnergyBurned)]
        let read: Set<HKObjectType> = [
            HKObjectType.workoutType(),
            try #require(HKObjectType.quantityType(forIdentifier: .heartRate)),
            try #require(HKQuantityType.quantityType(forIdentifier: .distanceWalkingRunning)),
            try #require(HKSampleType.categoryType(forIdentifier: .sleepAnalysis)),
            try #require(HKObjectType.characteristicType(forIdentifier: .dateOfBirth)),
            HKCharacteristicType(.bloodType), HKSeriesType.workoutRoute(), .electrocardiogramType(),
            .activitySummaryType(), HKPrescriptionType.visionPrescriptionType(),
        ]
        #expect(share.count == 2 && read.count == 10)
        guard let steps = HKObjectType.quantityType(forIdentifier: .stepCount) else { return }
        #expect(steps.aggregationStyle == .cumulative && steps.is(compatibleWith: .count()))
        let names: [HKQuantityTypeIdentifier: String] = [.stepCount: "Steps", .heartRate: "Pulse"]
        #expect(names[HKQuantityTypeIdentifier(rawValue: steps.identifier)] == "Steps")
    }

    @Test("a program makes samples, passes them between tasks and reads them")
    func samples() async throws {
        let unit = HKUnit.count().unitDivided(by: .minute())
        let type = HKQuantityType(.heartRate)
        let samples = (0..<3).map { at in
            HKQuantitySample(
                type: type, quantity: HKQuantity(unit: unit, doubleValue: 60 + Double(at)),
                start: now.addingTimeInterval(Double(at)), end: now.addingTimeInterval(Double(at)),
                device: HKDevice.local(),
                metadata: [HKMetadataKeyHeartRateMotionContext: 1, HKMetadataKeyWasUserEntered: at == 1])
        }
        let latest = await Task { [samples] in samples.max { $0.endDate < $1.endDate } }.value
        #expect(try #require(latest).quantity.doubleValue(for: HKUnit(from: "count/min")) == 62)
        let entered = samples.filter { ($0.metadata?[HKMetadataKeyWasUserEntered] as? Bool) ?? false }
        #expect(entered.map(\.uuid) == [samples[1].uuid])
        #expect(samples.allSatisfy { $0.sourceRevision.source == HKSource.default() && $0.device?.name != nil })
        for sample in samples as [HKSample] {
            switch sample {
            case let quantity as HKQuantitySample where quantity.quantityType == HKQuantityType(.heartRate):
                #expect(quantity.quantity.is(compatibleWith: unit))
            default: Issue.record("the quantity is not a heart rate")
            }
        }
        let sleep = HKCategorySample(
            type: try #require(HKObjectType.categoryType(forIdentifier: .sleepAnalysis)),
            value: HKCategoryValueSleepAnalysis.asleepCore.rawValue, start: now, end: now.addingTimeInterval(3600))
        #expect(HKCategoryValueSleepAnalysis(rawValue: sleep.value) == .asleepCore)
    }

    @Test("a program builds predicates and handles errors")
    func predicates() throws {
        let yesterday = try #require(Calendar(identifier: .gregorian).date(byAdding: .day, value: -1, to: now))
        let day = HKQuery.predicateForSamples(withStart: yesterday, end: now, options: .strictStartDate)
        let both = NSCompoundPredicate(
            type: .and, subpredicates: [day, HKQuery.predicateForObjects(from: Set([HKDevice.local()]))])
        let typed = HKSamplePredicate.quantitySample(type: HKQuantityType(.stepCount), predicate: both)
        #expect(typed.sampleType.identifier == "HKQuantityTypeIdentifierStepCount")
        let either = HKQuery.predicateForSamples(withStart: nil, end: now, options: [.strictStartDate, .strictEndDate])
        #expect(either != day)
        do {
            throw HKError(.errorAuthorizationDenied, reason: "the person said no")
        } catch let error as HKError where error.code == .errorAuthorizationDenied {
            #expect(error.localizedDescription.contains("the person said no"))
        }
    }
}
