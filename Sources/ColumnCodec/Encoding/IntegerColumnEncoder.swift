// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Encodes columns of integers. Each column may use the plan of a previous one.
///
/// The bytes depend only on the values and on the previous calls.
package struct IntegerColumnEncoder: Sendable {
    /// The encoding of a column and its parameters.
    struct Plan: Sendable, Equatable {
        var encoding: UInt8
        var sequence = SequenceEncoder.Plan(form: 0)
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
        get { sequence.predicts }
        set { sequence.predicts = newValue }
    }

    var frame = ColumnFrame()
    var sequence = SequenceEncoder()
    var nested = SequenceEncoder()
    var dictionary = DictionaryBuilder()
    private var memory = Memory<Plan>()

    /// The compact state that is carried from column to column.
    struct State: Sendable {
        fileprivate var memory = Memory<Plan>()
        fileprivate var luck = ColumnFrame.Luck()
    }

    var state: State {
        get { State(memory: memory, luck: frame.luck) }
        set { (memory, frame.luck) = (newValue.memory, newValue.luck) }
    }

    package init() {}

    /// Resets the state: the next column is encoded as by a new encoder, without new allocations.
    package mutating func forget() {
        state = State()
    }

    /// Encodes `v[r]`, at most 6,144 values, and appends the column to `w`.
    package mutating func encode(_ v: [Int64], _ r: Range<Int>, into w: inout ByteWriter) -> ColumnChoice {
        precondition(r.count <= Encoding.maximumCount, "too many values for a column")
        let n = r.count
        sequence.reserve(n)
        ColumnKernels.load(v, r, into: &sequence.values)
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
        case Encoding.runLength:
            details.entries = stageRuns(n)
        case Encoding.dictionary:
            guard let entries = stageDictionary(n, wholeBytes: plan.wholeBytes) else { return nil }
            details.entries = entries
            details.wholeBytes = plan.wholeBytes
        case Encoding.clock:
            guard let form = stageTicks(n) else { return nil }
            details.form = form.form
            details.unit = form.unit
        default:
            guard sequence.write(plan.sequence, n, into: &frame.stage) else { return nil }
            details.unit = plan.sequence.unit
            details.wholeBytes = plan.sequence.wholeBytes
        }
        return details
    }

    /// Stages the second of the first value, then the ticks of 2^-23 s since that second as a sequence.
    private mutating func stageTicks(_ n: Int) -> SequenceEncoder.Plan? {
        nested.reserve(n)
        let first = n > 0 ? sequence.values[0] : 0
        let second = first / 1_000_000_000 - (first % 1_000_000_000 < 0 ? 1 : 0)
        guard ColumnKernels.toTicks(sequence.values, n, second: second, into: &nested.values) else { return nil }
        frame.stage.put(zigzag: second)
        return nested.writeBest(n, into: &frame.stage)
    }

    /// Stages the number of runs, the values as a sequence and the lengths as a sequence.
    private mutating func stageRuns(_ n: Int) -> Int {
        let lengths = Runs.lengths(n) { sequence.values[$0] == sequence.values[$0 - 1] }
        nested.reserve(lengths.count)
        frame.stage.put(varint: UInt64(lengths.count))
        var start = 0
        for (index, length) in lengths.enumerated() {
            nested.values[index] = sequence.values[start]
            start += length
        }
        nested.writeBest(lengths.count, into: &frame.stage)
        for (index, length) in lengths.enumerated() { nested.values[index] = Int64(length) }
        nested.writeBest(lengths.count, into: &frame.stage)
        return lengths.count
    }

    /// Stages the number of entries, the ascending entries as a sequence, the width of a code, and the codes.
    private mutating func stageDictionary(_ n: Int, wholeBytes: Bool) -> Int? {
        let entries = dictionary.build(sequence.values, n)
        guard entries > 0 else { return nil }
        nested.reserve(entries)
        ColumnKernels.load(dictionary.table, 0..<entries, into: &nested.values)
        frame.stage.put(varint: UInt64(entries))
        nested.writeBest(entries, into: &frame.stage)
        let width = wholeBytes ? 8 : dictionary.width(entries)
        frame.stage.put(UInt8(width))
        frame.stage.put(codes: dictionary.codes, n, width: width)
        return entries
    }
}

extension SequenceEncoder {
    /// Writes form and body of the cheapest sequence for the first `n` values.
    @discardableResult
    mutating func writeBest(_ n: Int, into stage: inout Stage) -> Plan {
        let plan = search(n)[0].plan
        stage.put(plan.form)
        _ = write(plan, n, into: &stage)
        return plan
    }
}

/// Runs of equal values.
enum Runs {
    /// Returns the lengths of the runs of `n` values; `same` compares a value with its predecessor.
    static func lengths(_ n: Int, _ same: (Int) -> Bool) -> [Int] {
        var lengths: [Int] = []
        var start = 0
        for index in 0..<n where index > 0 && !same(index) {
            lengths.append(index - start)
            start = index
        }
        if n > 0 { lengths.append(n - start) }
        return lengths
    }
}
