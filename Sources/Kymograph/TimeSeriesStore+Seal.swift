// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Kernels
import Synchronization

extension TimeSeriesStore {
    /// Whether the tail has grown enough to be tidied up.
    var needsSealing: Bool {
        // Looked at in its place: who commits meanwhile would have to copy a version that somebody holds.
        published.withLock { version in
            version.tailRows.count >= Swift.max(2, options.sealBatches)
                || version.tailSamples.contains { $0.value >= Swift.max(1, options.sealSamples) }
        }
    }

    /// Moves the samples of the tail into a segment. Appends do this by themselves from time to time.
    ///
    /// - Throws: `readOnly`, `closed`, `diskFull`, `outcomeUnknown`, `writerFailed`, `corrupt`, `inputOutput`.
    public func seal() throws(StoreError) { try seal(everything: true) }

    /// Seals the series that have enough samples, and with them whatever shares a row of the tail; the other
    /// rows become one.
    func seal(everything: Bool) throws(StoreError) {
        try withWriter { writer throws(StoreError) in
            if !everything, writer.seq < writer.sealsFrom { return }
            do throws(StoreError) {
                try writer.withReserve { writer throws(StoreError) in
                    try self.sealTail(everything: everything, &writer)
                }
            } catch {
                // Not again with each append.
                if error.kind == .diskFull { writer.sealsFrom = writer.seq + 64 }
                throw error
            }
            writer.removeRetired(self.slots, self.disk)
            self.fitBallast(&writer)
        }
    }

    /// The work of `seal`; if it throws, nothing has changed.
    private func sealTail(everything: Bool, _ writer: inout Writer) throws(StoreError) {
        let version = published.withLock { $0 }
        if version.tailRows.isEmpty { return }
        let watch = Stopwatch()
        let bytes = Self.tailBytes(version)
        try requireRoom(UInt64(bytes) / 2 + 65_536, reserve: 0, for: "sealing")
        // What stays becomes one row, which has to stay small.
        let isLarge = bytes > Self.largeTail
        let enough = everything || isLarge ? 1 : Swift.max(1, self.options.sealSamples / 8)
        let due = Set(version.tailSamples.filter { $0.value >= enough }.keys)
        let (sealed, kept, tombstones) = try self.tailRows(version, due)
        var segments = [SegmentRow]()
        var file: SegmentWriter?
        do throws(StoreError) {
            if !sealed.isEmpty {
                let segment = try self.newSegment(threads: 1)
                file = segment
                segments = [try self.write(sealed, into: segment)]
            }
            _ = try self.commitSegments(
                segments, newSeries: [], sealing: version.tailRows, replacement: kept, tombstones: tombstones,
                &writer, nil)
            telemetry.seals.add(1, ordering: .relaxed)
            let samples = sealed.reduce(0) { $0 + $1.1.count }
            telemetry.post(.sealed(samples: samples, bytes: segments.first?.bytes ?? 0, took: watch.elapsed))
        } catch {
            telemetry.note(error)
            if error.kind != .outcomeUnknown { file?.abandon() }
            throw error
        }
    }

    /// Writes rows of some series, in the order of their ids, into a new segment, and makes it durable with its name.
    func write(_ all: [(Int64, SampleRows)], into segment: SegmentWriter) throws(StoreError) -> SegmentRow {
        for (series, rows) in all {
            var rows = rows
            rows.sort()
            try segment.append([RunPart(rows, series: series)])
        }
        let row = try segment.finish()
        try onDisk { () throws(DiskError) in try self.disk.syncDirectory(self.layout.segments) }
        telemetry.syncs.add(2, ordering: .relaxed)
        return row
    }

    /// Bytes of the tail above which everything in it is sealed.
    private static let largeTail = 16 << 20

    private static func tailBytes(_ version: Version) -> Int {
        var bytes = 0
        for case .tail(let block) in version.runs.values.joined() { bytes += block.length }
        return bytes
    }

    /// All samples of the tail by series: those to be sealed, and those that stay; what is deleted is left out of both.
    private func tailRows(
        _ version: Version, _ due: Set<Int64>
    ) throws(StoreError) -> (
        sealed: [(Int64, SampleRows)], kept: [(series: Int64, rows: SampleRows)], tombstones: [Int64: Tombstones]
    ) {
        let scratch = QueryScratch(nil)
        var sealed = [(Int64, SampleRows)]()
        var kept = [(series: Int64, rows: SampleRows)]()
        var reduced = [Int64: Tombstones]()
        for series in version.runs.keys.sorted() {
            var rows = SampleRows()
            var counter = version.tombstones[series].map { TombstoneCounter($0) }
            for case .tail(let block) in version.runs[series] ?? [] {
                try scratch.load(block, .all)
                // A row of the tail was born with its commit; here that has to be written down.
                if case .absent = scratch.block.born { scratch.block.born = .constant(block.seq) }
                counter?.take(scratch.block, born: block.seq)
                if scratch.block.count > 0 { rows.append(scratch.block) }
            }
            if let counter, !counter.counts.isEmpty { reduced[series] = counter.reduced }
            if rows.count == 0 { continue }
            if due.contains(series) {
                sealed.append((series, rows))
            } else {
                rows.sort()
                kept.append((series, rows))
            }
        }
        return (sealed, kept, reduced)
    }
}
