// SPDX-License-Identifier: Apache-2.0

import HealthViews

/// The totals of workouts as text.
struct WorkoutText {
    let unit: DistanceUnit

    /// The activity types whose pace is a time for a distance.
    private static let onFoot: Set<HKWorkoutActivityType> = [
        .walking, .running, .hiking, .trackAndField, .wheelchairWalkPace, .wheelchairRunPace,
    ]

    /// Returns a distance: `11.1 km`, or `1,500 m` for a swim.
    func distance(_ metres: Double, _ activity: HKWorkoutActivityType = .other, decimals: Int = 1) -> String {
        if activity == .swimming || (unit == .km && metres < unit.metres) {
            return "\(AmountText.whole(metres / unit.shortMetres)) \(unit.shortSymbol)"
        }
        let number = metres / unit.metres
        let text = number < 1_000 ? NumberText.fixed(number, decimals: decimals) : AmountText.whole(number)
        return "\(text) \(unit.symbol)"
    }

    /// Returns the average pace or speed: `6:40/km`, `2:05/100 m`, `22.3 km/h`; nil if unknown.
    func pace(_ speed: Double?, _ activity: HKWorkoutActivityType) -> String? {
        guard let speed, speed > 0, speed.isFinite else { return nil }
        if activity == .swimming {
            let seconds = 100 * unit.shortMetres / speed
            return "\(NumberText.clock(seconds: seconds))/100 \(unit.shortSymbol)"
        }
        if Self.onFoot.contains(activity) { return "\(NumberText.clock(seconds: unit.metres / speed))/\(unit.symbol)" }
        let speedText = NumberText.fixed(speed * 3_600 / unit.metres, decimals: 1)
        return "\(speedText) \(unit == .km ? "km/h" : "mph")"
    }

    /// Returns an energy: `280 kcal`.
    static func energy(_ kilocalories: Double) -> String { "\(AmountText.whole(kilocalories)) kcal" }

    /// Returns a pulse: `76 (72…81)`.
    static func pulse(_ pulse: PulseRange) -> String? {
        func text(_ value: Double) -> String { NumberText.fixed(value, decimals: 0) }
        let average = pulse.average.map(text)
        guard let least = pulse.least, let greatest = pulse.greatest else { return average }
        let range = "\(text(least))…\(text(greatest))"
        return average.map { "\($0) (\(range))" } ?? range
    }

    /// Returns the duration: `29:58`.
    static func length(_ seconds: Double) -> String { NumberText.clock(seconds: seconds) }

    /// Returns some totals: `3 workouts, 2:36:50, 24.4 km, 1,631 kcal`.
    func totals(_ total: ActivityTotals) -> String {
        var parts = [NumberText.count(total.count, "workout"), Self.length(total.duration)]
        if let distance = total.distance { parts.append(self.distance(distance)) }
        if let energy = total.energy { parts.append(Self.energy(energy)) }
        return parts.joined(separator: ", ")
    }
}
