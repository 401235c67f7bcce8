// SPDX-License-Identifier: Apache-2.0

package import Catalog
import ChunkFormat
import FileSystem
import Kernels
import Synchronization

extension TimeSeriesStore {
    /// Appends any number of samples in one commit: all become visible when this returns, or none.
    ///
    /// Memory stays bounded however much is loaded: at most a million samples that are collected from small calls, some
    /// MB for each thread, and a copy of the columns of a call that is out of order.
    /// - Parameters:
    ///   - expected: the samples that will come, if that is known: where there is clearly no room for them, nothing is
    ///     begun.
    ///   - body: hands samples to the loader. If it throws, nothing is stored.
    /// - Throws: what `body` throws, and `StoreError`: `readOnly`, `closed`, `diskFull`, `outcomeUnknown`,
    ///   `writerFailed`, `inputOutput`.
    /// - Complexity: O(n) for samples in order of time, O(n log n) otherwise.
    @discardableResult
    public func bulkLoad(expecting expected: Int = 0, _ body: (BulkLoader) throws -> Void) throws -> CommitReceipt {
        var failure: (any Error)?
        do {
            return try bulkLoad(committing: nil, expecting: expected) { loader throws(StoreError) in
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
        committing extra: ((CatalogTransaction) throws -> Void)?, expecting expected: Int = 0,
        _ body: (BulkLoader) throws(StoreError) -> Void
    ) throws(StoreError) -> CommitReceipt {
        if mode == .readOnly {
            throw StoreError(.readOnly, "the store was opened for reading; open it for writing", path: path)
        }
        let work = try beginWork(isLoad: true)
        defer { work.end() }
        let watch = Stopwatch()
        if expected > 0 { try requireRoomToLoad(Self.expectedBytes(samples: expected)) }
        let loader = BulkLoader(self)
        do throws(StoreError) {
            try body(loader)
            let rows = try loader.finish()
            let receipt = try withWriter { writer throws(StoreError) in
                let receipt = try self.commitSegments(
                    rows, newSeries: writer.promised(loader.promised), sealing: [], replacement: nil, &writer, extra)
                self.forgetPromises(of: &writer, unlessMoreThan: 1)
                if !rows.isEmpty { self.fitBallast(&writer) }
                return receipt
            }
            telemetry.samplesLoaded.add(loader.count, ordering: .relaxed)
            if loader.count > 0 {
                telemetry.post(
                    .loaded(samples: loader.count, sequence: receipt.sequence, took: watch.elapsed))
            }
            if !rows.isEmpty { compactWhatIsDue() }
            return receipt
        } catch {
            telemetry.note(error)
            // What a commit of unknown outcome may have named must stay; the next opening decides.
            if error.kind != .outcomeUnknown { loader.abandon() }
            throw error
        }
    }

    /// Names finished segments, retires rows of the tail and perhaps replaces them by one, retires segments, and lowers
    /// the counts of tombstones.
    ///
    /// - Parameters:
    ///   - source: the commit whose samples the new segments hold; where there is none, they bring new ones.
    ///   - horizon: the newest commit whose deleted samples are left out.
    func commitSegments(
        _ rows: [SegmentRow], newSeries: SeriesTable, sealing tail: [Int64],
        replacement: [(series: Int64, rows: SampleRows)]?, tombstones: [Int64: Tombstones] = [:],
        retiring old: [SegmentFile] = [], of source: Int64? = nil, forgetting horizon: Int64 = 0,
        _ writer: inout Writer, _ extra: ((CatalogTransaction) throws -> Void)?
    ) throws(StoreError) -> CommitReceipt {
        var version = published.withLock { $0 }
        if rows.isEmpty, newSeries.isEmpty, tail.isEmpty, old.isEmpty, extra == nil {
            return CommitReceipt(sequence: version.seq)
        }
        var commit = CatalogCommit(seq: writer.seq + 1)
        // A series that was promised to several loads comes into being with the first of them.
        commit.seriesPages = version.series.add(newSeries)
        var files = [SegmentFile]()
        for (i, row) in rows.enumerated() {
            var row = row
            row.id = writer.nextSegment + Int64(i)
            row.born = source ?? commit.seq
            commit.segments.append(row)
            files.append(
                try SegmentFile(
                    row: row, store: storeID, path: layout.segment(row.uuid), disk: disk, cache: cache,
                    telemetry: telemetry))
        }
        let retired = old.map { RetiredSegment($0, died: commit.seq) }
        commit.segments += old.map { $0.row.retired(by: commit.seq) }
        commit.removedSegments = writer.forgettable
        commit.sealedTail = tail
        for (series, changed) in tombstones {
            for (old, new) in zip(version.tombstones[series]?.all ?? [], changed.all) where old.count != new.count {
                commit.tombstoneCounts[new.id] = new.count
            }
            version.tombstones[series] = changed
        }
        if horizon > version.past.horizon {
            commit.horizon = horizon
            version.past.horizon = horizon
        }
        var blocks: [TailBlock]?
        if let replacement, !replacement.isEmpty {
            let row = try inFormat("tail") { () throws(FormatError) in
                try writer.tail.close([try encoders.draft(replacement)], seq: commit.seq)
            }
            commit.tail = row.body
            blocks = row.blocks
        }
        try writer.commit(commit, extra)
        writer.nextSegment += Int64(rows.count)
        telemetry.segmentBytes.add(rows.reduce(0) { $0 + Int($1.bytes) }, ordering: .relaxed)
        writer.forget(commit.removedSegments, adding: retired)
        if !old.isEmpty {
            slots.leave(old, died: commit.seq)
            watchSnapshots()
        }
        version.seq = commit.seq
        version.removeTail(Set(tail))
        version.forget(commit.removedSegments)
        version.retire(old, died: commit.seq)
        for file in files { version.add(file) }
        if let blocks { version.add(blocks, seq: commit.seq) }
        publish(version)
        return CommitReceipt(sequence: commit.seq)
    }

    /// A new, empty segment, whose blocks are encoded on at most `threads` threads. Its header names a commit that came
    /// before its samples: the last one, unless they are known to be older.
    func newSegment(
        threads: Int, after commit: Int64? = nil, mostRuns: Int = SegmentFormat.maximumRuns
    ) throws(StoreError) -> SegmentWriter {
        let uuid = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        return try SegmentWriter(
            layout: layout, store: storeID, uuid: uuid, zone: zone, disk: disk,
            commit: commit ?? published.withLock { $0.seq }, threads: threads, mostRuns: mostRuns)
    }
}
