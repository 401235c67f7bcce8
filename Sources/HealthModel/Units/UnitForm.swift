// SPDX-License-Identifier: Apache-2.0

/// One factor of a unit: a prefix, a base and a power.
struct UnitFactor: Sendable, Equatable {
    var base: UnitBase
    var prefix: HKMetricPrefix = .none
    /// Grams per mole; 0 for every base except the mole.
    var molarMass = 0.0
    var power = 1

    /// The symbol without the power: `kg`, `mmol<180.1558800000541>`.
    var symbol: String {
        let plain = prefix.symbol + base.symbol
        return base == .mole ? "\(plain)<\(NumberText.sixteenDigits(molarMass))>" : plain
    }

    /// Returns whether both have the same symbol, ignoring powers. Molar masses with the same text are equal.
    func isSameSymbol(as other: UnitFactor) -> Bool {
        guard base == other.base, prefix == other.prefix else { return false }
        return molarMass == other.molarMass || symbol == other.symbol
    }

    /// Returns the power, saturated at 32 bits; no real unit comes near this limit.
    static func bounded(_ power: Int) -> Int { min(max(power, -maximumPower), maximumPower) }
    static let maximumPower = Int(Int32.max)
}

/// A unit in its canonical form. Immutable and shared; `HKUnit` is a thin wrapper.
///
/// Equal symbols are merged, powers of zero are removed, and factors are in a fixed order, so two units have the same
/// meaning exactly if their texts are equal.
final class UnitForm: Sendable {
    /// The factors in canonical order: the numerator, then the denominator (negative powers).
    let factors: [UnitFactor]
    /// The canonical unit string; `()` for the null unit.
    let text: String
    let scale: UnitScale
    /// The non-zero powers of the dimensions, ascending by dimension; equal for units that convert.
    let dimensions: [DimensionPower]
    /// False for a text that is not a known unit: it has no factors and converts only to itself.
    let isReadable: Bool

    struct DimensionPower: Sendable, Equatable {
        let dimension: UnitDimension
        var power: Int
    }

    /// Creates the form of a product of factors, in any order and with repetitions.
    init(_ product: [UnitFactor]) {
        let merged = Self.merged(product)
        factors = merged.map(\.factor)
        text = Self.text(merged)
        scale = UnitScale(factors)
        dimensions = Self.dimensions(factors)
        isReadable = true
    }

    /// Creates the form of a text that is not a unit.
    init(unreadable text: String) {
        (factors, dimensions, isReadable) = ([], [], false)
        self.text = text
        scale = UnitScale([])
    }

    /// Returns whether numbers in one unit convert to the other.
    func isCompatible(with other: UnitForm) -> Bool {
        if isReadable != other.isReadable { return false }
        return isReadable ? dimensions == other.dimensions : text == other.text
    }

    /// The single factor with power 1, if there is no other: only then does a unit's offset apply.
    var single: UnitFactor? { factors.count == 1 && factors[0].power == 1 ? factors[0] : nil }

    private static func dimensions(_ factors: [UnitFactor]) -> [DimensionPower] {
        var found: [DimensionPower] = []
        found.reserveCapacity(factors.count)
        for factor in factors {
            let dimension = factor.base.dimension
            if let at = found.firstIndex(where: { $0.dimension == dimension }) {
                found[at].power = UnitFactor.bounded(found[at].power &+ factor.power)
            } else {
                found.append(DimensionPower(dimension: dimension, power: factor.power))
            }
        }
        found.removeAll { $0.power == 0 }
        if found.count > 1 { found.sort { $0.dimension < $1.dimension } }
        return found
    }

    private typealias Named = (factor: UnitFactor, symbol: String)

    private static func merged(_ product: [UnitFactor]) -> [Named] {
        var merged: [Named] = []
        merged.reserveCapacity(product.count)
        for factor in product {
            if let at = merged.firstIndex(where: { $0.factor.isSameSymbol(as: factor) }) {
                merged[at].factor.power = UnitFactor.bounded(merged[at].factor.power &+ factor.power)
            } else {
                merged.append((factor, factor.symbol))
            }
        }
        merged.removeAll { $0.factor.power == 0 }
        if merged.count > 1 { merged.sort(by: isBefore) }
        return merged
    }

    private static func isBefore(_ a: Named, _ b: Named) -> Bool {
        if (a.factor.power < 0) != (b.factor.power < 0) { return a.factor.power > 0 }
        let (first, second) = (a.factor.base.dimension, b.factor.base.dimension)
        return first == second ? a.symbol < b.symbol : first < second
    }

    private static func text(_ factors: [Named]) -> String {
        guard let first = factors.first else { return "()" }
        var text = first.factor.power < 0 ? "1" : ""
        var below = false
        for (at, factor) in factors.enumerated() {
            if factor.factor.power < 0, !below {
                text += "/"
                below = true
            } else if at > 0 {
                text += "·"
            }
            text += factor.symbol
            if factor.factor.power.magnitude != 1 { text += "^\(factor.factor.power.magnitude)" }
        }
        return text
    }
}
