// SPDX-License-Identifier: Apache-2.0

import Kernels

/// Largest triangle, three buckets (Sveinn Steinarsson, 2013). The algorithm divides the samples into `points - 2`
/// buckets of equal counts. From each bucket it chooses the sample that makes the largest triangle with the point
/// chosen before and the mean of the next bucket.
///
/// The caller passes all samples twice, in order and in pieces of any size: to `measure` for the means, after `rewind`
/// to `choose` for the choice. Memory is proportional to `points`. `Docs/Internals/Accuracy.md` is the definition.
struct TriangleSelection {
    /// The number of all samples.
    private let count: Int
    /// The number of buckets between the first sample and the last.
    private let buckets: Int

    /// Sums over a bucket: the values, and the times relative to `since`.
    private struct Mean {
        var since: Int64 = 0
        var times: Int128 = 0
        var values = DoubleDouble.zero
    }
    private var means: [Mean]

    /// The current sample and its bucket: 0 is the first sample alone, `buckets + 1` the last.
    private var place = 0
    private var bucket = 0
    private var upper = 1
    /// The best sample of the current bucket.
    private var best: (area: Double, sample: Sample)?
    private(set) var chosen = [Sample]()

    /// Creates a selection of `points` from `count` samples.
    /// - Requires: `points` is at least 3 and less than `count`.
    init(count: Int, points: Int) {
        self.count = count
        buckets = points - 2
        means = [Mean](repeating: Mean(), count: points)
        chosen.reserveCapacity(points)
    }

    /// Returns the first sample after a bucket. Samples 1 ..< count - 1 are divided as evenly as possible.
    private func end(of bucket: Int) -> Int {
        if bucket == 0 { return 1 }
        if bucket > buckets { return count }
        return 1 + Int(Int128(bucket) * Int128(count - 2) / Int128(buckets))
    }

    /// Adds samples to the means (first pass). O(samples).
    mutating func measure(_ starts: [Int64], _ values: [Double], _ rows: Range<Int>) {
        each(rows) { selection, rows, isFirst in
            let bucket = selection.bucket
            if isFirst { selection.means[bucket].since = starts[rows.lowerBound] }
            selection.means[bucket].times += Kernel.sum(ofTimes: starts, rows, since: selection.means[bucket].since)
            selection.means[bucket].values.add(Kernel.sums(values, rows).sum)
        }
    }

    /// Starts the second pass.
    mutating func rewind() {
        place = 0
        bucket = 0
        upper = 1
    }

    /// Chooses among the same samples (second pass). O(samples).
    mutating func choose(_ starts: [Int64], _ ends: [Int64]?, _ values: [Double], _ rows: Range<Int>) {
        func sample(_ row: Int) -> Sample {
            Sample(start: starts[row], end: ends?[row] ?? starts[row], value: values[row])
        }
        each(rows) { selection, rows, isFirst in
            // The first sample, unless a triangle is larger.
            if isFirst { selection.best = (-1, sample(rows.lowerBound)) }
            if selection.bucket > 0, selection.bucket <= selection.buckets, let before = selection.chosen.last {
                let found = Kernel.largestTriangle(starts, values, rows, with: selection.side(from: before))
                if let found, found.area > selection.best?.area ?? -1 {
                    selection.best = (found.area, sample(found.place))
                }
            }
            if selection.place + rows.count == selection.upper, let best = selection.best {
                selection.chosen.append(best.sample)
            }
        }
    }

    /// Returns the side from a point to the mean of the bucket after the current one.
    private func side(from before: Sample) -> TriangleSide {
        let next = means[bucket + 1]
        let samples = Double(end(of: bucket + 1) - end(of: bucket))
        let since = Int128(next.since) - Int128(before.start)
        return TriangleSide(
            start: before.start, value: before.value, width: Double(since) + Double(next.times) / samples,
            height: next.values.value / samples - before.value)
    }

    /// Divides rows among the buckets.
    private mutating func each(
        _ rows: Range<Int>, _ body: (inout TriangleSelection, _ rows: Range<Int>, _ isFirst: Bool) -> Void
    ) {
        var row = rows.lowerBound
        while row < rows.upperBound, place < count {
            let next = Swift.min(rows.upperBound, row + upper - place)
            body(&self, row..<next, place == (bucket == 0 ? 0 : end(of: bucket - 1)))
            place += next - row
            row = next
            if place == upper {
                bucket += 1
                upper = end(of: bucket)
            }
        }
    }
}
