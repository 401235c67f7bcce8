// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import Synchronization

// What no store may hold is refused before anything is taken, by the place of the first sample that breaks a rule.
extension SampleRows {
    /// Samples that one thread looks at in one go.
    private static let examined = 1 << 16

    /// Checked points of the caller.
    init(_ starts: Span<Int64>, _ values: Span<Double>) throws(StoreError) {
        _ = try Self.examine(starts, values)
        self.init()
        append(starts, Span(), values, 0..<starts.count)
    }

    /// Checked columns of the caller.
    init(_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>) throws(StoreError) {
        let faults = try Self.examine(starts, ends, values)
        self.init()
        append(starts, faults.contains(.lasting) ? ends : Span(), values, 0..<starts.count)
    }

    init(_ samples: [Sample]) throws(StoreError) {
        self.init()
        starts = samples.map(\.start)
        values = samples.map(\.value)
        if samples.contains(where: { $0.end != $0.start }) { ends = samples.map(\.end) }
        try check()
    }

    /// Refuses what no store may hold, naming the first sample that breaks a rule.
    package func check() throws(StoreError) {
        _ = try Self.examine(starts.span, equallyLong: ends.span, values.span, 1)
    }

    /// Refuses columns of different lengths, identities that are half there, births, which are the store's to give, and
    /// what no store may hold.
    package func checkColumns() throws(StoreError) {
        let sides = [created, provenance, metadata, identityHigh, identityLow]
        let areLong = sides.allSatisfy { side in
            if case .values(let all) = side { return all.count == count }
            return true
        }
        guard values.count == count, ends.isEmpty || ends.count == count, areLong else {
            throw StoreError(.invalidSample, "the columns of \(count) samples must be equally long")
        }
        guard identityHigh.isAbsent == identityLow.isAbsent else {
            throw StoreError(.invalidSample, "identities need both of their halves")
        }
        guard born.isAbsent else {
            throw StoreError(.invalidSample, "the commit that brings a sample cannot be chosen; leave it out")
        }
        try check()
    }

    /// Looks at points of the caller, whose columns must be equally long, on at most `threads` threads.
    static func examine(
        _ starts: Span<Int64>, _ values: Span<Double>, threads: Int = 1
    ) throws(StoreError) -> SampleFaults {
        guard starts.count == values.count else {
            throw StoreError(
                .invalidSample, "\(starts.count) starts and \(values.count) values; the columns must be equally long")
        }
        return try examine(starts, equallyLong: Span(), values, threads)
    }

    /// Looks at samples of the caller, whose columns must be equally long, on at most `threads` threads.
    static func examine(
        _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>, threads: Int = 1
    ) throws(StoreError) -> SampleFaults {
        guard starts.count == values.count, starts.count == ends.count else {
            throw StoreError(
                .invalidSample,
                "\(starts.count) starts, \(ends.count) ends, \(values.count) values: the columns must be equally long"
            )
        }
        return try examine(starts, equallyLong: ends, values, threads)
    }

    private static func examine(
        _ starts: Span<Int64>, equallyLong ends: Span<Int64>, _ values: Span<Double>, _ threads: Int
    ) throws(StoreError) -> SampleFaults {
        let count = starts.count
        let pieces = (count + examined - 1) / examined
        let all = Atomic<UInt32>(0)
        try Parallel.forEach(pieces, threads: threads) { piece throws(StoreError) in
            // One sample more, so that the order is known where two pieces meet.
            let range = piece * examined..<min(count, (piece + 1) * examined + 1)
            let found = Kernel.examine(
                starts: starts.extracting(range), ends: ends.isEmpty ? Span() : ends.extracting(range),
                values: values.extracting(range), times: TimeLimits.earliest...TimeLimits.latest)
            _ = all.bitwiseOr(found.rawValue, ordering: .relaxed)
        }
        let faults = SampleFaults(rawValue: all.load(ordering: .relaxed))
        if !faults.isDisjoint(with: [.notFinite, .outside, .backwards]) { throw refusal(starts, ends, values) }
        return faults
    }

    /// What is wrong with a sample that breaks a rule.
    static func refusal(of sample: Sample) -> StoreError {
        refusal([sample.start].span, [sample.end].span, [sample.value].span)
    }

    /// The error that names the first sample that breaks a rule.
    private static func refusal(_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>) -> StoreError {
        for i in values.indices where !values[i].isFinite {
            return StoreError(
                .invalidSample, "sample \(i) has the value \(values[i]); only finite values can be stored")
        }
        for i in starts.indices {
            let end = ends.isEmpty ? starts[i] : ends[i]
            if starts[i] < TimeLimits.earliest || end > TimeLimits.latest {
                return StoreError(.invalidSample, "sample \(i) lies outside the years 1678 to 2261")
            }
            if end < starts[i] { return StoreError(.invalidSample, "sample \(i) ends before it starts") }
        }
        return StoreError(.invalidSample, "the samples changed while they were read; hand over columns that do not")
    }
}
