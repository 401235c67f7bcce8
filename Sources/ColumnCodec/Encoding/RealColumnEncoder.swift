// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Encodes columns of doubles. Each column may use the plan of a previous one.
///
/// Preserves every bit pattern, including NaN payloads and -0.0. The bytes depend only on the values and on the
/// previous calls.
package struct RealColumnEncoder: Sendable {
    /// The encoding of a column and its parameters.
    struct Plan: Sendable, Equatable {
        var encoding: UInt8
        var scalars = ScalarEncoder.Plan(encoding: 0)
        /// Whether dictionary codes have eight bits, which helps LZ4.
        var wholeBytes = false
    }

    /// The only encoding to use, where it can hold the values; for tests.
    package var forced: UInt8?
    /// The policy for trying LZ4.
    package var lz4: LZ4Mode {
        get { frame.mode }
        set { frame.mode = newValue }
    }

    /// Whether predictions are tried, which are smaller and take more time to decode.
    package var favorsSize: Bool {
        get { scalars.sequence.predicts }
        set { scalars.sequence.predicts = newValue }
    }

    var frame = ColumnFrame()
    var scalars = ScalarEncoder()
    var entries = ScalarEncoder()
    var lengths = SequenceEncoder()
    var dictionary = DictionaryBuilder()
    var patterns: [Int64] = []
    private var memory = Memory<Plan>()

    /// The compact state that is carried from column to column.
    struct State: Sendable {
        fileprivate var memory = Memory<Plan>()
        fileprivate var luck = ColumnFrame.Luck()
        fileprivate var barren = 0
    }

    var state: State {
        get { State(memory: memory, luck: frame.luck, barren: scalars.barren) }
        set { (memory, frame.luck, scalars.barren) = (newValue.memory, newValue.luck, newValue.barren) }
    }

    package init() {}

    /// Resets the state: the next column is encoded as by a new encoder, without new allocations.
    package mutating func forget() {
        state = State()
    }

    /// Encodes `v[r]`, at most 6,144 values, and appends the column to `w`.
    package mutating func encode(_ v: [Double], _ r: Range<Int>, into w: inout ByteWriter) -> ColumnChoice {
        precondition(r.count <= Encoding.maximumCount, "too many values for a column")
        let n = r.count
        scalars.reserve(n)
        ColumnKernels.load(v, r, into: &scalars.values)
        let turn = frame.turn()
        if forced == nil, let plan = memory.recall(n), let details = stage(plan, n),
            memory.isGood(bytes: frame.stage.used, count: n)
        {
            return frame.write(plan.encoding, details, turn: turn, into: &w)
        }
        let plan = choose(n, squeezing: turn)
        let details = stage(plan, n) ?? ColumnDetails()
        memory.remember(plan, bytes: frame.stage.used, count: n)
        return frame.write(plan.encoding, details, turn: turn, into: &w)
    }

    /// Writes the payload of the loaded values into the stage; returns nil if the plan does not fit them.
    mutating func stage(_ plan: Plan, _ n: Int) -> ColumnDetails? {
        frame.stage.reset(n)
        var details = ColumnDetails()
        switch plan.encoding {
        case Encoding.realConstant:
            let pattern = n > 0 ? scalars.values[0].bitPattern : 0
            for index in 0..<n where scalars.values[index].bitPattern != pattern { return nil }
            frame.stage.put(pattern)
        case Encoding.realDictionary:
            guard let entries = stageDictionary(n, wholeBytes: plan.wholeBytes) else { return nil }
            details.entries = entries
            details.wholeBytes = plan.wholeBytes
        case Encoding.realRunLength:
            details.entries = stageRuns(n)
        case Encoding.xor:
            frame.stage.put(n > 0 ? scalars.values[0].bitPattern : 0)
            frame.stage.put(planes: scalars.values, n, withPrevious: true)
        case Encoding.shuffled:
            frame.stage.put(planes: scalars.values, n, withPrevious: false)
        default:
            return scalars.write(plan.scalars, n, into: &frame.stage)
        }
        return details
    }

    /// Returns the lengths of the runs of equal bit patterns.
    func runs(_ n: Int) -> [Int] {
        Runs.lengths(n) { scalars.values[$0].bitPattern == scalars.values[$0 - 1].bitPattern }
    }

    /// Sets `patterns` to the values as ordered integers.
    mutating func loadPatterns(_ n: Int) {
        if patterns.count < n + Encoding.spare { patterns = [Int64](repeating: 0, count: n + Encoding.spare) }
        ColumnKernels.toOrdered(scalars.values, n, into: &patterns)
    }

    /// Stages the number of runs, encoding and body of their values, and the lengths as a sequence.
    private mutating func stageRuns(_ n: Int) -> Int {
        let runs = runs(n)
        entries.reserve(runs.count)
        frame.stage.put(varint: UInt64(runs.count))
        var start = 0
        for (index, length) in runs.enumerated() {
            entries.values[index] = scalars.values[start]
            start += length
        }
        entries.writeBest(runs.count, into: &frame.stage)
        lengths.reserve(runs.count)
        for (index, length) in runs.enumerated() { lengths.values[index] = Int64(length) }
        lengths.writeBest(runs.count, into: &frame.stage)
        return runs.count
    }

    /// Stages the number of entries, their encoding and body, the width of a code, and the codes.
    private mutating func stageDictionary(_ n: Int, wholeBytes: Bool) -> Int? {
        loadPatterns(n)
        let count = dictionary.build(patterns, n)
        guard count > 0 else { return nil }
        entries.reserve(count)
        ColumnKernels.load(dictionary.table, 0..<count, into: &patterns)
        ColumnKernels.fromOrdered(patterns, count, into: &entries.values)
        frame.stage.put(varint: UInt64(count))
        entries.writeBest(count, into: &frame.stage)
        let width = wholeBytes ? 8 : dictionary.width(count)
        frame.stage.put(UInt8(width))
        frame.stage.put(codes: dictionary.codes, n, width: width)
        return count
    }
}

extension ScalarEncoder {
    /// Writes encoding and body of the cheapest plan for the first `n` values.
    mutating func writeBest(_ n: Int, into stage: inout Stage) {
        let plan = search(n, scaled: false)[0].plan
        stage.put(plan.encoding)
        _ = write(plan, n, into: &stage)
    }
}
