// SPDX-License-Identifier: Apache-2.0

/// A person's biological sex. Raw values are HealthKit's.
public enum HKBiologicalSex: Int, Hashable, Sendable, CaseIterable {
    /// No value was entered.
    case notSet = 0
    /// Female.
    case female = 1
    /// Male.
    case male = 2
    /// Neither.
    case other = 3
}

/// A blood type. Raw values are HealthKit's.
public enum HKBloodType: Int, Hashable, Sendable, CaseIterable {
    /// No value was entered.
    case notSet = 0
    /// A+
    case aPositive = 1
    /// A-
    case aNegative = 2
    /// B+
    case bPositive = 3
    /// B-
    case bNegative = 4
    /// AB+
    case abPositive = 5
    /// AB-
    case abNegative = 6
    /// O+
    case oPositive = 7
    /// O-
    case oNegative = 8
}

/// The reaction of skin to sunlight on the Fitzpatrick scale. Raw values are HealthKit's.
public enum HKFitzpatrickSkinType: Int, Hashable, Sendable, CaseIterable {
    /// No value was entered.
    case notSet = 0
    /// Always burns, never tans.
    case I = 1
    /// Usually burns, tans a little.
    case II = 2
    /// Sometimes burns, tans slowly.
    case III = 3
    /// Rarely burns, tans easily.
    case IV = 4
    /// Hardly ever burns, tans a lot.
    case V = 5
    /// Never burns.
    case VI = 6
}

/// Whether a person uses a wheelchair. Raw values are HealthKit's.
public enum HKWheelchairUse: Int, Hashable, Sendable, CaseIterable {
    /// No value was entered.
    case notSet = 0
    /// No.
    case no = 1
    /// Yes.
    case yes = 2
}

/// The quantity that the move ring counts. Raw values are HealthKit's; 0 is not a value.
public enum HKActivityMoveMode: Int, Hashable, Sendable, CaseIterable {
    /// Energy burned.
    case activeEnergy = 1
    /// Minutes moved.
    case appleMoveTime = 2
}

/// An enumeration whose values exports write as the names of constants: `HKBloodTypeABPositive`.
package protocol NamedCharacteristic: CaseIterable, Sendable {}

extension NamedCharacteristic {
    /// Creates the value of a constant's name in an export; nil if no constant has this name.
    package init?(exported text: String) {
        let wanted = HealthTypes.fold(text)
        guard let value = Self.allCases.first(where: { HealthTypes.fold("\(Self.self)\($0)") == wanted }) else {
            return nil
        }
        self = value
    }

    /// The name of the constant in exports.
    package var exported: String {
        let name = "\(self)"
        return "\(Self.self)" + name.prefix(1).uppercased() + name.dropFirst()
    }
}

/// The text of a characteristic in an export.
package enum CharacteristicText {
    /// Returns true if the text holds no value: it is blank or the name of a constant such as `HKBloodTypeNotSet`.
    package static func saysNothing(_ text: String) -> Bool {
        let folded = HealthTypes.fold(text)
        return folded.hasPrefix("hk") && folded.hasSuffix("notset") || text.allSatisfy(\.isWhitespace)
    }
}

extension HKBiologicalSex: NamedCharacteristic {}
extension HKBloodType: NamedCharacteristic {}
extension HKFitzpatrickSkinType: NamedCharacteristic {}
extension HKWheelchairUse: NamedCharacteristic {}
extension HKActivityMoveMode: NamedCharacteristic {}
