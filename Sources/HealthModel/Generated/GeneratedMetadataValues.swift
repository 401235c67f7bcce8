// SPDX-License-Identifier: Apache-2.0
//
// Every enumeration of metadata values.
// Written by Tools/generate-types from Tools/tables/metadata-values.csv; change the table, not this file.

/// Values of ``HKMetadataKeyAppleECGAlgorithmVersion``.
public enum HKAppleECGAlgorithmVersion: Int, Sendable, CaseIterable {
    /// `HKAppleECGAlgorithmVersion1`
    case version1 = 1
    /// `HKAppleECGAlgorithmVersion2`
    case version2 = 2
}

/// Values of ``HKMetadataKeyBloodGlucoseMealTime``.
public enum HKBloodGlucoseMealTime: Int, Sendable, CaseIterable {
    /// `HKBloodGlucoseMealTimePreprandial`
    case preprandial = 1
    /// `HKBloodGlucoseMealTimePostprandial`
    case postprandial = 2
}

/// Values of ``HKMetadataKeyBodyTemperatureSensorLocation``.
public enum HKBodyTemperatureSensorLocation: Int, Sendable, CaseIterable {
    /// `HKBodyTemperatureSensorLocationOther`
    case other = 0
    /// `HKBodyTemperatureSensorLocationArmpit`
    case armpit = 1
    /// `HKBodyTemperatureSensorLocationBody`
    case body = 2
    /// `HKBodyTemperatureSensorLocationEar`
    case ear = 3
    /// `HKBodyTemperatureSensorLocationFinger`
    case finger = 4
    /// `HKBodyTemperatureSensorLocationGastroIntestinal`
    case gastroIntestinal = 5
    /// `HKBodyTemperatureSensorLocationMouth`
    case mouth = 6
    /// `HKBodyTemperatureSensorLocationRectum`
    case rectum = 7
    /// `HKBodyTemperatureSensorLocationToe`
    case toe = 8
    /// `HKBodyTemperatureSensorLocationEarDrum`
    case earDrum = 9
    /// `HKBodyTemperatureSensorLocationTemporalArtery`
    case temporalArtery = 10
    /// `HKBodyTemperatureSensorLocationForehead`
    case forehead = 11
}

/// Values of ``HKMetadataKeyCyclingFunctionalThresholdPowerTestType``.
public enum HKCyclingFunctionalThresholdPowerTestType: Int, Sendable, CaseIterable {
    /// `HKCyclingFunctionalThresholdPowerTestTypeMaxExercise60Minute`
    case maxExercise60Minute = 1
    /// `HKCyclingFunctionalThresholdPowerTestTypeMaxExercise20Minute`
    case maxExercise20Minute = 2
    /// `HKCyclingFunctionalThresholdPowerTestTypeRampTest`
    case rampTest = 3
    /// `HKCyclingFunctionalThresholdPowerTestTypePredictionExercise`
    case predictionExercise = 4
}

/// Values of ``HKMetadataKeyDevicePlacementSide``.
public enum HKDevicePlacementSide: Int, Sendable, CaseIterable {
    /// `HKDevicePlacementSideUnknown`
    case unknown = 0
    /// `HKDevicePlacementSideLeft`
    case left = 1
    /// `HKDevicePlacementSideRight`
    case right = 2
    /// `HKDevicePlacementSideCentral`
    case central = 3
}

/// Values of ``HKMetadataKeyHeartRateMotionContext``.
public enum HKHeartRateMotionContext: Int, Sendable, CaseIterable {
    /// `HKHeartRateMotionContextNotSet`
    case notSet = 0
    /// `HKHeartRateMotionContextSedentary`
    case sedentary = 1
    /// `HKHeartRateMotionContextActive`
    case active = 2
}

/// Values of ``HKMetadataKeyHeartRateRecoveryTestType``.
public enum HKHeartRateRecoveryTestType: Int, Sendable, CaseIterable {
    /// `HKHeartRateRecoveryTestTypeMaxExercise`
    case maxExercise = 1
    /// `HKHeartRateRecoveryTestTypePredictionSubMaxExercise`
    case predictionSubMaxExercise = 2
    /// `HKHeartRateRecoveryTestTypePredictionNonExercise`
    case predictionNonExercise = 3
}

/// Values of ``HKMetadataKeyHeartRateSensorLocation``.
public enum HKHeartRateSensorLocation: Int, Sendable, CaseIterable {
    /// `HKHeartRateSensorLocationOther`
    case other = 0
    /// `HKHeartRateSensorLocationChest`
    case chest = 1
    /// `HKHeartRateSensorLocationWrist`
    case wrist = 2
    /// `HKHeartRateSensorLocationFinger`
    case finger = 3
    /// `HKHeartRateSensorLocationHand`
    case hand = 4
    /// `HKHeartRateSensorLocationEarLobe`
    case earLobe = 5
    /// `HKHeartRateSensorLocationFoot`
    case foot = 6
}

/// Values of ``HKMetadataKeyInsulinDeliveryReason``.
public enum HKInsulinDeliveryReason: Int, Sendable, CaseIterable {
    /// `HKInsulinDeliveryReasonBasal`
    case basal = 1
    /// `HKInsulinDeliveryReasonBolus`
    case bolus = 2
}

/// Values of ``HKMetadataKeyPhysicalEffortEstimationType``.
public enum HKPhysicalEffortEstimationType: Int, Sendable, CaseIterable {
    /// `HKPhysicalEffortEstimationTypeActivityLookup`
    case activityLookup = 1
    /// `HKPhysicalEffortEstimationTypeDeviceSensed`
    case deviceSensed = 2
}

/// Values of ``HKMetadataKeySwimmingStrokeStyle``.
public enum HKSwimmingStrokeStyle: Int, Sendable, CaseIterable {
    /// `HKSwimmingStrokeStyleUnknown`
    case unknown = 0
    /// `HKSwimmingStrokeStyleMixed`
    case mixed = 1
    /// `HKSwimmingStrokeStyleFreestyle`
    case freestyle = 2
    /// `HKSwimmingStrokeStyleBackstroke`
    case backstroke = 3
    /// `HKSwimmingStrokeStyleBreaststroke`
    case breaststroke = 4
    /// `HKSwimmingStrokeStyleButterfly`
    case butterfly = 5
    /// `HKSwimmingStrokeStyleKickboard`
    case kickboard = 6
}

/// Values of ``HKMetadataKeyUserMotionContext``.
public enum HKUserMotionContext: Int, Sendable, CaseIterable {
    /// `HKUserMotionContextNotSet`
    case notSet = 0
    /// `HKUserMotionContextStationary`
    case stationary = 1
    /// `HKUserMotionContextActive`
    case active = 2
}

/// Values of ``HKMetadataKeyVO2MaxTestType``.
public enum HKVO2MaxTestType: Int, Sendable, CaseIterable {
    /// `HKVO2MaxTestTypeMaxExercise`
    case maxExercise = 1
    /// `HKVO2MaxTestTypePredictionSubMaxExercise`
    case predictionSubMaxExercise = 2
    /// `HKVO2MaxTestTypePredictionNonExercise`
    case predictionNonExercise = 3
    /// `HKVO2MaxTestTypePredictionStepTest`
    case predictionStepTest = 4
}

/// Values of ``HKMetadataKeyWaterSalinity``.
public enum HKWaterSalinity: Int, Sendable, CaseIterable {
    /// `HKWaterSalinityFreshWater`
    case freshWater = 1
    /// `HKWaterSalinitySaltWater`
    case saltWater = 2
}

/// Values of ``HKMetadataKeyWeatherCondition``.
public enum HKWeatherCondition: Int, Sendable, CaseIterable {
    /// `HKWeatherConditionNone`
    case none = 0
    /// `HKWeatherConditionClear`
    case clear = 1
    /// `HKWeatherConditionFair`
    case fair = 2
    /// `HKWeatherConditionPartlyCloudy`
    case partlyCloudy = 3
    /// `HKWeatherConditionMostlyCloudy`
    case mostlyCloudy = 4
    /// `HKWeatherConditionCloudy`
    case cloudy = 5
    /// `HKWeatherConditionFoggy`
    case foggy = 6
    /// `HKWeatherConditionHaze`
    case haze = 7
    /// `HKWeatherConditionWindy`
    case windy = 8
    /// `HKWeatherConditionBlustery`
    case blustery = 9
    /// `HKWeatherConditionSmoky`
    case smoky = 10
    /// `HKWeatherConditionDust`
    case dust = 11
    /// `HKWeatherConditionSnow`
    case snow = 12
    /// `HKWeatherConditionHail`
    case hail = 13
    /// `HKWeatherConditionSleet`
    case sleet = 14
    /// `HKWeatherConditionFreezingDrizzle`
    case freezingDrizzle = 15
    /// `HKWeatherConditionFreezingRain`
    case freezingRain = 16
    /// `HKWeatherConditionMixedRainAndHail`
    case mixedRainAndHail = 17
    /// `HKWeatherConditionMixedRainAndSnow`
    case mixedRainAndSnow = 18
    /// `HKWeatherConditionMixedRainAndSleet`
    case mixedRainAndSleet = 19
    /// `HKWeatherConditionMixedSnowAndSleet`
    case mixedSnowAndSleet = 20
    /// `HKWeatherConditionDrizzle`
    case drizzle = 21
    /// `HKWeatherConditionScatteredShowers`
    case scatteredShowers = 22
    /// `HKWeatherConditionShowers`
    case showers = 23
    /// `HKWeatherConditionThunderstorms`
    case thunderstorms = 24
    /// `HKWeatherConditionTropicalStorm`
    case tropicalStorm = 25
    /// `HKWeatherConditionHurricane`
    case hurricane = 26
    /// `HKWeatherConditionTornado`
    case tornado = 27
}

/// Values of ``HKMetadataKeySwimmingLocationType``.
public enum HKWorkoutSwimmingLocationType: Int, Sendable, CaseIterable {
    /// `HKWorkoutSwimmingLocationTypeUnknown`
    case unknown = 0
    /// `HKWorkoutSwimmingLocationTypePool`
    case pool = 1
    /// `HKWorkoutSwimmingLocationTypeOpenWater`
    case openWater = 2
}
