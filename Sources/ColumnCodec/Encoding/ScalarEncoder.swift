// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Encodes doubles individually: as integers with a divisor, as floats, as ordered bit patterns, or raw.
struct ScalarEncoder {
    /// The encoding of doubles and its parameters.
    struct Plan: Sendable, Equatable {
        var encoding: UInt8
        /// The decimal exponent, or the number of the divisor.
        var scale: UInt8 = 0
        var sequence = SequenceEncoder.Plan(form: 0)
        /// The scale of scaled reals.
        var steps = Scale()
        var corrections = SequenceEncoder.Plan(form: 0)
    }

    /// The input; the caller sets the first elements.
    var values: [Double] = []
    var sequence = SequenceEncoder()
    var corrections = SequenceEncoder()
    private var exceptions: [UInt16] = []
    private var sample: [Double] = []
    /// Number of consecutive step searches without success.
    var barren = 0

    /// Number of values in the sample that determines the scale.
    static let sampleSize = 64
    /// Minimum number of values for a step search.
    static let leastScaled = 64

    mutating func reserve(_ count: Int) {
        sequence.reserve(count)
        let room = count + Encoding.spare
        if values.count >= room { return }
        values = [Double](repeating: 0, count: room)
        exceptions = [UInt16](repeating: 0, count: room)
        sample = [Double](repeating: 0, count: Self.sampleSize)
    }

    /// Returns the divisor of a plan; 0 if it has none.
    static func divisor(_ plan: Plan) -> Double {
        switch plan.encoding {
        case Encoding.decimal: Encoding.powersOfTen[Int(plan.scale)]
        case Encoding.ratio: Encoding.divisors[Int(plan.scale)]
        case Encoding.scaled: plan.steps.divisor
        default: 0
        }
    }

    // MARK: Searching

    /// Returns the promising plans for the first `n` values with the exact size of their bodies, the cheapest first.
    ///
    /// - Parameter scaled: whether to search for a step; false for entries of dictionaries and values of runs.
    mutating func search(_ n: Int, forced: UInt8? = nil, scaled: Bool = true) -> [(plan: Plan, cost: Int)] {
        var found: [(plan: Plan, cost: Int)] = [(Plan(encoding: Encoding.raw), 8 * n)]
        var best = 8 * n
        var fits = false
        for plan in scales(n, forced: forced) + others(n, forced: forced) {
            if let forced, forced != plan.encoding { continue }
            // Floats and ordered patterns need at least three bytes a value, unless the values hardly differ.
            if forced == nil, Self.divisor(plan) == 0, best <= 3 * n { continue }
            guard let count = load(plan, n) else { continue }
            let form = sequence.search(n)[0]
            var chosen = plan
            chosen.sequence = form.plan
            var cost = form.cost
            if plan.encoding != Encoding.ordered { cost += exceptionBytes(count) }
            if Self.divisor(plan) > 0 { cost += 1 }
            found.append((chosen, cost))
            // If every value is a decimal or a ratio, no corrections are needed.
            fits = fits || Self.divisor(plan) > 0 && count == 0
            best = min(best, cost)
        }
        if scaled, forced == nil && !fits && n >= Self.leastScaled || forced == Encoding.scaled {
            if let plan = self.scaled(n) { found.append(plan) }
        }
        return found.sorted {
            ($0.cost, $0.plan.encoding, $0.plan.scale) < ($1.cost, $1.plan.encoding, $1.plan.scale)
        }
    }

    /// Returns the one or two divisors that are cheapest on a sample.
    private mutating func scales(_ n: Int, forced: UInt8?) -> [Plan] {
        let size = min(n, Self.sampleSize)
        // Sample the whole column, in an order that spreads its first elements: 37 is coprime to smaller sizes.
        let stride = size % 37 == 0 ? 1 : 37
        for index in 0..<size { sample[index] = values[(index * stride % size) * n / size] }
        var found: [(plan: Plan, bits: Int)] = []
        for exponent in 0...Encoding.maximumExponent {
            let plan = Plan(encoding: Encoding.decimal, scale: UInt8(exponent))
            let (bits, missing) = estimate(plan, size, forced: forced != nil)
            if missing * 2 <= size || forced == Encoding.decimal { found.append((plan, bits)) }
            if missing == 0 { break }
        }
        var cheap = found.map(\.bits).min() ?? Int.max / 2
        // Ratios are tried where decimals cost more than 16 bits a value.
        if cheap > 16 * size || forced == Encoding.ratio {
            for number in 1..<Encoding.divisors.count {
                let plan = Plan(encoding: Encoding.ratio, scale: UInt8(number))
                let (bits, missing) = estimate(plan, size, forced: forced != nil)
                if missing * 4 <= size || forced == Encoding.ratio { found.append((plan, bits)) }
                cheap = min(cheap, bits)
            }
        }
        found.sort { ($0.bits, $0.plan.encoding, $0.plan.scale) < ($1.bits, $1.plan.encoding, $1.plan.scale) }
        if forced != nil { return found.map(\.plan) }
        // The second plan may win by its deltas, which the estimate ignores, if it is close.
        return found.prefix(2).filter { $0.bits <= 2 * cheap }.map(\.plan)
    }

    private mutating func others(_ n: Int, forced: UInt8?) -> [Plan] {
        let size = min(n, Self.sampleSize)
        let missing = ColumnKernels.toFloat32(sample, size, into: &sequence.values, exceptions: &exceptions)
        let floats = missing * 8 <= size || forced == Encoding.float32
        let ordered = Plan(encoding: Encoding.ordered)
        return floats ? [Plan(encoding: Encoding.float32), ordered] : [ordered]
    }

    /// Estimates the bits of the sample under a divisor, without deltas; also returns the number of unrepresentable
    /// values.
    private mutating func estimate(_ plan: Plan, _ size: Int, forced: Bool) -> (bits: Int, missing: Int) {
        let divisor = Self.divisor(plan)
        // Most divisors fit nothing; a few values suffice to reject them.
        let few = min(size, 8)
        let first = ColumnKernels.toScaled(
            sample, few, divisor: divisor, into: &sequence.values, exceptions: &exceptions)
        if !forced, first * 2 > few { return (80 * size, size) }
        let missing = ColumnKernels.toScaled(
            sample, size, divisor: divisor, into: &sequence.values, exceptions: &exceptions)
        var (least, greatest) = (Int64.max, Int64.min)
        for index in 0..<size {
            least = min(least, sequence.values[index])
            greatest = max(greatest, sequence.values[index])
        }
        let width = size == 0 ? 0 : Int64.bitWidth - (greatest &- least).leadingZeroBitCount
        return (size * width + missing * 80, missing)
    }

    private func exceptionBytes(_ count: Int) -> Int {
        var bytes = Varint.length(UInt64(count)) + 8 * count
        var next = 0
        for index in 0..<count {
            bytes += Varint.length(UInt64(Int(exceptions[index]) - next))
            next = Int(exceptions[index]) + 1
        }
        return bytes
    }

    // MARK: Writing

    /// Writes the body without the encoding byte; returns nil if the plan does not fit the values.
    mutating func write(_ plan: Plan, _ n: Int, into stage: inout Stage) -> ColumnDetails? {
        var details = ColumnDetails()
        if plan.encoding == Encoding.raw {
            for index in 0..<n { stage.put(values[index].bitPattern) }
            return details
        }
        if plan.encoding == Encoding.scaled { return writeScaled(plan, n, into: &stage) }
        guard let count = load(plan, n) else { return nil }
        details.divisor = Self.divisor(plan)
        details.exceptions = count
        if details.divisor > 0 { stage.put(plan.scale) }
        if plan.encoding != Encoding.ordered { putExceptions(count, into: &stage) }
        let used = sequence.write(orBest: plan.sequence, n, into: &stage)
        details.form = used.form
        details.unit = used.unit
        details.wholeBytes = used.wholeBytes
        return details
    }

    /// Writes the exceptions: their number, the gaps between their positions, and their bit patterns.
    private func putExceptions(_ count: Int, into stage: inout Stage) {
        stage.put(varint: UInt64(count))
        var next = 0
        for index in 0..<count {
            stage.put(varint: UInt64(Int(exceptions[index]) - next))
            next = Int(exceptions[index]) + 1
        }
        for index in 0..<count { stage.put(values[Int(exceptions[index])].bitPattern) }
    }

    /// Sets the integers of the plan; returns the number of exceptions, or nil for an encoding without integers.
    private mutating func load(_ plan: Plan, _ n: Int) -> Int? {
        var count = 0
        switch plan.encoding {
        case Encoding.decimal, Encoding.ratio:
            count = ColumnKernels.toScaled(
                values, n, divisor: Self.divisor(plan), into: &sequence.values, exceptions: &exceptions)
        case Encoding.float32:
            count = ColumnKernels.toFloat32(values, n, into: &sequence.values, exceptions: &exceptions)
        case Encoding.ordered:
            ColumnKernels.toOrdered(values, n, into: &sequence.values)
        default:
            return nil
        }
        return count
    }
}
