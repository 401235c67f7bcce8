// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("S-37 S-127 S-151 predicates take Foundation's operators and HealthKit's key paths as texts")
struct ComparisonOperatorTests {
    private let energy = HKQuantity(unit: .kilocalorie(), doubleValue: 1)
    private let count = HKQuantity(unit: .count(), doubleValue: 1)
    private let metres = HKQuantity(unit: .meter(), doubleValue: 1)
    private let beats = HKQuantity(unit: .count().unitDivided(by: .minute()), doubleValue: 1)
    private let distance = HKQuantityType(.distanceCycling)
    private let heartRate = HKQuantityType(.heartRate)

    @available(*, deprecated)
    private func samples(
        _ own: HealthComparison, _ other: NSComparisonPredicate.Operator
    ) -> [(NSPredicate, NSPredicate)] {
        [
            (
                HKQuery.predicateForObjects(withMetadataKey: "a", operatorType: own, value: "b"),
                HKQuery.predicateForObjects(withMetadataKey: "a", operatorType: other, value: "b")
            ),
            (
                HKQuery.predicateForQuantitySamples(with: own, quantity: beats),
                HKQuery.predicateForQuantitySamples(with: other, quantity: beats)
            ),
            (
                HKQuery.predicateForCategorySamples(with: own, value: 1),
                HKQuery.predicateForCategorySamples(with: other, value: 1)
            ),
            (
                HKCategoryValueSleepAnalysis.predicateForSamples(own, value: .asleepREM),
                HKCategoryValueSleepAnalysis.predicateForSamples(other, value: .asleepREM)
            ),
        ]
    }

    @available(*, deprecated)
    private func totals(
        _ own: HealthComparison, _ other: NSComparisonPredicate.Operator
    ) -> [(NSPredicate, NSPredicate)] {
        [
            (
                HKQuery.predicateForWorkouts(with: own, duration: 1),
                HKQuery.predicateForWorkouts(with: other, duration: 1)
            ),
            (
                HKQuery.predicateForWorkouts(with: own, totalEnergyBurned: energy),
                HKQuery.predicateForWorkouts(with: other, totalEnergyBurned: energy)
            ),
            (
                HKQuery.predicateForWorkouts(with: own, totalDistance: metres),
                HKQuery.predicateForWorkouts(with: other, totalDistance: metres)
            ),
            (
                HKQuery.predicateForWorkouts(with: own, totalSwimmingStrokeCount: count),
                HKQuery.predicateForWorkouts(with: other, totalSwimmingStrokeCount: count)
            ),
            (
                HKQuery.predicateForWorkouts(with: own, totalFlightsClimbed: count),
                HKQuery.predicateForWorkouts(with: other, totalFlightsClimbed: count)
            ),
        ]
    }

    @available(*, deprecated)
    private func statistics(
        _ own: HealthComparison, _ other: NSComparisonPredicate.Operator
    ) -> [(NSPredicate, NSPredicate)] {
        [
            (
                HKQuery.predicateForWorkouts(operatorType: own, quantityType: distance, sumQuantity: metres),
                HKQuery.predicateForWorkouts(operatorType: other, quantityType: distance, sumQuantity: metres)
            ),
            (
                HKQuery.predicateForWorkouts(operatorType: own, quantityType: heartRate, minimumQuantity: beats),
                HKQuery.predicateForWorkouts(operatorType: other, quantityType: heartRate, minimumQuantity: beats)
            ),
            (
                HKQuery.predicateForWorkouts(operatorType: own, quantityType: heartRate, maximumQuantity: beats),
                HKQuery.predicateForWorkouts(operatorType: other, quantityType: heartRate, maximumQuantity: beats)
            ),
            (
                HKQuery.predicateForWorkouts(operatorType: own, quantityType: heartRate, averageQuantity: beats),
                HKQuery.predicateForWorkouts(operatorType: other, quantityType: heartRate, averageQuantity: beats)
            ),
            (
                HKQuery.predicateForWorkoutActivities(operatorType: own, duration: 1),
                HKQuery.predicateForWorkoutActivities(operatorType: other, duration: 1)
            ),
            (
                HKQuery.predicateForWorkoutActivities(
                    operatorType: own, quantityType: distance, sumQuantity: metres),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: other, quantityType: distance, sumQuantity: metres)
            ),
            (
                HKQuery.predicateForWorkoutActivities(
                    operatorType: own, quantityType: heartRate, minimumQuantity: beats),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: other, quantityType: heartRate, minimumQuantity: beats)
            ),
            (
                HKQuery.predicateForWorkoutActivities(
                    operatorType: own, quantityType: heartRate, maximumQuantity: beats),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: other, quantityType: heartRate, maximumQuantity: beats)
            ),
            (
                HKQuery.predicateForWorkoutActivities(
                    operatorType: own, quantityType: heartRate, averageQuantity: beats),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: other, quantityType: heartRate, averageQuantity: beats)
            ),
        ]
    }

    @available(*, deprecated)
    @Test("a variable of Foundation's type selects the same predicate; a literal means HealthComparison")
    func operators() {
        let operators: [NSComparisonPredicate.Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .beginsWith,
            .endsWith, .contains,
        ]
        #expect(operators.count == HealthComparison.allCases.count)
        for (own, other) in zip(HealthComparison.allCases, operators) {
            #expect(HealthComparison(other) == own)
            let pairs = samples(own, other) + totals(own, other) + statistics(own, other)
            for (one, two) in pairs { #expect(one.isEqual(two), "\(own) \(one)") }
        }
        // `.matches` exists only in Foundation's type.
        let matches = HKQuery.predicateForQuantitySamples(with: .matches, quantity: beats)
        #expect(HealthComparison(.matches) == nil)
        #expect(throws: HKError.self) { try SamplePredicate(matches) }
        let literal = HKQuery.predicateForQuantitySamples(with: .greaterThan, quantity: beats)
        #expect(
            literal.isEqual(HKQuery.predicateForQuantitySamples(with: HealthComparison.greaterThan, quantity: beats)))
    }

    @Test("key paths have HealthKit's texts")
    func keyPaths() {
        #expect(HKPredicateKeyPathWorkoutDuration == "duration" && HKPredicateKeyPathWorkout == "workout")
        #expect(HKPredicateKeyPathWorkoutActivityAverageQuantity == "activityAverageQuantity")
        #expect(HKPredicateKeyPathECGClassification == "ecg_public_classification")
        #expect(HKPredicateKeyPathMostRecentDuration == "most_recent_duration")
    }
}
