// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

/// A table of buckets that follows a store: each update computes only the buckets that later commits changed.
///
/// See `Docs/Guide/Engine.md`. A value must be used by one thread at a time.
public struct LiveBuckets: Sendable {
    /// The series, combined as if they were one.
    public let ids: [SeriesID]
    /// How time is divided.
    public let buckets: Buckets
    /// The statistics beyond the standard ones.
    public let options: AggregateOptions
    /// The rows from the first bucket with samples to the last, in order; with explicit edges, of all buckets.
    public private(set) var rows: [Aggregate] = []
    /// The commit that the rows show; -1 before the first update.
    public private(set) var sequence: Int64 = -1
    /// The number of buckets computed by all updates: the cost of following the store so far.
    public private(set) var computed = 0

    /// Creates an empty table.
    ///
    /// - Parameter buckets: fixed or of a calendar. Explicit edges never change; samples outside of them have no rows.
    public init(of ids: [SeriesID], _ buckets: Buckets, computing options: AggregateOptions = []) {
        self.ids = ids
        self.buckets = buckets
        self.options = options
    }

    /// Updates the rows to the state of a snapshot. An older snapshot changes nothing.
    ///
    /// - Returns: the rows that may have changed, in order. Rows removed at either end because their samples were
    ///   deleted are not included.
    /// - Throws: as `Snapshot.buckets(of:_:over:computing:explain:)`; the table is then unchanged.
    /// - Complexity: O(runs + deletions + new and deleted samples + changed buckets). A bulk load counts as one sample,
    ///   and so does a deleted range. The first update is a query over all samples. If a deletion in a series of
    ///   intervals was compacted before this update, everything that starts after the deletion is computed again.
    @discardableResult
    public mutating func update(
        to snapshot: Snapshot, explain explanation: QueryExplanation? = nil
    ) throws(StoreError) -> [Aggregate] {
        try snapshot.requireOwnProcess()
        if snapshot.sequence <= sequence { return [] }
        for id in ids { try snapshot.known(id) }
        // The store may have forgotten deletions since the last update.
        let isKnown = sequence >= 0 && sequence >= snapshot.version.past.feedHorizon(of: ids)
        var touched = isKnown ? try snapshot.touched(ids, after: sequence, explanation) : [TimeRange.all]
        guard !touched.isEmpty, let frame = try frame(snapshot) else {
            if !touched.isEmpty { rows = [] }
            sequence = snapshot.sequence
            return []
        }
        // Rows outside of the frame are removed. Parts of the frame without rows are computed.
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
            // The outer buckets may exceed the limits of sample times.
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

    /// Returns the time ranges to compute: the rows that overlap `ranges`, and parts of `ranges` outside of all rows.
    /// The result is in order and without overlaps.
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

    /// Returns the range from the first bucket's start to the last bucket's end, or nil without samples.
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

    /// Returns the buckets that overlap a range.
    private func within(_ range: TimeRange) -> Buckets {
        guard case .edges(let edges) = buckets else { return buckets }
        let from = Swift.max(0, Kernel.lowerBound(edges, 0..<edges.count, range.start &+ 1) - 1)
        let to = Kernel.lowerBound(edges, from..<edges.count, range.end)
        return .edges(Array(edges[from...Swift.min(to, edges.count - 1)]))
    }

    /// Replaces the rows at the times of a table, or inserts them at either end. Appends changed rows to `changed`.
    private static func put(_ table: BucketTable, into rows: inout [Aggregate], _ changed: inout [Aggregate]) {
        guard let first = table.first, let last = table.last else { return }
        let from = place(of: first.start, in: rows)
        let to = place(of: last.end, in: rows)
        // Do not keep a slice of the rows here: changing a row would then copy all rows.
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

    /// Returns the row that holds an instant.
    /// - Requires: the instant is not before the first row.
    private static func row(at instant: Int64, in rows: [Aggregate]) -> Int {
        let next = place(of: instant, in: rows)
        return next < rows.count && rows[next].start == instant ? next : next - 1
    }

    /// Returns the first row that starts at or after an instant.
    private static func place(of instant: Int64, in rows: [Aggregate]) -> Int {
        rows.indices.partitioningIndex { rows[$0].start >= instant }
    }
}
