// SPDX-License-Identifier: Apache-2.0

package import Catalog
import ChunkFormat
import FileSystem
import Kernels
import Synchronization

/// Takes any number of samples of any series and puts them into segments. `TimeSeriesStore.bulkLoad` makes one.
///
/// Large pieces in order of time go straight to disk; small ones are collected first. Not for several threads at once.
public final class BulkLoader {
    /// Samples of a call from which they are not collected.
    private static let large = 65_536
    /// Samples that are collected before they are written.
    private static let collected = 1 << 20

    private let store: TimeSeriesStore
    private var open: SegmentWriter?
    private var finished: [SegmentWriter] = []
    private var rows: [SegmentRow] = []
    private var pending: [SeriesID: SampleRows] = [:]
    private var pendingCount = 0
    private var reserved: [SeriesKey: Series] = [:]
    /// Why this load can take nothing more and cannot commit: a file failed, or the load is over.
    private var failure: StoreError?
    /// The samples taken so far.
    public private(set) var count = 0

    init(_ store: TimeSeriesStore) { self.store = store }

    /// Takes points of a series, in any order.
    ///
    /// - Throws: `invalidSample`, `unknownSeries`, `diskFull`, `inputOutput`.
    public func append(to id: SeriesID, starts: Span<Int64>, values: Span<Double>) throws(StoreError) {
        try append(try SampleRows(starts, values), to: id)
    }

    /// Takes samples of a series, in any order.
    ///
    /// - Throws: `invalidSample`, `unknownSeries`, `diskFull`, `inputOutput`.
    public func append(
        to id: SeriesID, starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) {
        try append(try SampleRows(starts, ends, values), to: id)
    }

    private func append(_ new: SampleRows, to id: SeriesID) throws(StoreError) {
        if let failure { throw failure }
        if !reserved.values.contains(where: { $0.id == id }) { _ = try store.snapshot().known(id) }
        if new.count >= Self.large {
            if let waiting = pending.removeValue(forKey: id) {
                pendingCount -= waiting.count
                try write(waiting, to: id)
            }
            try write(new, to: id)
            return
        }
        pending[id, default: SampleRows()].append(new)
        pendingCount += new.count
        if pendingCount >= Self.collected { try flush() }
    }

    /// The series of a name and labels; where there is none, one that comes into being with this load's commit.
    ///
    /// - Throws: `kindMismatch`, `readOnly`, `closed`.
    public func series(
        _ name: String, labels: [String: String] = [:], kind: SeriesKind
    ) throws(StoreError) -> Series {
        let key = SeriesKey(name: name, labels: labels)
        let snapshot = store.snapshot()
        if let known = reserved[key] ?? snapshot.series(named: name, labels: labels) {
            guard known.kind == kind else {
                throw StoreError(
                    .kindMismatch, "series \"\(name)\" is \(known.kind), not \(kind); use another name or labels")
            }
            return known
        }
        let series = try store.withWriter { writer throws(StoreError) in
            try writer.reserve(key, kind, in: self.store.snapshot().version)
        }
        reserved[key] = series
        return series
    }

    /// The series that the commit has to make.
    var newSeries: [Series] { reserved.values.sorted { $0.id < $1.id } }

    private func flush() throws(StoreError) {
        let all = pending.sorted { $0.key < $1.key }
        pending = [:]
        pendingCount = 0
        for (id, rows) in all { try write(rows, to: id) }
    }

    /// Writes rows with all their columns; those without identities get new ones.
    package func write(_ rows: SampleRows, to id: SeriesID) throws(StoreError) {
        guard rows.count > 0 else { return }
        if let failure { throw failure }
        do throws(StoreError) {
            try place(rows, id)
        } catch {
            // Samples that were taken may be lost with the file, so the load as a whole is.
            failure = error
            throw error
        }
    }

    private func place(_ rows: SampleRows, _ id: SeriesID) throws(StoreError) {
        if Task.isCancelled { throw StoreError(.cancelled, "the task was cancelled; nothing of this load is stored") }
        var rows = rows
        rows.sort()
        if case .absent = rows.identityHigh {
            let n = rows.count
            let (high, low) = store.mint.withLock { ($0.high, $0.take(n)) }
            rows.identityHigh = .constant(high)
            rows.identityLow = .sequence(first: low)
        }
        let end = rows.ends.isEmpty ? rows.starts[0] : rows.ends[0]
        let series = id.rawValue
        if let current = open {
            let fits = current.canContinue(series, rows.starts[0], end) || series > current.lastSeries
            if !fits || current.bytes >= UInt64(clamping: store.options.segmentBytes) { try finishSegment() }
        }
        let writer: SegmentWriter
        if let current = open { writer = current } else { writer = try store.newSegment() }
        open = writer
        try writer.append(rows, series: series)
        count += rows.count
    }

    private func finishSegment() throws(StoreError) {
        guard let writer = open else { return }
        open = nil
        finished.append(writer)
        rows.append(try writer.finish(id: 0, born: 0))
    }

    /// Writes what is left and makes the directory durable; the rows are for the commit.
    func finish() throws(StoreError) -> [SegmentRow] {
        if let failure { throw failure }
        try flush()
        try finishSegment()
        failure = Self.isOver
        if !rows.isEmpty {
            let directory = store.layout.segments
            try onDisk { () throws(DiskError) in try store.disk.syncDirectory(directory) }
        }
        return rows
    }

    private static let isOver = StoreError(.closed, "the load is over; begin another one")

    /// Removes every file that was written.
    func abandon() {
        failure = Self.isOver
        open?.abandon()
        for writer in finished { writer.abandon() }
        open = nil
        finished = []
    }
}

extension TimeSeriesStore {
    /// Appends any number of samples in one commit: all become visible when this returns, or none.
    ///
    /// Memory stays bounded however much is loaded: a copy of the columns of one call, and at most a million samples
    /// that are collected from small calls.
    /// - Parameter body: hands samples to the loader. If it throws, nothing is stored.
    /// - Throws: what `body` throws, and `StoreError`: `readOnly`, `closed`, `diskFull`, `outcomeUnknown`,
    ///   `writerFailed`, `inputOutput`.
    /// - Complexity: O(n) for samples in order of time, O(n log n) otherwise.
    @discardableResult
    public func bulkLoad(_ body: (BulkLoader) throws -> Void) throws -> CommitReceipt {
        var failure: (any Error)?
        do {
            return try bulkLoad(committing: nil) { loader throws(StoreError) in
                do {
                    try body(loader)
                } catch {
                    failure = error
                    throw StoreError(.cancelled, "the caller's work failed: \(error)")
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// As `bulkLoad`; `extra` runs inside the commit's transaction.
    package func bulkLoad(
        committing extra: ((CatalogTransaction) throws -> Void)?, _ body: (BulkLoader) throws(StoreError) -> Void
    ) throws(StoreError) -> CommitReceipt {
        if mode == .readOnly {
            throw StoreError(.readOnly, "the store was opened for reading; open it for writing", path: path)
        }
        let loader = BulkLoader(self)
        do throws(StoreError) {
            try body(loader)
            let rows = try loader.finish()
            return try withWriter { writer throws(StoreError) in
                try self.commitSegments(
                    rows, newSeries: loader.newSeries, sealing: [], replacement: nil, &writer, extra)
            }
        } catch {
            // What a commit of unknown outcome may have named must stay; the next opening decides.
            if error.kind != .outcomeUnknown { loader.abandon() }
            throw error
        }
    }

    /// Names finished segments, retires rows of the tail and perhaps replaces them by one.
    func commitSegments(
        _ rows: [SegmentRow], newSeries: [Series], sealing tail: [Int64],
        replacement: [(series: Int64, rows: SampleRows)]?,
        _ writer: inout Writer, _ extra: ((CatalogTransaction) throws -> Void)?
    ) throws(StoreError) -> CommitReceipt {
        var version = published.withLock { $0 }
        if rows.isEmpty, newSeries.isEmpty, tail.isEmpty, extra == nil { return CommitReceipt(sequence: version.seq) }
        var commit = CatalogCommit(seq: writer.seq + 1)
        // A series that was promised to several loads comes into being with the first of them.
        for one in newSeries where version.series[one.id.rawValue] == nil {
            commit.series.append(
                SeriesRow(id: one.id.rawValue, name: one.name, labels: one.labels, kind: one.kind.rawValue))
            version.add(one)
        }
        var files = [SegmentFile]()
        for (i, row) in rows.enumerated() {
            var row = row
            row.id = writer.nextSegment + Int64(i)
            row.born = commit.seq
            commit.segments.append(row)
            files.append(
                SegmentFile(row: row, store: storeID, path: layout.segment(row.uuid), disk: disk, cache: cache))
        }
        commit.sealedTail = tail
        var blocks: [TailBlock]?
        if let replacement, !replacement.isEmpty {
            let body = try inFormat("tail") { () throws(FormatError) in
                try writer.tail.encode(replacement, seq: commit.seq)
            }
            commit.tail = body
            blocks = try writer.tail.decode(body, seq: commit.seq)
        }
        let indexes = try files.map { file throws(StoreError) in try Self.indexes(file) }
        try writer.commit(commit, extra)
        writer.nextSegment += Int64(rows.count)
        version.seq = commit.seq
        version.removeTail(Set(tail))
        for (file, runs) in zip(files, indexes) { version.add(file, runs) }
        if let blocks { version.add(blocks, seq: commit.seq) }
        publish(version)
        return CommitReceipt(sequence: commit.seq)
    }

    /// A new, empty segment.
    func newSegment() throws(StoreError) -> SegmentWriter {
        try SegmentWriter(
            layout: layout, store: storeID, zone: zone, disk: disk, commit: published.withLock { $0.seq })
    }
}
