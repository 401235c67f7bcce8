// SPDX-License-Identifier: Apache-2.0

import Kernels

/// The statistics of adjoining ranges, in order of time. Empty ranges are included, with a count of 0.
public struct BucketTable: RandomAccessCollection, Sendable {
    /// The buckets in pieces of equal length; the last may be shorter.
    private let pieces: [BucketPiece]
    private let pieceCount: Int

    init(_ pieces: [BucketPiece]) {
        self.pieces = pieces
        pieceCount = Swift.max(1, pieces.first?.count ?? 1)
        endIndex = pieces.reduce(0) { $0 + $1.count }
    }

    /// 0, the position of the earliest range.
    public var startIndex: Int { 0 }
    /// The number of ranges.
    public let endIndex: Int
    /// The statistics of the range at a position. O(1).
    public subscript(position: Int) -> Aggregate { pieces[position / pieceCount].aggregate(position % pieceCount) }
}

/// The results of a sweep over some of the buckets. `aggregate` computes the statistics on demand.
struct BucketPiece: Sendable {
    private let sweep: BucketSweep
    /// The integrals of buckets with samples of several runs.
    private let integrals: [Int: DoubleDouble]
    /// The deviations of buckets whose sums are too imprecise to compute them from.
    private let deviations: [Int: Deviation]

    init(_ sweep: BucketSweep, integrals: [Int: DoubleDouble], deviations: [Int: Deviation]) {
        self.sweep = sweep
        self.integrals = integrals
        self.deviations = deviations
    }

    /// The number of buckets.
    var count: Int { sweep.rows.count }

    /// Returns some of the buckets.
    /// - Requires: the piece has no integrals and no deviations.
    func part(_ range: Range<Int>) -> BucketPiece {
        range == 0..<count ? self : BucketPiece(sweep.part(range), integrals: [:], deviations: [:])
    }

    /// The approximate size in memory, in bytes.
    var bytes: Int { sweep.bytes + 64 * (integrals.count + deviations.count) }

    func aggregate(_ i: Int) -> Aggregate {
        let row = sweep.rows[i]
        var a = Aggregate(start: sweep.edges[i], end: sweep.edges[i + 1], count: Int(row.count))
        let share = sweep.shares.isEmpty ? nil : sweep.shares[i]
        if row.count > 0 || share?.isReached == true {
            var sum = row.count > 0 ? row.sum : .zero
            if let share { sum.add(share.sum) }
            a.sum = sum.value
            if sweep.options.contains(.duration) {
                a.duration = Double((row.count > 0 ? sweep.extras[i].summary.durationSum : 0) + (share?.duration ?? 0))
            }
        }
        guard row.count > 0 else { return a }
        a.min = row.min
        a.max = row.max
        let average = (row.sum.value / Double(row.count)).within(row.min, row.max)
        a.average = average
        a.first = Sample(start: row.firstStart, end: row.firstEnd, value: row.firstValue)
        a.last = Sample(start: row.lastStart, end: row.lastEnd, value: row.lastValue)
        if sweep.options.contains(.latestEnd) { a.latestEnd = sweep.extras[i].summary.maxEnd }
        if sweep.options.contains(.standardDeviation),
            let deviation = deviations[i] ?? Deviation(sweep.extras[i].summary)
        {
            a.standardDeviation = deviation.deviation
            a.variance = deviation.variance
        }
        if sweep.options.contains(.timeWeightedAverage) {
            let span = Double(UInt64(bitPattern: row.lastStart &- row.firstStart)) / 1e9
            let integral = integrals[i] ?? sweep.extras[i].summary.integral
            a.timeWeightedAverage = span > 0 ? (integral.value / span).within(row.min, row.max) : average
        }
        return a
    }
}

extension Double {
    /// Returns the average, clamped to the range of the values; rounding may have moved it outside.
    fileprivate func within(_ least: Double, _ greatest: Double) -> Double {
        isNaN ? self : Swift.min(Swift.max(self, least), greatest)
    }
}
