// SPDX-License-Identifier: Apache-2.0

// Classifications of quantities. HealthKit does not publish the limits; those here are Kymograph's.

/// The classification of a walking steadiness. Raw values are HealthKit's.
public enum HKAppleWalkingSteadinessClassification: Int, Hashable, Sendable, CaseIterable {
    /// From 40 %.
    case ok = 1
    /// From 20 % to below 40 %.
    case low = 2
    /// Below 20 %.
    case veryLow = 3

    private static let limits: [(Self, Double, Double)] = [(.veryLow, 0, 0.2), (.low, 0.2, 0.4), (.ok, 0.4, 1)]

    private var range: (minimum: Double, maximum: Double) {
        let found = Self.limits.first { $0.0 == self }
        return (found?.1 ?? 0, found?.2 ?? 1)
    }

    /// Creates the classification of a steadiness.
    ///
    /// - Parameter quantity: a share from 0 to 1 in a unit that converts to `%`.
    /// - Throws: ``HKError`` `errorInvalidArgument` for any other quantity.
    public init(for quantity: HKQuantity) throws {
        let share = quantity.doubleValue(for: .percent())
        guard (0...1).contains(share) else {
            throw HKError(
                .errorInvalidArgument, reason: "\(quantity) is not a walking steadiness",
                place: "HKAppleWalkingSteadinessClassification", advice: "give a share from 0 to 1 in %")
        }
        self = Self.limits.last { share >= $0.1 }?.0 ?? .veryLow
    }

    /// The lowest steadiness of the classification.
    public var minimum: HKQuantity { HKQuantity(unit: .percent(), doubleValue: range.minimum) }
    /// The limit above the classification; for ``ok`` 100 %.
    public var maximum: HKQuantity { HKQuantity(unit: .percent(), doubleValue: range.maximum) }
}

/// The classification of breathing disturbances during sleep. Raw values are HealthKit's.
public enum HKAppleSleepingBreathingDisturbancesClassification: Int, Hashable, Sendable, CaseIterable {
    /// Below 15 an hour.
    case notElevated = 0
    /// From 15 an hour.
    case elevated = 1

    /// Creates the classification of a number of disturbances an hour.
    ///
    /// - Parameter value: a number from 0 in `count`; nil is returned for any other quantity.
    public init?(classifying value: HKQuantity) {
        let number = value.doubleValue(for: .count())
        guard number.isFinite, number >= 0 else { return nil }
        self = number < 15 ? .notElevated : .elevated
    }

    /// The lowest number of the classification.
    public var minimum: HKQuantity { HKQuantity(unit: .count(), doubleValue: self == .elevated ? 15 : 0) }
}
