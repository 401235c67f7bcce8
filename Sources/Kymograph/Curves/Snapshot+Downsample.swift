// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// How a series is reduced to few points.
public enum Downsampling: Sendable, CaseIterable {
    /// Largest triangle, three buckets: all samples are looked at.
    case largestTriangle
    /// The same among the extremes of two slices of time for each point; many samples are not looked at.
    case extremesFirst
}

extension Snapshot {
    /// A few samples of a series whose line looks like that of all: the first, the last and, between them, those that
    /// make the largest triangles (LTTB; `Docs/Downsampling.md`).
    ///
    /// Every block of the range is decoded twice, or, by `.extremesFirst`, those that may hold an extreme. Memory is
    /// that of the answer.
    /// - Parameters:
    ///   - points: how many samples, 3 to `maximumBuckets`; all where there are no more.
    ///   - range: the samples that start in it, each as a point at its start.
    /// - Throws: `unknownSeries`, `invalidArgument`, `corrupt`, `inputOutput`.
    /// - Complexity: O(log n + samples of the range).
    public func downsample(
        _ id: SeriesID, to points: Int, over range: TimeRange = .all, by method: Downsampling = .largestTriangle,
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Sample] {
        try downsample([id], to: points, over: range, by: method, explain: explanation)
    }

    /// A few samples of several series in one order. See `downsample(_:to:over:by:explain:)`.
    public func downsample(
        _ ids: [SeriesID], to points: Int, over range: TimeRange = .all, by method: Downsampling = .largestTriangle,
        explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Sample] {
        guard (3...Self.maximumBuckets).contains(points) else {
            throw StoreError(.invalidArgument, "downsampling gives 3 to \(Self.maximumBuckets) points, not \(points)")
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

    /// The largest triangles of all samples of a range.
    private func largestTriangles(
        _ ids: [SeriesID], _ points: Int, _ range: TimeRange, _ explanation: QueryExplanation?
    ) throws(StoreError) -> [Sample] {
        let count = try aggregate(of: ids, over: range, explain: explanation).count
        if count <= points {
            var all = [Sample]()
            try merge(ids, range, [.starts, .ends, .values], backward: false, explanation) { batch throws(StoreError) in
                for i in 0..<batch.count { all.append(batch[i]) }
                return true
            }
            return all
        }
        var selection = TriangleSelection(count: count, points: points)
        try merge(ids, range, [.starts, .values], backward: false, explanation) { batch throws(StoreError) in
            selection.measure(batch.block.starts, batch.block.values, batch.rows)
            return true
        }
        selection.rewind()
        try merge(ids, range, [.starts, .ends, .values], backward: false, explanation) { batch throws(StoreError) in
            let block = batch.block
            selection.choose(block.starts, block.hasEnds ? block.ends : nil, block.values, batch.rows)
            return true
        }
        guard selection.chosen.count == points else {
            throw StoreError(.corrupt, "the index has \(count) samples where the blocks have others; verify the store")
        }
        return selection.chosen
    }
}

extension [Sample] {
    /// As many of these, which are in order, as make the largest triangles; all where there are no more. `points` is at
    /// least 3.
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
