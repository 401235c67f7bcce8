// SPDX-License-Identifier: Apache-2.0

internal import Bytes

// Values that are multiples of a step: readings of a converter with a gain, or computed decimals.
extension ScalarEncoder {
    /// The step and offset of scaled values: value k is approximately k / divisor + offset.
    struct Scale: Sendable, Equatable {
        var divisor = 0.0
        var offset = 0.0
    }

    /// Number of values in the sample for the step search.
    private static let stepSample = 128
    /// Common offsets of unit conversions: altitudes in position files, temperatures.
    private static let offsets: [Double] = [-500, -273.15]

    /// Returns the plan that stores numbers of steps, with the exact size of its body; nil if the values have no step.
    ///
    /// After several searches without success, only every eighth column is searched.
    mutating func scaled(_ n: Int) -> (plan: Plan, cost: Int)? {
        guard barren < 3 || barren % 8 == 0, let scale = scale(n) else {
            barren += 1
            return nil
        }
        barren = 0
        var plan = Plan(encoding: Encoding.scaled)
        plan.steps = scale
        _ = loadSteps(plan, n)
        let numbers = sequence.search(n)[0]
        let missed = corrections.search(n)[0]
        plan.sequence = numbers.plan
        plan.corrections = missed.plan
        return (plan, 16 + numbers.cost + missed.cost)
    }

    /// Sets the numbers of steps and the corrections; returns the number of nonzero corrections.
    mutating func loadSteps(_ plan: Plan, _ n: Int) -> Int {
        corrections.reserve(n)
        return ColumnKernels.toSteps(values, n, plan.steps, into: &sequence.values, corrections: &corrections.values)
    }

    /// Returns the common step of the values, with the offset that leaves the fewest corrections.
    private mutating func scale(_ n: Int) -> Scale? {
        let size = min(n, Self.stepSample)
        let sorted = (0..<size).map { values[$0 * n / size] }.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last, sorted.count > 8, first < last else { return nil }
        let reach = max(first.magnitude, last.magnitude)
        guard reach < 1e15, reach > 1e-15 else { return nil }
        let step = ColumnKernels.commonStep(sorted, noise: reach * 0x1p-48)
        guard step > 0, reach / step < 0x1p50 else { return nil }
        // A step is determined more precisely from a longer extent.
        let whole = Self.divisor(Self.nearest(reach / step), in: reach)
        let part = Self.divisor(Self.nearest((last - first) / step), in: last - first)
        var choices = [Scale(divisor: whole), Scale(divisor: part, offset: first)]
        choices += Self.offsets.map { Scale(divisor: part, offset: $0) }
        var best: (scale: Scale, missed: Int)?
        for choice in choices where choice.divisor.isFinite && choice.divisor > 0 {
            let missed = loadSteps(Plan(encoding: Encoding.scaled, steps: choice), n)
            if missed < best?.missed ?? .max { best = (choice, missed) }
            if missed == 0 { break }
        }
        return best?.scale
    }

    /// Returns the nearest whole number, for magnitudes below 2^51: adding 1.5 * 2^52 leaves no bits for a fraction.
    private static func nearest(_ x: Double) -> Double { (x + 0x1.8p52) - 0x1.8p52 }

    /// Returns the number of steps per unit, rounded to a whole number if that is accurate enough.
    private static func divisor(_ steps: Double, in extent: Double) -> Double {
        let exact = steps / extent
        let whole = nearest(exact)
        return (exact - whole).magnitude <= exact * 0x1p-36 ? whole : exact
    }

    /// Writes the body: divisor, offset, the numbers of steps and the corrections as sequences.
    mutating func writeScaled(_ plan: Plan, _ n: Int, into stage: inout Stage) -> ColumnDetails {
        var details = ColumnDetails()
        details.divisor = plan.steps.divisor
        details.exceptions = loadSteps(plan, n)
        stage.put(plan.steps.divisor.bitPattern)
        stage.put(plan.steps.offset.bitPattern)
        let numbers = sequence.write(orBest: plan.sequence, n, into: &stage)
        details.form = numbers.form
        details.unit = numbers.unit
        details.wholeBytes = numbers.wholeBytes
        _ = corrections.write(orBest: plan.corrections, n, into: &stage)
        return details
    }
}

extension SequenceEncoder {
    /// Writes form and body by a plan, or by the cheapest plan if unit or form do not fit; returns the plan used.
    mutating func write(orBest plan: Plan, _ n: Int, into stage: inout Stage) -> Plan {
        let start = stage.used
        stage.put(plan.form)
        if write(plan, n, into: &stage) { return plan }
        stage.rewind(to: start)
        return writeBest(n, into: &stage)
    }
}
