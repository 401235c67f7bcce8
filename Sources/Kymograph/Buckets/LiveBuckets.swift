// SPDX-License-Identifier: Apache-2.0

import Kernels

/// A table of buckets that follows a store: each step computes only the buckets that later commits touched.
///
/// See `Docs/ChangeFeed.md`. For one thread at a time.
public struct LiveBuckets: Sendable {
    /// The series, together as if they were one.
    public let ids: [SeriesID]
    /// How time is divided.
    public let buckets: Buckets
    /// What is computed beyond the usual.
    public let options: AggregateOptions
    /// The rows of the buckets that hold anything, or that are between two that do, in order.
    public private(set) var rows: [Aggregate] = []
    /// The commit that the rows show.
    public private(set) var sequence: Int64 = -1
    /// Buckets that were computed, in all steps together: what following the store has cost so far.
    public private(set) var computed = 0

    /// A table that is empty before its first step.
    ///
    /// - Parameter buckets: fixed or of a calendar; explicit edges stay as they are, and rows outside of them do not
    ///   come.
    public init(of ids: [SeriesID], _ buckets: Buckets, computing options: AggregateOptions = []) {
        self.ids = ids
        self.buckets = buckets
        self.options = options
    }

    /// Takes in what a snapshot shows beyond the one before. An older one changes nothing.
    ///
    /// - Returns: the rows that may have changed, in order. Rows that are gone with their last samples, at the
    ///   beginning or the end, are not among them.
    /// - Throws: as `Snapshot.buckets(of:_:over:computing:explain:)`; the table then stays as it was.
    /// - Complexity: O(runs + deletions + new and deleted samples + buckets touched), a bulk load counting as one
    ///   sample, and so a stretch that was deleted whole; the first step is a query over everything. Where a deletion
    ///   in a series of intervals was compacted before this step, all that starts after it is computed anew.
    @discardableResult
    public mutating func update(
        to snapshot: Snapshot, explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Aggregate] {
        try snapshot.requireOwnProcess()
        if snapshot.sequence <= sequence { return [] }
        for id in ids { try snapshot.known(id) }
        // What was deleted since may have been forgotten.
        let isKnown = sequence >= 0 && sequence >= snapshot.version.past.feedHorizon(of: ids)
        var touched = isKnown ? try snapshot.touched(ids, after: sequence, explanation) : [TimeRange.all]
        guard !touched.isEmpty, let frame = try frame(snapshot) else {
            if !touched.isEmpty { rows = [] }
            sequence = snapshot.sequence
            return []
        }
        // Rows outside of the frame go; what lies in it and outside of the rows has none yet.
        let first = Self.place(of: frame.start, in: rows)
        let last = Swift.max(first, Self.place(of: frame.end, in: rows))
        if first < last {
            let (from, to) = (rows[first].start, rows[last - 1].end)
            if frame.start < from { touched.append(TimeRange(frame.start, from)) }
            if frame.end > to { touched.append(TimeRange(to, frame.end)) }
        } else {
            touched = [frame]
        }
        var tables = [BucketTable]()
        for range in stretches(touched) {
            // The outer buckets may reach past the times that samples can have.
            let part = TimeRange(
                max(range.start, frame.start, TimeLimits.earliest), min(range.end, frame.end, TimeLimits.latest + 1))
            if part.isEmpty { continue }
            tables.append(
                try snapshot.buckets(of: ids, within(part), over: part, computing: options, explain: explanation))
        }
        rows.removeSubrange(last...)
        rows.removeFirst(first)
        var changed = [Aggregate]()
        computed += tables.reduce(0) { $0 + $1.count }
        for table in tables { Self.put(table, into: &rows, &changed) }
        sequence = snapshot.sequence
        return changed
    }

    /// The times of the rows that some ranges touch, and what of these lies outside of all rows: in order, each once.
    private func stretches(_ ranges: [TimeRange]) -> [TimeRange] {
        var whole = TimeRange.joined(ranges)
        if let first = rows.first, let last = rows.last {
            for i in whole.indices {
                let (from, to) = (whole[i].start, whole[i].end)
                if from >= first.start, from < last.end { whole[i].start = rows[Self.row(at: from, in: rows)].start }
                if to > first.start, to <= last.end { whole[i].end = rows[Self.row(at: to - 1, in: rows)].end }
            }
        }
        return TimeRange.few(TimeRange.joined(whole))
    }

    /// From the first bucket's start to the last one's end; nil without samples.
    private func frame(_ snapshot: Snapshot) throws(StoreError) -> TimeRange? {
        if case .edges(let edges) = buckets {
            _ = try snapshot.edges(buckets, .all, ids)
            return edges.count < 2 ? nil : TimeRange(edges[0], edges[edges.count - 1])
        }
        guard let extent = try snapshot.extent(of: ids) else { return nil }
        let first = try snapshot.edges(buckets, TimeRange(extent.start, extent.start &+ 1), ids)
        let last = try snapshot.edges(buckets, TimeRange(extent.end, extent.end &+ 1), ids)
        return TimeRange(first[0], last[last.count - 1])
    }

    /// The buckets that touch a range.
    private func within(_ range: TimeRange) -> Buckets {
        guard case .edges(let edges) = buckets else { return buckets }
        let from = Swift.max(0, Kernel.lowerBound(edges, 0..<edges.count, range.start &+ 1) - 1)
        let to = Kernel.lowerBound(edges, from..<edges.count, range.end)
        return .edges(Array(edges[from...Swift.min(to, edges.count - 1)]))
    }

    /// Puts rows that adjoin each other in the place of those of the same time, or at either end.
    private static func put(_ table: BucketTable, into rows: inout [Aggregate], _ changed: inout [Aggregate]) {
        guard let first = table.first, let last = table.last else { return }
        let from = place(of: first.start, in: rows)
        let to = place(of: last.end, in: rows)
        // No slice of the rows may be kept here: changing one would copy them all.
        if to - from == table.count {
            for (place, row) in zip(from..<to, table) where rows[place] != row {
                rows[place] = row
                changed.append(row)
            }
        } else {
            let known = Set(rows[from..<to])
            changed += table.filter { !known.contains($0) }
            rows.replaceSubrange(from..<to, with: table)
        }
    }

    /// The row that an instant lies in, which is not before the first.
    private static func row(at instant: Int64, in rows: [Aggregate]) -> Int {
        let next = place(of: instant, in: rows)
        return next < rows.count && rows[next].start == instant ? next : next - 1
    }

    /// The first row that does not start before an instant.
    private static func place(of instant: Int64, in rows: [Aggregate]) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].start < instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
