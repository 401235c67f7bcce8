// SPDX-License-Identifier: Apache-2.0
//
// Every predefined metadata key, with the exact string that is stored.
// Written by Tools/generate-types from Tools/tables/metadata-keys.csv; change the table, not this file.

/// Its value is `HKWorkoutActivityType` (a number); since iOS 17.0.
public let HKMetadataKeyActivityType = "HKActivityType"
/// Its value is a number; since iOS 15.0.
public let HKMetadataKeyAlgorithmVersion = "HKAlgorithmVersion"
/// Its value is a quantity; since iOS 11.2.
public let HKMetadataKeyAlpineSlopeGrade = "HKAlpineSlopeGrade"
/// Its value is a boolean; since iOS 14.0.
public let HKMetadataKeyAppleDeviceCalibrated = "HKMetadataKeyAppleDeviceCalibrated"
/// Its value is `HKAppleECGAlgorithmVersion` (a number); since iOS 14.0.
public let HKMetadataKeyAppleECGAlgorithmVersion = "HKMetadataKeyAppleECGAlgorithmVersion"
/// Its value is a string; since iOS 18.2. The stored string is a guess by rule.
public let HKMetadataKeyAppleFitnessPlusCatalogIdentifier = "HKAppleFitnessPlusCatalogIdentifier"
/// Its value is a boolean; since iOS 17.0.
public let HKMetadataKeyAppleFitnessPlusSession = "HKMetadataKeyAppleFitnessPlusSession"
/// Its value is a quantity; since iOS 14.2.
public let HKMetadataKeyAudioExposureDuration = "HKMetadataKeyAudioExposureDuration"
/// Its value is a quantity; since iOS 13.0.
public let HKMetadataKeyAudioExposureLevel = "HKMetadataKeyAudioExposureLevel"
/// Its value is a quantity; since iOS 13.0.
public let HKMetadataKeyAverageMETs = "HKAverageMETs"
/// Its value is a quantity; since iOS 11.2.
public let HKMetadataKeyAverageSpeed = "HKAverageSpeed"
/// Its value is a quantity; since iOS 14.0.
public let HKMetadataKeyBarometricPressure = "HKMetadataKeyBarometricPressure"
/// Its value is `HKBloodGlucoseMealTime` (a number); since iOS 11.0.
public let HKMetadataKeyBloodGlucoseMealTime = "HKBloodGlucoseMealTime"
/// Its value is `HKBodyTemperatureSensorLocation` (a number); since iOS 8.0.
public let HKMetadataKeyBodyTemperatureSensorLocation = "HKBodyTemperatureSensorLocation"
/// Its value is a boolean; since iOS 8.0.
public let HKMetadataKeyCoachedWorkout = "HKCoachedWorkout"
/// Its value is a quantity; since iOS 12.0.
public let HKMetadataKeyCrossTrainerDistance = "HKCrossTrainerDistance"
/// Its value is `HKCyclingFunctionalThresholdPowerTestType` (a number); since iOS 17.0.
public let HKMetadataKeyCyclingFunctionalThresholdPowerTestType = "HKCyclingCyclingFunctionalThresholdPowerTestType"
/// Its value is a date; since iOS 15.0.
public let HKMetadataKeyDateOfEarliestDataUsedForEstimate = "HKDateOfEarliestDataUsedForEstimate"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyDeviceManufacturerName = "HKDeviceManufacturerName"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyDeviceName = "HKDeviceName"
/// Its value is `HKDevicePlacementSide` (a number); since iOS 14.0.
public let HKMetadataKeyDevicePlacementSide = "HKMetadataKeyDevicePlacementSide"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyDeviceSerialNumber = "HKDeviceSerialNumber"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyDigitalSignature = "HKDigitalSignature"
/// Its value is a quantity; since iOS 11.2.
public let HKMetadataKeyElevationAscended = "HKElevationAscended"
/// Its value is a quantity; since iOS 11.2. The stored string is a guess by rule.
public let HKMetadataKeyElevationDescended = "HKElevationDescended"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyExternalUUID = "HKExternalUUID"
/// Its value is a quantity; since iOS 12.0.
public let HKMetadataKeyFitnessMachineDuration = "HKFitnessMachineDuration"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyFoodType = "HKFoodType"
/// Its value is a string; since iOS 16.0.
public let HKMetadataKeyGlassesPrescriptionDescription = "HKMetadataKeyGlassesPrescriptionDescription"
/// Its value is a boolean; since iOS 8.0.
public let HKMetadataKeyGroupFitness = "HKGroupFitness"
/// Its value is a quantity; since iOS 16.4.
public let HKMetadataKeyHeadphoneGain = "HKMetadataKeyHeadphoneGain"
/// Its value is a quantity; since iOS 12.2.
public let HKMetadataKeyHeartRateEventThreshold = "HKHeartRateEventThreshold"
/// Its value is `HKHeartRateMotionContext` (a number); since iOS 11.0.
public let HKMetadataKeyHeartRateMotionContext = "HKMetadataKeyHeartRateMotionContext"
/// Its value is a quantity; since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryActivityDuration = "HKMetadataKeyHeartRateRecoveryActivityDuration"
/// Its value is `HKWorkoutActivityType` (a number); since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryActivityType = "HKMetadataKeyHeartRateRecoveryActivityType"
/// Its value is a quantity; since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate =
    "HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate"
/// Its value is `HKHeartRateRecoveryTestType` (a number); since iOS 16.0.
public let HKMetadataKeyHeartRateRecoveryTestType = "HKMetadataKeyHeartRateRecoveryTestType"
/// Its value is `HKHeartRateSensorLocation` (a number); since iOS 8.0.
public let HKMetadataKeyHeartRateSensorLocation = "HKHeartRateSensorLocation"
/// Its value is a quantity; since iOS 12.0.
public let HKMetadataKeyIndoorBikeDistance = "HKIndoorBikeDistance"
/// Its value is a boolean; since iOS 8.0.
public let HKMetadataKeyIndoorWorkout = "HKIndoorWorkout"
/// Its value is `HKInsulinDeliveryReason` (a number); since iOS 11.0.
public let HKMetadataKeyInsulinDeliveryReason = "HKInsulinDeliveryReason"
/// Its value is a quantity; since iOS 10.0.
public let HKMetadataKeyLapLength = "HKLapLength"
/// Its value is a quantity; since iOS 14.3.
public let HKMetadataKeyLowCardioFitnessEventThreshold = "HKLowCardioFitnessEventThreshold"
/// Its value is a quantity; since iOS 17.0.
public let HKMetadataKeyMaximumLightIntensity = "HKMetadataKeyMaximumLightIntensity"
/// Its value is a quantity; since iOS 11.2.
public let HKMetadataKeyMaximumSpeed = "HKMaximumSpeed"
/// Its value is a boolean; since iOS 9.0.
public let HKMetadataKeyMenstrualCycleStart = "HKMenstrualCycleStart"
/// Its value is `HKPhysicalEffortEstimationType` (a number); since iOS 17.0.
public let HKMetadataKeyPhysicalEffortEstimationType = "HKPhysicalEffortEstimationType"
/// Its value is a boolean; since iOS 16.0.
public let HKMetadataKeyQuantityClampedToLowerBound = "HKMetadataKeyQuantityClampedToLowerBound"
/// Its value is a boolean; since iOS 16.0.
public let HKMetadataKeyQuantityClampedToUpperBound = "HKMetadataKeyQuantityClampedToUpperBound"
/// Its value is a number; since iOS 8.0.
public let HKMetadataKeyReferenceRangeLowerLimit = "HKReferenceRangeLowerLimit"
/// Its value is a number; since iOS 8.0.
public let HKMetadataKeyReferenceRangeUpperLimit = "HKReferenceRangeUpperLimit"
/// Its value is a quantity; since iOS 16.0.
public let HKMetadataKeySessionEstimate = "HKMetadataKeySessionEstimate"
/// Its value is a boolean; since iOS 9.0.
public let HKMetadataKeySexualActivityProtectionUsed = "HKSexualActivityProtectionUsed"
/// Its value is `HKWorkoutSwimmingLocationType` (a number); since iOS 10.0.
public let HKMetadataKeySwimmingLocationType = "HKSwimmingLocationType"
/// Its value is `HKSwimmingStrokeStyle` (a number); since iOS 10.0.
public let HKMetadataKeySwimmingStrokeStyle = "HKSwimmingStrokeStyle"
/// Its value is a number; since iOS 16.0.
public let HKMetadataKeySWOLFScore = "HKSWOLFScore"
/// Its value is a string; since iOS 11.0.
public let HKMetadataKeySyncIdentifier = "HKMetadataKeySyncIdentifier"
/// Its value is a number; since iOS 11.0.
public let HKMetadataKeySyncVersion = "HKMetadataKeySyncVersion"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyTimeZone = "HKTimeZone"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyUDIDeviceIdentifier = "HKUDIDeviceIdentifier"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyUDIProductionIdentifier = "HKUDIProductionIdentifier"
/// Its value is `HKUserMotionContext` (a number); since iOS 16.0.
public let HKMetadataKeyUserMotionContext = "HKMetadataKeyUserMotionContext"
/// Its value is `HKVO2MaxTestType` (a number); since iOS 11.0.
public let HKMetadataKeyVO2MaxTestType = "HKVO2MaxTestType"
/// Its value is a quantity; since iOS 14.3.
public let HKMetadataKeyVO2MaxValue = "HKVO2MaxValue"
/// Its value is a boolean; since iOS 8.0.
public let HKMetadataKeyWasTakenInLab = "HKWasTakenInLab"
/// Its value is a boolean; since iOS 8.0.
public let HKMetadataKeyWasUserEntered = "HKWasUserEntered"
/// Its value is `HKWaterSalinity` (a number); since iOS 17.0.
public let HKMetadataKeyWaterSalinity = "HKMetadataKeyWaterSalinity"
/// Its value is `HKWeatherCondition` (a number); since iOS 10.0.
public let HKMetadataKeyWeatherCondition = "HKWeatherCondition"
/// Its value is a quantity; since iOS 10.0.
public let HKMetadataKeyWeatherHumidity = "HKWeatherHumidity"
/// Its value is a quantity; since iOS 10.0.
public let HKMetadataKeyWeatherTemperature = "HKWeatherTemperature"
/// Its value is a string; since iOS 8.0.
public let HKMetadataKeyWorkoutBrandName = "HKWorkoutBrandName"

extension TypeTables {
    /// All predefined metadata keys, in the order of the table.
    static let metadataKeys: [HealthMetadataKey] = [
        HealthMetadataKey(
            constant: "HKMetadataKeyActivityType",
            key: HKMetadataKeyActivityType,
            valueKind: .enumeration, enumeration: "HKWorkoutActivityType", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAlgorithmVersion",
            key: HKMetadataKeyAlgorithmVersion,
            valueKind: .number, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAlpineSlopeGrade",
            key: HKMetadataKeyAlpineSlopeGrade,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAppleDeviceCalibrated",
            key: HKMetadataKeyAppleDeviceCalibrated,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAppleECGAlgorithmVersion",
            key: HKMetadataKeyAppleECGAlgorithmVersion,
            valueKind: .enumeration, enumeration: "HKAppleECGAlgorithmVersion", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAppleFitnessPlusCatalogIdentifier",
            key: HKMetadataKeyAppleFitnessPlusCatalogIdentifier,
            valueKind: .string, enumeration: nil, isConfirmed: false),
        HealthMetadataKey(
            constant: "HKMetadataKeyAppleFitnessPlusSession",
            key: HKMetadataKeyAppleFitnessPlusSession,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAudioExposureDuration",
            key: HKMetadataKeyAudioExposureDuration,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAudioExposureLevel",
            key: HKMetadataKeyAudioExposureLevel,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAverageMETs",
            key: HKMetadataKeyAverageMETs,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyAverageSpeed",
            key: HKMetadataKeyAverageSpeed,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyBarometricPressure",
            key: HKMetadataKeyBarometricPressure,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyBloodGlucoseMealTime",
            key: HKMetadataKeyBloodGlucoseMealTime,
            valueKind: .enumeration, enumeration: "HKBloodGlucoseMealTime", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyBodyTemperatureSensorLocation",
            key: HKMetadataKeyBodyTemperatureSensorLocation,
            valueKind: .enumeration, enumeration: "HKBodyTemperatureSensorLocation", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyCoachedWorkout",
            key: HKMetadataKeyCoachedWorkout,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyCrossTrainerDistance",
            key: HKMetadataKeyCrossTrainerDistance,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyCyclingFunctionalThresholdPowerTestType",
            key: HKMetadataKeyCyclingFunctionalThresholdPowerTestType,
            valueKind: .enumeration, enumeration: "HKCyclingFunctionalThresholdPowerTestType", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyDateOfEarliestDataUsedForEstimate",
            key: HKMetadataKeyDateOfEarliestDataUsedForEstimate,
            valueKind: .date, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyDeviceManufacturerName",
            key: HKMetadataKeyDeviceManufacturerName,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyDeviceName",
            key: HKMetadataKeyDeviceName,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyDevicePlacementSide",
            key: HKMetadataKeyDevicePlacementSide,
            valueKind: .enumeration, enumeration: "HKDevicePlacementSide", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyDeviceSerialNumber",
            key: HKMetadataKeyDeviceSerialNumber,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyDigitalSignature",
            key: HKMetadataKeyDigitalSignature,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyElevationAscended",
            key: HKMetadataKeyElevationAscended,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyElevationDescended",
            key: HKMetadataKeyElevationDescended,
            valueKind: .quantity, enumeration: nil, isConfirmed: false),
        HealthMetadataKey(
            constant: "HKMetadataKeyExternalUUID",
            key: HKMetadataKeyExternalUUID,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyFitnessMachineDuration",
            key: HKMetadataKeyFitnessMachineDuration,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyFoodType",
            key: HKMetadataKeyFoodType,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyGlassesPrescriptionDescription",
            key: HKMetadataKeyGlassesPrescriptionDescription,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyGroupFitness",
            key: HKMetadataKeyGroupFitness,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeadphoneGain",
            key: HKMetadataKeyHeadphoneGain,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeartRateEventThreshold",
            key: HKMetadataKeyHeartRateEventThreshold,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeartRateMotionContext",
            key: HKMetadataKeyHeartRateMotionContext,
            valueKind: .enumeration, enumeration: "HKHeartRateMotionContext", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeartRateRecoveryActivityDuration",
            key: HKMetadataKeyHeartRateRecoveryActivityDuration,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeartRateRecoveryActivityType",
            key: HKMetadataKeyHeartRateRecoveryActivityType,
            valueKind: .enumeration, enumeration: "HKWorkoutActivityType", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate",
            key: HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeartRateRecoveryTestType",
            key: HKMetadataKeyHeartRateRecoveryTestType,
            valueKind: .enumeration, enumeration: "HKHeartRateRecoveryTestType", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyHeartRateSensorLocation",
            key: HKMetadataKeyHeartRateSensorLocation,
            valueKind: .enumeration, enumeration: "HKHeartRateSensorLocation", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyIndoorBikeDistance",
            key: HKMetadataKeyIndoorBikeDistance,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyIndoorWorkout",
            key: HKMetadataKeyIndoorWorkout,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyInsulinDeliveryReason",
            key: HKMetadataKeyInsulinDeliveryReason,
            valueKind: .enumeration, enumeration: "HKInsulinDeliveryReason", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyLapLength",
            key: HKMetadataKeyLapLength,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyLowCardioFitnessEventThreshold",
            key: HKMetadataKeyLowCardioFitnessEventThreshold,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyMaximumLightIntensity",
            key: HKMetadataKeyMaximumLightIntensity,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyMaximumSpeed",
            key: HKMetadataKeyMaximumSpeed,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyMenstrualCycleStart",
            key: HKMetadataKeyMenstrualCycleStart,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyPhysicalEffortEstimationType",
            key: HKMetadataKeyPhysicalEffortEstimationType,
            valueKind: .enumeration, enumeration: "HKPhysicalEffortEstimationType", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyQuantityClampedToLowerBound",
            key: HKMetadataKeyQuantityClampedToLowerBound,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyQuantityClampedToUpperBound",
            key: HKMetadataKeyQuantityClampedToUpperBound,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyReferenceRangeLowerLimit",
            key: HKMetadataKeyReferenceRangeLowerLimit,
            valueKind: .number, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyReferenceRangeUpperLimit",
            key: HKMetadataKeyReferenceRangeUpperLimit,
            valueKind: .number, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeySessionEstimate",
            key: HKMetadataKeySessionEstimate,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeySexualActivityProtectionUsed",
            key: HKMetadataKeySexualActivityProtectionUsed,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeySwimmingLocationType",
            key: HKMetadataKeySwimmingLocationType,
            valueKind: .enumeration, enumeration: "HKWorkoutSwimmingLocationType", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeySwimmingStrokeStyle",
            key: HKMetadataKeySwimmingStrokeStyle,
            valueKind: .enumeration, enumeration: "HKSwimmingStrokeStyle", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeySWOLFScore",
            key: HKMetadataKeySWOLFScore,
            valueKind: .number, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeySyncIdentifier",
            key: HKMetadataKeySyncIdentifier,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeySyncVersion",
            key: HKMetadataKeySyncVersion,
            valueKind: .number, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyTimeZone",
            key: HKMetadataKeyTimeZone,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyUDIDeviceIdentifier",
            key: HKMetadataKeyUDIDeviceIdentifier,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyUDIProductionIdentifier",
            key: HKMetadataKeyUDIProductionIdentifier,
            valueKind: .string, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyUserMotionContext",
            key: HKMetadataKeyUserMotionContext,
            valueKind: .enumeration, enumeration: "HKUserMotionContext", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyVO2MaxTestType",
            key: HKMetadataKeyVO2MaxTestType,
            valueKind: .enumeration, enumeration: "HKVO2MaxTestType", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyVO2MaxValue",
            key: HKMetadataKeyVO2MaxValue,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyWasTakenInLab",
            key: HKMetadataKeyWasTakenInLab,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyWasUserEntered",
            key: HKMetadataKeyWasUserEntered,
            valueKind: .boolean, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyWaterSalinity",
            key: HKMetadataKeyWaterSalinity,
            valueKind: .enumeration, enumeration: "HKWaterSalinity", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyWeatherCondition",
            key: HKMetadataKeyWeatherCondition,
            valueKind: .enumeration, enumeration: "HKWeatherCondition", isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyWeatherHumidity",
            key: HKMetadataKeyWeatherHumidity,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyWeatherTemperature",
            key: HKMetadataKeyWeatherTemperature,
            valueKind: .quantity, enumeration: nil, isConfirmed: true),
        HealthMetadataKey(
            constant: "HKMetadataKeyWorkoutBrandName",
            key: HKMetadataKeyWorkoutBrandName,
            valueKind: .string, enumeration: nil, isConfirmed: true),
    ]
}
