// SPDX-License-Identifier: Apache-2.0
//
// Every category type and the enumerations its values come from.
// Written by Tools/generate-types from Tools/tables/category-values.csv; change the table, not this file.

extension HKCategoryTypeIdentifier {
    /// Values: ``HKCategoryValueSeverity``.
    public static let abdominalCramps = Self(rawValue: "HKCategoryTypeIdentifierAbdominalCramps")
    /// Values: ``HKCategoryValueSeverity``.
    public static let acne = Self(rawValue: "HKCategoryTypeIdentifierAcne")
    /// Values: ``HKCategoryValueAppetiteChanges``.
    public static let appetiteChanges = Self(rawValue: "HKCategoryTypeIdentifierAppetiteChanges")
    /// Values: ``HKCategoryValueAppleStandHour``.
    public static let appleStandHour = Self(rawValue: "HKCategoryTypeIdentifierAppleStandHour")
    /// Values: ``HKCategoryValueAppleWalkingSteadinessEvent``.
    public static let appleWalkingSteadinessEvent =
        Self(rawValue: "HKCategoryTypeIdentifierAppleWalkingSteadinessEvent")
    /// Values: ``HKCategoryValueAudioExposureEvent``.
    public static let audioExposureEvent = Self(rawValue: "HKCategoryTypeIdentifierAudioExposureEvent")
    /// Values: ``HKCategoryValueSeverity``.
    public static let bladderIncontinence = Self(rawValue: "HKCategoryTypeIdentifierBladderIncontinence")
    /// Values: ``HKCategoryValueVaginalBleeding``.
    public static let bleedingAfterPregnancy = Self(rawValue: "HKCategoryTypeIdentifierBleedingAfterPregnancy")
    /// Values: ``HKCategoryValueVaginalBleeding``.
    public static let bleedingDuringPregnancy = Self(rawValue: "HKCategoryTypeIdentifierBleedingDuringPregnancy")
    /// Values: ``HKCategoryValueSeverity``.
    public static let bloating = Self(rawValue: "HKCategoryTypeIdentifierBloating")
    /// Values: ``HKCategoryValueSeverity``.
    public static let breastPain = Self(rawValue: "HKCategoryTypeIdentifierBreastPain")
    /// Values: ``HKCategoryValueCervicalMucusQuality``.
    public static let cervicalMucusQuality = Self(rawValue: "HKCategoryTypeIdentifierCervicalMucusQuality")
    /// Values: ``HKCategoryValueSeverity``.
    public static let chestTightnessOrPain = Self(rawValue: "HKCategoryTypeIdentifierChestTightnessOrPain")
    /// Values: ``HKCategoryValueSeverity``.
    public static let chills = Self(rawValue: "HKCategoryTypeIdentifierChills")
    /// Values: ``HKCategoryValueSeverity``.
    public static let constipation = Self(rawValue: "HKCategoryTypeIdentifierConstipation")
    /// Values: ``HKCategoryValueContraceptive``.
    public static let contraceptive = Self(rawValue: "HKCategoryTypeIdentifierContraceptive")
    /// Values: ``HKCategoryValueSeverity``.
    public static let coughing = Self(rawValue: "HKCategoryTypeIdentifierCoughing")
    /// Values: ``HKCategoryValueSeverity``.
    public static let diarrhea = Self(rawValue: "HKCategoryTypeIdentifierDiarrhea")
    /// Values: ``HKCategoryValueSeverity``.
    public static let dizziness = Self(rawValue: "HKCategoryTypeIdentifierDizziness")
    /// Values: ``HKCategoryValueSeverity``.
    public static let drySkin = Self(rawValue: "HKCategoryTypeIdentifierDrySkin")
    /// Values: ``HKCategoryValueEnvironmentalAudioExposureEvent``.
    public static let environmentalAudioExposureEvent =
        Self(rawValue: "HKCategoryTypeIdentifierEnvironmentalAudioExposureEvent")
    /// Values: ``HKCategoryValueSeverity``.
    public static let fainting = Self(rawValue: "HKCategoryTypeIdentifierFainting")
    /// Values: ``HKCategoryValueSeverity``.
    public static let fatigue = Self(rawValue: "HKCategoryTypeIdentifierFatigue")
    /// Values: ``HKCategoryValueSeverity``.
    public static let fever = Self(rawValue: "HKCategoryTypeIdentifierFever")
    /// Values: ``HKCategoryValueSeverity``.
    public static let generalizedBodyAche = Self(rawValue: "HKCategoryTypeIdentifierGeneralizedBodyAche")
    /// Values: ``HKCategoryValueSeverity``.
    public static let hairLoss = Self(rawValue: "HKCategoryTypeIdentifierHairLoss")
    /// Values: ``HKCategoryValue``.
    public static let handwashingEvent = Self(rawValue: "HKCategoryTypeIdentifierHandwashingEvent")
    /// Values: ``HKCategoryValueSeverity``.
    public static let headache = Self(rawValue: "HKCategoryTypeIdentifierHeadache")
    /// Values: ``HKCategoryValueHeadphoneAudioExposureEvent``.
    public static let headphoneAudioExposureEvent =
        Self(rawValue: "HKCategoryTypeIdentifierHeadphoneAudioExposureEvent")
    /// Values: ``HKCategoryValueSeverity``.
    public static let heartburn = Self(rawValue: "HKCategoryTypeIdentifierHeartburn")
    /// Values: ``HKCategoryValue``.
    public static let highHeartRateEvent = Self(rawValue: "HKCategoryTypeIdentifierHighHeartRateEvent")
    /// Values: ``HKCategoryValueSeverity``.
    public static let hotFlashes = Self(rawValue: "HKCategoryTypeIdentifierHotFlashes")
    /// Values: ``HKCategoryValue``.
    public static let hypertensionEvent = Self(rawValue: "HKCategoryTypeIdentifierHypertensionEvent")
    /// Values: ``HKCategoryValue``.
    public static let infrequentMenstrualCycles = Self(rawValue: "HKCategoryTypeIdentifierInfrequentMenstrualCycles")
    /// Values: ``HKCategoryValue``.
    public static let intermenstrualBleeding = Self(rawValue: "HKCategoryTypeIdentifierIntermenstrualBleeding")
    /// Values: ``HKCategoryValue``.
    public static let irregularHeartRhythmEvent = Self(rawValue: "HKCategoryTypeIdentifierIrregularHeartRhythmEvent")
    /// Values: ``HKCategoryValue``.
    public static let irregularMenstrualCycles = Self(rawValue: "HKCategoryTypeIdentifierIrregularMenstrualCycles")
    /// Values: ``HKCategoryValue``.
    public static let lactation = Self(rawValue: "HKCategoryTypeIdentifierLactation")
    /// Values: ``HKCategoryValueSeverity``.
    public static let lossOfSmell = Self(rawValue: "HKCategoryTypeIdentifierLossOfSmell")
    /// Values: ``HKCategoryValueSeverity``.
    public static let lossOfTaste = Self(rawValue: "HKCategoryTypeIdentifierLossOfTaste")
    /// Values: ``HKCategoryValueLowCardioFitnessEvent``.
    public static let lowCardioFitnessEvent = Self(rawValue: "HKCategoryTypeIdentifierLowCardioFitnessEvent")
    /// Values: ``HKCategoryValue``.
    public static let lowHeartRateEvent = Self(rawValue: "HKCategoryTypeIdentifierLowHeartRateEvent")
    /// Values: ``HKCategoryValueSeverity``.
    public static let lowerBackPain = Self(rawValue: "HKCategoryTypeIdentifierLowerBackPain")
    /// Values: ``HKCategoryValueSeverity``.
    public static let memoryLapse = Self(rawValue: "HKCategoryTypeIdentifierMemoryLapse")
    /// Values: ``HKCategoryValueVaginalBleeding``, ``HKCategoryValueMenstrualFlow``.
    public static let menstrualFlow = Self(rawValue: "HKCategoryTypeIdentifierMenstrualFlow")
    /// Values: ``HKCategoryValue``.
    public static let mindfulSession = Self(rawValue: "HKCategoryTypeIdentifierMindfulSession")
    /// Values: ``HKCategoryValuePresence``.
    public static let moodChanges = Self(rawValue: "HKCategoryTypeIdentifierMoodChanges")
    /// Values: ``HKCategoryValueSeverity``.
    public static let nausea = Self(rawValue: "HKCategoryTypeIdentifierNausea")
    /// Values: ``HKCategoryValueSeverity``.
    public static let nightSweats = Self(rawValue: "HKCategoryTypeIdentifierNightSweats")
    /// Values: ``HKCategoryValueOvulationTestResult``.
    public static let ovulationTestResult = Self(rawValue: "HKCategoryTypeIdentifierOvulationTestResult")
    /// Values: ``HKCategoryValueSeverity``.
    public static let pelvicPain = Self(rawValue: "HKCategoryTypeIdentifierPelvicPain")
    /// Values: ``HKCategoryValue``.
    public static let persistentIntermenstrualBleeding =
        Self(rawValue: "HKCategoryTypeIdentifierPersistentIntermenstrualBleeding")
    /// Values: ``HKCategoryValue``.
    public static let pregnancy = Self(rawValue: "HKCategoryTypeIdentifierPregnancy")
    /// Values: ``HKCategoryValuePregnancyTestResult``.
    public static let pregnancyTestResult = Self(rawValue: "HKCategoryTypeIdentifierPregnancyTestResult")
    /// Values: ``HKCategoryValueProgesteroneTestResult``.
    public static let progesteroneTestResult = Self(rawValue: "HKCategoryTypeIdentifierProgesteroneTestResult")
    /// Values: ``HKCategoryValue``.
    public static let prolongedMenstrualPeriods = Self(rawValue: "HKCategoryTypeIdentifierProlongedMenstrualPeriods")
    /// Values: ``HKCategoryValueSeverity``.
    public static let rapidPoundingOrFlutteringHeartbeat =
        Self(rawValue: "HKCategoryTypeIdentifierRapidPoundingOrFlutteringHeartbeat")
    /// Values: ``HKCategoryValueSeverity``.
    public static let runnyNose = Self(rawValue: "HKCategoryTypeIdentifierRunnyNose")
    /// Values: ``HKCategoryValue``.
    public static let sexualActivity = Self(rawValue: "HKCategoryTypeIdentifierSexualActivity")
    /// Values: ``HKCategoryValueSeverity``.
    public static let shortnessOfBreath = Self(rawValue: "HKCategoryTypeIdentifierShortnessOfBreath")
    /// Values: ``HKCategoryValueSeverity``.
    public static let sinusCongestion = Self(rawValue: "HKCategoryTypeIdentifierSinusCongestion")
    /// Values: ``HKCategoryValueSeverity``.
    public static let skippedHeartbeat = Self(rawValue: "HKCategoryTypeIdentifierSkippedHeartbeat")
    /// Values: ``HKCategoryValueSleepAnalysis``.
    public static let sleepAnalysis = Self(rawValue: "HKCategoryTypeIdentifierSleepAnalysis")
    /// Values: ``HKCategoryValue``.
    public static let sleepApneaEvent = Self(rawValue: "HKCategoryTypeIdentifierSleepApneaEvent")
    /// Values: ``HKCategoryValuePresence``.
    public static let sleepChanges = Self(rawValue: "HKCategoryTypeIdentifierSleepChanges")
    /// Values: ``HKCategoryValueSeverity``.
    public static let soreThroat = Self(rawValue: "HKCategoryTypeIdentifierSoreThroat")
    /// Values: ``HKCategoryValue``.
    public static let toothbrushingEvent = Self(rawValue: "HKCategoryTypeIdentifierToothbrushingEvent")
    /// Values: ``HKCategoryValueSeverity``.
    public static let vaginalDryness = Self(rawValue: "HKCategoryTypeIdentifierVaginalDryness")
    /// Values: ``HKCategoryValueSeverity``.
    public static let vomiting = Self(rawValue: "HKCategoryTypeIdentifierVomiting")
    /// Values: ``HKCategoryValueSeverity``.
    public static let wheezing = Self(rawValue: "HKCategoryTypeIdentifierWheezing")
}

extension TypeTables {
    /// Identifier without its prefix, and the enumerations of its values, today's first.
    static let categoryTypes: [CategoryTypeRow] = [
        CategoryTypeRow("AbdominalCramps", [.severity]),
        CategoryTypeRow("Acne", [.severity]),
        CategoryTypeRow("AppetiteChanges", [.appetiteChanges]),
        CategoryTypeRow("AppleStandHour", [.appleStandHour]),
        CategoryTypeRow("AppleWalkingSteadinessEvent", [.appleWalkingSteadinessEvent]),
        CategoryTypeRow("AudioExposureEvent", [.audioExposureEvent]),
        CategoryTypeRow("BladderIncontinence", [.severity]),
        CategoryTypeRow("BleedingAfterPregnancy", [.vaginalBleeding]),
        CategoryTypeRow("BleedingDuringPregnancy", [.vaginalBleeding]),
        CategoryTypeRow("Bloating", [.severity]),
        CategoryTypeRow("BreastPain", [.severity]),
        CategoryTypeRow("CervicalMucusQuality", [.cervicalMucusQuality]),
        CategoryTypeRow("ChestTightnessOrPain", [.severity]),
        CategoryTypeRow("Chills", [.severity]),
        CategoryTypeRow("Constipation", [.severity]),
        CategoryTypeRow("Contraceptive", [.contraceptive]),
        CategoryTypeRow("Coughing", [.severity]),
        CategoryTypeRow("Diarrhea", [.severity]),
        CategoryTypeRow("Dizziness", [.severity]),
        CategoryTypeRow("DrySkin", [.severity]),
        CategoryTypeRow("EnvironmentalAudioExposureEvent", [.environmentalAudioExposureEvent]),
        CategoryTypeRow("Fainting", [.severity]),
        CategoryTypeRow("Fatigue", [.severity]),
        CategoryTypeRow("Fever", [.severity]),
        CategoryTypeRow("GeneralizedBodyAche", [.severity]),
        CategoryTypeRow("HairLoss", [.severity]),
        CategoryTypeRow("HandwashingEvent", [.notApplicable]),
        CategoryTypeRow("Headache", [.severity]),
        CategoryTypeRow("HeadphoneAudioExposureEvent", [.headphoneAudioExposureEvent]),
        CategoryTypeRow("Heartburn", [.severity]),
        CategoryTypeRow("HighHeartRateEvent", [.notApplicable]),
        CategoryTypeRow("HotFlashes", [.severity]),
        CategoryTypeRow("HypertensionEvent", [.notApplicable]),
        CategoryTypeRow("InfrequentMenstrualCycles", [.notApplicable]),
        CategoryTypeRow("IntermenstrualBleeding", [.notApplicable]),
        CategoryTypeRow("IrregularHeartRhythmEvent", [.notApplicable]),
        CategoryTypeRow("IrregularMenstrualCycles", [.notApplicable]),
        CategoryTypeRow("Lactation", [.notApplicable]),
        CategoryTypeRow("LossOfSmell", [.severity]),
        CategoryTypeRow("LossOfTaste", [.severity]),
        CategoryTypeRow("LowCardioFitnessEvent", [.lowCardioFitnessEvent]),
        CategoryTypeRow("LowHeartRateEvent", [.notApplicable]),
        CategoryTypeRow("LowerBackPain", [.severity]),
        CategoryTypeRow("MemoryLapse", [.severity]),
        CategoryTypeRow("MenstrualFlow", [.vaginalBleeding, .menstrualFlow]),
        CategoryTypeRow("MindfulSession", [.notApplicable]),
        CategoryTypeRow("MoodChanges", [.presence]),
        CategoryTypeRow("Nausea", [.severity]),
        CategoryTypeRow("NightSweats", [.severity]),
        CategoryTypeRow("OvulationTestResult", [.ovulationTestResult]),
        CategoryTypeRow("PelvicPain", [.severity]),
        CategoryTypeRow("PersistentIntermenstrualBleeding", [.notApplicable]),
        CategoryTypeRow("Pregnancy", [.notApplicable]),
        CategoryTypeRow("PregnancyTestResult", [.pregnancyTestResult]),
        CategoryTypeRow("ProgesteroneTestResult", [.progesteroneTestResult]),
        CategoryTypeRow("ProlongedMenstrualPeriods", [.notApplicable]),
        CategoryTypeRow("RapidPoundingOrFlutteringHeartbeat", [.severity]),
        CategoryTypeRow("RunnyNose", [.severity]),
        CategoryTypeRow("SexualActivity", [.notApplicable]),
        CategoryTypeRow("ShortnessOfBreath", [.severity]),
        CategoryTypeRow("SinusCongestion", [.severity]),
        CategoryTypeRow("SkippedHeartbeat", [.severity]),
        CategoryTypeRow("SleepAnalysis", [.sleepAnalysis]),
        CategoryTypeRow("SleepApneaEvent", [.notApplicable]),
        CategoryTypeRow("SleepChanges", [.presence]),
        CategoryTypeRow("SoreThroat", [.severity]),
        CategoryTypeRow("ToothbrushingEvent", [.notApplicable]),
        CategoryTypeRow("VaginalDryness", [.severity]),
        CategoryTypeRow("Vomiting", [.severity]),
        CategoryTypeRow("Wheezing", [.severity]),
    ]
}
