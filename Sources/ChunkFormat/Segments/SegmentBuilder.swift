// SPDX-License-Identifier: Apache-2.0

import Bytes
package import ColumnCodec
package import Kernels

/// Turns blocks into the bytes of a segment file, which the caller writes in order.
///
/// The order of calls: `begin`, `add` for every block (series ascending, blocks of a series in time order), then for
/// every run its index pages by `append(index:)`, then `finish`. After each call the new bytes wait to be taken; a
/// caller that takes them regularly needs memory for one block only. An error leaves the builder unusable.
package struct SegmentBuilder {
    /// What a block became: an index entry needs these.
    package struct Placed {
        /// Where the block stands in the file.
        package let offset: UInt64
        /// Bytes of the block.
        package let length: UInt32
        /// Summary of its samples.
        package let summary: Summary
        /// How each column was stored, in the order on disk.
        package let choices: [(column: String, choice: ColumnChoice)]
    }

    /// What the builder knows of a run, to compare with what the caller says of it.
    private struct Run {
        var series: UInt64
        var blocks: UInt32 = 0
        var samples: Int64 = 0
        var lastStart = Int64.min
    }

    private var header: SegmentHeader
    private var encoder = BlockEncoder()
    private var writer = ByteWriter()
    private var drained: UInt64 = 0
    private var runs: [Run] = []
    private var footer = SegmentFooter()
    private var blocksEnd: UInt64?

    /// A segment of a store; both ids have 16 bytes. `commit` is the newest commit that the writer knows.
    package init(store: [UInt8], segment: [UInt8], commit: UInt64 = 0) {
        header = SegmentHeader(store: store, segment: segment, commit: commit)
        footer.minStart = .max
        footer.maxEnd = .min
    }

    /// Length of the file so far: where the next bytes will stand.
    package var offset: UInt64 { drained + UInt64(writer.count) }
    /// Bytes that wait to be taken.
    package var pendingBytes: Int { writer.count }

    /// Writes the header. An id that has not 16 bytes is an error.
    package mutating func begin() throws(FormatError) {
        guard offset == 0 else { throw refuse("a second header") }
        try header.encode(into: &writer)
        footer.headerCRC = header.checksum
    }

    /// Appends a block of a series.
    ///
    /// A lower series than before, a block that begins before the last start of its run, a block after index pages and
    /// samples that no block can hold are errors of kind `misuse`.
    @discardableResult
    package mutating func add(_ buffer: BlockBuffer, series: UInt64) throws(FormatError) -> Placed {
        // The bytes of a run depend on nothing but its own blocks.
        if try open(series, from: buffer.count > 0 ? buffer.starts[0] : .max) { encoder.forget() }
        let position = offset
        let identity = BlockIdentity(
            store: header.store, segment: header.segment, series: series, position: position)
        let result = try encoder.encode(buffer, identity: identity, into: &writer)
        count(result.summary)
        return Placed(
            offset: position, length: UInt32(offset - position), summary: result.summary, choices: result.choices)
    }

    /// Appends blocks that were encoded apart. Their bytes are the caller's to write, at the batch's new `position`.
    ///
    /// The errors are those of a single block; so are bytes that wait, because they would come behind.
    package mutating func add(_ batch: inout BlockBatch) throws(FormatError) {
        guard let first = batch.blocks.first else { return }
        guard pendingBytes == 0 else { throw refuse("blocks before \(pendingBytes) bytes that wait") }
        _ = try open(batch.series, from: first.summary.firstStart)
        try batch.move(to: offset, store: header.store, segment: header.segment)
        for block in batch.blocks { count(block.summary) }
        drained += UInt64(batch.bytes.count)
    }

    /// Makes sure that a block of a series may come now; true where its run begins with it.
    private mutating func open(_ series: UInt64, from start: Int64) throws(FormatError) -> Bool {
        guard offset > 0, blocksEnd == nil else { throw refuse("a block before the header or behind the index") }
        if let last = runs.last, last.series > series { throw refuse("series \(series) after \(last.series)") }
        if let last = runs.last, last.series == series {
            if start < last.lastStart { throw refuse("a block that begins before the last") }
            return false
        }
        guard runs.count < SegmentFormat.maximumRuns else { throw refuse("more than \(runs.count) runs") }
        runs.append(Run(series: series))
        return true
    }

    /// Takes a block of the last run into the totals.
    private mutating func count(_ summary: Summary) {
        let last = runs.count - 1
        runs[last].blocks += 1
        runs[last].samples += summary.count
        runs[last].lastStart = summary.lastStart
        footer.blocks += 1
        footer.samples += UInt64(summary.count)
        footer.minStart = min(footer.minStart, summary.firstStart)
        footer.maxEnd = max(footer.maxEnd, summary.maxEnd)
    }

    /// Appends the index pages of a run; they were made for the `offset` of this moment, and hold its root.
    package mutating func append(index pages: [UInt8]) {
        if blocksEnd == nil { blocksEnd = offset }
        writer.put(bytes: pages)
    }

    /// The bytes that wait; the caller writes them behind those of the calls before.
    package mutating func takePending() -> [UInt8] {
        drained += UInt64(writer.count)
        let bytes = writer.bytes
        writer = ByteWriter(capacity: min(bytes.capacity, 1 << 20))
        return bytes
    }

    /// The same without a new array for each call: the waiting bytes come in `bytes`, whose memory is used further.
    package mutating func takePending(into bytes: inout [UInt8]) {
        drained += UInt64(writer.count)
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &writer.bytes)
    }

    /// Writes run directory and footer. The entries must be those of the blocks that were added.
    ///
    /// The result's `fileLength` and `checksum` identify the file; the catalog keeps both.
    package mutating func finish(runs entries: [RunEntry]) throws(FormatError) -> SegmentFooter {
        guard !runs.isEmpty, entries.count == runs.count else {
            throw refuse("\(entries.count) runs where \(runs.count) were added")
        }
        for (entry, run) in zip(entries, runs) {
            guard entry.series == run.series, entry.blocks == run.blocks, entry.summary.count == run.samples else {
                throw refuse("an entry of series \(entry.series) that is not of the blocks of series \(run.series)")
            }
            guard entry.rootOffset >= blocksEnd ?? .max, entry.rootOffset < offset,
                UInt64(entry.rootLength) <= offset - entry.rootOffset
            else { throw refuse("a root page of series \(entry.series) that was not appended") }
        }
        footer.blocksEnd = blocksEnd ?? offset
        footer.directoryOffset = offset
        footer.runs = UInt32(runs.count)
        try RunDirectory.encode(entries, header: header, position: offset, into: &writer)
        footer.directoryLength = UInt32(offset - footer.directoryOffset)
        footer.directoryCRC = load32(writer.bytes, writer.count - SegmentFormat.trailerBytes)
        footer.fileLength = offset + UInt64(SegmentFooter.size)
        try footer.encode(into: &writer, header: header)
        return footer
    }

    private func refuse(_ what: String) -> FormatError { FormatError(.misuse, at: offset, what) }
}
