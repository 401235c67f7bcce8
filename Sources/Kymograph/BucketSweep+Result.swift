// SPDX-License-Identifier: Apache-2.0

import Kernels

extension BucketSweep {
    /// The buckets whose time-weighted average cannot be told from summaries, because several runs add to them.
    var mixedBuckets: [Int] {
        options.contains(.timeWeightedAverage) ? states.indices.filter { states[$0].isMixed } : []
    }

    /// The finished statistics; `integrals` are the integrals of the mixed buckets, found by a merging scan.
    func aggregates(integrals: [Int: DoubleDouble]) -> [Aggregate] {
        var result = [Aggregate]()
        result.reserveCapacity(states.count)
        for i in states.indices { result.append(aggregate(i, integrals[i])) }
        return result
    }

    private func aggregate(_ i: Int, _ integral: DoubleDouble?) -> Aggregate {
        let state = states[i]
        let s = state.summary
        var a = Aggregate(start: edges[i], end: edges[i + 1], count: Int(s.count))
        if s.count > 0 || state.isReached {
            var sum = s.count > 0 ? s.sum : .zero
            sum.add(state.shared)
            a.sum = sum.value
            if options.contains(.duration) {
                a.duration = Double((s.count > 0 ? s.durationSum : 0) + state.sharedDuration)
            }
        }
        guard s.count > 0 else { return a }
        a.min = s.min
        a.max = s.max
        let n = Double(s.count)
        a.average = s.sum.value / n
        a.first = Sample(start: s.firstStart, end: s.firstEnd, value: s.firstValue)
        a.last = Sample(start: s.lastStart, end: s.lastEnd, value: s.lastValue)
        if options.contains(.standardDeviation) { a.standardDeviation = deviation(s) }
        if options.contains(.timeWeightedAverage) {
            let span = Double(UInt64(bitPattern: s.lastStart &- s.firstStart)) / 1e9
            a.timeWeightedAverage = span > 0 ? (integral ?? s.integral).value / span : a.average
        }
        return a
    }

    /// The population standard deviation, from sums in double-double so that it survives a large mean.
    private func deviation(_ s: Summary) -> Double {
        let n = Double(s.count)
        // n * sum(v^2) - sum(v)^2, all in double-double.
        var numerator = DoubleDouble.product(s.sumOfSquares.hi, n)
        numerator.add(DoubleDouble.product(s.sumOfSquares.lo, n))
        var squared = DoubleDouble.product(s.sum.hi, s.sum.hi)
        let cross = DoubleDouble.product(s.sum.hi, s.sum.lo)
        squared.add(cross)
        squared.add(cross)
        numerator.add(DoubleDouble(hi: -squared.hi, lo: -squared.lo))
        let square = numerator.value
        return square.isFinite ? Swift.max(0, square).squareRoot() / n : .infinity
    }
}
