// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import ColumnCodec
import FileSystem
import Kernels
import TimeIndex

/// The file of a segment under construction: all work that happens in order.
struct SegmentSink {
    /// Bytes after which the disk is asked to start writing.
    private static let hurry: UInt64 = 4 << 20

    /// Bytes that are collected for one write.
    private static let collected = 1 << 16

    private let uuid: [UInt8]
    private let store: [UInt8]
    private let path: String
    private let file: any DiskFile
    private var builder: SegmentBuilder
    private var written: UInt64 = 0
    private var collected: [UInt8] = []
    private var hurried: UInt64 = 0
    private var index: IndexBuilder
    /// The series of the current blocks.
    private var series: UInt64?
    /// The indexes of the finished runs.
    private var drafts: [IndexBuilder.Draft] = []

    /// Begins the file with its header.
    init(
        uuid: [UInt8], store: [UInt8], _ builder: SegmentBuilder, path: String, file: any DiskFile
    ) throws(StoreError) {
        self.uuid = uuid
        self.store = store
        self.path = path
        self.file = file
        var builder = builder
        try inFormat(path) { () throws(FormatError) in try builder.begin() }
        self.builder = builder
        index = IndexBuilder(store: store, segment: uuid, series: 0)
    }

    /// The bytes so far, and the offset of the next block.
    var bytes: UInt64 { builder.offset }

    /// Appends blocks and writes them.
    mutating func append(_ batch: inout BlockBatch) throws(StoreError) {
        try drain()
        try inFormat(path) { () throws(FormatError) in try builder.add(&batch) }
        if series != batch.series { try endRun(next: batch.series) }
        var offset = batch.position
        for block in batch.blocks {
            let entry = IndexEntry(offset: offset, length: block.length, summary: block.summary)
            try inIndex(path) { () throws(IndexError) in try index.add(entry) }
            offset += UInt64(block.length)
        }
        try write(batch.bytes)
    }

    /// Keeps the index of the current run for the end of the file.
    private mutating func endRun(next: UInt64) throws(StoreError) {
        let draft = try inIndex(path) { () throws(IndexError) in try index.take(next: next) }
        if series != nil { drafts.append(draft) }
        series = next
    }

    /// Finishes the file: index, directory, footer, and a sync (not of its directory). Returns the row for the commit.
    mutating func finish() throws(StoreError) -> SegmentRow {
        try endRun(next: 0)
        var entries = [RunEntry]()
        var rows = RunRows()
        for draft in drafts {
            let at = builder.offset
            let additional = builder.additionalPageBytes
            let tree = try inIndex(path) { () throws(IndexError) in
                try index.place(draft, at: at, additional: additional)
            }
            try inFormat(path) { () throws(FormatError) in try builder.append(index: tree.bytes) }
            let series = Int64(bitPattern: draft.series)
            entries.append(
                RunEntry(
                    series: draft.series, rootOffset: tree.rootOffset, rootLength: tree.rootLength,
                    levels: tree.levels, blocks: tree.blocks, summary: tree.summary))
            let summary = RunSummary.encode(tree.summary, segment: uuid, series: series)
            rows.append(
                RunRow(
                    series: series, rootOffset: Int64(tree.rootOffset), rootLength: Int64(tree.rootLength),
                    levels: Int(tree.levels), blocks: Int64(tree.blocks), summary: summary))
            if builder.pendingBytes >= 1 << 20 { try drain() }
        }
        drafts = []
        rows.shrink()
        let footer = try inFormat(path) { () throws(FormatError) in try builder.finish(runs: entries) }
        try drain()
        try flush()
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

    /// Writes bytes; small writes are collected first.
    private mutating func write(_ bytes: [UInt8]) throws(StoreError) {
        if bytes.count < Self.collected {
            collected += bytes
            if collected.count >= Self.collected { try flush() }
        } else {
            try flush()
            try put(bytes)
        }
    }

    /// Writes the collected bytes.
    private mutating func flush() throws(StoreError) {
        if collected.isEmpty { return }
        try put(collected)
        collected.removeAll(keepingCapacity: true)
    }

    private mutating func put(_ bytes: [UInt8]) throws(StoreError) {
        let at = written
        try onDisk { () throws(DiskError) in try file.write(bytes, 0..<bytes.count, at: at) }
        written += UInt64(bytes.count)
        // Starts writing early, so that the final sync has little left to do. Whole pages only: a page that is being
        // written to the disk may block the next write to it.
        let whole = written & ~0xFFFF
        if whole >= hurried + Self.hurry {
            file.beginWriting(hurried..<whole)
            hurried = whole
        }
    }

    /// Closes the file, complete or not.
    func close() { try? file.close() }
}
