// SPDX-License-Identifier: Apache-2.0
//
// Every quantity type, its style and its canonical unit.
// Written by Tools/generate-types from Tools/tables/quantity-types.csv; change the table, not this file.

extension HKQuantityTypeIdentifier {
    /// Cumulative, `kcal`.
    public static let activeEnergyBurned = Self(rawValue: "HKQuantityTypeIdentifierActiveEnergyBurned")
    /// Cumulative, `min`.
    public static let appleExerciseTime = Self(rawValue: "HKQuantityTypeIdentifierAppleExerciseTime")
    /// Cumulative, `min`.
    public static let appleMoveTime = Self(rawValue: "HKQuantityTypeIdentifierAppleMoveTime")
    /// Discrete (arithmetic), `count`.
    public static let appleSleepingBreathingDisturbances =
        Self(rawValue: "HKQuantityTypeIdentifierAppleSleepingBreathingDisturbances")
    /// Discrete (arithmetic), `degC`.
    public static let appleSleepingWristTemperature =
        Self(rawValue: "HKQuantityTypeIdentifierAppleSleepingWristTemperature")
    /// Cumulative, `min`.
    public static let appleStandTime = Self(rawValue: "HKQuantityTypeIdentifierAppleStandTime")
    /// Discrete (arithmetic), `%`.
    public static let appleWalkingSteadiness = Self(rawValue: "HKQuantityTypeIdentifierAppleWalkingSteadiness")
    /// Discrete (temporally weighted), `%`.
    public static let atrialFibrillationBurden = Self(rawValue: "HKQuantityTypeIdentifierAtrialFibrillationBurden")
    /// Discrete (arithmetic), `degC`.
    public static let basalBodyTemperature = Self(rawValue: "HKQuantityTypeIdentifierBasalBodyTemperature")
    /// Cumulative, `kcal`.
    public static let basalEnergyBurned = Self(rawValue: "HKQuantityTypeIdentifierBasalEnergyBurned")
    /// Discrete (arithmetic), `%`.
    public static let bloodAlcoholContent = Self(rawValue: "HKQuantityTypeIdentifierBloodAlcoholContent")
    /// Discrete (arithmetic), `mg/dL`.
    public static let bloodGlucose = Self(rawValue: "HKQuantityTypeIdentifierBloodGlucose")
    /// Discrete (arithmetic), `mmHg`.
    public static let bloodPressureDiastolic = Self(rawValue: "HKQuantityTypeIdentifierBloodPressureDiastolic")
    /// Discrete (arithmetic), `mmHg`.
    public static let bloodPressureSystolic = Self(rawValue: "HKQuantityTypeIdentifierBloodPressureSystolic")
    /// Discrete (arithmetic), `%`.
    public static let bodyFatPercentage = Self(rawValue: "HKQuantityTypeIdentifierBodyFatPercentage")
    /// Discrete (arithmetic), `kg`.
    public static let bodyMass = Self(rawValue: "HKQuantityTypeIdentifierBodyMass")
    /// Discrete (arithmetic), `count`.
    public static let bodyMassIndex = Self(rawValue: "HKQuantityTypeIdentifierBodyMassIndex")
    /// Discrete (arithmetic), `degC`.
    public static let bodyTemperature = Self(rawValue: "HKQuantityTypeIdentifierBodyTemperature")
    /// Discrete (arithmetic), `m/s`.
    public static let crossCountrySkiingSpeed = Self(rawValue: "HKQuantityTypeIdentifierCrossCountrySkiingSpeed")
    /// Discrete (temporally weighted), `count/min`.
    public static let cyclingCadence = Self(rawValue: "HKQuantityTypeIdentifierCyclingCadence")
    /// Discrete (arithmetic), `W`.
    public static let cyclingFunctionalThresholdPower =
        Self(rawValue: "HKQuantityTypeIdentifierCyclingFunctionalThresholdPower")
    /// Discrete (temporally weighted), `W`.
    public static let cyclingPower = Self(rawValue: "HKQuantityTypeIdentifierCyclingPower")
    /// Discrete (temporally weighted), `m/s`.
    public static let cyclingSpeed = Self(rawValue: "HKQuantityTypeIdentifierCyclingSpeed")
    /// Cumulative, `g`.
    public static let dietaryBiotin = Self(rawValue: "HKQuantityTypeIdentifierDietaryBiotin")
    /// Cumulative, `g`.
    public static let dietaryCaffeine = Self(rawValue: "HKQuantityTypeIdentifierDietaryCaffeine")
    /// Cumulative, `g`.
    public static let dietaryCalcium = Self(rawValue: "HKQuantityTypeIdentifierDietaryCalcium")
    /// Cumulative, `g`.
    public static let dietaryCarbohydrates = Self(rawValue: "HKQuantityTypeIdentifierDietaryCarbohydrates")
    /// Cumulative, `g`.
    public static let dietaryChloride = Self(rawValue: "HKQuantityTypeIdentifierDietaryChloride")
    /// Cumulative, `g`.
    public static let dietaryCholesterol = Self(rawValue: "HKQuantityTypeIdentifierDietaryCholesterol")
    /// Cumulative, `g`.
    public static let dietaryChromium = Self(rawValue: "HKQuantityTypeIdentifierDietaryChromium")
    /// Cumulative, `g`.
    public static let dietaryCopper = Self(rawValue: "HKQuantityTypeIdentifierDietaryCopper")
    /// Cumulative, `kcal`.
    public static let dietaryEnergyConsumed = Self(rawValue: "HKQuantityTypeIdentifierDietaryEnergyConsumed")
    /// Cumulative, `g`.
    public static let dietaryFatMonounsaturated = Self(rawValue: "HKQuantityTypeIdentifierDietaryFatMonounsaturated")
    /// Cumulative, `g`.
    public static let dietaryFatPolyunsaturated = Self(rawValue: "HKQuantityTypeIdentifierDietaryFatPolyunsaturated")
    /// Cumulative, `g`.
    public static let dietaryFatSaturated = Self(rawValue: "HKQuantityTypeIdentifierDietaryFatSaturated")
    /// Cumulative, `g`.
    public static let dietaryFatTotal = Self(rawValue: "HKQuantityTypeIdentifierDietaryFatTotal")
    /// Cumulative, `g`.
    public static let dietaryFiber = Self(rawValue: "HKQuantityTypeIdentifierDietaryFiber")
    /// Cumulative, `g`.
    public static let dietaryFolate = Self(rawValue: "HKQuantityTypeIdentifierDietaryFolate")
    /// Cumulative, `g`.
    public static let dietaryIodine = Self(rawValue: "HKQuantityTypeIdentifierDietaryIodine")
    /// Cumulative, `g`.
    public static let dietaryIron = Self(rawValue: "HKQuantityTypeIdentifierDietaryIron")
    /// Cumulative, `g`.
    public static let dietaryMagnesium = Self(rawValue: "HKQuantityTypeIdentifierDietaryMagnesium")
    /// Cumulative, `g`.
    public static let dietaryManganese = Self(rawValue: "HKQuantityTypeIdentifierDietaryManganese")
    /// Cumulative, `g`.
    public static let dietaryMolybdenum = Self(rawValue: "HKQuantityTypeIdentifierDietaryMolybdenum")
    /// Cumulative, `g`.
    public static let dietaryNiacin = Self(rawValue: "HKQuantityTypeIdentifierDietaryNiacin")
    /// Cumulative, `g`.
    public static let dietaryPantothenicAcid = Self(rawValue: "HKQuantityTypeIdentifierDietaryPantothenicAcid")
    /// Cumulative, `g`.
    public static let dietaryPhosphorus = Self(rawValue: "HKQuantityTypeIdentifierDietaryPhosphorus")
    /// Cumulative, `g`.
    public static let dietaryPotassium = Self(rawValue: "HKQuantityTypeIdentifierDietaryPotassium")
    /// Cumulative, `g`.
    public static let dietaryProtein = Self(rawValue: "HKQuantityTypeIdentifierDietaryProtein")
    /// Cumulative, `g`.
    public static let dietaryRiboflavin = Self(rawValue: "HKQuantityTypeIdentifierDietaryRiboflavin")
    /// Cumulative, `g`.
    public static let dietarySelenium = Self(rawValue: "HKQuantityTypeIdentifierDietarySelenium")
    /// Cumulative, `g`.
    public static let dietarySodium = Self(rawValue: "HKQuantityTypeIdentifierDietarySodium")
    /// Cumulative, `g`.
    public static let dietarySugar = Self(rawValue: "HKQuantityTypeIdentifierDietarySugar")
    /// Cumulative, `g`.
    public static let dietaryThiamin = Self(rawValue: "HKQuantityTypeIdentifierDietaryThiamin")
    /// Cumulative, `g`.
    public static let dietaryVitaminA = Self(rawValue: "HKQuantityTypeIdentifierDietaryVitaminA")
    /// Cumulative, `g`.
    public static let dietaryVitaminB12 = Self(rawValue: "HKQuantityTypeIdentifierDietaryVitaminB12")
    /// Cumulative, `g`.
    public static let dietaryVitaminB6 = Self(rawValue: "HKQuantityTypeIdentifierDietaryVitaminB6")
    /// Cumulative, `g`.
    public static let dietaryVitaminC = Self(rawValue: "HKQuantityTypeIdentifierDietaryVitaminC")
    /// Cumulative, `g`.
    public static let dietaryVitaminD = Self(rawValue: "HKQuantityTypeIdentifierDietaryVitaminD")
    /// Cumulative, `g`.
    public static let dietaryVitaminE = Self(rawValue: "HKQuantityTypeIdentifierDietaryVitaminE")
    /// Cumulative, `g`.
    public static let dietaryVitaminK = Self(rawValue: "HKQuantityTypeIdentifierDietaryVitaminK")
    /// Cumulative, `mL`.
    public static let dietaryWater = Self(rawValue: "HKQuantityTypeIdentifierDietaryWater")
    /// Cumulative, `g`.
    public static let dietaryZinc = Self(rawValue: "HKQuantityTypeIdentifierDietaryZinc")
    /// Cumulative, `m`.
    public static let distanceCrossCountrySkiing = Self(rawValue: "HKQuantityTypeIdentifierDistanceCrossCountrySkiing")
    /// Cumulative, `m`.
    public static let distanceCycling = Self(rawValue: "HKQuantityTypeIdentifierDistanceCycling")
    /// Cumulative, `m`.
    public static let distanceDownhillSnowSports = Self(rawValue: "HKQuantityTypeIdentifierDistanceDownhillSnowSports")
    /// Cumulative, `m`.
    public static let distancePaddleSports = Self(rawValue: "HKQuantityTypeIdentifierDistancePaddleSports")
    /// Cumulative, `m`.
    public static let distanceRowing = Self(rawValue: "HKQuantityTypeIdentifierDistanceRowing")
    /// Cumulative, `m`.
    public static let distanceSkatingSports = Self(rawValue: "HKQuantityTypeIdentifierDistanceSkatingSports")
    /// Cumulative, `m`.
    public static let distanceSwimming = Self(rawValue: "HKQuantityTypeIdentifierDistanceSwimming")
    /// Cumulative, `m`.
    public static let distanceWalkingRunning = Self(rawValue: "HKQuantityTypeIdentifierDistanceWalkingRunning")
    /// Cumulative, `m`.
    public static let distanceWheelchair = Self(rawValue: "HKQuantityTypeIdentifierDistanceWheelchair")
    /// Discrete (arithmetic), `S`.
    public static let electrodermalActivity = Self(rawValue: "HKQuantityTypeIdentifierElectrodermalActivity")
    /// Discrete (equivalent continuous level), `dBASPL`.
    public static let environmentalAudioExposure = Self(rawValue: "HKQuantityTypeIdentifierEnvironmentalAudioExposure")
    /// Discrete (equivalent continuous level), `dBASPL`.
    public static let environmentalSoundReduction =
        Self(rawValue: "HKQuantityTypeIdentifierEnvironmentalSoundReduction")
    /// Discrete (arithmetic), `appleEffortScore`.
    public static let estimatedWorkoutEffortScore =
        Self(rawValue: "HKQuantityTypeIdentifierEstimatedWorkoutEffortScore")
    /// Cumulative, `count`.
    public static let flightsClimbed = Self(rawValue: "HKQuantityTypeIdentifierFlightsClimbed")
    /// Discrete (arithmetic), `L`.
    public static let forcedExpiratoryVolume1 = Self(rawValue: "HKQuantityTypeIdentifierForcedExpiratoryVolume1")
    /// Discrete (arithmetic), `L`.
    public static let forcedVitalCapacity = Self(rawValue: "HKQuantityTypeIdentifierForcedVitalCapacity")
    /// Discrete (equivalent continuous level), `dBASPL`.
    public static let headphoneAudioExposure = Self(rawValue: "HKQuantityTypeIdentifierHeadphoneAudioExposure")
    /// Discrete (temporally weighted), `count/s`.
    public static let heartRate = Self(rawValue: "HKQuantityTypeIdentifierHeartRate")
    /// Discrete (arithmetic), `count/min`.
    public static let heartRateRecoveryOneMinute = Self(rawValue: "HKQuantityTypeIdentifierHeartRateRecoveryOneMinute")
    /// Discrete (arithmetic), `ms`.
    public static let heartRateVariabilitySDNN = Self(rawValue: "HKQuantityTypeIdentifierHeartRateVariabilitySDNN")
    /// Discrete (arithmetic), `m`.
    public static let height = Self(rawValue: "HKQuantityTypeIdentifierHeight")
    /// Cumulative, `count`.
    public static let inhalerUsage = Self(rawValue: "HKQuantityTypeIdentifierInhalerUsage")
    /// Cumulative, `IU`.
    public static let insulinDelivery = Self(rawValue: "HKQuantityTypeIdentifierInsulinDelivery")
    /// Discrete (arithmetic), `kg`.
    public static let leanBodyMass = Self(rawValue: "HKQuantityTypeIdentifierLeanBodyMass")
    /// Cumulative, `count`.
    public static let nikeFuel = Self(rawValue: "HKQuantityTypeIdentifierNikeFuel")
    /// Cumulative, `count`.
    public static let numberOfAlcoholicBeverages = Self(rawValue: "HKQuantityTypeIdentifierNumberOfAlcoholicBeverages")
    /// Cumulative, `count`.
    public static let numberOfTimesFallen = Self(rawValue: "HKQuantityTypeIdentifierNumberOfTimesFallen")
    /// Discrete (arithmetic), `%`.
    public static let oxygenSaturation = Self(rawValue: "HKQuantityTypeIdentifierOxygenSaturation")
    /// Discrete (arithmetic), `m/s`.
    public static let paddleSportsSpeed = Self(rawValue: "HKQuantityTypeIdentifierPaddleSportsSpeed")
    /// Discrete (arithmetic), `L/min`.
    public static let peakExpiratoryFlowRate = Self(rawValue: "HKQuantityTypeIdentifierPeakExpiratoryFlowRate")
    /// Discrete (arithmetic), `%`.
    public static let peripheralPerfusionIndex = Self(rawValue: "HKQuantityTypeIdentifierPeripheralPerfusionIndex")
    /// Discrete (arithmetic), `kcal/(kg*hr)`.
    public static let physicalEffort = Self(rawValue: "HKQuantityTypeIdentifierPhysicalEffort")
    /// Cumulative, `count`.
    public static let pushCount = Self(rawValue: "HKQuantityTypeIdentifierPushCount")
    /// Discrete (arithmetic), `count/s`.
    public static let respiratoryRate = Self(rawValue: "HKQuantityTypeIdentifierRespiratoryRate")
    /// Discrete (temporally weighted), `count/min`.
    public static let restingHeartRate = Self(rawValue: "HKQuantityTypeIdentifierRestingHeartRate")
    /// Discrete (arithmetic), `m/s`.
    public static let rowingSpeed = Self(rawValue: "HKQuantityTypeIdentifierRowingSpeed")
    /// Discrete (arithmetic), `ms`.
    public static let runningGroundContactTime = Self(rawValue: "HKQuantityTypeIdentifierRunningGroundContactTime")
    /// Discrete (arithmetic), `W`.
    public static let runningPower = Self(rawValue: "HKQuantityTypeIdentifierRunningPower")
    /// Discrete (arithmetic), `m/s`.
    public static let runningSpeed = Self(rawValue: "HKQuantityTypeIdentifierRunningSpeed")
    /// Discrete (arithmetic), `m`.
    public static let runningStrideLength = Self(rawValue: "HKQuantityTypeIdentifierRunningStrideLength")
    /// Discrete (arithmetic), `cm`.
    public static let runningVerticalOscillation = Self(rawValue: "HKQuantityTypeIdentifierRunningVerticalOscillation")
    /// Discrete (arithmetic), `m`.
    public static let sixMinuteWalkTestDistance = Self(rawValue: "HKQuantityTypeIdentifierSixMinuteWalkTestDistance")
    /// Discrete (arithmetic), `m/s`.
    public static let stairAscentSpeed = Self(rawValue: "HKQuantityTypeIdentifierStairAscentSpeed")
    /// Discrete (arithmetic), `m/s`.
    public static let stairDescentSpeed = Self(rawValue: "HKQuantityTypeIdentifierStairDescentSpeed")
    /// Cumulative, `count`.
    public static let stepCount = Self(rawValue: "HKQuantityTypeIdentifierStepCount")
    /// Cumulative, `count`.
    public static let swimmingStrokeCount = Self(rawValue: "HKQuantityTypeIdentifierSwimmingStrokeCount")
    /// Cumulative, `min`.
    public static let timeInDaylight = Self(rawValue: "HKQuantityTypeIdentifierTimeInDaylight")
    /// Discrete (arithmetic), `count`.
    public static let uvExposure = Self(rawValue: "HKQuantityTypeIdentifierUVExposure")
    /// Discrete (arithmetic), `m`.
    public static let underwaterDepth = Self(rawValue: "HKQuantityTypeIdentifierUnderwaterDepth")
    /// Discrete (arithmetic), `ml/(kg*min)`.
    public static let vo2Max = Self(rawValue: "HKQuantityTypeIdentifierVO2Max")
    /// Discrete (arithmetic), `m`.
    public static let waistCircumference = Self(rawValue: "HKQuantityTypeIdentifierWaistCircumference")
    /// Discrete (arithmetic), `%`.
    public static let walkingAsymmetryPercentage = Self(rawValue: "HKQuantityTypeIdentifierWalkingAsymmetryPercentage")
    /// Discrete (arithmetic), `%`.
    public static let walkingDoubleSupportPercentage =
        Self(rawValue: "HKQuantityTypeIdentifierWalkingDoubleSupportPercentage")
    /// Discrete (temporally weighted), `count/min`.
    public static let walkingHeartRateAverage = Self(rawValue: "HKQuantityTypeIdentifierWalkingHeartRateAverage")
    /// Discrete (arithmetic), `m/s`.
    public static let walkingSpeed = Self(rawValue: "HKQuantityTypeIdentifierWalkingSpeed")
    /// Discrete (arithmetic), `m`.
    public static let walkingStepLength = Self(rawValue: "HKQuantityTypeIdentifierWalkingStepLength")
    /// Discrete (arithmetic), `degC`.
    public static let waterTemperature = Self(rawValue: "HKQuantityTypeIdentifierWaterTemperature")
    /// Discrete (arithmetic), `appleEffortScore`.
    public static let workoutEffortScore = Self(rawValue: "HKQuantityTypeIdentifierWorkoutEffortScore")
}

extension TypeTables {
    /// Identifier without its prefix, style, canonical unit.
    static let quantityTypes: [QuantityTypeRow] = [
        QuantityTypeRow("ActiveEnergyBurned", .cumulative, "kcal"),
        QuantityTypeRow("AppleExerciseTime", .cumulative, "min"),
        QuantityTypeRow("AppleMoveTime", .cumulative, "min"),
        QuantityTypeRow("AppleSleepingBreathingDisturbances", .discreteArithmetic, "count"),
        QuantityTypeRow("AppleSleepingWristTemperature", .discreteArithmetic, "degC"),
        QuantityTypeRow("AppleStandTime", .cumulative, "min"),
        QuantityTypeRow("AppleWalkingSteadiness", .discreteArithmetic, "%"),
        QuantityTypeRow("AtrialFibrillationBurden", .discreteTemporallyWeighted, "%"),
        QuantityTypeRow("BasalBodyTemperature", .discreteArithmetic, "degC"),
        QuantityTypeRow("BasalEnergyBurned", .cumulative, "kcal"),
        QuantityTypeRow("BloodAlcoholContent", .discreteArithmetic, "%"),
        QuantityTypeRow("BloodGlucose", .discreteArithmetic, "mg/dL"),
        QuantityTypeRow("BloodPressureDiastolic", .discreteArithmetic, "mmHg"),
        QuantityTypeRow("BloodPressureSystolic", .discreteArithmetic, "mmHg"),
        QuantityTypeRow("BodyFatPercentage", .discreteArithmetic, "%"),
        QuantityTypeRow("BodyMass", .discreteArithmetic, "kg"),
        QuantityTypeRow("BodyMassIndex", .discreteArithmetic, "count"),
        QuantityTypeRow("BodyTemperature", .discreteArithmetic, "degC"),
        QuantityTypeRow("CrossCountrySkiingSpeed", .discreteArithmetic, "m/s"),
        QuantityTypeRow("CyclingCadence", .discreteTemporallyWeighted, "count/min"),
        QuantityTypeRow("CyclingFunctionalThresholdPower", .discreteArithmetic, "W"),
        QuantityTypeRow("CyclingPower", .discreteTemporallyWeighted, "W"),
        QuantityTypeRow("CyclingSpeed", .discreteTemporallyWeighted, "m/s"),
        QuantityTypeRow("DietaryBiotin", .cumulative, "g"),
        QuantityTypeRow("DietaryCaffeine", .cumulative, "g"),
        QuantityTypeRow("DietaryCalcium", .cumulative, "g"),
        QuantityTypeRow("DietaryCarbohydrates", .cumulative, "g"),
        QuantityTypeRow("DietaryChloride", .cumulative, "g"),
        QuantityTypeRow("DietaryCholesterol", .cumulative, "g"),
        QuantityTypeRow("DietaryChromium", .cumulative, "g"),
        QuantityTypeRow("DietaryCopper", .cumulative, "g"),
        QuantityTypeRow("DietaryEnergyConsumed", .cumulative, "kcal"),
        QuantityTypeRow("DietaryFatMonounsaturated", .cumulative, "g"),
        QuantityTypeRow("DietaryFatPolyunsaturated", .cumulative, "g"),
        QuantityTypeRow("DietaryFatSaturated", .cumulative, "g"),
        QuantityTypeRow("DietaryFatTotal", .cumulative, "g"),
        QuantityTypeRow("DietaryFiber", .cumulative, "g"),
        QuantityTypeRow("DietaryFolate", .cumulative, "g"),
        QuantityTypeRow("DietaryIodine", .cumulative, "g"),
        QuantityTypeRow("DietaryIron", .cumulative, "g"),
        QuantityTypeRow("DietaryMagnesium", .cumulative, "g"),
        QuantityTypeRow("DietaryManganese", .cumulative, "g"),
        QuantityTypeRow("DietaryMolybdenum", .cumulative, "g"),
        QuantityTypeRow("DietaryNiacin", .cumulative, "g"),
        QuantityTypeRow("DietaryPantothenicAcid", .cumulative, "g"),
        QuantityTypeRow("DietaryPhosphorus", .cumulative, "g"),
        QuantityTypeRow("DietaryPotassium", .cumulative, "g"),
        QuantityTypeRow("DietaryProtein", .cumulative, "g"),
        QuantityTypeRow("DietaryRiboflavin", .cumulative, "g"),
        QuantityTypeRow("DietarySelenium", .cumulative, "g"),
        QuantityTypeRow("DietarySodium", .cumulative, "g"),
        QuantityTypeRow("DietarySugar", .cumulative, "g"),
        QuantityTypeRow("DietaryThiamin", .cumulative, "g"),
        QuantityTypeRow("DietaryVitaminA", .cumulative, "g"),
        QuantityTypeRow("DietaryVitaminB12", .cumulative, "g"),
        QuantityTypeRow("DietaryVitaminB6", .cumulative, "g"),
        QuantityTypeRow("DietaryVitaminC", .cumulative, "g"),
        QuantityTypeRow("DietaryVitaminD", .cumulative, "g"),
        QuantityTypeRow("DietaryVitaminE", .cumulative, "g"),
        QuantityTypeRow("DietaryVitaminK", .cumulative, "g"),
        QuantityTypeRow("DietaryWater", .cumulative, "mL"),
        QuantityTypeRow("DietaryZinc", .cumulative, "g"),
        QuantityTypeRow("DistanceCrossCountrySkiing", .cumulative, "m"),
        QuantityTypeRow("DistanceCycling", .cumulative, "m"),
        QuantityTypeRow("DistanceDownhillSnowSports", .cumulative, "m"),
        QuantityTypeRow("DistancePaddleSports", .cumulative, "m"),
        QuantityTypeRow("DistanceRowing", .cumulative, "m"),
        QuantityTypeRow("DistanceSkatingSports", .cumulative, "m"),
        QuantityTypeRow("DistanceSwimming", .cumulative, "m"),
        QuantityTypeRow("DistanceWalkingRunning", .cumulative, "m"),
        QuantityTypeRow("DistanceWheelchair", .cumulative, "m"),
        QuantityTypeRow("ElectrodermalActivity", .discreteArithmetic, "S"),
        QuantityTypeRow("EnvironmentalAudioExposure", .discreteEquivalentContinuousLevel, "dBASPL"),
        QuantityTypeRow("EnvironmentalSoundReduction", .discreteEquivalentContinuousLevel, "dBASPL"),
        QuantityTypeRow("EstimatedWorkoutEffortScore", .discreteArithmetic, "appleEffortScore"),
        QuantityTypeRow("FlightsClimbed", .cumulative, "count"),
        QuantityTypeRow("ForcedExpiratoryVolume1", .discreteArithmetic, "L"),
        QuantityTypeRow("ForcedVitalCapacity", .discreteArithmetic, "L"),
        QuantityTypeRow("HeadphoneAudioExposure", .discreteEquivalentContinuousLevel, "dBASPL"),
        QuantityTypeRow("HeartRate", .discreteTemporallyWeighted, "count/s"),
        QuantityTypeRow("HeartRateRecoveryOneMinute", .discreteArithmetic, "count/min"),
        QuantityTypeRow("HeartRateVariabilitySDNN", .discreteArithmetic, "ms"),
        QuantityTypeRow("Height", .discreteArithmetic, "m"),
        QuantityTypeRow("InhalerUsage", .cumulative, "count"),
        QuantityTypeRow("InsulinDelivery", .cumulative, "IU"),
        QuantityTypeRow("LeanBodyMass", .discreteArithmetic, "kg"),
        QuantityTypeRow("NikeFuel", .cumulative, "count"),
        QuantityTypeRow("NumberOfAlcoholicBeverages", .cumulative, "count"),
        QuantityTypeRow("NumberOfTimesFallen", .cumulative, "count"),
        QuantityTypeRow("OxygenSaturation", .discreteArithmetic, "%"),
        QuantityTypeRow("PaddleSportsSpeed", .discreteArithmetic, "m/s"),
        QuantityTypeRow("PeakExpiratoryFlowRate", .discreteArithmetic, "L/min"),
        QuantityTypeRow("PeripheralPerfusionIndex", .discreteArithmetic, "%"),
        QuantityTypeRow("PhysicalEffort", .discreteArithmetic, "kcal/(kg*hr)"),
        QuantityTypeRow("PushCount", .cumulative, "count"),
        QuantityTypeRow("RespiratoryRate", .discreteArithmetic, "count/s"),
        QuantityTypeRow("RestingHeartRate", .discreteTemporallyWeighted, "count/min"),
        QuantityTypeRow("RowingSpeed", .discreteArithmetic, "m/s"),
        QuantityTypeRow("RunningGroundContactTime", .discreteArithmetic, "ms"),
        QuantityTypeRow("RunningPower", .discreteArithmetic, "W"),
        QuantityTypeRow("RunningSpeed", .discreteArithmetic, "m/s"),
        QuantityTypeRow("RunningStrideLength", .discreteArithmetic, "m"),
        QuantityTypeRow("RunningVerticalOscillation", .discreteArithmetic, "cm"),
        QuantityTypeRow("SixMinuteWalkTestDistance", .discreteArithmetic, "m"),
        QuantityTypeRow("StairAscentSpeed", .discreteArithmetic, "m/s"),
        QuantityTypeRow("StairDescentSpeed", .discreteArithmetic, "m/s"),
        QuantityTypeRow("StepCount", .cumulative, "count"),
        QuantityTypeRow("SwimmingStrokeCount", .cumulative, "count"),
        QuantityTypeRow("TimeInDaylight", .cumulative, "min"),
        QuantityTypeRow("UVExposure", .discreteArithmetic, "count"),
        QuantityTypeRow("UnderwaterDepth", .discreteArithmetic, "m"),
        QuantityTypeRow("VO2Max", .discreteArithmetic, "ml/(kg*min)"),
        QuantityTypeRow("WaistCircumference", .discreteArithmetic, "m"),
        QuantityTypeRow("WalkingAsymmetryPercentage", .discreteArithmetic, "%"),
        QuantityTypeRow("WalkingDoubleSupportPercentage", .discreteArithmetic, "%"),
        QuantityTypeRow("WalkingHeartRateAverage", .discreteTemporallyWeighted, "count/min"),
        QuantityTypeRow("WalkingSpeed", .discreteArithmetic, "m/s"),
        QuantityTypeRow("WalkingStepLength", .discreteArithmetic, "m"),
        QuantityTypeRow("WaterTemperature", .discreteArithmetic, "degC"),
        QuantityTypeRow("WorkoutEffortScore", .discreteArithmetic, "appleEffortScore"),
    ]
}
