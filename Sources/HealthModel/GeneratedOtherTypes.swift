// SPDX-License-Identifier: Apache-2.0
//
// Correlation and characteristic types.
// Written by Tools/generate-types from Tools/tables/other-types.csv; change the table, not this file.

extension HKCorrelationTypeIdentifier {
    /// `HKCorrelationTypeIdentifierBloodPressure`
    public static let bloodPressure = Self(rawValue: "HKCorrelationTypeIdentifierBloodPressure")
    /// `HKCorrelationTypeIdentifierFood`
    public static let food = Self(rawValue: "HKCorrelationTypeIdentifierFood")

    /// Every one of the table.
    public static let all: [Self] = [.bloodPressure, .food]
}

extension HKCharacteristicTypeIdentifier {
    /// `HKCharacteristicTypeIdentifierActivityMoveMode`
    public static let activityMoveMode = Self(rawValue: "HKCharacteristicTypeIdentifierActivityMoveMode")
    /// `HKCharacteristicTypeIdentifierBiologicalSex`
    public static let biologicalSex = Self(rawValue: "HKCharacteristicTypeIdentifierBiologicalSex")
    /// `HKCharacteristicTypeIdentifierBloodType`
    public static let bloodType = Self(rawValue: "HKCharacteristicTypeIdentifierBloodType")
    /// `HKCharacteristicTypeIdentifierDateOfBirth`
    public static let dateOfBirth = Self(rawValue: "HKCharacteristicTypeIdentifierDateOfBirth")
    /// `HKCharacteristicTypeIdentifierFitzpatrickSkinType`
    public static let fitzpatrickSkinType = Self(rawValue: "HKCharacteristicTypeIdentifierFitzpatrickSkinType")
    /// `HKCharacteristicTypeIdentifierWheelchairUse`
    public static let wheelchairUse = Self(rawValue: "HKCharacteristicTypeIdentifierWheelchairUse")

    /// Every one of the table.
    public static let all: [Self] = [
        .activityMoveMode, .biologicalSex, .bloodType, .dateOfBirth, .fitzpatrickSkinType, .wheelchairUse,
    ]
}
