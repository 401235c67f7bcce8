// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Encodes columns of integers, one after the other; each may use what was learnt from those before.
///
/// The bytes depend on the values and on the calls before, on nothing else.
package struct IntegerColumnEncoder: Sendable {
    /// How to write a column.
    struct Plan: Sendable, Equatable {
        var encoding: UInt8
        var sequence = SequenceEncoder.Plan(form: 0)
        /// Dictionary codes of eight bits, for LZ4's sake.
        var wholeBytes = false
    }

    /// Uses only this encoding where it can hold the values; for tests.
    package var forced: UInt8?
    /// When to try LZ4.
    package var lz4: LZ4Mode {
        get { frame.mode }
        set { frame.mode = newValue }
    }

    var frame = ColumnFrame()
    var sequence = SequenceEncoder()
    var nested = SequenceEncoder()
    var dictionary = DictionaryBuilder()
    private var memory = Memory<Plan>()

    /// All that is remembered of the columns before, in a few bytes.
    struct State: Sendable {
        fileprivate var memory = Memory<Plan>()
        fileprivate var luck = ColumnFrame.Luck()
    }

    var state: State {
        get { State(memory: memory, luck: frame.luck) }
        set { (memory, frame.luck) = (newValue.memory, newValue.luck) }
    }

    package init() {}

    /// Forgets the columns before: the next one is encoded as by a new encoder, which would have to allocate again.
    package mutating func forget() {
        state = State()
    }

    /// Encodes `v[r]`, at most 1,536 values, and appends the column to `w`.
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

    /// Puts the payload of the loaded values into the stage; nil when the plan does not fit them.
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

    /// The second of the first value, then the ticks of 2^-23 s from it on as a sequence.
    private mutating func stageTicks(_ n: Int) -> SequenceEncoder.Plan? {
        nested.reserve(n)
        let first = n > 0 ? sequence.values[0] : 0
        let second = first / 1_000_000_000 - (first % 1_000_000_000 < 0 ? 1 : 0)
        guard ColumnKernels.toTicks(sequence.values, n, second: second, into: &nested.values) else { return nil }
        frame.stage.put(zigzag: second)
        return nested.writeBest(n, into: &frame.stage)
    }

    /// The number of runs, the values as a sequence, the lengths as a sequence.
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

    /// The number of entries, the entries in ascending order as a sequence, the width of a code, the codes.
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
    /// Writes the form and the body of the cheapest form of the first `n` values.
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
    /// Lengths of the runs of `n` values, where `same` compares a value with its predecessor.
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
