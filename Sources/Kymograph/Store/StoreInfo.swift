// SPDX-License-Identifier: Apache-2.0

package import Catalog
import CivilTime
import FileSystem
import Kernels
import Synchronization

/// The contents of a store, and its sizes on disk.
public struct StoreInfo: Hashable, Sendable {
    /// The last commit.
    public var sequence: Int64
    /// The store's identity, as the text of a UUID.
    public var storeID: String
    /// The time zone at whose midnights blocks are cut.
    public var homeZone: String
    /// Samples of all series, without deleted samples.
    public var samples: Int
    /// Deleted samples that still take space.
    public var deletedSamples: Int
    /// Known deletions, each of a time range or of listed samples of one series. A deletion that hides nothing any more
    /// is removed after `StoreOptions.deletionsKept`.
    public var deletions: Int
    /// Series.
    public var series: Int
    /// Segments.
    public var segments: Int
    /// Blocks in segments.
    public var blocks: Int
    /// Samples in the tail, including deleted samples.
    public var tailSamples: Int
    /// Batches in the tail.
    public var tailBatches: Int
    /// Bytes of the segments.
    public var segmentBytes: Int64
    /// Approximate bytes of deleted samples in segments.
    public var deletedBytes: Int64
    /// Replaced segments whose files still exist, because snapshots may need them.
    public var retiredSegments: Int
    /// Bytes of the retired segments.
    public var retiredBytes: Int64
    /// Attached files of the layers above.
    public var attachedFiles = 0
    /// Bytes of the attached files on the disk.
    public var attachedBytes: Int64 = 0
    /// Bytes of the catalog, with its log.
    public var catalogBytes: Int64
    /// Bytes of all files in the store's directory except the ballast.
    public var bytes: Int64
    /// Bytes of the ballast, a reserve for a full disk that holds no data.
    public var ballastBytes: Int64
    /// Commits before the last commit that snapshots hold, ascending: all commits that this opening holds, and the
    /// oldest commit of each other opening in any process. Files that compaction replaced after the first of them stay
    /// on the disk.
    public var heldCommits: [Int64] { held.map(\.commit) }
    /// The held commits, with their holders and the time of each hold, as far as known.
    public var held: [HeldCommit]
    /// The earliest commit that `snapshot(asOf:)` can show.
    public var oldestCommit: Int64
    /// `bytes` per sample; 0 if there are no samples.
    public var bytesPerSample: Double { samples > 0 ? Double(bytes) / Double(samples) : 0 }
}

extension TimeSeriesStore {
    /// Returns the contents of the store, and its sizes. O(runs + files).
    ///
    /// - Throws: `inputOutput`.
    public func info() throws(StoreError) -> StoreInfo {
        try requireOwnProcess()
        let bytes = try access.withCatalog { catalog throws(CatalogError) in catalog.fileBytes }
        var info = try context.info(catalog: bytes)
        let files = try readCatalog { try $0.attachedFiles(isDead: false) }
        info.attachedFiles = files.count
        let isEncrypted = context.options.keys != nil
        info.attachedBytes = Int64(clamping: BackupManifest.sum(files.map { $0.fileBytes(isEncrypted: isEncrypted) }))
        info.bytes += info.attachedBytes
        return info
    }

    /// Returns the oldest commit that a snapshot of any process shows, or the last commit. No snapshot needs an earlier
    /// one.
    package func oldestHeldCommit() throws(StoreError) -> Int64 { try context.oldestHeldCommit() }

    /// Reads tables of the layers above, in one transaction.
    package func readCatalog<R: Sendable>(_ body: (CatalogTransaction) throws -> R) throws(StoreError) -> R {
        try access.read(body)
    }
}

extension StoreContext {
    /// Counts the contents of the store. O(runs + files).
    ///
    /// - Parameter catalog: bytes of the catalog, with its log.
    /// - Throws: `inputOutput`.
    func info(catalog: Int64) throws(StoreError) -> StoreInfo {
        try requireOwnProcess()
        let version = version
        let files = version.segments.values.map(\.totals)
        let tailSamples = version.tailSamples.values.reduce(0, +)
        let samples = tailSamples + files.reduce(0) { $0 &+ Int($1.samples) }
        let blocks = files.reduce(0) { $0 &+ Int($1.blocks) }
        let deleted = version.tombstones.values.reduce(0) { min($0 + $1.hidden, samples) }
        var segmentBytes: Int64 = 0
        for file in version.segments.values { segmentBytes += file.row.bytes }
        let retired = try retiredBytes(version)
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

    /// Returns the bytes of each retired segment whose file exists.
    private func retiredBytes(_ version: Version) throws(StoreError) -> [Int64] {
        var found = [Int64]()
        for row in version.retired {
            let path = layout.segment(row.uuid)
            if try onDisk({ () throws(DiskError) in try disk.exists(path) }) { found.append(row.bytes) }
        }
        return found
    }

    /// Estimates the bytes of deleted samples: for each series, its bytes in segments times the deleted share of its
    /// samples.
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

    private func size(_ paths: [String]) throws(StoreError) -> Int64 {
        let disk = self.disk
        return try onDisk { () throws(DiskError) in
            var sum: Int64 = 0
            for path in paths where try disk.exists(path) { sum += Int64(try disk.size(of: path)) }
            return sum
        }
    }
}
