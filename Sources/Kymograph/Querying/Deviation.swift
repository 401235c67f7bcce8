// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// The squared distances of values from their mean, for variance and standard deviation (`Docs/Internals/Accuracy.md`).
struct Deviation: Sendable {
    /// The number of values, at least 1.
    private let count: Double
    /// The sum of the squared distances from the mean, times the square of `scale`.
    private let squares: Double
    /// A power of two that keeps `squares` within the range of `Double`.
    private let scale: Double

    /// The mean of the squared distances from the mean; infinity if it exceeds the range of `Double`.
    var variance: Double { squares / count / scale / scale }
    /// The square root of the variance, finite even if the variance is not.
    var deviation: Double { (squares / count).squareRoot() / scale }

    /// Computes the deviation from sums alone. Returns nil if the result would have less than about 50 bits: the mean
    /// is more than about 65,000 times the deviation, or the squares exceed the exact range of `Double`.
    init?(_ s: borrowing Summary) {
        count = Double(s.count)
        scale = 1
        if s.min == s.max {
            squares = 0
            return
        }
        let whole = s.sumOfSquares.hi * count
        guard whole < 0x1p960, s.sumOfSquares.hi > count * 0x1p-900 else { return nil }
        // n * sum(v^2) - sum(v)^2, all in double-double.
        var numerator = DoubleDouble.product(s.sumOfSquares.hi, count)
        numerator.add(DoubleDouble.product(s.sumOfSquares.lo, count))
        var squared = DoubleDouble.product(s.sum.hi, s.sum.hi)
        let cross = DoubleDouble.product(s.sum.hi, s.sum.lo)
        squared.add(cross)
        squared.add(cross)
        numerator.add(DoubleDouble(hi: -squared.hi, lo: -squared.lo))
        guard numerator.hi >= whole * 0x1p-32 else { return nil }
        squares = numerator.value / count
    }

    /// Computes the deviation from the values, which are added in pieces.
    struct Collector {
        private let count: Double
        private let centre: Double
        private let scale: Double
        private var sum = DoubleDouble.zero
        private var squares = DoubleDouble.zero

        /// Creates a collector for the values of a summary.
        init(_ s: borrowing Summary) {
            count = Double(s.count)
            let mean = s.sum.value / count
            centre = mean.isFinite ? Swift.max(s.min, Swift.min(s.max, mean)) : s.min / 2 + s.max / 2
            let range = s.max - s.min
            let exponent = range.isFinite ? Int(range.exponent) + 1 : 1_024
            scale = Double(sign: .plus, exponent: Swift.max(-1_000, Swift.min(1_000, -exponent)), significand: 1)
        }

        mutating func add(_ values: [Double], _ range: Range<Int>) {
            let part = Kernel.deviations(values, range, from: centre, scale: scale)
            sum.add(part.sum)
            squares.add(part.squares)
        }

        /// The deviation of the added values. `sum` corrects the rounding error of `centre`.
        var deviation: Deviation {
            var rest = squares
            let product = DoubleDouble.product(sum.value, sum.value).divided(by: count)
            rest.add(DoubleDouble(hi: -product.hi, lo: -product.lo))
            return Deviation(count: count, squares: Swift.max(0, rest.value), scale: scale)
        }
    }

    private init(count: Double, squares: Double, scale: Double) {
        self.count = count
        self.squares = squares
        self.scale = scale
    }
}

extension Snapshot {
    /// Decodes the blocks of a range and returns the deviation of its samples. Needed if the sums are too imprecise.
    func deviation(
        of ids: [SeriesID], _ range: TimeRange, _ summary: Summary, _ explanation: QueryExplanation?
    ) throws(StoreError) -> Deviation {
        var collector = Deviation.Collector(summary)
        let edges = [range.start, range.end]
        try forEachStretch(of: ids, edges: edges, .values, QueryScratch(explanation)) { block, rows, _ in
            collector.add(block.values, rows)
        }
        return collector.deviation
    }
}
