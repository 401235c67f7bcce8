// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph

/// Compares answers with those of an oracle. Each function returns a description of a difference, or nil.
enum ModelAnswers {
    static func scan(
        _ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle, _ range: TimeRange, _ order: ScanOrder, _ limit: Int
    ) throws -> String? {
        var found: [Sample] = []
        try snapshot.scan(id, over: range, order: order, limit: limit) { batch in
            for i in 0..<batch.count { found.append(batch[i]) }
            return true
        }
        let all = order == .forward ? oracle.scan(range) : oracle.scan(range).reversed()
        let wanted = Array(all.prefix(limit))
        guard found.map(\.start) == wanted.map(\.start), found.map(\.end) == wanted.map(\.end) else {
            return "a scan returned \(found.count) samples instead of \(wanted.count), or in another order"
        }
        // Samples with equal start and end may be in any order, so a limit may cut off any of them.
        let bits = found.map(\.value.bitPattern).sorted()
        if limit >= all.count, bits != wanted.map(\.value.bitPattern).sorted() { return "a scan returned wrong values" }
        let there = Set(all.map { Exact($0) })
        return found.allSatisfy { there.contains(Exact($0)) } ? nil : "a scan returned samples that do not exist"
    }

    private struct Exact: Hashable {
        let start: Int64
        let end: Int64
        let bits: UInt64

        init(_ sample: Sample) { (start, end, bits) = (sample.start, sample.end, sample.value.bitPattern) }
    }

    static func read(_ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle, _ range: TimeRange) throws -> String? {
        var (starts, values): ([Int64], [Double]) = ([7], [7])
        try snapshot.read(id, over: range, starts: &starts, values: &values)
        let wanted = oracle.scan(range)
        guard starts == [7] + wanted.map(\.start) else { return "read returned wrong starts" }
        let bits = values.map(\.bitPattern).sorted()
        return bits == ([7] + wanted.map(\.value)).map(\.bitPattern).sorted() ? nil : "read returned wrong values"
    }

    static func totals(_ snapshot: Snapshot, _ id: SeriesID, _ oracle: Oracle) throws -> String? {
        let sorted = oracle.sorted
        guard snapshot.count(of: id) == sorted.count else { return "count is \(snapshot.count(of: id))" }
        let extent = sorted.first.map { TimeRange($0.start, sorted.map(\.end).max() ?? 0) }
        let found = try snapshot.extent(of: id)
        guard found == extent else { return "extent is \(String(describing: found))" }
        let recent = try snapshot.mostRecent(of: id)
        guard recent?.start == sorted.last?.start, recent?.end == sorted.last?.end else {
            return "the most recent sample is \(String(describing: recent))"
        }
        return recent.map { Self.isOneOf($0, sorted) } ?? true ? nil : "the most recent sample has a wrong value"
    }

    private static func isOneOf(_ sample: Sample, _ sorted: [Sample]) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].start < sample.start { low = middle + 1 } else { high = middle }
        }
        return sorted[low...].prefix { $0.start == sample.start }.contains { Exact($0) == Exact(sample) }
    }

    /// - Parameter wanted: the oracle's answer, if it is already known.
    static func aggregates(
        _ found: [Aggregate], _ oracle: Oracle, _ edges: [Int64], wanted: [Aggregate]? = nil
    ) -> String? {
        guard found.map(\.start) == Array(edges.dropLast()), found.map(\.end) == Array(edges.dropFirst()) else {
            return "wrong edges of buckets: \(found.map(\.start)), not \(edges)"
        }
        let total = oracle.samples.reduce(0) { $0 + $1.value.magnitude }
        for (one, wanted) in zip(found, wanted ?? oracle.buckets(edges)) {
            if let fault = differs(one, wanted, oracle, total) { return "\(fault)\nfound  \(one)\nwanted \(wanted)" }
        }
        return nil
    }

    /// - Parameter total: the sum of the magnitudes of all values.
    private static func differs(
        _ found: Aggregate, _ wanted: Aggregate, _ oracle: Oracle, _ total: Double
    ) -> String? {
        guard found.count == wanted.count, found.min == wanted.min, found.max == wanted.max else {
            return "count, least or greatest differ"
        }
        for (a, b) in [(found.first, wanted.first), (found.last, wanted.last)] {
            guard a?.start == b?.start, a?.end == b?.end else { return "first or last differ" }
            if let a, !isOneOf(a, oracle.sorted) { return "the value of first or last does not exist" }
        }
        guard (found.sum == nil) == (wanted.sum == nil) else { return "only one has a sum" }
        // Sums of the greatest numbers overflow to an infinity, or to a remainder of one.
        guard total < 1e150 else { return nil }
        let isShared = oracle.kind == .cumulative
        let scale = total * (isShared ? 1e-15 : 1e-28) + 1e-290
        guard close(found.sum, wanted.sum, 3e-16, scale) else { return "sums differ" }
        guard close(found.average, wanted.average, 6e-16, scale) else { return "averages differ" }
        guard close(found.duration, wanted.duration, 1e-15, 0) else { return "durations differ" }
        let greatest = max(wanted.max?.magnitude ?? 0, wanted.min?.magnitude ?? 0)
        guard close(found.standardDeviation, wanted.standardDeviation, 0, 1e-9 * greatest + 1e-150) else {
            return "deviations differ"
        }
        guard
            close(found.timeWeightedAverage, wanted.timeWeightedAverage, 0, 1e-9 * greatest + 1e-290) || hasTies(oracle)
        else { return "time-weighted averages differ" }
        return nil
    }

    /// True if samples have equal start and end: the order of such samples is unspecified.
    private static func hasTies(_ oracle: Oracle) -> Bool {
        zip(oracle.sorted, oracle.sorted.dropFirst()).contains { $0.start == $1.start && $0.end == $1.end }
    }

    private static func close(_ a: Double?, _ b: Double?, _ relative: Double, _ absolute: Double) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return a == b || abs(a - b) <= relative * max(abs(a), abs(b)) + absolute
    }

    static let zone = "Europe/Zurich"

    /// Returns the midnights around a range, by Foundation's calendar.
    static func midnights(_ range: TimeRange) -> [Int64] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: zone) ?? calendar.timeZone
        func instant(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded()) * 1_000_000_000 }
        // The range begins within a second of this date, which is precise enough, because midnights are at full hours.
        let first = calendar.startOfDay(for: Date(timeIntervalSince1970: Double(range.start / 1_000_000_000)))
        var edges = [instant(first)]
        while let last = edges.last, last < range.end {
            guard let next = calendar.date(byAdding: .day, value: edges.count, to: first) else { break }
            edges.append(instant(next))
        }
        return edges
    }

    /// Returns edges of equal width around a range.
    static func steps(_ range: TimeRange, _ width: Int64, _ anchor: Int64) -> [Int64] {
        var edge = anchor
        edge += (range.start - anchor) / width * width
        while edge > range.start { edge -= width }
        var edges = [edge]
        while edge < range.end {
            edge += width
            edges.append(edge)
        }
        return edges
    }
}
