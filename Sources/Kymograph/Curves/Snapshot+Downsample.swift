// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// An algorithm that reduces a series to few points.
public enum Downsampling: Sendable, CaseIterable {
    /// Largest triangle, three buckets (LTTB) over all samples.
    case largestTriangle
    /// LTTB over the extremes of two slices of time for each point; summaries answer for most samples.
    case extremesFirst
}

extension Snapshot {
    /// Returns a few samples of a series whose line resembles the line of all samples: the first, the last, and the
    /// samples with the largest triangles between them (LTTB; `Docs/Internals/Accuracy.md`).
    ///
    /// `.largestTriangle` decodes every block of the range twice; `.extremesFirst` decodes only blocks that may hold an
    /// extreme. Memory is proportional to the result.
    /// - Parameters:
    ///   - points: the number of samples, 3 to `maximumBuckets`. A shorter range returns all its samples.
    ///   - range: the samples that start in it; each counts as a point at its start.
    /// - Throws: `unknownSeries`, `invalidArgument`, `corrupt`, `inputOutput`.
    /// - Complexity: O(log n + samples of the range).
    public func downsample(
        _ id: SeriesID, to points: Int, over range: TimeRange = .all, by method: Downsampling = .largestTriangle,
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Sample] {
        try downsample([id], to: points, over: range, by: method, explain: explanation)
    }

    /// Returns a few samples of several series in one order. See `downsample(_:to:over:by:explain:)`.
    public func downsample(
        _ ids: [SeriesID], to points: Int, over range: TimeRange = .all, by method: Downsampling = .largestTriangle,
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Sample] {
        guard (3...Self.maximumBuckets).contains(points) else {
            throw StoreError(.invalidArgument, "downsampling returns 3 to \(Self.maximumBuckets) points, not \(points)")
        }
        switch method {
        case .largestTriangle:
            return try largestTriangles(ids, points, range, explanation)
        case .extremesFirst:
            let slices = Swift.min(2 * points, Self.maximumBuckets)
            let outline = try envelope(of: ids, points: slices, over: range, explain: explanation)
            return outline.flatMap(\.points).largestTriangles(points)
        }
    }

    /// Returns the samples with the largest triangles among all samples of a range.
    private func largestTriangles(
        _ ids: [SeriesID], _ points: Int, _ range: TimeRange, _ explanation: QueryExplanation?
    ) throws(StoreError) -> [Sample] {
        let count = try aggregate(of: ids, over: range, explain: explanation).count
        if count <= points {
            var all = [Sample]()
            try merge(ids, RunScan(range, [.starts, .ends, .values], explanation)) { batch throws(StoreError) in
                for i in 0..<batch.count { all.append(batch[i]) }
                return true
            }
            return all
        }
        var selection = TriangleSelection(count: count, points: points)
        try merge(ids, RunScan(range, [.starts, .values], explanation)) { batch throws(StoreError) in
            selection.measure(batch.block.starts, batch.block.values, batch.rows)
            return true
        }
        selection.rewind()
        try merge(ids, RunScan(range, [.starts, .ends, .values], explanation)) { batch throws(StoreError) in
            let block = batch.block
            selection.choose(block.starts, block.hasEnds ? block.ends : nil, block.values, batch.rows)
            return true
        }
        guard selection.chosen.count == points else {
            throw StoreError(.corrupt, "the index has \(count) samples, the blocks more or fewer; verify the store")
        }
        return selection.chosen
    }
}

extension [Sample] {
    /// Returns the samples with the largest triangles, or all samples if there are at most `points`.
    /// - Requires: the samples are in order of time, and `points` is at least 3.
    package func largestTriangles(_ points: Int) -> [Sample] {
        if count <= points { return self }
        var selection = TriangleSelection(count: count, points: points)
        let (starts, ends, values) = (map(\.start), map(\.end), map(\.value))
        selection.measure(starts, values, 0..<count)
        selection.rewind()
        selection.choose(starts, ends, values, 0..<count)
        return selection.chosen
    }
}
