// SPDX-License-Identifier: Apache-2.0

import Campaigns

@testable import Kymograph

/// The definition of merged sources, sample by sample: the time of every earlier source is cut from each sample.
struct MergedOracle {
    /// The samples of each source's series, by descending priority of the sources.
    var sources: [[[Sample]]]

    /// Returns the parts of a sample's time that no earlier source covers; nil for a hidden point.
    private func uncovered(
        _ sample: Sample, _ intervals: [(start: Int64, end: Int64)], _ instants: Set<Int64>
    )
        -> [(start: Int64, end: Int64)]?
    {
        if sample.end == sample.start {
            let isHidden =
                instants.contains(sample.start)
                || intervals.contains { $0.start <= sample.start && sample.start < $0.end }
            return isHidden ? nil : []
        }
        var left = [(start: sample.start, end: sample.end)]
        for one in intervals where one.start < sample.end && one.end > sample.start {
            left = left.flatMap { piece -> [(start: Int64, end: Int64)] in
                [(piece.start, min(piece.end, one.start)), (max(piece.start, one.end), piece.end)]
                    .filter { $0.0 < $0.1 }
            }
        }
        return left.isEmpty ? nil : left
    }

    /// Returns statistics of the buckets between edges. `isCounted` selects series by source and position.
    func buckets(_ edges: [Int64], isCounted: (Int, Int) -> Bool = { _, _ in true }) -> [Aggregate] {
        var parts = [[Double]](repeating: [], count: edges.count - 1)
        var durations = [Int128](repeating: 0, count: edges.count - 1)
        var started = [[Sample]](repeating: [], count: edges.count - 1)
        var intervals = [(start: Int64, end: Int64)]()
        var instants = Set<Int64>()
        for (s, source) in sources.enumerated() {
            for (i, series) in source.enumerated() where isCounted(s, i) {
                for sample in series {
                    guard let left = uncovered(sample, intervals, instants) else { continue }
                    let home = (0..<edges.count - 1).first { edges[$0] <= sample.start && sample.start < edges[$0 + 1] }
                    if let home { started[home].append(sample) }
                    if left.isEmpty, let home { parts[home].append(sample.value) }
                    for b in 0..<edges.count - 1 {
                        let time = left.reduce(Int128(0)) {
                            $0 + max(0, Int128(min($1.end, edges[b + 1])) - Int128(max($1.start, edges[b])))
                        }
                        if time == 0 { continue }
                        durations[b] += time
                        parts[b] += Self.share(sample, Double(time))
                    }
                }
            }
            for sample in source.joined() {
                if sample.end > sample.start { intervals.append((sample.start, sample.end)) }
                if sample.end == sample.start { instants.insert(sample.start) }
            }
            intervals = Self.union(intervals)
        }
        return (0..<edges.count - 1).map { b in
            var a = Aggregate(start: edges[b], end: edges[b + 1], count: started[b].count)
            if !parts[b].isEmpty {
                a.sum = Oracle.exactSum(parts[b])
                a.duration = Double(durations[b])
            }
            // All uncovered parts of the sample lie after this bucket.
            if parts[b].isEmpty, !started[b].isEmpty {
                a.sum = 0
                a.duration = 0
            }
            let order = started[b].sorted { ($0.start, $0.end) < ($1.start, $1.end) }
            if order.isEmpty { return a }
            a.min = order.map(\.value).min()
            a.max = order.map(\.value).max()
            a.average = Oracle.exactSum(order.map(\.value)) / Double(order.count)
            a.first = order.first
            a.last = order.last
            return a
        }
    }

    /// Returns value * time / length as a double and its rounding error.
    private static func share(_ sample: Sample, _ time: Double) -> [Double] {
        let length = Double(Int128(sample.end) - Int128(sample.start))
        if time == length { return [sample.value] }
        let product = sample.value * time
        let lost = (-product).addingProduct(sample.value, time)
        let part = product / length
        return [part, (product.addingProduct(-part, length) + lost) / length]
    }

    private static func union(_ intervals: [(start: Int64, end: Int64)]) -> [(start: Int64, end: Int64)] {
        var found = [(start: Int64, end: Int64)]()
        for one in intervals.sorted(by: { $0.start < $1.start }) {
            if let last = found.last, one.start <= last.end {
                found[found.count - 1].end = max(last.end, one.end)
            } else {
                found.append(one)
            }
        }
        return found
    }
}
