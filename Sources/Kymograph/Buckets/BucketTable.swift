// SPDX-License-Identifier: Apache-2.0

import Kernels

/// The statistics of a row of adjoining ranges, in order. Empty ranges are there, with a count of 0.
public struct BucketTable: RandomAccessCollection, Sendable {
    /// The buckets, in stretches of equal length but for the last.
    private let pieces: [BucketPiece]
    private let pieceCount: Int

    init(_ pieces: [BucketPiece]) {
        self.pieces = pieces
        pieceCount = Swift.max(1, pieces.first?.count ?? 1)
        endIndex = pieces.reduce(0) { $0 + $1.count }
    }

    /// 0, the place of the earliest range.
    public var startIndex: Int { 0 }
    /// The number of ranges.
    public let endIndex: Int
    /// The statistics of the range at a place. O(1).
    public subscript(position: Int) -> Aggregate { pieces[position / pieceCount].aggregate(position % pieceCount) }
}

/// What a sweep found for a stretch of buckets; turned into statistics when they are asked for.
struct BucketPiece: Sendable {
    private let sweep: BucketSweep
    /// The integrals of buckets that several runs add to.
    private let integrals: [Int: DoubleDouble]
    /// The spreads of buckets whose sums do not tell them.
    private let deviations: [Int: Deviation]

    init(_ sweep: BucketSweep, integrals: [Int: DoubleDouble], deviations: [Int: Deviation]) {
        self.sweep = sweep
        self.integrals = integrals
        self.deviations = deviations
    }

    /// Number of buckets.
    var count: Int { sweep.rows.count }

    /// Some of the buckets. Only for pieces without integrals and spreads.
    func part(_ range: Range<Int>) -> BucketPiece {
        range == 0..<count ? self : BucketPiece(sweep.part(range), integrals: [:], deviations: [:])
    }

    /// Bytes in memory, about.
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
        if sweep.options.contains(.standardDeviation), let deviation = deviations[i] ?? Deviation(sweep.extras[i].summary) {
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
    /// An average, which lies between the least and the greatest value; rounding may have put it beside them.
    fileprivate func within(_ least: Double, _ greatest: Double) -> Double {
        isNaN ? self : Swift.min(Swift.max(self, least), greatest)
    }
}
