// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension IntegerColumnEncoder {
    /// Returns every promising encoding of the loaded values with the exact size of its payload, the cheapest by weight
    /// first.
    ///
    /// - Parameter all: whether to include encodings that cannot win.
    mutating func search(_ n: Int, all: Bool) -> [(plan: Plan, cost: Int)] {
        var found = sequence.search(n).map { (Plan(encoding: $0.plan.form, sequence: $0.plan), $0.cost - 1) }
        let best = found[0].1
        if !all, found[0].0.encoding <= Encoding.linear { return found }
        if all || (ColumnKernels.countChanges(sequence.values, n) + 1) * 3 <= n {
            let plan = Plan(encoding: Encoding.runLength)
            found.append((plan, staged(plan, n)))
        }
        // Times of a clock that counts in doubles have no common unit in nanoseconds.
        if found[0].0.sequence.unit == 1, all || best > 2 * n {
            let plan = Plan(encoding: Encoding.clock)
            let cost = staged(plan, n)
            if cost < .max { found.append((plan, cost)) }
        }
        let entries = dictionary.count(sequence.values, n)
        if entries > 0, all || dictionary.mayWin(entries, n, against: best) {
            let narrow = staged(Plan(encoding: Encoding.dictionary), n)
            let more = n - (n * dictionary.width(entries) + 7) / 8
            found.append((Plan(encoding: Encoding.dictionary), narrow))
            found.append((Plan(encoding: Encoding.dictionary, wholeBytes: true), narrow + more))
        }
        // The index breaks ties, which makes the choice deterministic.
        let weights = found.map { Encoding.weight($0.0.encoding, $0.1) }
        return found.indices.sorted { (weights[$0], $0) < (weights[$1], $1) }.map { found[$0] }
    }

    /// Returns the plan with the fewest stored bytes. If LZ4 is tried, layouts that compress well are tried, too.
    mutating func choose(_ n: Int, squeezing: Bool) -> Plan {
        if let forced { return forcedPlan(forced, n) }
        let found = search(n, all: false)
        guard squeezing, n >= Encoding.miniBlock, found[0].cost >= ColumnFrame.leastPayload else {
            return found[0].plan
        }
        var finalists = Array(found.prefix(1))
        let first = found[0].plan
        if let whole = first.sequence.inWholeBytes {
            finalists.append((Plan(encoding: whole.form, sequence: whole), 0))
        }
        for candidate in found.dropFirst() where candidate.cost <= found[0].cost * 4 {
            let repeats = candidate.plan.wholeBytes || candidate.plan.encoding == Encoding.runLength
            if repeats { finalists.append(candidate) }
        }
        var best = (plan: first, bytes: Int.max)
        for finalist in finalists {
            guard staged(finalist.plan, n) < .max else { continue }
            let encoding = finalist.plan.encoding
            let bytes = Encoding.weight(encoding, frame.squeeze() ?? frame.stage.used)
            if bytes < best.bytes { best = (finalist.plan, bytes) }
        }
        return best.plan
    }

    /// Returns the payload size of a plan by writing it; `Int.max` if the plan does not fit the values.
    private mutating func staged(_ plan: Plan, _ n: Int) -> Int {
        stage(plan, n) == nil ? .max : frame.stage.used
    }

    /// Returns the plan with the forced encoding, or packed if that does not fit the values.
    private mutating func forcedPlan(_ forced: UInt8, _ n: Int) -> Plan {
        let found = sequence.search(n, windows: true).first { $0.plan.form == forced }?.plan
        if let found { return Plan(encoding: forced, sequence: found) }
        let plan = Plan(encoding: forced, sequence: SequenceEncoder.Plan(form: forced))
        let packed = Plan(encoding: Encoding.packed, sequence: SequenceEncoder.Plan(form: Encoding.packed))
        return staged(plan, n) == .max ? packed : plan
    }

    /// Writes every alternative for `v[r]` in full and returns them, the fewest stored bytes first; explains a choice.
    package static func candidates(_ v: [Int64], _ r: Range<Int>) -> [ColumnChoice] {
        var encoder = IntegerColumnEncoder()
        encoder.sequence.reserve(r.count)
        ColumnKernels.load(v, r, into: &encoder.sequence.values)
        var choices: [ColumnChoice] = []
        for candidate in encoder.search(r.count, all: true) {
            guard let details = encoder.stage(candidate.plan, r.count) else { continue }
            var scratch = ByteWriter()
            choices.append(encoder.frame.write(candidate.plan.encoding, details, turn: true, into: &scratch))
        }
        return choices.sorted { ($0.storedBytes, $0.encoding) < ($1.storedBytes, $1.encoding) }
    }
}
