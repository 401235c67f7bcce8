// SPDX-License-Identifier: Apache-2.0

/// The dimension of a unit. Units convert only between equal products of dimensions.
///
/// The order of the cases is the order of factors in a unit string: length, time, the others, mass last. It agrees with
/// every known string of HealthKit (`m·s`, `kg/m·s^2`, `mL/min·kg`, `kcal/hr·kg`, `J/m·s·kg`).
enum UnitDimension: UInt8, Hashable, Sendable, CaseIterable, Comparable {
    case length, time, scalar, volume, energy, pressure, power, temperature, conductance, frequency
    case electricPotential, angle, illuminance, opticalPower, prismaticPower, soundLevel, hearingLevel
    case pharmacology, effort, mass

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A base unit: a unit without a prefix that is not a product of other units.
///
/// One unit is `mantissa` × 10^`exponent` base units of its dimension; the table below has the numbers.
enum UnitBase: UInt8, Hashable, Sendable, CaseIterable {
    case gram, ounce, pound, stone, mole
    case meter, inch, foot, yard, mile
    case liter, fluidOunceUS, fluidOunceImperial, pintUS, pintImperial, cupUS, cupImperial
    case pascal, millimeterOfMercury, centimeterOfWater, atmosphere, inchesOfMercury
    case second, minute, hour, day
    case joule, smallCalorie, kilocalorie, largeCalorie
    case kelvin, degreeCelsius, degreeFahrenheit
    case siemen, hertz, volt, watt, radian, degree, lux, diopter, prismDiopter
    case count, percent, internationalUnit, appleEffortScore
    case decibelAWeightedSoundPressureLevel, decibelHearingLevel

    var symbol: String { Self.table[Int(rawValue)].symbol }
    var dimension: UnitDimension { Self.table[Int(rawValue)].dimension }
    /// An integer; with `exponent` the exact decimal factor to the dimension's base unit.
    var mantissa: UInt64 { Self.table[Int(rawValue)].mantissa }
    var exponent: Int { Self.table[Int(rawValue)].exponent }
    /// Whether metric prefixes may precede the unit.
    var takesPrefix: Bool { Self.metric.contains(self) }

    /// The units with metric prefixes.
    private static let metric: Set<UnitBase> = [
        .gram, .mole, .meter, .liter, .pascal, .second, .joule, .kelvin, .siemen, .hertz, .volt, .watt, .radian, .lux,
    ]

    /// The table in the order of the cases, which a test checks.
    ///
    /// The mole's factor is its molar mass in grams, the degree's is π/180. Temperatures have an additional offset
    /// (``UnitConversion``).
    static let table: [(base: UnitBase, symbol: String, dimension: UnitDimension, mantissa: UInt64, exponent: Int)] = [
        (.gram, "g", .mass, 1, 0),
        (.ounce, "oz", .mass, 28_349_523_125, -9),
        (.pound, "lb", .mass, 45_359_237, -5),
        (.stone, "st", .mass, 635_029_318, -5),
        (.mole, "mol", .mass, 1, 0),
        (.meter, "m", .length, 1, 0),
        (.inch, "in", .length, 254, -4),
        (.foot, "ft", .length, 3048, -4),
        (.yard, "yd", .length, 9144, -4),
        (.mile, "mi", .length, 1_609_344, -3),
        (.liter, "L", .volume, 1, 0),
        (.fluidOunceUS, "fl_oz_us", .volume, 295_735_295_625, -13),
        (.fluidOunceImperial, "fl_oz_imp", .volume, 284_130_625, -10),
        (.pintUS, "pt_us", .volume, 473_176_473, -9),
        (.pintImperial, "pt_imp", .volume, 56_826_125, -8),
        (.cupUS, "cup_us", .volume, 2_365_882_365, -10),
        (.cupImperial, "cup_imp", .volume, 284_130_625, -9),
        (.pascal, "Pa", .pressure, 1, 0),
        (.millimeterOfMercury, "mmHg", .pressure, 13_332_236_842_105_263, -14),
        (.centimeterOfWater, "cmAq", .pressure, 9_806_649_606_299_213, -14),
        (.atmosphere, "atm", .pressure, 101_325, 0),
        (.inchesOfMercury, "inHg", .pressure, 338_638_816, -5),
        (.second, "s", .time, 1, 0),
        (.minute, "min", .time, 60, 0),
        (.hour, "hr", .time, 3600, 0),
        (.day, "d", .time, 86_400, 0),
        (.joule, "J", .energy, 1, 0),
        (.smallCalorie, "cal", .energy, 4184, -3),
        (.kilocalorie, "kcal", .energy, 4184, 0),
        (.largeCalorie, "Cal", .energy, 4184, 0),
        (.kelvin, "K", .temperature, 1, 0),
        (.degreeCelsius, "degC", .temperature, 1, 0),
        // A degree Fahrenheit is 5/9 K, which has no finite decimal: see `UnitScale`.
        (.degreeFahrenheit, "degF", .temperature, 5, 0),
        (.siemen, "S", .conductance, 1, 0),
        (.hertz, "Hz", .frequency, 1, 0),
        (.volt, "V", .electricPotential, 1, 0),
        (.watt, "W", .power, 1, 0),
        (.radian, "rad", .angle, 1, 0),
        // A degree is π/180 rad: see `UnitScale`.
        (.degree, "deg", .angle, 1, 0),
        (.lux, "lx", .illuminance, 1, 0),
        (.diopter, "D", .opticalPower, 1, 0),
        (.prismDiopter, "pD", .prismaticPower, 1, 0),
        (.count, "count", .scalar, 1, 0),
        (.percent, "%", .scalar, 1, 0),
        (.internationalUnit, "IU", .pharmacology, 1, 0),
        (.appleEffortScore, "appleEffortScore", .effort, 1, 0),
        (.decibelAWeightedSoundPressureLevel, "dBASPL", .soundLevel, 1, 0),
        (.decibelHearingLevel, "dBHL", .hearingLevel, 1, 0),
    ]
}

/// The meaning of a symbol in a unit string.
struct UnitSymbol: Sendable {
    let base: UnitBase
    let prefix: HKMetricPrefix

    /// All symbols, with prefixes: about 240. The litre has `l` and `L`.
    static let all: [String: UnitSymbol] = {
        var symbols: [String: UnitSymbol] = [:]
        func add(_ text: String, _ base: UnitBase) {
            symbols[text] = UnitSymbol(base: base, prefix: .none)
            guard base.takesPrefix else { return }
            for prefix in HKMetricPrefix.allCases where prefix != .none {
                symbols[prefix.symbol + text] = UnitSymbol(base: base, prefix: prefix)
            }
        }
        for base in UnitBase.allCases { add(base.symbol, base) }
        add("l", .liter)
        return symbols
    }()
}
