// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-10 the values of category types have HealthKit's numbers")
struct CategoryValueNumbersTests {
    @Test func categoryValueSeverity() {
        let numbers: KeyValuePairs<HKCategoryValueSeverity, Int> = [
            .unspecified: 0, .notPresent: 1, .mild: 2, .moderate: 3, .severe: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueAppetiteChanges() {
        let numbers: KeyValuePairs<HKCategoryValueAppetiteChanges, Int> = [
            .unspecified: 0, .noChange: 1, .decreased: 2, .increased: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueAppleStandHour() {
        let numbers: KeyValuePairs<HKCategoryValueAppleStandHour, Int> = [
            .stood: 0, .idle: 1,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueAppleWalkingSteadinessEvent() {
        let numbers: KeyValuePairs<HKCategoryValueAppleWalkingSteadinessEvent, Int> = [
            .initialLow: 1, .initialVeryLow: 2, .repeatLow: 3, .repeatVeryLow: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueAudioExposureEvent() {
        let numbers: KeyValuePairs<HKCategoryValueAudioExposureEvent, Int> = [
            .loudEnvironment: 1
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueVaginalBleeding() {
        let numbers: KeyValuePairs<HKCategoryValueVaginalBleeding, Int> = [
            .unspecified: 1, .light: 2, .medium: 3, .heavy: 4, .none: 5,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueCervicalMucusQuality() {
        let numbers: KeyValuePairs<HKCategoryValueCervicalMucusQuality, Int> = [
            .dry: 1, .sticky: 2, .creamy: 3, .watery: 4, .eggWhite: 5,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueContraceptive() {
        let numbers: KeyValuePairs<HKCategoryValueContraceptive, Int> = [
            .unspecified: 1, .implant: 2, .injection: 3, .intrauterineDevice: 4, .intravaginalRing: 5, .oral: 6,
            .patch: 7,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueEnvironmentalAudioExposureEvent() {
        let numbers: KeyValuePairs<HKCategoryValueEnvironmentalAudioExposureEvent, Int> = [
            .momentaryLimit: 1
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValue() {
        let numbers: KeyValuePairs<HKCategoryValue, Int> = [
            .notApplicable: 0
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueHeadphoneAudioExposureEvent() {
        let numbers: KeyValuePairs<HKCategoryValueHeadphoneAudioExposureEvent, Int> = [
            .sevenDayLimit: 1
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueLowCardioFitnessEvent() {
        let numbers: KeyValuePairs<HKCategoryValueLowCardioFitnessEvent, Int> = [
            .lowFitness: 1
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueMenstrualFlow() {
        let numbers: KeyValuePairs<HKCategoryValueMenstrualFlow, Int> = [
            .unspecified: 1, .light: 2, .medium: 3, .heavy: 4, .none: 5,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValuePresence() {
        let numbers: KeyValuePairs<HKCategoryValuePresence, Int> = [
            .present: 0, .notPresent: 1,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueOvulationTestResult() {
        let numbers: KeyValuePairs<HKCategoryValueOvulationTestResult, Int> = [
            .negative: 1, .luteinizingHormoneSurge: 2, .indeterminate: 3, .estrogenSurge: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValuePregnancyTestResult() {
        let numbers: KeyValuePairs<HKCategoryValuePregnancyTestResult, Int> = [
            .negative: 1, .positive: 2, .indeterminate: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueProgesteroneTestResult() {
        let numbers: KeyValuePairs<HKCategoryValueProgesteroneTestResult, Int> = [
            .negative: 1, .positive: 2, .indeterminate: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func categoryValueSleepAnalysis() {
        let numbers: KeyValuePairs<HKCategoryValueSleepAnalysis, Int> = [
            .inBed: 0, .asleepUnspecified: 1, .awake: 2, .asleepCore: 3, .asleepDeep: 4, .asleepREM: 5,
        ]
        expectNumbers(numbers)
    }

    @Test func appleWalkingSteadinessClassification() {
        let numbers: KeyValuePairs<HKAppleWalkingSteadinessClassification, Int> = [
            .ok: 1, .low: 2, .veryLow: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func appleSleepingBreathingDisturbancesClassification() {
        let numbers: KeyValuePairs<HKAppleSleepingBreathingDisturbancesClassification, Int> = [
            .notElevated: 0, .elevated: 1,
        ]
        expectNumbers(numbers)
    }
}
