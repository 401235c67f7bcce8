// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

@Suite("S-10 the enumerations of records have HealthKit's numbers")
struct RecordNumbersTests {
    @Test func stateOfMindKind() {
        let numbers: KeyValuePairs<HKStateOfMind.Kind, Int> = [
            .momentaryEmotion: 1, .dailyMood: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func stateOfMindValenceClassification() {
        let numbers: KeyValuePairs<HKStateOfMind.ValenceClassification, Int> = [
            .veryUnpleasant: 1, .unpleasant: 2, .slightlyUnpleasant: 3, .neutral: 4, .slightlyPleasant: 5,
            .pleasant: 6, .veryPleasant: 7,
        ]
        expectNumbers(numbers)
    }

    @Test func stateOfMindLabel() {
        let numbers: KeyValuePairs<HKStateOfMind.Label, Int> = [
            .amazed: 1, .amused: 2, .angry: 3, .anxious: 4, .ashamed: 5, .brave: 6, .calm: 7, .content: 8,
            .disappointed: 9, .discouraged: 10, .disgusted: 11, .embarrassed: 12, .excited: 13, .frustrated: 14,
            .grateful: 15, .guilty: 16, .happy: 17, .hopeless: 18, .irritated: 19, .jealous: 20, .joyful: 21,
            .lonely: 22, .passionate: 23, .peaceful: 24, .proud: 25, .relieved: 26, .sad: 27, .scared: 28,
            .stressed: 29, .surprised: 30, .worried: 31, .annoyed: 32, .confident: 33, .drained: 34, .hopeful: 35,
            .indifferent: 36, .overwhelmed: 37, .satisfied: 38,
        ]
        expectNumbers(numbers)
    }

    @Test func stateOfMindAssociation() {
        let numbers: KeyValuePairs<HKStateOfMind.Association, Int> = [
            .community: 1, .currentEvents: 2, .dating: 3, .education: 4, .family: 5, .fitness: 6, .friends: 7,
            .health: 8, .hobbies: 9, .identity: 10, .money: 11, .partner: 12, .selfCare: 13, .spirituality: 14,
            .tasks: 15, .travel: 16, .work: 17, .weather: 18,
        ]
        expectNumbers(numbers)
    }

    @Test func gad7AssessmentAnswer() {
        let numbers: KeyValuePairs<HKGAD7Assessment.Answer, Int> = [
            .notAtAll: 0, .severalDays: 1, .moreThanHalfTheDays: 2, .nearlyEveryDay: 3,
        ]
        expectNumbers(numbers)
    }

    @Test func gad7AssessmentRisk() {
        let numbers: KeyValuePairs<HKGAD7Assessment.Risk, Int> = [
            .noneToMinimal: 1, .mild: 2, .moderate: 3, .severe: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func phq9AssessmentAnswer() {
        let numbers: KeyValuePairs<HKPHQ9Assessment.Answer, Int> = [
            .notAtAll: 0, .severalDays: 1, .moreThanHalfTheDays: 2, .nearlyEveryDay: 3, .preferNotToAnswer: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func phq9AssessmentRisk() {
        let numbers: KeyValuePairs<HKPHQ9Assessment.Risk, Int> = [
            .noneToMinimal: 1, .mild: 2, .moderate: 3, .moderatelySevere: 4, .severe: 5,
        ]
        expectNumbers(numbers)
    }

    @Test func medicationDoseEventLogStatus() {
        let numbers: KeyValuePairs<HKMedicationDoseEvent.LogStatus, Int> = [
            .notInteracted: 1, .notificationNotSent: 2, .snoozed: 3, .taken: 4, .skipped: 5, .notLogged: 6,
        ]
        expectNumbers(numbers)
    }

    @Test func medicationDoseEventScheduleType() {
        let numbers: KeyValuePairs<HKMedicationDoseEvent.ScheduleType, Int> = [
            .asNeeded: 1, .schedule: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func audiogramConductionType() {
        let numbers: KeyValuePairs<HKAudiogramConductionType, Int> = [
            .air: 0
        ]
        expectNumbers(numbers)
    }

    @Test func audiogramSensitivityTestSide() {
        let numbers: KeyValuePairs<HKAudiogramSensitivityTestSide, Int> = [
            .left: 0, .right: 1,
        ]
        expectNumbers(numbers)
    }

    @Test func visionPrescriptionType() {
        let numbers: KeyValuePairs<HKVisionPrescriptionType, UInt> = [
            .glasses: 1, .contacts: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func visionEye() {
        let numbers: KeyValuePairs<HKVisionEye, Int> = [
            .left: 1, .right: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func prismBase() {
        let numbers: KeyValuePairs<HKPrismBase, Int> = [
            .none: 0, .up: 1, .down: 2, .in: 3, .out: 4,
        ]
        expectNumbers(numbers)
    }

    @Test func electrocardiogramClassification() {
        let numbers: KeyValuePairs<HKElectrocardiogram.Classification, Int> = [
            .notSet: 0, .sinusRhythm: 1, .atrialFibrillation: 2, .inconclusiveLowHeartRate: 3,
            .inconclusiveHighHeartRate: 4, .inconclusivePoorReading: 5, .inconclusiveOther: 6, .unrecognized: 100,
        ]
        expectNumbers(numbers)
    }

    @Test func electrocardiogramSymptomsStatus() {
        let numbers: KeyValuePairs<HKElectrocardiogram.SymptomsStatus, Int> = [
            .notSet: 0, .none: 1, .present: 2,
        ]
        expectNumbers(numbers)
    }

    @Test func electrocardiogramLead() {
        let numbers: KeyValuePairs<HKElectrocardiogram.Lead, Int> = [
            .appleWatchSimilarToLeadI: 1
        ]
        expectNumbers(numbers)
    }
}
