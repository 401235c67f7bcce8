// SPDX-License-Identifier: Apache-2.0

package import Catalog
import CivilTime
import FileSystem
import Kernels
import Synchronization

/// What a store holds and what it takes on disk.
public struct StoreInfo: Hashable, Sendable {
    /// The last commit.
    public var sequence: Int64
    /// The store's identity, as the text of a UUID.
    public var storeID: String
    /// The zone whose days blocks are cut at.
    public var homeZone: String
    /// Samples of all series, without those that are deleted.
    public var samples: Int
    /// Samples that are deleted and still take space.
    public var deletedSamples: Int
    /// Deletions that are known, each of a stretch of time or some samples of one series; those of which nothing is
    /// left in the files go after `StoreOptions.deletionsKept`.
    public var deletions: Int
    /// Series.
    public var series: Int
    /// Segments.
    public var segments: Int
    /// Blocks in segments.
    public var blocks: Int
    /// Samples that are in no segment yet, deleted or not.
    public var tailSamples: Int
    /// Batches in the tail.
    public var tailBatches: Int
    /// Bytes of the segments.
    public var segmentBytes: Int64
    /// About how many of these bytes hold samples that are deleted.
    public var deletedBytes: Int64
    /// Segments that others have replaced, and whose files somebody may still be reading.
    public var retiredSegments: Int
    /// Bytes of the retired segments.
    public var retiredBytes: Int64
    /// Bytes of the catalog, with its log.
    public var catalogBytes: Int64
    /// Bytes of everything in the store's directory but the ballast.
    public var bytes: Int64
    /// Bytes of the ballast, which are kept for the time when the disk is full and hold nothing.
    public var ballastBytes: Int64
    /// The commits before the last that snapshots still show, ascending: all of this opening, and of each other one,
    /// in whatever process, the oldest. What compaction replaced after the first of them stays on the disk.
    public var heldCommits: [Int64] { held.map(\.commit) }
    /// The held commits, with what is known of who holds them, and for how long.
    public var held: [HeldCommit]
    /// The earliest commit that `snapshot(asOf:)` can show.
    public var oldestCommit: Int64
    /// `bytes` for each sample; 0 when there is none.
    public var bytesPerSample: Double { samples > 0 ? Double(bytes) / Double(samples) : 0 }
}

extension TimeSeriesStore {
    /// What the store holds now. O(runs + files).
    ///
    /// - Throws: `inputOutput`.
    public func info() throws(StoreError) -> StoreInfo {
        try requireOwnProcess()
        let version = published.withLock { $0 }
        let files = version.segments.values.map(\.totals)
        let tailSamples = version.tailSamples.values.reduce(0, +)
        let samples = tailSamples + files.reduce(0) { $0 &+ Int($1.samples) }
        let blocks = files.reduce(0) { $0 &+ Int($1.blocks) }
        let deleted = version.tombstones.values.reduce(0) { min($0 + $1.hidden, samples) }
        var segmentBytes: Int64 = 0
        for file in version.segments.values { segmentBytes += file.row.bytes }
        let retired = try retiredBytes(version)
        let catalog = try catalogBytes()
        let rest = try size([layout.lock, layout.witness])
        return StoreInfo(
            sequence: version.seq, storeID: StoreLayout.name(storeID), homeZone: zone.identifier,
            samples: samples - deleted, deletedSamples: deleted,
            deletions: version.tombstones.values.reduce(0) { $0 + $1.all.count },
            series: version.series.count, segments: version.segments.count, blocks: blocks,
            tailSamples: tailSamples, tailBatches: version.tailRows.count,
            segmentBytes: segmentBytes, deletedBytes: Self.deletedBytes(version), retiredSegments: retired.count,
            retiredBytes: retired.reduce(0, +), catalogBytes: catalog,
            bytes: segmentBytes + retired.reduce(0, +) + catalog + rest, ballastBytes: try size([layout.ballast]),
            held: try heldCommits(before: version.seq), oldestCommit: version.past.horizon)
    }

    /// The oldest commit that a snapshot shows which is held now, in any process; else the latest. What went before it
    /// is seen by nobody any more.
    package func oldestHeldCommit() throws(StoreError) -> Int64 {
        let latest = published.withLock { $0.seq }
        return min(try slots.oldest() ?? latest, latest)
    }

    /// The bytes of each retired segment that is still there.
    private func retiredBytes(_ version: Version) throws(StoreError) -> [Int64] {
        var found = [Int64]()
        for row in version.retired {
            let path = layout.segment(row.uuid)
            if try onDisk({ () throws(DiskError) in try disk.exists(path) }) { found.append(row.bytes) }
        }
        return found
    }

    /// Of each series as large a part of its bytes as of its samples in segments.
    private static func deletedBytes(_ version: Version) -> Int64 {
        if version.tombstones.isEmpty { return 0 }
        var deleted = 0.0
        for (series, tombstones) in version.tombstones where tombstones.hidden > 0 {
            var bytes = 0.0
            var count = Double(version.tailSamples[series] ?? 0)
            for case .segment(let run) in version.runs[series] {
                let all = max(1, run.file.totals.samples)
                bytes += Double(run.file.row.bytes) * Double(run.summary.count) / Double(all)
                count += Double(run.summary.count)
            }
            deleted += bytes * min(1, Double(tombstones.hidden) / max(1, count))
        }
        return Int64(deleted)
    }

    private func catalogBytes() throws(StoreError) -> Int64 {
        if let catalog = reader.withLock({ $0 }) { return catalog.fileBytes }
        return try withWriter { writer throws(StoreError) in writer.catalog.fileBytes }
    }

    private func size(_ paths: [String]) throws(StoreError) -> Int64 {
        let disk = self.disk
        return try onDisk { () throws(DiskError) in
            var sum: Int64 = 0
            for path in paths where try disk.exists(path) { sum += Int64(try disk.size(of: path)) }
            return sum
        }
    }
}

extension TimeSeriesStore {
    /// Reads tables of the layers above, in one transaction.
    package func readCatalog<R: Sendable>(_ body: (CatalogTransaction) throws -> R) throws(StoreError) -> R {
        if let catalog = reader.withLock({ $0 }) {
            return try inCatalog { () throws(CatalogError) in try catalog.read(body) }
        }
        return try withWriter { writer throws(StoreError) in
            try inCatalog { () throws(CatalogError) in try writer.catalog.read(body) }
        }
    }
}
