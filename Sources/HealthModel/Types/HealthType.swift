// SPDX-License-Identifier: Apache-2.0

/// A sample type: its identifier, kind, aggregation style and canonical unit.
public struct HealthType: Hashable, Sendable, CustomStringConvertible {
    /// The kind of value in a sample.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A number with a unit.
        case quantity
        /// One of a few named values.
        case category
    }

    /// The stored and exported identifier: `HKQuantityTypeIdentifierStepCount`.
    public let identifier: String
    /// The kind of value in a sample of the type.
    public let kind: Kind
    /// The style in which samples are aggregated; ``HKQuantityAggregationStyle/discreteArithmetic`` for categories.
    public let aggregationStyle: HKQuantityAggregationStyle
    /// The unit in the tables; nil for categories and unknown types.
    public let canonicalUnit: HKUnit?
    /// The name of the static member, without the prefix: `stepCount`, `vo2Max`.
    public let shortName: String
    /// True if the tables contain the type. Unknown types are newer than this build and usable.
    public let isKnown: Bool

    /// True if samples of the type have a sum.
    public var isCumulative: Bool { aggregationStyle == .cumulative }

    /// The stored and exported identifier.
    public var description: String { identifier }

    /// Returns whether a sample of this type may have a quantity in `unit`.
    ///
    /// An unknown quantity type accepts every unit, a category none.
    public func isCompatible(with unit: HKUnit) -> Bool {
        guard kind == .quantity else { return false }
        return canonicalUnit?.isCompatible(with: unit) ?? true
    }

    /// Returns whether both types have the same identifier.
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

    /// Creates an unknown type. The kind follows from the prefix; without a known prefix it is a quantity.
    init(unknown identifier: String) {
        self.identifier = identifier
        kind = identifier.hasPrefix(Self.categoryPrefix) ? .category : .quantity
        aggregationStyle = .discreteArithmetic
        canonicalUnit = nil
        shortName = Self.memberName(Self.withoutPrefix(identifier))
        isKnown = false
    }

    /// Returns the identifier without its prefix, ignoring case; the whole text if there is no prefix or nothing
    /// follows it.
    static func withoutPrefix(_ text: String) -> String {
        for prefix in [quantityPrefix, categoryPrefix] where text.utf8.count > prefix.utf8.count {
            if text.utf8.prefix(prefix.utf8.count).elementsEqual(prefix.utf8, by: Letters.same) {
                return String(text.dropFirst(prefix.count))
            }
        }
        return text
    }

    /// Returns the spelling of a constant as a Swift member: `stepCount` for `StepCount`, `vo2Max` for `VO2Max`.
    static func memberName(_ name: String) -> String {
        let letters = Array(name.utf8)
        var run = letters.prefix { Letters.isUpper($0) }.count
        if run > 1, run < letters.count, Letters.isLower(letters[run]) { run -= 1 }
        return String(decoding: letters.prefix(run).map(Letters.lower), as: UTF8.self)
            + String(decoding: letters.dropFirst(run), as: UTF8.self)
    }
}

/// ASCII letters and digits; identifiers contain no others.
enum Letters {
    static func isUpper(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }
    static func isLower(_ byte: UInt8) -> Bool { byte >= 0x61 && byte <= 0x7A }
    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
    static func lower(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }
    static func same(_ a: UInt8, _ b: UInt8) -> Bool { lower(a) == lower(b) }
}
