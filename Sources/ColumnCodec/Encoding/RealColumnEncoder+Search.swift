// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension RealColumnEncoder {
    /// Returns every promising encoding of the loaded values with the exact size of its payload, the cheapest by weight
    /// first.
    ///
    /// - Parameter all: whether to include encodings that cannot win.
    mutating func search(_ n: Int, all: Bool) -> [(plan: Plan, cost: Int)] {
        loadPatterns(n)
        let runs = ColumnKernels.countChanges(patterns, n) + 1
        let constant = runs == 1 ? [(Plan(encoding: Encoding.realConstant), 8)] : []
        if !all, !constant.isEmpty { return constant }
        var found = constant
        found += scalars.search(n).map { (Plan(encoding: $0.plan.encoding, scalars: $0.plan), $0.cost) }
        let best = found[0].1
        if all || runs * 3 <= n {
            let plan = Plan(encoding: Encoding.realRunLength)
            found.append((plan, staged(plan, n)))
        }
        let entries = dictionary.count(patterns, n)
        if entries > 0, all || dictionary.mayWin(entries, n, against: best) {
            let narrow = staged(Plan(encoding: Encoding.realDictionary), n)
            let more = n - (n * dictionary.width(entries) + 7) / 8
            found.append((Plan(encoding: Encoding.realDictionary), narrow))
            found.append((Plan(encoding: Encoding.realDictionary, wholeBytes: true), narrow + more))
        }
        if all || n >= Encoding.miniBlock && Self.isLong(best, n) {
            for encoding in [Encoding.xor, Encoding.shuffled] {
                let plan = Plan(encoding: encoding)
                found.append((plan, staged(plan, n)))
            }
        }
        // The index breaks ties, which makes the choice deterministic.
        let weights = found.map { Encoding.weight($0.0.encoding, $0.1) }
        return found.indices.sorted { (weights[$0], $0) < (weights[$1], $1) }.map { found[$0] }
    }

    /// Whether planes and raw bits are worth trying: they are long before compression, and nothing else saved half.
    private static func isLong(_ cost: Int, _ n: Int) -> Bool { cost >= 4 * n }

    /// Returns the plan with the fewest stored bytes. If LZ4 is tried, layouts that compress well are tried, too.
    mutating func choose(_ n: Int, squeezing: Bool) -> Plan {
        if let forced { return forcedPlan(forced, n) }
        let found = search(n, all: false)
        guard squeezing, n >= Encoding.miniBlock, found[0].cost >= ColumnFrame.leastPayload else {
            return found[0].plan
        }
        let first = found[0].plan
        var finalists = [first]
        if let sequence = first.scalars.sequence.inWholeBytes {
            var whole = first
            whole.scalars.sequence = sequence
            finalists.append(whole)
        }
        let long = Self.isLong(found[0].cost, n)
        for candidate in found.dropFirst() {
            let encoding = candidate.plan.encoding
            let planes = encoding >= Encoding.xor && encoding <= Encoding.raw
            let repeats = candidate.plan.wholeBytes || encoding == Encoding.realRunLength
            if planes && long || repeats && candidate.cost <= found[0].cost * 4 { finalists.append(candidate.plan) }
        }
        var best = (plan: first, bytes: Int.max)
        for plan in finalists {
            guard staged(plan, n) < .max else { continue }
            let bytes = Encoding.weight(plan.encoding, frame.squeeze() ?? frame.stage.used)
            if bytes < best.bytes { best = (plan, bytes) }
        }
        return best.plan
    }

    /// Returns the plan with the forced encoding, or raw if that does not fit the values.
    private mutating func forcedPlan(_ forced: UInt8, _ n: Int) -> Plan {
        let scalar = scalars.search(n, forced: forced).first { $0.plan.encoding == forced }?.plan
        if let scalar { return Plan(encoding: forced, scalars: scalar) }
        let raw = Plan(encoding: Encoding.raw, scalars: ScalarEncoder.Plan(encoding: Encoding.raw))
        if (Encoding.decimal...Encoding.ordered).contains(forced) || forced >= Encoding.raw { return raw }
        return staged(Plan(encoding: forced), n) == .max ? raw : Plan(encoding: forced)
    }

    /// Returns the payload size of a plan by writing it; `Int.max` if the plan does not fit the values.
    private mutating func staged(_ plan: Plan, _ n: Int) -> Int {
        stage(plan, n) == nil ? .max : frame.stage.used
    }

    /// Writes every alternative for `v[r]` in full and returns them, the fewest stored bytes first; explains a choice.
    package static func candidates(_ v: [Double], _ r: Range<Int>) -> [ColumnChoice] {
        var encoder = RealColumnEncoder()
        encoder.scalars.reserve(r.count)
        ColumnKernels.load(v, r, into: &encoder.scalars.values)
        var choices: [ColumnChoice] = []
        for candidate in encoder.search(r.count, all: true) {
            guard let details = encoder.stage(candidate.plan, r.count) else { continue }
            var scratch = ByteWriter()
            choices.append(encoder.frame.write(candidate.plan.encoding, details, turn: true, into: &scratch))
        }
        return choices.sorted { ($0.storedBytes, $0.encoding) < ($1.storedBytes, $1.encoding) }
    }
}
