// SPDX-License-Identifier: Apache-2.0

package import Kymograph

/// A plain model of the engine: samples in an array, with every answer recomputed from all of them.
package struct Oracle: Sendable {
    package var kind: SeriesKind
    /// The samples in order of arrival.
    package private(set) var samples: [Sample] = []
    /// The samples by start, then by end; equal ones in order of arrival.
    package private(set) var sorted: [Sample] = []

    package init(kind: SeriesKind) { self.kind = kind }

    package mutating func append(_ more: [Sample]) {
        samples.append(contentsOf: more)
        sort()
    }

    /// Removes deleted samples. Returns their number.
    @discardableResult
    package mutating func remove(where isDeleted: (Sample) -> Bool) -> Int {
        let before = samples.count
        samples.removeAll(where: isDeleted)
        sort()
        return before - samples.count
    }

    private mutating func sort() {
        sorted = samples.enumerated().sorted {
            ($0.element.start, $0.element.end, $0.offset) < ($1.element.start, $1.element.end, $1.offset)
        }.map(\.element)
    }

    package func scan(_ range: TimeRange) -> [Sample] { sorted.filter { range.contains($0.start) } }

    /// Returns statistics of the buckets between edges.
    package func buckets(_ edges: [Int64]) -> [Aggregate] {
        var parts = [[Double]](repeating: [], count: edges.count - 1)
        var durations = [Int128](repeating: 0, count: edges.count - 1)
        var started = [[Sample]](repeating: [], count: edges.count - 1)
        for sample in sorted {
            let home = bucket(of: sample.start, edges)
            if let home { started[home].append(sample) }
            if kind == .cumulative, sample.end > sample.start {
                share(sample, edges) { index, part, length in
                    parts[index] += part
                    durations[index] += length
                }
            } else if let home {
                parts[home].append(sample.value)
                durations[home] += Int128(sample.end) - Int128(sample.start)
            }
        }
        return (0..<edges.count - 1).map { i in
            aggregate(edges[i], edges[i + 1], started[i], parts[i], durations[i])
        }
    }

    private func bucket(of instant: Int64, _ edges: [Int64]) -> Int? {
        let index = Self.lastEdge(notAfter: instant, edges)
        return index >= 0 && index < edges.count - 1 ? index : nil
    }

    /// Returns -1 if all edges are later.
    private static func lastEdge(notAfter instant: Int64, _ edges: [Int64]) -> Int {
        var (low, high) = (-1, edges.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= instant { low = middle } else { high = middle }
        }
        return low
    }

    /// Passes each bucket its share of a sample: value * overlap / length, as a double and its rounding error.
    private func share(_ sample: Sample, _ edges: [Int64], _ give: (Int, [Double], Int128) -> Void) {
        let length = Double(Int128(sample.end) - Int128(sample.start))
        let first = max(0, Self.lastEdge(notAfter: sample.start, edges))
        for i in first..<max(first, edges.count - 1) {
            if edges[i] >= sample.end { return }
            let overlap = Int128(min(sample.end, edges[i + 1])) - Int128(max(sample.start, edges[i]))
            if overlap <= 0 { continue }
            let product = sample.value * Double(overlap)
            let lost = (-product).addingProduct(sample.value, Double(overlap))
            let part = product / length
            let rest = (product.addingProduct(-part, length) + lost) / length
            give(i, [part, rest], overlap)
        }
    }

    private func aggregate(
        _ start: Int64, _ end: Int64, _ samples: [Sample], _ parts: [Double], _ duration: Int128
    ) -> Aggregate {
        var a = Aggregate(start: start, end: end, count: samples.count)
        if !parts.isEmpty {
            a.sum = Self.exactSum(parts)
            a.duration = Double(duration)
        }
        guard !samples.isEmpty else { return a }
        let values = samples.map(\.value)
        a.min = values.min()
        a.max = values.max()
        a.average = Self.exactSum(values) / Double(values.count)
        a.first = samples.first
        a.last = samples.last
        let mean = a.average ?? 0
        a.standardDeviation = (Self.exactSum(values.map { ($0 - mean) * ($0 - mean) }) / Double(values.count))
            .squareRoot()
        var area = [Double]()
        for (one, next) in zip(samples, samples.dropFirst()) {
            area.append(one.value * (Double(Int128(next.start) - Int128(one.start)) / 1e9))
        }
        let span = Double(Int128(samples[samples.count - 1].start) - Int128(samples[0].start)) / 1e9
        a.timeWeightedAverage = span > 0 ? Self.exactSum(area) / span : a.average
        return a
    }

    /// Returns the sum of doubles, rounded once, by Shewchuk's list of non-overlapping parts.
    package static func exactSum(_ values: [Double]) -> Double {
        var partials = [Double]()
        for value in values {
            var x = value
            var kept = 0
            for i in partials.indices {
                let y = partials[i]
                let (a, b) = abs(x) < abs(y) ? (y, x) : (x, y)
                let high = a + b
                let low = b - (high - a)
                if low != 0 {
                    partials[kept] = low
                    kept += 1
                }
                x = high
            }
            partials.removeSubrange(kept...)
            partials.append(x)
        }
        var total = 0.0
        for part in partials.reversed() { total += part }
        return total
    }
}
