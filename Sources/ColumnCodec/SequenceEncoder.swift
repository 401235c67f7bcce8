// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Integers as one of five forms: constant, linear, packed, delta, delta of delta; the last three over a common unit.
struct SequenceEncoder {
    /// How to write a sequence.
    struct Plan: Sendable {
        var form: UInt8
        var unit: UInt64 = 1
        /// Widths of whole bytes and no exceptions: longer, but LZ4 may find what repeats.
        var wholeBytes = false
    }

    /// The input; the caller fills the first elements.
    var values: [Int64] = []
    private var deltas: [Int64] = []
    private var quotients: [Int64] = []
    private var work: [Int64] = []

    /// Makes room for `count` values.
    mutating func reserve(_ count: Int) {
        let room = count + Encoding.spare
        if values.count >= room { return }
        values = [Int64](repeating: 0, count: room)
        deltas = values
        quotients = values
        work = values
    }

    // MARK: Searching

    /// Every form that can hold the first `n` values, with its exact bytes (form byte included); the cheapest first.
    mutating func search(_ n: Int) -> [(plan: Plan, cost: Int)] {
        Loops.delta(values, n, into: &deltas)
        if Loops.countNonzero(deltas, n) == 0 {
            return [(Plan(form: Encoding.constant), 1 + length(n > 0 ? values[0] : 0))]
        }
        if isLinear(n) { return [(Plan(form: Encoding.linear), 1 + length(values[0]) + length(deltas[1]))] }
        let unit = Loops.gcd(deltas, n, scratch: &quotients)
        divide(n, unit: unit)
        var found: [(plan: Plan, cost: Int)] = []
        for form in [Encoding.delta, Encoding.packed, Encoding.deltaOfDelta] {
            let plan = Plan(form: form, unit: unit)
            let (base, slope) = arrange(n, plan)
            var cost = 1 + length(base) + Zigzag.varintLength(unit)
            if form == Encoding.deltaOfDelta { cost += length(slope) }
            cost += Loops.streamCost(work, n, wholeBytes: false)
            found.append((plan, cost))
        }
        return found.sorted { ($0.cost, $0.plan.form) < ($1.cost, $1.plan.form) }
    }

    /// The exact bytes of a plan that `search` or `write` found to fit, with its form byte.
    mutating func cost(_ plan: Plan, _ n: Int) -> Int {
        let (base, slope) = arrange(n, plan)
        var cost = 1 + length(base) + Zigzag.varintLength(plan.unit)
        if plan.form == Encoding.deltaOfDelta { cost += length(slope) }
        return cost + Loops.streamCost(work, n, wholeBytes: plan.wholeBytes)
    }

    private func length(_ value: Int64) -> Int { Zigzag.varintLength(Zigzag.encode(value)) }

    private func isLinear(_ n: Int) -> Bool {
        guard n >= 2 else { return false }
        let step = deltas[1]
        for index in 2..<max(n, 2) where deltas[index] != step { return false }
        return true
    }

    // MARK: Writing

    /// Writes the body (without the form byte); false, and nothing written, when the plan does not fit these values.
    mutating func write(_ plan: Plan, _ n: Int, into stage: inout Stage) -> Bool {
        Loops.delta(values, n, into: &deltas)
        switch plan.form {
        case Encoding.constant:
            guard Loops.countNonzero(deltas, n) == 0 else { return false }
            stage.put(zigzag: n > 0 ? values[0] : 0)
            return true
        case Encoding.linear:
            guard isLinear(n) else { return false }
            stage.put(zigzag: values[0])
            stage.put(zigzag: deltas[1])
            return true
        default:
            guard divide(n, unit: plan.unit) else { return false }
            if plan.form == Encoding.delta {
                // As `arrange` does, without the copy.
                if n > 1 { quotients[0] = quotients[1] }
                swap(&quotients, &work)
                let step = n > 0 ? work[0] : 0
                stage.put(zigzag: (n > 0 ? values[0] : 0) &- Int64(bitPattern: plan.unit) &* step)
                stage.put(varint: plan.unit)
                stage.put(stream: work, n, wholeBytes: plan.wholeBytes)
                return true
            }
            let (base, slope) = arrange(n, plan)
            stage.put(zigzag: base)
            if plan.form == Encoding.deltaOfDelta { stage.put(zigzag: slope) }
            stage.put(varint: plan.unit)
            stage.put(stream: work, n, wholeBytes: plan.wholeBytes)
            return true
        }
    }

    /// Sets `quotients` to the deltas in units; false when one is no multiple.
    @discardableResult
    private mutating func divide(_ n: Int, unit: UInt64) -> Bool {
        if unit != 1 { return Loops.divideExactly(deltas, n, unit: unit, into: &quotients) }
        swap(&deltas, &quotients)
        return true
    }

    /// Puts what the stream holds into `work`. The first numbers, which the base makes free, repeat their successors so
    /// that they cost no width. `quotients[0]` is 0.
    private mutating func arrange(_ n: Int, _ plan: Plan) -> (base: Int64, slope: Int64) {
        let unit = Int64(bitPattern: plan.unit)
        let first = n > 0 ? values[0] : 0
        switch plan.form {
        case Encoding.delta:
            Loops.load(quotients, 0..<n, into: &work)
            guard n > 1 else { return (first, 0) }
            work[0] = work[1]
            return (first &- unit &* work[1], 0)
        case Encoding.deltaOfDelta:
            Loops.delta(quotients, n, into: &work)
            guard n > 1 else { return (first, 0) }
            let second = n > 2 ? work[2] : 0
            work[0] = second
            work[1] = second
            let slope = quotients[1] &- second &- second
            return (first &- unit &* (slope &+ second), slope)
        default:
            Loops.load(quotients, 0..<n, into: &work)
            Loops.accumulate(&work, n, unit: 1, base: 0)
            return (first, 0)
        }
    }
}
