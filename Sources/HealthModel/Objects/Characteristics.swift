// SPDX-License-Identifier: Apache-2.0

/// The sex that a person was assigned. Raw values are HealthKit's.
public enum HKBiologicalSex: Int, Hashable, Sendable, CaseIterable {
    /// Nothing was entered.
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
    /// Nothing was entered.
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

/// How skin reacts to sunlight, by Fitzpatrick's scale. Raw values are HealthKit's.
public enum HKFitzpatrickSkinType: Int, Hashable, Sendable, CaseIterable {
    /// Nothing was entered.
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
    /// Nothing was entered.
    case notSet = 0
    /// No.
    case no = 1
    /// Yes.
    case yes = 2
}

/// What a person's move ring counts. Raw values are HealthKit's; there is no 0.
public enum HKActivityMoveMode: Int, Hashable, Sendable, CaseIterable {
    /// Energy burned.
    case activeEnergy = 1
    /// Minutes moved.
    case appleMoveTime = 2
}

/// An enumeration whose constants exports write by their names: `HKBloodTypeABPositive`.
package protocol NamedCharacteristic: CaseIterable, Sendable {}

extension NamedCharacteristic {
    /// The value that an export means by this text; nil where the text is no constant's name.
    package init?(exported text: String) {
        let wanted = HealthTypes.fold(text)
        guard let value = Self.allCases.first(where: { HealthTypes.fold("\(Self.self)\($0)") == wanted }) else {
            return nil
        }
        self = value
    }

    /// The constant's name, as exports write it.
    package var exported: String {
        let name = "\(self)"
        return "\(Self.self)" + name.prefix(1).uppercased() + name.dropFirst()
    }
}

/// What an export writes of a person.
package enum CharacteristicText {
    /// Whether a text says nothing of the person: it is empty, or the name of a constant such as `HKBloodTypeNotSet`.
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
