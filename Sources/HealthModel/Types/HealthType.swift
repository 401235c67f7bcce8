// SPDX-License-Identifier: Apache-2.0

/// What a type of sample is: its identifier, its kind, how it is aggregated and what it is measured in.
public struct HealthType: Hashable, Sendable, CustomStringConvertible {
    /// What a sample of the type holds.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A number with a unit.
        case quantity
        /// One of a few named values.
        case category
    }

    /// The identifier as it is stored and exported: `HKQuantityTypeIdentifierStepCount`.
    public let identifier: String
    /// What a sample of the type holds.
    public let kind: Kind
    /// How samples are put together; a category counts as ``HKQuantityAggregationStyle/discreteArithmetic``.
    public let aggregationStyle: HKQuantityAggregationStyle
    /// The unit of the type's table row; nil for categories and for types that the tables do not have.
    public let canonicalUnit: HKUnit?
    /// The name of the static member, without the prefix: `stepCount`, `vo2Max`.
    public let shortName: String
    /// Whether the tables have the type. One that they do not have is newer than this build, and is usable.
    public let isKnown: Bool

    /// Whether samples of the type add up.
    public var isCumulative: Bool { aggregationStyle == .cumulative }

    /// The identifier as it is stored and exported.
    public var description: String { identifier }

    /// Whether a quantity in `unit` can be a sample of this type.
    ///
    /// Any unit fits a quantity type that the tables do not have, for nobody knows better; none fits a category.
    public func isCompatible(with unit: HKUnit) -> Bool {
        guard kind == .quantity else { return false }
        return canonicalUnit?.isCompatible(with: unit) ?? true
    }

    /// Two types are the same when their identifiers are.
    public static func == (a: Self, b: Self) -> Bool { a.identifier == b.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension HealthType {
    static let quantityPrefix = "HKQuantityTypeIdentifier"
    static let categoryPrefix = "HKCategoryTypeIdentifier"

    init(_ row: QuantityTypeRow) {
        identifier = Self.quantityPrefix + row.name
        kind = .quantity
        aggregationStyle = row.style
        canonicalUnit = UnitForm.cached(row.unit).map { HKUnit($0) }
        shortName = Self.memberName(row.name)
        isKnown = true
    }

    init(_ row: CategoryTypeRow) {
        identifier = Self.categoryPrefix + row.name
        kind = .category
        aggregationStyle = .discreteArithmetic
        canonicalUnit = nil
        shortName = Self.memberName(row.name)
        isKnown = true
    }

    /// A type that the tables do not have. The prefix tells the kind; without one it counts as a quantity.
    init(unknown identifier: String) {
        self.identifier = identifier
        kind = identifier.hasPrefix(Self.categoryPrefix) ? .category : .quantity
        aggregationStyle = .discreteArithmetic
        canonicalUnit = nil
        shortName = Self.memberName(Self.withoutPrefix(identifier))
        isKnown = false
    }

    /// The identifier after its prefix, in any case of letters; all of it where there is no prefix, or nothing more.
    static func withoutPrefix(_ text: String) -> String {
        for prefix in [quantityPrefix, categoryPrefix] where text.utf8.count > prefix.utf8.count {
            if text.utf8.prefix(prefix.utf8.count).elementsEqual(prefix.utf8, by: Letters.same) {
                return String(text.dropFirst(prefix.count))
            }
        }
        return text
    }

    /// How Swift spells a constant's own part as a member: `StepCount` is `stepCount`, `VO2Max` is `vo2Max`.
    static func memberName(_ name: String) -> String {
        let letters = Array(name.utf8)
        var run = letters.prefix { Letters.isUpper($0) }.count
        if run > 1, run < letters.count, Letters.isLower(letters[run]) { run -= 1 }
        return String(decoding: letters.prefix(run).map(Letters.lower), as: UTF8.self)
            + String(decoding: letters.dropFirst(run), as: UTF8.self)
    }
}

/// ASCII letters; identifiers have no others.
enum Letters {
    static func isUpper(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }
    static func isLower(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    static func lower(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }
    static func same(_ a: UInt8, _ b: UInt8) -> Bool { lower(a) == lower(b) }
}
