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

    /// The symbol of the prefix in unit strings.
    var symbol: String {
        switch self {
        case .none: ""
        case .femto: "f"
        case .pico: "p"
        case .nano: "n"
        case .micro: "mc"
        case .milli: "m"
        case .centi: "c"
        case .deci: "d"
        case .deca: "da"
        case .hecto: "h"
        case .kilo: "k"
        case .mega: "M"
        case .giga: "G"
        case .tera: "T"
        }
    }

    /// The exponent of ten.
    var exponent: Int {
        switch self {
        case .none: 0
        case .femto: -15
        case .pico: -12
        case .nano: -9
        case .micro: -6
        case .milli: -3
        case .centi: -2
        case .deci: -1
        case .deca: 1
        case .hecto: 2
        case .kilo: 3
        case .mega: 6
        case .giga: 9
        case .tera: 12
        }
    }
}
