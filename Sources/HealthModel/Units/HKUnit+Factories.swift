// SPDX-License-Identifier: Apache-2.0

/// Grams per mole of glucose: `HKUnit.moleUnit(withMolarMass: HKUnitMolarMassBloodGlucose)`.
public let HKUnitMolarMassBloodGlucose = 180.15588000005408

extension HKUnit {
    /// The unprefixed unit of each base. The mole's entry is not used, because the mole needs a molar mass.
    private static let plain: [HKUnit] = UnitBase.allCases.map { HKUnit(UnitForm([UnitFactor(base: $0)])) }

    static func plain(_ base: UnitBase) -> HKUnit { plain[Int(base.rawValue)] }

    static func prefixed(_ base: UnitBase, _ prefix: HKMetricPrefix) -> HKUnit {
        if prefix == .none { return plain(base) }
        if let form = UnitForm.cached(prefix.symbol + base.symbol) { return HKUnit(form) }
        return HKUnit(UnitForm([UnitFactor(base: base, prefix: prefix)]))
    }

    // MARK: Mass

    /// `g`
    public static func gram() -> HKUnit { plain(.gram) }
    /// `g` with a prefix: `kg`, `mg`, `mcg`.
    public static func gramUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.gram, prefix) }
    /// `oz`, 28.349523125 g.
    public static func ounce() -> HKUnit { plain(.ounce) }
    /// `lb`, 453.59237 g.
    public static func pound() -> HKUnit { plain(.pound) }
    /// `st`, 6350.29318 g.
    public static func stone() -> HKUnit { plain(.stone) }
    /// `mol<M>`: an amount of substance with this molar mass in grams per mole, which makes it a mass.
    ///
    /// A molar mass that is not positive and finite results in the null unit.
    public static func moleUnit(withMolarMass gramsPerMole: Double) -> HKUnit {
        moleUnit(with: .none, molarMass: gramsPerMole)
    }
    /// `mol<M>` with a prefix: `mmol<180.1558800000541>`.
    ///
    /// A molar mass that is not positive and finite results in the null unit.
    public static func moleUnit(with prefix: HKMetricPrefix, molarMass gramsPerMole: Double) -> HKUnit {
        guard gramsPerMole.isFinite, gramsPerMole > 0 else { return HKUnit(UnitForm([])) }
        return HKUnit(UnitForm([UnitFactor(base: .mole, prefix: prefix, molarMass: gramsPerMole)]))
    }

    // MARK: Length

    /// `m`
    public static func meter() -> HKUnit { plain(.meter) }
    /// `m` with a prefix: `km`, `cm`, `mm`.
    public static func meterUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.meter, prefix) }
    /// `in`, 0.0254 m.
    public static func inch() -> HKUnit { plain(.inch) }
    /// `ft`, 0.3048 m.
    public static func foot() -> HKUnit { plain(.foot) }
    /// `yd`, 0.9144 m.
    public static func yard() -> HKUnit { plain(.yard) }
    /// `mi`, 1609.344 m.
    public static func mile() -> HKUnit { plain(.mile) }

    // MARK: Volume

    /// `L`
    public static func liter() -> HKUnit { plain(.liter) }
    /// `L` with a prefix: `mL`, `dL`.
    public static func literUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.liter, prefix) }
    /// `fl_oz_us`, 0.0295735295625 L.
    public static func fluidOunceUS() -> HKUnit { plain(.fluidOunceUS) }
    /// `fl_oz_imp`, 0.0284130625 L.
    public static func fluidOunceImperial() -> HKUnit { plain(.fluidOunceImperial) }
    /// `pt_us`, 0.473176473 L.
    public static func pintUS() -> HKUnit { plain(.pintUS) }
    /// `pt_imp`, 0.56826125 L.
    public static func pintImperial() -> HKUnit { plain(.pintImperial) }
    /// `cup_us`, 0.2365882365 L.
    public static func cupUS() -> HKUnit { plain(.cupUS) }
    /// `cup_imp`, 0.284130625 L.
    public static func cupImperial() -> HKUnit { plain(.cupImperial) }

    // MARK: Pressure and sound

    /// `Pa`
    public static func pascal() -> HKUnit { plain(.pascal) }
    /// `Pa` with a prefix: `hPa`, `kPa`.
    public static func pascalUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.pascal, prefix) }
    /// `mmHg`, 133.32236842105263 Pa.
    public static func millimeterOfMercury() -> HKUnit { plain(.millimeterOfMercury) }
    /// `inHg`, 3386.38816 Pa.
    public static func inchesOfMercury() -> HKUnit { plain(.inchesOfMercury) }
    /// `cmAq`, 98.06649606299213 Pa.
    public static func centimeterOfWater() -> HKUnit { plain(.centimeterOfWater) }
    /// `atm`, 101325 Pa.
    public static func atmosphere() -> HKUnit { plain(.atmosphere) }
    /// `dBASPL`: A-weighted sound pressure level; it does not convert to pascal.
    public static func decibelAWeightedSoundPressureLevel() -> HKUnit { plain(.decibelAWeightedSoundPressureLevel) }
    /// `dBHL`: hearing level.
    public static func decibelHearingLevel() -> HKUnit { plain(.decibelHearingLevel) }

    // MARK: Time and frequency

    /// `s`
    public static func second() -> HKUnit { plain(.second) }
    /// `s` with a prefix: `ms`.
    public static func secondUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.second, prefix) }
    /// `min`, 60 s.
    public static func minute() -> HKUnit { plain(.minute) }
    /// `hr`, 3600 s.
    public static func hour() -> HKUnit { plain(.hour) }
    /// `d`, 86400 s.
    public static func day() -> HKUnit { plain(.day) }
    /// `Hz`; it does not convert to `count/s`.
    public static func hertz() -> HKUnit { plain(.hertz) }
    /// `Hz` with a prefix: `kHz`.
    public static func hertzUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.hertz, prefix) }

    // MARK: Energy and power

    /// `J`
    public static func joule() -> HKUnit { plain(.joule) }
    /// `J` with a prefix: `kJ`.
    public static func jouleUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.joule, prefix) }
    /// `kcal`, 4184 J.
    public static func kilocalorie() -> HKUnit { plain(.kilocalorie) }
    /// `cal`, 4.184 J.
    public static func smallCalorie() -> HKUnit { plain(.smallCalorie) }
    /// `Cal`, 4184 J: the calorie of food labels.
    public static func largeCalorie() -> HKUnit { plain(.largeCalorie) }
    /// The older name of ``smallCalorie()``.
    public static func calorie() -> HKUnit { plain(.smallCalorie) }
    /// `W`; it does not convert to `J/s`.
    public static func watt() -> HKUnit { plain(.watt) }
    /// `W` with a prefix: `kW`.
    public static func wattUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.watt, prefix) }

    // MARK: Temperature

    /// `degC`, K - 273.15.
    public static func degreeCelsius() -> HKUnit { plain(.degreeCelsius) }
    /// `degF`, 1.8 K - 459.67.
    public static func degreeFahrenheit() -> HKUnit { plain(.degreeFahrenheit) }
    /// `K`
    public static func kelvin() -> HKUnit { plain(.kelvin) }

    // MARK: Electricity and light

    /// `S`: conductance.
    public static func siemen() -> HKUnit { plain(.siemen) }
    /// `S` with a prefix: `mcS`.
    public static func siemenUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.siemen, prefix) }
    /// `V`
    public static func volt() -> HKUnit { plain(.volt) }
    /// `V` with a prefix: `mcV`.
    public static func voltUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.volt, prefix) }
    /// `lx`: illuminance.
    public static func lux() -> HKUnit { plain(.lux) }
    /// `lx` with a prefix: `klx`.
    public static func luxUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.lux, prefix) }

    // MARK: Angles and lenses

    /// `rad`
    public static func radianAngle() -> HKUnit { plain(.radian) }
    /// `rad` with a prefix: `mrad`.
    public static func radianAngleUnit(with prefix: HKMetricPrefix) -> HKUnit { prefixed(.radian, prefix) }
    /// `deg`, π/180 rad.
    public static func degreeAngle() -> HKUnit { plain(.degree) }
    /// `D`: the power of a lens.
    public static func diopter() -> HKUnit { plain(.diopter) }
    /// `pD`: the deviation of a prism.
    public static func prismDiopter() -> HKUnit { plain(.prismDiopter) }

    // MARK: Counts and scores

    /// `count`
    public static func count() -> HKUnit { plain(.count) }
    /// `%`, 1 count: the number is the fraction, 0.97 for 97 %.
    public static func percent() -> HKUnit { plain(.percent) }
    /// `IU`: the international unit, a substance's biological effect.
    public static func internationalUnit() -> HKUnit { plain(.internationalUnit) }
    /// `appleEffortScore`: 1 to 10.
    public static func appleEffortScore() -> HKUnit { plain(.appleEffortScore) }
}
