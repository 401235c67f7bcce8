// SPDX-License-Identifier: Apache-2.0

import Kernels

/// A literal implementation of `Docs/Internals/Accuracy.md`, one lane at a time. Every kernel level must return the
/// same bits.
enum LaneModel {
    struct Lanes {
        var sums = [Double](repeating: 0, count: 8)
        var rests = [Double](repeating: 0, count: 8)

        mutating func add(_ x: Double, lane: Int) {
            let (sum, error) = LaneModel.twoSum(sums[lane], x)
            sums[lane] = sum
            rests[lane] += error
        }

        mutating func add(_ a: Double, times b: Double, lane: Int) {
            let product = DoubleDouble.product(a, b)
            rests[lane] += product.lo
            add(product.hi, lane: lane)
        }

        var folded: DoubleDouble {
            var (sums, rests) = (sums, rests)
            for width in [4, 2, 1] {
                for lane in 0..<width {
                    let (sum, error) = LaneModel.twoSum(sums[lane], sums[lane + width])
                    sums[lane] = sum
                    rests[lane] = (rests[lane] + rests[lane + width]) + error
                }
            }
            let high = sums[0] + rests[0]
            let low = rests[0] - (high - sums[0])
            guard sums[0].isFinite else { return DoubleDouble(hi: sums[0], lo: 0) }
            guard high.isFinite else { return DoubleDouble(hi: high, lo: 0) }
            return DoubleDouble(hi: high + 0, lo: low + 0)
        }
    }

    static func twoSum(_ a: Double, _ b: Double) -> (Double, Double) {
        let sum = a + b
        let part = sum - a
        return (sum, (a - (sum - part)) + (b - part))
    }

    static func sum(_ values: ArraySlice<Double>) -> DoubleDouble {
        var lanes = Lanes()
        for (index, value) in values.enumerated() { lanes.add(value, lane: index % 8) }
        return lanes.folded
    }

    static func sumOfSquares(_ values: ArraySlice<Double>) -> DoubleDouble {
        var lanes = Lanes()
        for (index, value) in values.enumerated() { lanes.add(value, times: value, lane: index % 8) }
        return lanes.folded
    }

    /// Returns the integral in value times nanoseconds.
    static func integral(_ values: ArraySlice<Double>, _ starts: ArraySlice<Int64>) -> DoubleDouble {
        var lanes = Lanes()
        for (index, (value, start)) in zip(values.dropLast(), starts.dropLast()).enumerated() {
            let next = starts[starts.startIndex + index + 1]
            lanes.add(value, times: Double(UInt64(bitPattern: next &- start)), lane: index % 8)
        }
        return lanes.folded
    }
}
