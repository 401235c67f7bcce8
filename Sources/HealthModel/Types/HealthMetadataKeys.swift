// SPDX-License-Identifier: Apache-2.0

/// A predefined metadata key: the constant's name, the stored string and the kind of its value.
public struct HealthMetadataKey: Hashable, Sendable {
    /// The kind of a value.
    public enum ValueKind: String, Hashable, Sendable, CaseIterable {
        /// A string.
        case string
        /// A number.
        case number
        /// The number 0 or 1.
        case boolean
        /// An instant.
        case date
        /// A quantity: a number with a unit.
        case quantity
        /// The raw value of a case of ``HealthMetadataKey/enumeration``.
        case enumeration
    }

    /// The constant's name: `HKMetadataKeyWasUserEntered`.
    public let constant: String
    /// The stored and exported string: `HKWasUserEntered`.
    public let key: String
    /// The kind of the value.
    public let valueKind: ValueKind
    /// The enumeration of the value, if there is one.
    public let enumeration: String?
    /// False if no public source shows the stored string; it then follows the naming rule of most keys.
    public let isConfirmed: Bool
}

/// The predefined metadata keys; any other string is a valid key too.
public enum HealthMetadataKeys {
    /// All predefined keys in ascending order of the constants' names, ignoring case.
    public static var all: [HealthMetadataKey] { TypeTables.metadataKeys }

    /// Returns the predefined key stored as this string; nil for a custom key. One dictionary lookup.
    public static func predefined(_ key: String) -> HealthMetadataKey? { byKey[key] }

    private static let byKey: [String: HealthMetadataKey] =
        Dictionary(TypeTables.metadataKeys.map { ($0.key, $0) }) { first, _ in first }
}
