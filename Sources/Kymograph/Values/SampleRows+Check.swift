// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import Synchronization

// Invalid samples are refused before any sample is stored. The error names the position of the first invalid sample.
extension SampleRows {
    /// The number of samples that a thread examines at a time.
    private static let examined = 1 << 16

    /// Creates rows from the caller's points, after a check.
    init(_ starts: Span<Int64>, _ values: Span<Double>) throws(StoreError) {
        _ = try Self.examine(starts, values)
        self.init()
        append(starts, Span(), values, 0..<starts.count)
    }

    /// Creates rows from the caller's columns, after a check.
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

    /// Throws `invalidSample` for the first sample that breaks a rule.
    package func check() throws(StoreError) {
        _ = try Self.examine(starts.span, equallyLong: ends.span, values.span, 1)
    }

    /// Throws `invalidSample` for columns of different lengths, identities with one half, rows with a `born` column,
    /// and samples that break a rule. The store itself sets `born`.
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
            throw StoreError(.invalidSample, "the caller cannot set the commit of a sample; leave the column empty")
        }
        try check()
    }

    /// Examines the caller's points on at most `threads` threads. Throws if the columns differ in length or a sample is
    /// invalid.
    static func examine(
        _ starts: Span<Int64>, _ values: Span<Double>, threads: Int = 1
    ) throws(StoreError) -> SampleFaults {
        guard starts.count == values.count else {
            throw StoreError(
                .invalidSample, "\(starts.count) starts and \(values.count) values; the columns must be equally long")
        }
        return try examine(starts, equallyLong: Span(), values, threads)
    }

    /// Examines the caller's samples on at most `threads` threads. Throws if the columns differ in length or a sample
    /// is invalid.
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
            // Pieces overlap by one sample, so that the order at their boundary is checked.
            let range = piece * examined..<min(count, (piece + 1) * examined + 1)
            let found = Kernel.examine(
                starts: starts.extracting(range), ends: ends.isEmpty ? Span() : ends.extracting(range),
                values: values.extracting(range), times: TimeLimits.earliest...TimeLimits.latest)
            _ = all.bitwiseOr(found.rawValue, ordering: .relaxed)
        }
        let faults = SampleFaults(rawValue: all.load(ordering: .relaxed))
        if !faults.isDisjoint(with: .invalid) { throw refusal(starts, ends, values) }
        return faults
    }

    /// Returns the error for an invalid sample.
    static func refusal(of sample: Sample) -> StoreError {
        refusal([sample.start].span, [sample.end].span, [sample.value].span)
    }

    /// Returns the error that names the first invalid sample.
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
        return StoreError(.invalidSample, "the samples changed during the check; pass columns that do not change")
    }
}
