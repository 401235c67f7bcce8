// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-10 characteristics, units and errors have HealthKit's numbers")
struct PersonNumbersTests {
    @Test func biologicalSex() {
        let numbers: KeyValuePairs<HKBiologicalSex, Int> = [
            .notSet: 0, .female: 1, .male: 2, .other: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func bloodType() {
        let numbers: KeyValuePairs<HKBloodType, Int> = [
            .notSet: 0, .aPositive: 1, .aNegative: 2, .bPositive: 3, .bNegative: 4, .abPositive: 5, .abNegative: 6,
            .oPositive: 7, .oNegative: 8,
        ]
        expectNumbers(numbers)
    }

    @Test func fitzpatrickSkinType() {
        let numbers: KeyValuePairs<HKFitzpatrickSkinType, Int> = [
            .notSet: 0, .I: 1, .II: 2, .III: 3, .IV: 4, .V: 5, .VI: 6,
        ]
        expectNumbers(numbers)
    }

    @Test func wheelchairUse() {
        let numbers: KeyValuePairs<HKWheelchairUse, Int> = [
            .notSet: 0, .no: 1, .yes: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func activityMoveMode() {
        let numbers: KeyValuePairs<HKActivityMoveMode, Int> = [
            .activeEnergy: 1, .appleMoveTime: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func quantityAggregationStyle() {
        let numbers: KeyValuePairs<HKQuantityAggregationStyle, Int> = [
            .cumulative: 0, .discreteArithmetic: 1, .discreteTemporallyWeighted: 2,
            .discreteEquivalentContinuousLevel: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func metricPrefix() {
        let numbers: KeyValuePairs<HKMetricPrefix, Int> = [
            .none: 0, .pico: 1, .nano: 2, .micro: 3, .milli: 4, .centi: 5, .deci: 6, .deca: 7, .hecto: 8, .kilo: 9,
            .mega: 10, .giga: 11, .tera: 12, .femto: 13,
        ]
        expectNumbers(numbers)
    }

    @Test func errorCode() {
        let numbers: KeyValuePairs<HKError.Code, Int> = [
            .unknownError: 0, .errorHealthDataUnavailable: 1, .errorHealthDataRestricted: 2,
            .errorInvalidArgument: 3, .errorAuthorizationDenied: 4, .errorAuthorizationNotDetermined: 5,
            .errorDatabaseInaccessible: 6, .errorUserCanceled: 7, .errorAnotherWorkoutSessionStarted: 8,
            .errorUserExitedWorkoutSession: 9, .errorRequiredAuthorizationDenied: 10, .errorNoData: 11,
            .errorWorkoutActivityNotAllowed: 12, .errorDataSizeExceeded: 13,
            .errorBackgroundWorkoutSessionNotAllowed: 14, .errorNotPermissibleForGuestUserMode: 15,
        ]
        expectNumbers(numbers)
    }
}
