// SPDX-License-Identifier: Apache-2.0
//
// Every enumeration of category values.
// Written by Tools/generate-types from Tools/tables/category-values.csv; change the table, not this file.

/// Values of category samples: `HKCategoryValueSeverity…`.
public enum HKCategoryValueSeverity: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueSeverityUnspecified`
    case unspecified = 0
    /// `HKCategoryValueSeverityNotPresent`
    case notPresent = 1
    /// `HKCategoryValueSeverityMild`
    case mild = 2
    /// `HKCategoryValueSeverityModerate`
    case moderate = 3
    /// `HKCategoryValueSeveritySevere`
    case severe = 4
}

/// Values of category samples: `HKCategoryValueAppetiteChanges…`.
public enum HKCategoryValueAppetiteChanges: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueAppetiteChangesUnspecified`
    case unspecified = 0
    /// `HKCategoryValueAppetiteChangesNoChange`
    case noChange = 1
    /// `HKCategoryValueAppetiteChangesDecreased`
    case decreased = 2
    /// `HKCategoryValueAppetiteChangesIncreased`
    case increased = 3
}

/// Values of category samples: `HKCategoryValueAppleStandHour…`.
public enum HKCategoryValueAppleStandHour: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueAppleStandHourStood`
    case stood = 0
    /// `HKCategoryValueAppleStandHourIdle`
    case idle = 1
}

/// Values of category samples: `HKCategoryValueAppleWalkingSteadinessEvent…`.
public enum HKCategoryValueAppleWalkingSteadinessEvent: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueAppleWalkingSteadinessEventInitialLow`
    case initialLow = 1
    /// `HKCategoryValueAppleWalkingSteadinessEventInitialVeryLow`
    case initialVeryLow = 2
    /// `HKCategoryValueAppleWalkingSteadinessEventRepeatLow`
    case repeatLow = 3
    /// `HKCategoryValueAppleWalkingSteadinessEventRepeatVeryLow`
    case repeatVeryLow = 4
}

/// Values of category samples: `HKCategoryValueAudioExposureEvent…`.
public enum HKCategoryValueAudioExposureEvent: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueAudioExposureEventLoudEnvironment`
    case loudEnvironment = 1
}

/// Values of category samples: `HKCategoryValueVaginalBleeding…`.
public enum HKCategoryValueVaginalBleeding: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueVaginalBleedingUnspecified`
    case unspecified = 1
    /// `HKCategoryValueVaginalBleedingLight`
    case light = 2
    /// `HKCategoryValueVaginalBleedingMedium`
    case medium = 3
    /// `HKCategoryValueVaginalBleedingHeavy`
    case heavy = 4
    /// `HKCategoryValueVaginalBleedingNone`
    case none = 5
}

/// Values of category samples: `HKCategoryValueCervicalMucusQuality…`.
public enum HKCategoryValueCervicalMucusQuality: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueCervicalMucusQualityDry`
    case dry = 1
    /// `HKCategoryValueCervicalMucusQualitySticky`
    case sticky = 2
    /// `HKCategoryValueCervicalMucusQualityCreamy`
    case creamy = 3
    /// `HKCategoryValueCervicalMucusQualityWatery`
    case watery = 4
    /// `HKCategoryValueCervicalMucusQualityEggWhite`
    case eggWhite = 5
}

/// Values of category samples: `HKCategoryValueContraceptive…`.
public enum HKCategoryValueContraceptive: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueContraceptiveUnspecified`
    case unspecified = 1
    /// `HKCategoryValueContraceptiveImplant`
    case implant = 2
    /// `HKCategoryValueContraceptiveInjection`
    case injection = 3
    /// `HKCategoryValueContraceptiveIntrauterineDevice`
    case intrauterineDevice = 4
    /// `HKCategoryValueContraceptiveIntravaginalRing`
    case intravaginalRing = 5
    /// `HKCategoryValueContraceptiveOral`
    case oral = 6
    /// `HKCategoryValueContraceptivePatch`
    case patch = 7
}

/// Values of category samples: `HKCategoryValueEnvironmentalAudioExposureEvent…`.
public enum HKCategoryValueEnvironmentalAudioExposureEvent: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueEnvironmentalAudioExposureEventMomentaryLimit`
    case momentaryLimit = 1
}

/// Values of category samples: `HKCategoryValue…`.
public enum HKCategoryValue: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueNotApplicable`
    case notApplicable = 0
}

/// Values of category samples: `HKCategoryValueHeadphoneAudioExposureEvent…`.
public enum HKCategoryValueHeadphoneAudioExposureEvent: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueHeadphoneAudioExposureEventSevenDayLimit`
    case sevenDayLimit = 1
}

/// Values of category samples: `HKCategoryValueLowCardioFitnessEvent…`.
public enum HKCategoryValueLowCardioFitnessEvent: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueLowCardioFitnessEventLowFitness`
    case lowFitness = 1
}

/// Values of category samples: `HKCategoryValueMenstrualFlow…`.
public enum HKCategoryValueMenstrualFlow: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueMenstrualFlowUnspecified`
    case unspecified = 1
    /// `HKCategoryValueMenstrualFlowLight`
    case light = 2
    /// `HKCategoryValueMenstrualFlowMedium`
    case medium = 3
    /// `HKCategoryValueMenstrualFlowHeavy`
    case heavy = 4
    /// `HKCategoryValueMenstrualFlowNone`
    case none = 5
}

/// Values of category samples: `HKCategoryValuePresence…`.
public enum HKCategoryValuePresence: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValuePresencePresent`
    case present = 0
    /// `HKCategoryValuePresenceNotPresent`
    case notPresent = 1
}

/// Values of category samples: `HKCategoryValueOvulationTestResult…`.
public enum HKCategoryValueOvulationTestResult: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueOvulationTestResultNegative`
    case negative = 1
    /// `HKCategoryValueOvulationTestResultLuteinizingHormoneSurge`
    case luteinizingHormoneSurge = 2
    /// Another name of ``luteinizingHormoneSurge``.
    public static var positive: Self { .luteinizingHormoneSurge }
    /// `HKCategoryValueOvulationTestResultIndeterminate`
    case indeterminate = 3
    /// `HKCategoryValueOvulationTestResultEstrogenSurge`
    case estrogenSurge = 4
}

/// Values of category samples: `HKCategoryValuePregnancyTestResult…`.
public enum HKCategoryValuePregnancyTestResult: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValuePregnancyTestResultNegative`
    case negative = 1
    /// `HKCategoryValuePregnancyTestResultPositive`
    case positive = 2
    /// `HKCategoryValuePregnancyTestResultIndeterminate`
    case indeterminate = 3
}

/// Values of category samples: `HKCategoryValueProgesteroneTestResult…`.
public enum HKCategoryValueProgesteroneTestResult: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueProgesteroneTestResultNegative`
    case negative = 1
    /// `HKCategoryValueProgesteroneTestResultPositive`
    case positive = 2
    /// `HKCategoryValueProgesteroneTestResultIndeterminate`
    case indeterminate = 3
}

/// Values of category samples: `HKCategoryValueSleepAnalysis…`.
public enum HKCategoryValueSleepAnalysis: Int, CaseIterable, HKCategoryValuePredicateProviding {
    /// `HKCategoryValueSleepAnalysisInBed`
    case inBed = 0
    /// `HKCategoryValueSleepAnalysisAsleepUnspecified`
    case asleepUnspecified = 1
    /// Another name of ``asleepUnspecified``.
    public static var asleep: Self { .asleepUnspecified }
    /// `HKCategoryValueSleepAnalysisAwake`
    case awake = 2
    /// `HKCategoryValueSleepAnalysisAsleepCore`
    case asleepCore = 3
    /// `HKCategoryValueSleepAnalysisAsleepDeep`
    case asleepDeep = 4
    /// `HKCategoryValueSleepAnalysisAsleepREM`
    case asleepREM = 5
}

extension CategoryValueSet {
    static let severity = CategoryValueSet(
        name: "HKCategoryValueSeverity",
        values: [
            HealthCategoryValue(name: "HKCategoryValueSeverityUnspecified", rawValue: 0),
            HealthCategoryValue(name: "HKCategoryValueSeverityNotPresent", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueSeverityMild", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueSeverityModerate", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueSeveritySevere", rawValue: 4),
        ])
    static let appetiteChanges = CategoryValueSet(
        name: "HKCategoryValueAppetiteChanges",
        values: [
            HealthCategoryValue(name: "HKCategoryValueAppetiteChangesUnspecified", rawValue: 0),
            HealthCategoryValue(name: "HKCategoryValueAppetiteChangesNoChange", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueAppetiteChangesDecreased", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueAppetiteChangesIncreased", rawValue: 3),
        ])
    static let appleStandHour = CategoryValueSet(
        name: "HKCategoryValueAppleStandHour",
        values: [
            HealthCategoryValue(name: "HKCategoryValueAppleStandHourStood", rawValue: 0),
            HealthCategoryValue(name: "HKCategoryValueAppleStandHourIdle", rawValue: 1),
        ])
    static let appleWalkingSteadinessEvent = CategoryValueSet(
        name: "HKCategoryValueAppleWalkingSteadinessEvent",
        values: [
            HealthCategoryValue(name: "HKCategoryValueAppleWalkingSteadinessEventInitialLow", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueAppleWalkingSteadinessEventInitialVeryLow", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueAppleWalkingSteadinessEventRepeatLow", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueAppleWalkingSteadinessEventRepeatVeryLow", rawValue: 4),
        ])
    static let audioExposureEvent = CategoryValueSet(
        name: "HKCategoryValueAudioExposureEvent",
        values: [
            HealthCategoryValue(name: "HKCategoryValueAudioExposureEventLoudEnvironment", rawValue: 1)
        ])
    static let vaginalBleeding = CategoryValueSet(
        name: "HKCategoryValueVaginalBleeding",
        values: [
            HealthCategoryValue(name: "HKCategoryValueVaginalBleedingUnspecified", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueVaginalBleedingLight", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueVaginalBleedingMedium", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueVaginalBleedingHeavy", rawValue: 4),
            HealthCategoryValue(name: "HKCategoryValueVaginalBleedingNone", rawValue: 5),
        ])
    static let cervicalMucusQuality = CategoryValueSet(
        name: "HKCategoryValueCervicalMucusQuality",
        values: [
            HealthCategoryValue(name: "HKCategoryValueCervicalMucusQualityDry", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueCervicalMucusQualitySticky", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueCervicalMucusQualityCreamy", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueCervicalMucusQualityWatery", rawValue: 4),
            HealthCategoryValue(name: "HKCategoryValueCervicalMucusQualityEggWhite", rawValue: 5),
        ])
    static let contraceptive = CategoryValueSet(
        name: "HKCategoryValueContraceptive",
        values: [
            HealthCategoryValue(name: "HKCategoryValueContraceptiveUnspecified", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueContraceptiveImplant", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueContraceptiveInjection", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueContraceptiveIntrauterineDevice", rawValue: 4),
            HealthCategoryValue(name: "HKCategoryValueContraceptiveIntravaginalRing", rawValue: 5),
            HealthCategoryValue(name: "HKCategoryValueContraceptiveOral", rawValue: 6),
            HealthCategoryValue(name: "HKCategoryValueContraceptivePatch", rawValue: 7),
        ])
    static let environmentalAudioExposureEvent = CategoryValueSet(
        name: "HKCategoryValueEnvironmentalAudioExposureEvent",
        values: [
            HealthCategoryValue(name: "HKCategoryValueEnvironmentalAudioExposureEventMomentaryLimit", rawValue: 1)
        ])
    static let notApplicable = CategoryValueSet(
        name: "HKCategoryValue",
        values: [
            HealthCategoryValue(name: "HKCategoryValueNotApplicable", rawValue: 0)
        ])
    static let headphoneAudioExposureEvent = CategoryValueSet(
        name: "HKCategoryValueHeadphoneAudioExposureEvent",
        values: [
            HealthCategoryValue(name: "HKCategoryValueHeadphoneAudioExposureEventSevenDayLimit", rawValue: 1)
        ])
    static let lowCardioFitnessEvent = CategoryValueSet(
        name: "HKCategoryValueLowCardioFitnessEvent",
        values: [
            HealthCategoryValue(name: "HKCategoryValueLowCardioFitnessEventLowFitness", rawValue: 1)
        ])
    static let menstrualFlow = CategoryValueSet(
        name: "HKCategoryValueMenstrualFlow",
        values: [
            HealthCategoryValue(name: "HKCategoryValueMenstrualFlowUnspecified", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueMenstrualFlowLight", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueMenstrualFlowMedium", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueMenstrualFlowHeavy", rawValue: 4),
            HealthCategoryValue(name: "HKCategoryValueMenstrualFlowNone", rawValue: 5),
        ])
    static let presence = CategoryValueSet(
        name: "HKCategoryValuePresence",
        values: [
            HealthCategoryValue(name: "HKCategoryValuePresencePresent", rawValue: 0),
            HealthCategoryValue(name: "HKCategoryValuePresenceNotPresent", rawValue: 1),
        ])
    static let ovulationTestResult = CategoryValueSet(
        name: "HKCategoryValueOvulationTestResult",
        values: [
            HealthCategoryValue(name: "HKCategoryValueOvulationTestResultNegative", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueOvulationTestResultLuteinizingHormoneSurge", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueOvulationTestResultPositive", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueOvulationTestResultIndeterminate", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueOvulationTestResultEstrogenSurge", rawValue: 4),
        ])
    static let pregnancyTestResult = CategoryValueSet(
        name: "HKCategoryValuePregnancyTestResult",
        values: [
            HealthCategoryValue(name: "HKCategoryValuePregnancyTestResultNegative", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValuePregnancyTestResultPositive", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValuePregnancyTestResultIndeterminate", rawValue: 3),
        ])
    static let progesteroneTestResult = CategoryValueSet(
        name: "HKCategoryValueProgesteroneTestResult",
        values: [
            HealthCategoryValue(name: "HKCategoryValueProgesteroneTestResultNegative", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueProgesteroneTestResultPositive", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueProgesteroneTestResultIndeterminate", rawValue: 3),
        ])
    static let sleepAnalysis = CategoryValueSet(
        name: "HKCategoryValueSleepAnalysis",
        values: [
            HealthCategoryValue(name: "HKCategoryValueSleepAnalysisInBed", rawValue: 0),
            HealthCategoryValue(name: "HKCategoryValueSleepAnalysisAsleepUnspecified", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueSleepAnalysisAsleep", rawValue: 1),
            HealthCategoryValue(name: "HKCategoryValueSleepAnalysisAwake", rawValue: 2),
            HealthCategoryValue(name: "HKCategoryValueSleepAnalysisAsleepCore", rawValue: 3),
            HealthCategoryValue(name: "HKCategoryValueSleepAnalysisAsleepDeep", rawValue: 4),
            HealthCategoryValue(name: "HKCategoryValueSleepAnalysisAsleepREM", rawValue: 5),
        ])

    /// All sets, in the order of the table.
    static let all: [CategoryValueSet] = [
        .severity,
        .appetiteChanges,
        .appleStandHour,
        .appleWalkingSteadinessEvent,
        .audioExposureEvent,
        .vaginalBleeding,
        .cervicalMucusQuality,
        .contraceptive,
        .environmentalAudioExposureEvent,
        .notApplicable,
        .headphoneAudioExposureEvent,
        .lowCardioFitnessEvent,
        .menstrualFlow,
        .presence,
        .ovulationTestResult,
        .pregnancyTestResult,
        .progesteroneTestResult,
        .sleepAnalysis,
    ]
}
