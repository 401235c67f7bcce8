// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

/// A commit that moves stored samples into new segments: sealing the tail, or merging segments.
struct SegmentCommit {
    /// The new segments, whose files are durable.
    var segments: [SegmentRow]
    /// The commit whose samples the new segments hold.
    var source: Int64
    /// Rows of the tail that the segments replace.
    var sealedTail: [Int64] = []
    /// Samples of these rows that stay in the tail, as one row.
    var kept: [(series: Int64, rows: SampleRows)] = []
    /// Segments that the new segments replace.
    var retired: [SegmentFile] = []
    /// Deleted samples that were left out: counts by series and tombstone.
    var removed: [Int64: [Int64: Int64]] = [:]
    /// The newest commit whose deleted samples were left out.
    var horizon: Int64 = 0
}

extension StoreContext {
    /// Commits and publishes a `SegmentCommit`.
    ///
    /// - Requires: the writer.
    /// - Returns: the numbers of the new segments.
    func commit(_ made: SegmentCommit, _ writer: inout Writer) throws(StoreError) -> Range<Int64> {
        var version = version
        var commit = CatalogCommit(seq: writer.seq + 1)
        let first = writer.nextSegment
        var files = [SegmentFile]()
        for row in made.segments {
            let number = first + Int64(files.count)
            files.append(try name(row, number, born: made.source, in: &commit))
        }
        commit.segments += made.retired.map { $0.row.retired(by: commit.seq) }
        commit.removedSegments = writer.forgettable
        commit.sealedTail = made.sealedTail
        lowerCounts(made.removed, &version, &commit)
        if made.horizon > version.past.horizon {
            commit.horizon = made.horizon
            version.past.horizon = made.horizon
        }
        var blocks: [TailBlock]?
        if !made.kept.isEmpty {
            let row = try inFormat("tail") { () throws(FormatError) in
                try writer.tail.close([try encoders.draft(made.kept)], seq: commit.seq)
            }
            commit.tail = row.body
            blocks = row.blocks
        }
        try writer.commit(commit)
        writer.nextSegment += Int64(made.segments.count)
        telemetry.segmentBytes.add(made.segments.reduce(0) { $0 + Int($1.bytes) }, ordering: .relaxed)
        writer.forget(
            commit.removedSegments, adding: made.retired.map { RetiredSegment($0, died: commit.seq) })
        slots.retire(made.retired, died: commit.seq)
        version.seq = commit.seq
        version.removeTail(Set(made.sealedTail))
        version.forget(commit.removedSegments)
        version.retire(made.retired, died: commit.seq)
        for file in files { version.add(file) }
        if let blocks { version.add(blocks, seq: commit.seq) }
        publish(version)
        return first..<writer.nextSegment
    }

    /// Adds a finished segment to a commit under its number, and returns its file.
    func name(
        _ segment: SegmentRow, _ number: Int64, born: Int64, in commit: inout CatalogCommit
    ) throws(StoreError) -> SegmentFile {
        var row = segment
        row.id = number
        row.born = born
        commit.segments.append(row)
        return try SegmentFile(
            row: row, store: storeID, path: layout.segment(row.uuid), access: access, cache: cache)
    }

    /// Lowers the counts of tombstones by the samples that were left out.
    private func lowerCounts(
        _ removed: [Int64: [Int64: Int64]], _ version: inout Version, _ commit: inout CatalogCommit
    ) {
        for (series, counts) in removed {
            guard let old = version.tombstones[series] else { continue }
            let changed = old.without(counts)
            for (one, new) in zip(old.all, changed.all) where one.count != new.count {
                commit.tombstoneCounts[new.id] = new.count
            }
            version.tombstones[series] = changed
        }
    }
}
