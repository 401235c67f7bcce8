// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import Synchronization

extension Snapshot {
    /// Returns quantiles of the values of a series in a range of time. Each sample counts once, where it starts.
    ///
    /// All blocks of the range are decoded, by several threads if there are many. The result is exact for up to
    /// `QuantileSketch.defaultCapacity` different values; otherwise see `QuantileSketch.relativeError`.
    /// - Parameter probabilities: from 0 (minimum) to 1 (maximum); see `QuantileSketch.quantile(_:)`.
    /// - Throws: `unknownSeries`, `invalidArgument` (a probability is not in 0 ... 1), `corrupt`, `inputOutput`.
    /// - Complexity: O(log n + samples of the range).
    public func quantiles(
        of id: SeriesID, over range: TimeRange = .all, at probabilities: [Double],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> Quantiles {
        try quantiles(of: [id], over: range, at: probabilities, explain: explanation)
    }

    /// Returns quantiles of the values of several series, combined as if they were one. See
    /// `quantiles(of:over:at:explain:)`.
    public func quantiles(
        of ids: [SeriesID], over range: TimeRange = .all, at probabilities: [Double],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> Quantiles {
        try Self.check(probabilities)
        let found = try sketch(of: ids, over: range, explain: explanation)
        return Quantiles(found, range.start, range.end, probabilities)
    }

    /// Returns quantiles of the values of a series in adjoining buckets, including empty ones.
    ///
    /// - Parameters:
    ///   - buckets: as in `buckets(of:_:over:computing:explain:)`.
    ///   - range: as in `buckets(of:_:over:computing:explain:)`.
    ///   - probabilities: from 0 (minimum) to 1 (maximum).
    /// - Throws: `unknownSeries`, `invalidArgument`, `corrupt`, `inputOutput`.
    /// - Complexity: O(buckets + samples of the range).
    public func quantiles(
        of id: SeriesID, _ buckets: Buckets, over range: TimeRange = .all, at probabilities: [Double],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Quantiles] {
        try quantiles(of: [id], buckets, over: range, at: probabilities, explain: explanation)
    }

    /// Returns quantiles of the values of several series in adjoining buckets, combined as if they were one. See
    /// `quantiles(of:_:over:at:explain:)`.
    public func quantiles(
        of ids: [SeriesID], _ buckets: Buckets, over range: TimeRange = .all, at probabilities: [Double],
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Quantiles] {
        try Self.check(probabilities)
        return try sketches(of: ids, buckets, over: range, explain: explanation) { start, end, sketch in
            Quantiles(sketch, start, end, probabilities)
        }
    }

    /// Returns a sketch of the values of some series in a range of time. The sketch does not depend on the order of
    /// blocks or the number of threads. See `quantiles(of:over:at:explain:)`.
    public func sketch(
        of ids: [SeriesID], over range: TimeRange = .all, capacity: Int = QuantileSketch.defaultCapacity,
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> QuantileSketch {
        let blocks = try blocks(of: ids, startingIn: range, explanation)
        // Pieces of 64 blocks: enough work to be worth a thread switch.
        let length = version.threads > 1 ? 64 : Swift.max(1, blocks.count)
        let all = Mutex((sketch: QuantileSketch(capacity: capacity), explanation: QueryExplanation()))
        try Parallel.forEach((blocks.count + length - 1) / length, threads: version.threads) {
            piece throws(StoreError) in
            let own = QueryExplanation()
            let scratch = QueryScratch(own)
            var sketch = QuantileSketch(capacity: capacity)
            for found in blocks[piece * length..<Swift.min((piece + 1) * length, blocks.count)] {
                try found.load([.starts, .values], scratch)
                let block = scratch.block
                let low = Kernel.lowerBound(block.starts, 0..<block.count, range.start)
                sketch.insert(block.values, low..<Kernel.lowerBound(block.starts, low..<block.count, range.end))
            }
            all.withLock {
                $0.sketch.merge(sketch)
                $0.explanation.add(own.counts)
            }
        }
        let (sketch, counts) = all.withLock { ($0.sketch, $0.explanation.counts) }
        explanation?.add(counts)
        return sketch
    }

    /// Calls `body` with the sketch of each bucket and returns the results in order. The work is divided among threads.
    package func sketches<Answer: Sendable>(
        of ids: [SeriesID], _ buckets: Buckets, over range: TimeRange, capacity: Int = QuantileSketch.defaultCapacity,
        explain explanation: QueryExplanation?,
        _ body: @Sendable (_ start: Int64, _ end: Int64, _ sketch: QuantileSketch) -> Answer
    ) throws(StoreError) -> [Answer] {
        for id in ids { try known(id) }
        let edges = try edges(buckets, range, ids)
        let count = edges.count - 1
        if count < 1 { return [] }
        // Few sketches at a time save memory; many pieces keep all threads busy; long pieces cut few blocks.
        let length = Swift.min(256, (count + 4 * version.threads - 1) / (4 * version.threads))
        let pieces = (count + length - 1) / length
        return try Parallel.map(pieces, threads: version.threads, explain: explanation) {
            piece, own throws(StoreError) in
            let some = Array(edges[piece * length...Swift.min((piece + 1) * length, count)])
            var sketches = [QuantileSketch](repeating: QuantileSketch(capacity: capacity), count: some.count - 1)
            try forEachStretch(of: ids, edges: some, .values, QueryScratch(own)) { block, rows, bucket in
                sketches[bucket].insert(block.values, rows)
            }
            return sketches.indices.map { body(some[$0], some[$0 + 1], sketches[$0]) }
        }.flatMap { $0 }
    }

    private static func check(_ probabilities: [Double]) throws(StoreError) {
        for one in probabilities where !(one >= 0 && one <= 1) {
            throw StoreError(.invalidArgument, "\(one) is not a probability; it must be 0 to 1")
        }
    }
}

extension Quantiles {
    init(_ sketch: QuantileSketch, _ start: Int64, _ end: Int64, _ probabilities: [Double]) {
        self.start = start
        self.end = end
        count = sketch.count
        values = sketch.quantiles(probabilities) ?? []
        relativeError = sketch.relativeError
    }
}

/// Quantiles of the samples that start in a range of time.
public struct Quantiles: Hashable, Sendable {
    /// The first instant of the range, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the range.
    public var end: Int64
    /// The number of samples that start in the range.
    public var count: Int
    /// One value for each probability, in the order of the query; empty if no sample starts in the range.
    public var values: [Double]
    /// The maximum relative error of the values; 0 if all are exact. See `QuantileSketch.relativeError`.
    public var relativeError: Double
}
