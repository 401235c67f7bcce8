// SPDX-License-Identifier: Apache-2.0

/// A power of ten in front of a unit. Raw values are HealthKit's.
public enum HKMetricPrefix: Int, Hashable, Sendable, CaseIterable {
    /// 1, without a symbol.
    case none = 0
    /// 10^-12, written `p`.
    case pico = 1
    /// 10^-9, written `n`.
    case nano = 2
    /// 10^-6, written `mc`.
    case micro = 3
    /// 10^-3, written `m`.
    case milli = 4
    /// 10^-2, written `c`.
    case centi = 5
    /// 10^-1, written `d`.
    case deci = 6
    /// 10, written `da`.
    case deca = 7
    /// 10^2, written `h`.
    case hecto = 8
    /// 10^3, written `k`.
    case kilo = 9
    /// 10^6, written `M`.
    case mega = 10
    /// 10^9, written `G`.
    case giga = 11
    /// 10^12, written `T`.
    case tera = 12
    /// 10^-15, written `f`.
    case femto = 13

    private static let symbols = ["", "p", "n", "mc", "m", "c", "d", "da", "h", "k", "M", "G", "T", "f"]
    private static let exponents = [0, -12, -9, -6, -3, -2, -1, 1, 2, 3, 6, 9, 12, -15]

    /// The symbol of the prefix in unit strings.
    var symbol: String { Self.symbols[rawValue] }

    /// The exponent of ten.
    var exponent: Int { Self.exponents[rawValue] }
}
