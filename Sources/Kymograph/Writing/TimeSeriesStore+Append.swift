// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// The receipt of a commit: its number in the store's order.
public struct CommitReceipt: Hashable, Sendable {
    /// The commit's number; a snapshot with this or a greater sequence shows it.
    public let sequence: Int64
}

extension TimeSeriesStore {
    /// Returns the series of a name and labels; creates it, durably, if it does not exist.
    ///
    /// - Throws: `kindMismatch`, `invalidArgument` (texts longer than ``Series/maximumTextBytes`` and
    ///   ``Series/maximumLabelBytes``), `readOnly`, `closed`, and errors of a commit.
    /// - Complexity: a lookup, or one commit.
    @discardableResult
    public func series(
        _ name: String, labels: [String: String] = [:], kind: SeriesKind
    ) throws(StoreError) -> Series {
        try requireOwnProcess()
        let key = SeriesKey(name: name, labels: labels)
        try key.requireStorable()
        if let known = context.version.series[key] {
            try known.require(kind)
            return known
        }
        let receipt: WriteReceipt
        do {
            receipt = try committer.writeAlone { _ in
                var batch = WriteBatch()
                batch.add(SampleRows(), to: .named(name, labels: labels, kind: kind))
                return batch
            }
        } catch {
            throw StoreError(any: error, path: path)
        }
        let id = receipt.series[0]
        return context.version.series[id.rawValue] ?? Series(id: id, name: name, labels: labels, kind: kind)
    }

    /// Appends samples to a series, in any order, durably: when the call returns, all samples are on the disk, and new
    /// snapshots show them. After `outcomeUnknown` all or none are stored; after any other error none.
    ///
    /// - Parameters:
    ///   - starts: in nanoseconds since 1970-01-01 UTC.
    ///   - ends: not before the starts.
    ///   - values: finite; stored bit for bit.
    /// - Throws: `invalidSample`, `unknownSeries`, `readOnly`, `closed`, `diskFull`, `outcomeUnknown`,
    ///   `writerFailed`, `inputOutput`.
    /// - Complexity: one commit of the catalog; many samples go into a segment of their own.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> CommitReceipt {
        try committer.append([(id, try SampleRows(starts, ends, values))])
    }

    /// Appends points to a series. See `append(to:starts:ends:values:)`.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> CommitReceipt {
        try committer.append([(id, try SampleRows(starts, values))])
    }

    /// Appends samples to a series. See `append(to:starts:ends:values:)`.
    @discardableResult
    public func append(to id: SeriesID, _ samples: [Sample]) throws(StoreError) -> CommitReceipt {
        try committer.append([(id, try SampleRows(samples))])
    }

    /// Appends samples to a series, in any order, durably, without blocking a thread while the disk works. When the
    /// call returns, all samples are on the disk, and new snapshots show them.
    ///
    /// Tasks that append at the same time share commits; this is the fastest way for many producers. A cancelled task
    /// still waits, and its samples are stored.
    /// - Throws: as `append(to:starts:ends:values:)`.
    /// - Complexity: one commit of the catalog; many samples go into a segment of their own.
    @discardableResult
    public func append(to id: SeriesID, _ samples: [Sample]) async throws(StoreError) -> CommitReceipt {
        try await committer.append(to: id, samples)
    }

    /// Appends like concurrent calls of several threads, but in one thread and in this order: one commit, if its bounds
    /// allow.
    ///
    /// - Parameter appends: at least one; none of them empty.
    @discardableResult
    package func append(
        meeting appends: [(series: SeriesID, samples: [Sample])]
    ) throws(StoreError) -> CommitReceipt {
        try committer.append(meeting: appends)
    }
}
