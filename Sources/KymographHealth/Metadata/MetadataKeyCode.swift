// SPDX-License-Identifier: Apache-2.0

/// The metadata keys with a number in stored sets: those of HealthKit, and a few of other apps.
///
/// - Invariant: the order is part of the format: new keys are appended, no key is ever moved or removed.
enum MetadataKeyCode {
    static let keys: [String] = [
        "HKMetadataKeyHeartRateMotionContext", "HKTimeZone", "HKWasUserEntered", "HKMetadataKeySyncIdentifier",
        "HKMetadataKeySyncVersion", "HKExternalUUID", "HKMetadataKeyBarometricPressure", "HKBloodGlucoseMealTime",
        "HKVO2MaxTestType", "HKDeviceName", "HKDeviceManufacturerName", "HKDeviceSerialNumber", "HKFoodType",
        "HKAlgorithmVersion", "HKMetadataKeyAppleDeviceCalibrated", "HKMetadataKeyAudioExposureDuration",
        "HKMetadataKeyAudioExposureLevel", "HKMetadataKeyHeadphoneGain", "HKHeartRateEventThreshold",
        "HKHeartRateSensorLocation", "HKInsulinDeliveryReason", "HKSwimmingStrokeStyle", "HKSWOLFScore",
        "HKLapLength", "HKSwimmingLocationType", "HKMenstrualCycleStart", "HKSexualActivityProtectionUsed",
        "HKPhysicalEffortEstimationType", "HKDateOfEarliestDataUsedForEstimate", "HKMetadataKeyDevicePlacementSide",
        "HKMetadataKeyUserMotionContext", "HKMetadataKeySessionEstimate", "HKLowCardioFitnessEventThreshold",
        "HKMetadataKeyHeartRateRecoveryActivityDuration", "HKMetadataKeyHeartRateRecoveryActivityType",
        "HKMetadataKeyHeartRateRecoveryTestType", "HKMetadataKeyMaximumLightIntensity",
        "HKMetadataKeyQuantityClampedToLowerBound", "HKMetadataKeyQuantityClampedToUpperBound",
        "HKReferenceRangeLowerLimit", "HKReferenceRangeUpperLimit", "HKBodyTemperatureSensorLocation",
        "HKDigitalSignature", "HKUDIDeviceIdentifier", "HKUDIProductionIdentifier", "HKVO2MaxValue",
        "HKWasTakenInLab", "HKMetadataKeyWaterSalinity", "HKActivityType", "HKAlpineSlopeGrade", "HKAverageMETs",
        "HKAverageSpeed", "HKMaximumSpeed", "HKIndoorWorkout", "HKElevationAscended", "HKElevationDescended",
        "HKWeatherCondition", "HKWeatherHumidity", "HKWeatherTemperature", "HKWorkoutBrandName", "HKGroupFitness",
        "HKCoachedWorkout", "HKCrossTrainerDistance", "HKFitnessMachineDuration", "HKIndoorBikeDistance",
        "HKMetadataKeyAppleECGAlgorithmVersion", "HKMetadataKeyGlassesPrescriptionDescription", "Modified Date",
        "HealthKit Sync Identifier",
    ]

    private static let bytes: [[UInt8]] = keys.map { Array($0.utf8) }

    /// The slots of an open-addressing table; -1 is empty.
    private static let table: [Int16] = {
        var table = [Int16](repeating: -1, count: 256)
        for (code, key) in bytes.enumerated() {
            var slot = hash(key, 0..<key.count)
            while table[slot] >= 0 { slot = (slot + 1) & 255 }
            table[slot] = Int16(code)
        }
        return table
    }()

    private static func hash(_ key: [UInt8], _ range: Range<Int>) -> Int {
        var hash = UInt32(truncatingIfNeeded: range.count) &* 0x9E37_79B1
        for at in range.suffix(8) { hash = (hash ^ UInt32(key[at])) &* 0x0100_0193 }
        return Int((hash ^ hash >> 13) & 255)
    }

    /// Returns the number of a key; nil for a key that is spelled out.
    static func code(_ buffer: [UInt8], _ range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        let table = Self.table
        var slot = hash(buffer, range)
        while table[slot] >= 0 {
            let code = Int(table[slot])
            if bytes[code].count == range.count, buffer[range].elementsEqual(bytes[code]) { return code }
            slot = (slot + 1) & 255
        }
        return nil
    }
}
