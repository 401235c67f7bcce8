// SPDX-License-Identifier: Apache-2.0

import Catalog
import CivilTime
import FileSystem
import Kernels
import Synchronization

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
