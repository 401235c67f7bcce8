// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import ColumnCodec
import FileSystem
import Kernels
import TimeIndex

/// The file of a segment that is being written: everything that happens in order.
struct SegmentSink {
    /// Bytes that are written before the disk is asked to begin with them.
    private static let hurry: UInt64 = 4 << 20

    private let uuid: [UInt8]
    private let store: [UInt8]
    private let path: String
    private let file: any DiskFile
    private var builder: SegmentBuilder
    private var written: UInt64 = 0
    private var hurried: UInt64 = 0
    private var runs: [(series: Int64, index: IndexBuilder, blocks: Int)] = []

    /// Begins the file with its header.
    init(uuid: [UInt8], store: [UInt8], commit: Int64, path: String, file: any DiskFile) throws(StoreError) {
        self.uuid = uuid
        self.store = store
        self.path = path
        self.file = file
        var builder = SegmentBuilder(store: store, segment: uuid, commit: UInt64(max(0, commit)))
        try inFormat(path) { () throws(FormatError) in try builder.begin() }
        self.builder = builder
    }

    /// The bytes so far, and where the next block will stand.
    var bytes: UInt64 { builder.offset }

    /// Puts blocks behind those that are there and writes them.
    mutating func append(_ batch: inout BlockBatch) throws(StoreError) {
        try drain()
        try inFormat(path) { () throws(FormatError) in try builder.add(&batch) }
        let series = Int64(bitPattern: batch.series)
        if runs.last?.series != series {
            runs.append((series, IndexBuilder(store: store, segment: uuid, series: batch.series), 0))
        }
        let last = runs.count - 1
        runs[last].blocks += batch.blocks.count
        var offset = batch.position
        for block in batch.blocks {
            let entry = IndexEntry(offset: offset, length: block.length, summary: block.summary)
            try inIndex(path) { () throws(IndexError) in try runs[last].index.add(entry) }
            offset += UInt64(block.length)
        }
        try write(batch.bytes)
    }

    /// Ends the file: index, directory, footer, and sync (not of its directory). The row is for the commit.
    mutating func finish() throws(StoreError) -> SegmentRow {
        var entries = [RunEntry]()
        var rows = [RunRow]()
        for i in runs.indices {
            let at = builder.offset
            let tree = try inIndex(path) { () throws(IndexError) in try runs[i].index.finish(at: at) }
            builder.append(index: tree.bytes)
            let series = runs[i].series
            let blocks = runs[i].blocks
            entries.append(
                RunEntry(
                    series: UInt64(series), rootOffset: tree.rootOffset, rootLength: tree.rootLength,
                    levels: tree.levels, blocks: UInt32(blocks), summary: tree.summary))
            let summary = RunSummary.encode(tree.summary, segment: uuid, series: series)
            rows.append(
                RunRow(
                    series: series, rootOffset: Int64(tree.rootOffset), rootLength: Int64(tree.rootLength),
                    levels: Int(tree.levels), blocks: Int64(blocks), summary: summary))
            if builder.pendingBytes >= 1 << 20 { try drain() }
        }
        let footer = try inFormat(path) { () throws(FormatError) in try builder.finish(runs: entries) }
        try drain()
        try onDisk { () throws(DiskError) in
            try file.sync()
            try file.close()
        }
        return SegmentRow(
            id: 0, uuid: uuid, bytes: Int64(footer.fileLength), checksum: footer.checksum, born: 0, died: nil,
            runs: rows)
    }

    private mutating func drain() throws(StoreError) {
        if builder.pendingBytes > 0 { try write(builder.takePending()) }
    }

    private mutating func write(_ bytes: [UInt8]) throws(StoreError) {
        let at = written
        try onDisk { () throws(DiskError) in try file.write(bytes, 0..<bytes.count, at: at) }
        written += UInt64(bytes.count)
        // So that the final sync finds little left to do. Whole pages only: one that is being written to the disk may
        // have to wait before it can be written to again.
        let whole = written & ~0xFFFF
        if whole >= hurried + Self.hurry {
            file.beginWriting(hurried..<whole)
            hurried = whole
        }
    }

    /// Closes the file as it is.
    func close() { try? file.close() }
}
