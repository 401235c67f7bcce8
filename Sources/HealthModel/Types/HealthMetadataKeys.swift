// SPDX-License-Identifier: Apache-2.0

/// A predefined metadata key: what the API calls it, what is stored, and what its value is.
public struct HealthMetadataKey: Hashable, Sendable {
    /// What the value of a key is.
    public enum ValueKind: String, Hashable, Sendable, CaseIterable {
        /// A text.
        case string
        /// A number.
        case number
        /// A number that is 0 or 1.
        case boolean
        /// A point in time.
        case date
        /// A number with a unit.
        case quantity
        /// A number that names a case of ``HealthMetadataKey/enumeration``.
        case enumeration
    }

    /// The constant's name: `HKMetadataKeyWasUserEntered`.
    public let constant: String
    /// The string that is stored and exported: `HKWasUserEntered`.
    public let key: String
    /// What the value is.
    public let valueKind: ValueKind
    /// The enumeration that the value comes from, where it comes from one.
    public let enumeration: String?
    /// False where no public source shows the stored string, and it follows the rule that most keys follow.
    public let isConfirmed: Bool
}

/// The predefined metadata keys; any other string may be a key too.
public enum HealthMetadataKeys {
    /// All predefined keys, by the constants' names in ascending order but for letters' case.
    public static var all: [HealthMetadataKey] { TypeTables.metadataKeys }

    /// The predefined key that is stored as this string, nil for a custom key. One dictionary look-up.
    public static func predefined(_ key: String) -> HealthMetadataKey? { byKey[key] }

    private static let byKey: [String: HealthMetadataKey] =
        Dictionary(TypeTables.metadataKeys.map { ($0.key, $0) }) { first, _ in first }
}
