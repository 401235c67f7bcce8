// SPDX-License-Identifier: Apache-2.0

package import Kymograph

/// Plain recomputation over arrays; every measured result is compared with it.
package enum NaiveAnswers {
    /// Returns count, sum, minimum and maximum of the samples that start in each bucket.
    package static func buckets(
        _ series: [BenchSeries], _ edges: [Int64]
    ) -> [(count: Int, sum: Double, min: Double, max: Double)] {
        var result = [(count: Int, sum: Double, min: Double, max: Double)](
            repeating: (0, 0, .infinity, -.infinity), count: edges.count - 1)
        // Compensated sums (Neumaier), accurate enough as reference.
        var rest = [Double](repeating: 0, count: edges.count - 1)
        for one in series {
            var bucket = 0
            for i in first(one.times, edges[0])..<one.times.count {
                let (time, value) = (one.times[i], one.values[i])
                while bucket < result.count, time >= edges[bucket + 1] { bucket += 1 }
                if bucket == result.count { break }
                let sum = result[bucket].sum
                let next = sum + value
                rest[bucket] += abs(sum) >= abs(value) ? (sum - next) + value : (value - next) + sum
                result[bucket].sum = next
                result[bucket].count += 1
                result[bucket].min = Swift.min(result[bucket].min, value)
                result[bucket].max = Swift.max(result[bucket].max, value)
            }
        }
        for i in result.indices { result[i].sum += rest[i] }
        return result
    }

    /// Returns the first index with a time not before `key`.
    package static func first(_ times: [Int64], _ key: Int64) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Throws unless the measured statistics agree with the plain recomputation.
    package static func check(_ found: [Aggregate], _ series: [BenchSeries], _ edges: [Int64], _ what: String) throws {
        let wanted = buckets(series, edges)
        guard found.count == wanted.count else {
            throw BenchError("\(what): \(found.count) buckets, not \(wanted.count)")
        }
        for (a, b) in zip(found, wanted) {
            let sumIsRight = b.count == 0 ? a.sum == nil : abs((a.sum ?? .nan) - b.sum) <= abs(b.sum) * 1e-15
            guard a.count == b.count, sumIsRight, b.count == 0 || (a.min == b.min && a.max == b.max) else {
                throw BenchError("\(what): the bucket at \(a.start) is \(a), plain recomputation says \(b)")
            }
        }
    }
}
