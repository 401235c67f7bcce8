// SPDX-License-Identifier: Apache-2.0

extension HKUnit {
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
