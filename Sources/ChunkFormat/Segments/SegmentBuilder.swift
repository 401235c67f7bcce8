// SPDX-License-Identifier: Apache-2.0

import Bytes
package import Cipher
package import ColumnCodec
package import Kernels

/// Encodes blocks as the bytes of a segment file, which the caller writes in order.
///
/// After each call the new bytes are pending; a caller that takes them regularly needs memory for one block only. An
/// error leaves the builder unusable.
///
/// - Ordering: `begin`; `add` for every block (ascending by series, then by time); `append(index:)` for the index pages
///   of every run; `finish`.
package struct SegmentBuilder {
    /// The position and content of an added block, as an index entry needs them.
    package struct Placed {
        /// Offset of the block in the file.
        package let offset: UInt64
        /// Size of the block in bytes.
        package let length: UInt32
        package let summary: Summary
        /// The encoding of each column, in the order on disk.
        package let choices: [(column: String, choice: ColumnChoice)]
    }

    /// Totals of a run, for comparison with the caller's entry.
    private struct Run {
        var series: UInt64
        var blocks: UInt32 = 0
        var samples: Int64 = 0
        var lastStart = Int64.min
    }

    private var header: SegmentHeader
    private var encoder = BlockEncoder()
    private var closer = UnitCloser()
    /// The keys of an encrypted store.
    private let keys: KeyRing?
    private var writer = ByteWriter()
    private var drained: UInt64 = 0
    private var runs: [Run] = []
    private var footer = SegmentFooter()
    private var blocksEnd: UInt64?

    /// Creates a builder for a segment of a store.
    ///
    /// - Parameters:
    ///   - store: the store's id, 16 bytes.
    ///   - segment: the segment's id, 16 bytes.
    ///   - commit: the newest commit that the writer knows.
    package init(store: [UInt8], segment: [UInt8], commit: UInt64 = 0) {
        header = SegmentHeader(store: store, segment: segment, commit: commit)
        keys = nil
        footer.minStart = .max
        footer.maxEnd = .min
    }

    /// Creates a builder for an encrypted segment. The file must be written once only: after an error of the disk the
    /// caller abandons it and its key.
    ///
    /// - Parameters:
    ///   - keys: the keys of the store; the newest generation encrypts the segment.
    ///   - random: the source of the salt.
    /// - Throws: `cipher`.
    package init(
        store: [UInt8], segment: [UInt8], commit: UInt64, keys: KeyRing, random: RandomSource = .system
    ) throws(FormatError) {
        let salt: [UInt8]
        do throws(CipherError) { salt = try keys.newSalt(random: random) } catch {
            throw FormatError(.cipher, at: 0, error.message)
        }
        header = SegmentHeader(
            store: store, segment: segment, commit: commit,
            encryption: SegmentHeader.Encryption(generation: keys.image.newest, salt: salt))
        self.keys = keys
        footer.minStart = .max
        footer.maxEnd = .min
    }

    /// Number of bytes by which an index page in the file is longer than the page that `IndexBuilder` encodes.
    package var additionalPageBytes: Int { header.encryption == nil ? 0 : EncryptedUnit.tagBytes }

    /// Length of the file so far, which is the offset of the next byte.
    package var offset: UInt64 { drained + UInt64(writer.count) }
    /// Number of bytes that the caller has not yet taken.
    package var pendingBytes: Int { writer.count }

    /// Writes the header; throws if an id does not have 16 bytes.
    package mutating func begin() throws(FormatError) {
        guard offset == 0 else { throw refuse("a second header") }
        try header.encode(into: &writer)
        footer.headerCRC = header.checksum
        if let keys, let key = try SegmentKey.of(header, keys: keys) {
            closer.encryptor = try SegmentEncryptor(key, from: UInt64(header.length))
        }
    }

    /// Appends a block of a series.
    ///
    /// - Throws: `misuse` for a series lower than the previous one, a block that starts before the last start of its
    ///   run, a block after index pages, or samples that no block can hold.
    @discardableResult
    package mutating func add(_ buffer: BlockBuffer, series: UInt64) throws(FormatError) -> Placed {
        // Reset the encoder: the bytes of a run depend only on its own blocks.
        if try open(series, from: buffer.count > 0 ? buffer.starts[0] : .max) { encoder.forget() }
        let position = offset
        let identity = BlockIdentity(
            store: header.store, segment: header.segment, series: series, position: position)
        let start = writer.count
        let result = try encoder.draft(buffer, series: series, position: position, into: &writer)
        try closer.close(&writer, from: start, of: identity, limit: SegmentFormat.maximumBlockBytes)
        count(result.summary)
        return Placed(
            offset: position, length: UInt32(offset - position), summary: result.summary, choices: result.choices)
    }

    /// Appends blocks from a batch encoder. The caller writes their bytes at the batch's new `position`.
    ///
    /// - Requires: no pending bytes.
    /// - Throws: the errors of `add(_:series:)`; `misuse` if bytes are pending.
    package mutating func add(_ batch: inout BlockBatch) throws(FormatError) {
        guard let first = batch.blocks.first else { return }
        guard pendingBytes == 0 else { throw refuse("a batch of blocks before \(pendingBytes) pending bytes") }
        _ = try open(batch.series, from: first.summary.firstStart)
        guard batch.isDraft == (closer.encryptor != nil) else {
            throw refuse(
                batch.isDraft
                    ? "a batch for an encrypted segment, in a plain segment"
                    : "a batch of plain blocks, in an encrypted segment")
        }
        if let encryptor = closer.encryptor {
            try batch.encrypt(by: encryptor, at: offset, store: header.store, segment: header.segment)
        } else {
            try batch.move(to: offset, store: header.store, segment: header.segment)
        }
        for block in batch.blocks { count(block.summary) }
        drained += UInt64(batch.bytes.count)
    }

    /// Checks that a block of a series may follow; returns true if the block begins a run.
    private mutating func open(_ series: UInt64, from start: Int64) throws(FormatError) -> Bool {
        guard offset > 0, blocksEnd == nil else { throw refuse("a block before the header or after the index") }
        if let last = runs.last, last.series > series { throw refuse("series \(series) after \(last.series)") }
        if let last = runs.last, last.series == series {
            if start < last.lastStart { throw refuse("a block that starts before the last start of its run") }
            return false
        }
        guard runs.count < SegmentFormat.maximumRuns else { throw refuse("more than \(runs.count) runs") }
        runs.append(Run(series: series))
        return true
    }

    /// Adds a block of the last run to the totals.
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

    /// Appends the index pages of a run, including its root.
    ///
    /// - Requires: the pages were built for the current `offset`, with `additionalPageBytes`.
    /// - Throws: nothing for a plain segment; `misuse`, `cipher`.
    package mutating func append(index pages: [UInt8]) throws(FormatError) {
        if blocksEnd == nil { blocksEnd = offset }
        if closer.encryptor == nil { return writer.put(bytes: pages) }
        var at = 0
        while at < pages.count {
            guard pages.count - at >= EncryptedUnit.headBytes + SegmentFormat.trailerBytes,
                case let length = Int(load32(pages, at + EncryptedUnit.lengthOffset)), length <= pages.count - at,
                length >= EncryptedUnit.headBytes + SegmentFormat.trailerBytes
            else { throw refuse("index pages that do not end with a page") }
            let identity = BlockIdentity(store: header.store, segment: header.segment, series: 0, position: offset)
            let start = writer.count
            writer.put(bytes: pages[at..<at + length - SegmentFormat.trailerBytes])
            try closer.close(&writer, from: start, of: identity, limit: SegmentFormat.maximumPageBytes)
            at += length
        }
    }

    /// Returns the pending bytes, which the caller writes after those of the previous calls.
    package mutating func takePending() -> [UInt8] {
        drained += UInt64(writer.count)
        let bytes = writer.bytes
        writer = ByteWriter(capacity: min(bytes.capacity, 1 << 20))
        return bytes
    }

    /// Writes the run directory and the footer.
    ///
    /// The catalog stores the result's `fileLength` and `checksum`, which identify the file.
    ///
    /// - Throws: `misuse` if the entries do not match the added blocks.
    package mutating func finish(runs entries: [RunEntry]) throws(FormatError) -> SegmentFooter {
        guard !runs.isEmpty, entries.count == runs.count else {
            throw refuse("\(entries.count) runs where \(runs.count) were added")
        }
        for (entry, run) in zip(entries, runs) {
            guard entry.series == run.series, entry.blocks == run.blocks, entry.summary.count == run.samples else {
                throw refuse("the entry of series \(entry.series) does not match the blocks of series \(run.series)")
            }
            guard entry.rootOffset >= blocksEnd ?? .max, entry.rootOffset < offset,
                UInt64(entry.rootLength) <= offset - entry.rootOffset
            else { throw refuse("a root page of series \(entry.series) that was not appended") }
        }
        footer.blocksEnd = blocksEnd ?? offset
        footer.directoryOffset = offset
        footer.runs = UInt32(runs.count)
        try RunDirectory.encode(entries, header: header, position: offset, into: &writer, &closer)
        footer.directoryLength = UInt32(offset - footer.directoryOffset)
        footer.directoryCRC = load32(writer.bytes, writer.count - SegmentFormat.trailerBytes)
        footer.fileLength = offset + UInt64(header.footerLength)
        try footer.encode(into: &writer, header: header, &closer)
        return footer
    }

    private func refuse(_ what: String) -> FormatError { FormatError(.misuse, at: offset, what) }
}
