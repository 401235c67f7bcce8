// SPDX-License-Identifier: Apache-2.0

/// The range of values that a sample of a type can have: what a body or a device can do, not what is normal.
///
/// `Docs/Guide/Ranges.md` has the source of each range. Saving does not check ranges; `kymo add` does.
package struct PossibleRange: Sendable {
    /// The short name of the type.
    package let name: String
    /// The least possible value.
    package let lowest: Double
    /// The greatest possible value.
    package let highest: Double
    /// The unit of both values. As in HealthKit, a value in `%` is a share: 1 is 100 %.
    package let unit: String

    private init(_ name: String, _ lowest: Double, _ highest: Double, _ unit: String) {
        (self.name, self.lowest, self.highest, self.unit) = (name, lowest, highest, unit)
    }

    /// Returns the range of a type; nil if the table has none.
    package static func of(_ type: HealthType) -> PossibleRange? {
        type.isKnown && type.kind == .quantity ? all.first { $0.name == type.shortName } : nil
    }

    /// Returns whether the range contains a quantity; true for a quantity that does not convert to the unit.
    package func contains(_ quantity: HKQuantity) -> Bool {
        guard let unit = try? HKUnit(parsing: unit), let value = try? quantity.value(in: unit) else { return true }
        return value >= lowest && value <= highest
    }

    /// The ranges of all types that have one, by name.
    package static let all: [PossibleRange] = [
        PossibleRange("appleWalkingSteadiness", 0, 1, "%"),
        PossibleRange("atrialFibrillationBurden", 0, 1, "%"),
        PossibleRange("basalBodyTemperature", 10, 47, "degC"),
        PossibleRange("bloodAlcoholContent", 0, 0.02, "%"),
        PossibleRange("bloodGlucose", 1, 3_000, "mg/dL"),
        PossibleRange("bloodPressureDiastolic", 5, 400, "mmHg"),
        PossibleRange("bloodPressureSystolic", 20, 500, "mmHg"),
        PossibleRange("bodyFatPercentage", 0, 1, "%"),
        PossibleRange("bodyMass", 0.2, 700, "kg"),
        PossibleRange("bodyMassIndex", 3, 250, "count"),
        PossibleRange("bodyTemperature", 10, 47, "degC"),
        PossibleRange("cyclingSpeed", 0, 90, "m/s"),
        PossibleRange("distanceCycling", 0, 1_500, "km"),
        PossibleRange("distanceWalkingRunning", 0, 500, "km"),
        PossibleRange("environmentalAudioExposure", -30, 194, "dBASPL"),
        PossibleRange("estimatedWorkoutEffortScore", 0, 10, "appleEffortScore"),
        PossibleRange("forcedExpiratoryVolume1", 0, 15, "L"),
        PossibleRange("forcedVitalCapacity", 0, 15, "L"),
        PossibleRange("headphoneAudioExposure", -30, 194, "dBASPL"),
        PossibleRange("heartRate", 10, 350, "count/min"),
        PossibleRange("heartRateRecoveryOneMinute", -340, 340, "count/min"),
        PossibleRange("heartRateVariabilitySDNN", 0, 1_000, "ms"),
        PossibleRange("height", 0.2, 2.8, "m"),
        PossibleRange("leanBodyMass", 0.1, 700, "kg"),
        PossibleRange("oxygenSaturation", 0, 1, "%"),
        PossibleRange("peakExpiratoryFlowRate", 0, 1_200, "L/min"),
        PossibleRange("peripheralPerfusionIndex", 0, 1, "%"),
        PossibleRange("respiratoryRate", 1, 200, "count/min"),
        PossibleRange("restingHeartRate", 10, 350, "count/min"),
        PossibleRange("runningSpeed", 0, 15, "m/s"),
        PossibleRange("stepCount", 0, 500_000, "count"),
        PossibleRange("underwaterDepth", 0, 1_000, "m"),
        PossibleRange("uvExposure", 0, 50, "count"),
        PossibleRange("vo2Max", 2, 110, "mL/min·kg"),
        PossibleRange("waistCircumference", 0.1, 3.5, "m"),
        PossibleRange("walkingAsymmetryPercentage", 0, 1, "%"),
        PossibleRange("walkingDoubleSupportPercentage", 0, 1, "%"),
        PossibleRange("walkingHeartRateAverage", 10, 350, "count/min"),
        PossibleRange("walkingSpeed", 0, 15, "m/s"),
        PossibleRange("waterTemperature", -5, 100, "degC"),
        PossibleRange("workoutEffortScore", 0, 10, "appleEffortScore"),
    ]
}
