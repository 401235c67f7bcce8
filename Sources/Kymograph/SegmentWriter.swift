// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import CivilTime
import ColumnCodec
import FileSystem
import Kernels
import TimeIndex

/// Writes one segment file, run by run, with memory for little more than a block.
///
/// The file does not exist for anyone before a commit names it; `abandon` removes it.
final class SegmentWriter {
    /// Bytes that are collected before they are written.
    private static let chunk = 1 << 20

    let uuid: [UInt8]
    let path: String
    private let store: [UInt8]
    private let disk: any Disk
    private let file: any DiskFile
    private var builder: SegmentBuilder
    private var written: UInt64 = 0
    private var cutter: BlockCutter
    private let block = BlockBuffer()
    private var run: OpenRun?
    private var finishedRuns: [(series: Int64, index: IndexBuilder, blocks: Int)] = []

    private struct OpenRun {
        let series: Int64
        var pending: SampleRows
        var index: IndexBuilder
        var blocks = 0
        var last: (start: Int64, end: Int64)
    }

    init(layout: StoreLayout, store: [UInt8], zone: CivilZone, disk: any Disk, commit: Int64) throws(StoreError) {
        uuid = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        self.store = store
        self.disk = disk
        path = layout.segment(uuid)
        cutter = BlockCutter(zone: zone)
        var builder = SegmentBuilder(store: store, segment: uuid, commit: UInt64(max(0, commit)))
        let place = path
        try inFormat(place) { () throws(FormatError) in try builder.begin() }
        self.builder = builder
        do throws(StoreError) {
            file = try onDisk { () throws(DiskError) in try disk.create(place) }
        } catch {
            // A call that failed may have made the file nevertheless; its name is ours alone.
            try? disk.remove(place)
            throw error
        }
    }

    /// The bytes so far.
    var bytes: UInt64 { builder.offset }

    /// The series of the run that is open; a run of a lower or the same series cannot be begun any more.
    var lastSeries: Int64 { run?.series ?? lastFinished }
    private var lastFinished: Int64 = 0

    /// Whether rows that begin with this sample can go on in the open run.
    func canContinue(_ series: Int64, _ start: Int64, _ end: Int64) -> Bool {
        guard let run, run.series == series else { return false }
        return (start, end) >= run.last
    }

    /// Appends sorted rows: to the open run if they continue it, or as a new run of a higher series.
    func append(_ rows: SampleRows, series: Int64) throws(StoreError) {
        guard rows.count > 0 else { return }
        if run?.series != series {
            try endRun()
            run = OpenRun(
                series: series, pending: SampleRows(),
                index: IndexBuilder(store: store, segment: uuid, series: UInt64(series)), last: (.min, .min))
        }
        guard var open = run else { return }
        run = nil
        let n = rows.count - 1
        open.last = (rows.starts[n], rows.ends.isEmpty ? rows.starts[n] : rows.ends[n])
        if open.pending.count == 0 {
            let used = try cut(rows, &open, final: false)
            open.pending = rows.tail(from: used)
        } else {
            open.pending.append(rows)
            let used = try cut(open.pending, &open, final: false)
            open.pending = open.pending.tail(from: used)
        }
        run = open
    }

    /// Writes blocks while enough rows are there to know where to cut; the number of rows used.
    private func cut(_ rows: SampleRows, _ open: inout OpenRun, final: Bool) throws(StoreError) -> Int {
        var at = 0
        while final ? at < rows.count : rows.count - at > BlockCutter.most {
            let count = cutter.next(rows.starts, at, rows.count, final: final)
            block.reset()
            rows.fill(block, at..<at + count)
            let block = self.block
            let placed = try inFormat(path) { () throws(FormatError) in
                try builder.add(block, series: UInt64(open.series))
            }
            let entry = IndexEntry(offset: placed.offset, length: placed.length, summary: placed.summary)
            try inIndex(path) { () throws(IndexError) in try open.index.add(entry) }
            open.blocks += 1
            at += count
            if builder.pendingBytes >= Self.chunk { try drain() }
        }
        return at
    }

    private func endRun() throws(StoreError) {
        guard var open = run else { return }
        run = nil
        _ = try cut(open.pending, &open, final: true)
        lastFinished = open.series
        finishedRuns.append((open.series, open.index, open.blocks))
    }

    private func drain() throws(StoreError) {
        let bytes = builder.takePending()
        let at = written
        try onDisk { () throws(DiskError) in try file.write(bytes, 0..<bytes.count, at: at) }
        written += UInt64(bytes.count)
    }

    /// Ends the segment: index, directory, footer, and sync of the file (not of its directory). The row is for the
    /// commit.
    func finish(id: Int64, born: Int64) throws(StoreError) -> SegmentRow {
        try endRun()
        var entries = [RunEntry]()
        var rows = [RunRow]()
        for i in finishedRuns.indices {
            let at = builder.offset
            let tree = try inIndex(path) { () throws(IndexError) in try finishedRuns[i].index.finish(at: at) }
            builder.append(index: tree.bytes)
            let series = finishedRuns[i].series
            let blocks = finishedRuns[i].blocks
            entries.append(
                RunEntry(
                    series: UInt64(series), rootOffset: tree.rootOffset, rootLength: tree.rootLength,
                    levels: tree.levels, blocks: UInt32(blocks), summary: tree.summary))
            let summary = RunSummary.encode(tree.summary, segment: uuid, series: series)
            rows.append(
                RunRow(
                    series: series, rootOffset: Int64(tree.rootOffset), rootLength: Int64(tree.rootLength),
                    levels: Int(tree.levels), blocks: Int64(blocks), summary: summary))
            if builder.pendingBytes >= Self.chunk { try drain() }
        }
        let footer = try inFormat(path) { () throws(FormatError) in try builder.finish(runs: entries) }
        try drain()
        try onDisk { () throws(DiskError) in
            try file.sync()
            try file.close()
        }
        return SegmentRow(
            id: id, uuid: uuid, bytes: Int64(footer.fileLength), checksum: footer.checksum, born: born, died: nil,
            runs: rows)
    }

    /// Removes the file.
    func abandon() {
        try? file.close()
        try? disk.remove(path)
    }
}
