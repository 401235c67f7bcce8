// SPDX-License-Identifier: Apache-2.0

import Kernels

extension Snapshot {
    /// Returns the outline of a series for a plot: `points` slices of time, equal to a nanosecond, each with the first,
    /// the last, the least and the greatest sample.
    ///
    /// Summaries answer for blocks inside one slice. The query decodes the blocks that an edge cuts, and the blocks
    /// with a slice's extremes: for each run, at most two blocks a slice. If the times of the extremes are not needed,
    /// `buckets` decodes less.
    /// - Parameters:
    ///   - points: the number of slices, 1 to `maximumBuckets`; fewer if the range has fewer nanoseconds.
    ///   - range: a sample belongs to the slice in which it starts, for every kind of series. Without bounds, the range
    ///     goes from the first sample's start to the last sample's start.
    /// - Throws: `unknownSeries`, `invalidArgument`, `corrupt`, `inputOutput`.
    /// - Complexity: O(slices + index entries + blocks decoded) for each run.
    public func envelope(
        of id: SeriesID, points: Int, over range: TimeRange = .all, explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [EnvelopeSlice] {
        try envelope(of: [id], points: points, over: range, explain: explanation)
    }

    /// Returns the outline of several series, combined as if they were one. See `envelope(of:points:over:explain:)`.
    public func envelope(
        of ids: [SeriesID], points: Int, over range: TimeRange = .all, explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [EnvelopeSlice] {
        for id in ids { try known(id) }
        guard (1...Self.maximumBuckets).contains(points) else {
            throw StoreError(.invalidArgument, "an envelope has 1 to \(Self.maximumBuckets) slices, not \(points)")
        }
        guard let bounds = try startBounds(of: ids, range) else { return [] }
        return try envelope(ids, Self.slices(bounds, points), explanation)
    }

    /// Returns the outline of a series in the buckets of a calendar, of a fixed width, or of explicit edges. See
    /// `envelope(of:points:over:explain:)` and `buckets(of:_:over:computing:explain:)`.
    public func envelope(
        of id: SeriesID, _ buckets: Buckets, over range: TimeRange = .all,
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [EnvelopeSlice] {
        try known(id)
        return try envelope([id], try edges(buckets, range, [id]), explanation)
    }

    /// Returns the range, with open bounds replaced by the first and the last start of the samples; nil if this range
    /// is empty.
    package func startBounds(of ids: [SeriesID], _ range: TimeRange) throws(StoreError) -> TimeRange? {
        var bounds = range
        if range.start == Int64.min || range.end == Int64.max {
            var found: (first: Int64, last: Int64)?
            for id in ids {
                let tombstones = version.tombstones(of: id)
                for run in runs(id) {
                    let left = try tombstones?.summary(of: run) ?? run.summary
                    if left.count == 0 { continue }
                    found = (
                        Swift.min(found?.first ?? .max, left.firstStart), Swift.max(found?.last ?? .min, left.lastStart)
                    )
                }
            }
            guard let found else { return nil }
            if range.start == Int64.min { bounds.start = found.first }
            if range.end == Int64.max { bounds.end = found.last &+ 1 }
        }
        return bounds.isEmpty ? nil : bounds
    }

    /// Returns the edges of slices that are equal to a nanosecond.
    private static func slices(_ range: TimeRange, _ points: Int) -> [Int64] {
        let length = Int128(range.end) - Int128(range.start)
        let count = Swift.min(Int128(points), length)
        return (0...Int(count)).map { Int64(truncatingIfNeeded: Int128(range.start) + length * Int128($0) / count) }
    }

    /// Computes the slices by several threads; no slice depends on its neighbours.
    func envelope(
        _ ids: [SeriesID], _ edges: [Int64], _ explanation: QueryExplanation?
    ) throws(StoreError) -> [EnvelopeSlice] {
        let count = edges.count - 1
        if count < 1 { return [] }
        let length = count < 64 ? count : (count + 4 * version.threads - 1) / (4 * version.threads)
        let pieces = (count + length - 1) / length
        return try Parallel.map(pieces, threads: version.threads, explain: explanation) {
            piece, own throws(StoreError) in
            let scratch = QueryScratch(own)
            var sweep = EnvelopeSweep(edges: Array(edges[piece * length...Swift.min((piece + 1) * length, count)]))
            for id in ids {
                let tombstones = version.tombstones(of: id)
                for run in runs(id) { try sweep.take(run, scratch, tombstones) }
            }
            return try sweep.finish(scratch)
        }.flatMap { $0 }
    }
}
