// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
package import Kernels

/// One run of a segment: the blocks of one series, and the position of their index.
package struct RunEntry: Sendable, Equatable {
    /// Size of the fixed fields in bytes; the summary follows them.
    package static let fixedBytes = 25

    package var series: UInt64
    /// Offset of the root index page in the file.
    package var rootOffset: UInt64
    /// Size of the root index page in bytes.
    package var rootLength: UInt32
    /// Number of index levels; 1 if the root is a leaf.
    package var levels: UInt8
    /// Number of blocks.
    package var blocks: UInt32
    /// Summary of all samples of the run.
    package var summary: Summary

    package init(
        series: UInt64, rootOffset: UInt64, rootLength: UInt32, levels: UInt8, blocks: UInt32, summary: Summary
    ) {
        self.series = series
        self.rootOffset = rootOffset
        self.rootLength = rootLength
        self.levels = levels
        self.blocks = blocks
        self.summary = summary
    }
}

/// The list of a segment's runs: the unit before the footer.
package enum RunDirectory {
    static let kind = Field("kind", at: 0, size: 1)
    static let reserved = Field("reserved", at: 1, size: 3)
    static let length = Field("length", at: 4, size: 4)
    static let runs = Field("runs", at: 8, size: 4)
    static let reserved2 = Field("reserved2", at: 12, size: 4)

    /// The fields of the fixed part in order.
    package static let fields = [kind, reserved, length, runs, reserved2]
    /// Bytes before the first entry.
    package static let headerBytes = 16

    /// Appends the directory, which starts at `position` of the file.
    static func encode(
        _ entries: [RunEntry], header: SegmentHeader, position: UInt64, into writer: inout ByteWriter,
        _ closer: inout UnitCloser
    ) throws(FormatError) {
        let start = writer.count
        writer.put(UnitKind.directory.rawValue)
        for _ in 0..<3 { writer.put(UInt8(0)) }
        writer.put(UInt32(0))
        writer.put(UInt32(truncatingIfNeeded: entries.count))
        writer.put(UInt32(0))
        for entry in entries {
            writer.put(entry.series)
            writer.put(entry.rootOffset)
            writer.put(entry.rootLength)
            writer.put(entry.levels)
            writer.put(entry.blocks)
            SummaryCodec.encode(entry.summary, into: &writer)
        }
        let length = writer.count - start + SegmentFormat.trailerBytes
        guard entries.count <= SegmentFormat.maximumRuns, let length = UInt32(exactly: length) else {
            throw FormatError(.misuse, at: position, "\(entries.count) runs")
        }
        writer.patch(length, at: start + Self.length.offset)
        try closer.close(&writer, from: start, of: identity(header, position))
    }

    private static func identity(_ header: SegmentHeader, _ position: UInt64) -> BlockIdentity {
        BlockIdentity(store: header.store, segment: header.segment, series: 0, position: position)
    }

    /// Decodes the directory that the footer describes. `bytes` starts with the directory.
    package static func decode(
        _ bytes: [UInt8], header: SegmentHeader, footer: SegmentFooter, key: SegmentKey? = nil
    ) throws(FormatError) -> [RunEntry] {
        guard (key == nil) == (header.encryption == nil) else {
            throw FormatError(.needsKey, at: footer.directoryOffset, "the run directory of an encrypted segment")
        }
        do throws(FormatError) {
            return try decodeUnmoved(bytes, header, footer, key)
        } catch {
            throw error.moved(by: footer.directoryOffset)
        }
    }

    private static func decodeUnmoved(
        _ stored: [UInt8], _ header: SegmentHeader, _ footer: SegmentFooter, _ key: SegmentKey?
    ) throws(FormatError) -> [RunEntry] {
        var bytes = stored
        let length = Int(footer.directoryLength)
        guard length >= headerBytes + SegmentFormat.trailerBytes, bytes.count >= length else {
            throw FormatError(.truncated, at: 0, "a run directory of \(length) bytes, but only \(bytes.count) exist")
        }
        guard bytes[0] == UnitKind.directory.rawValue, load32(bytes, Self.length.offset) == footer.directoryLength
        else {
            throw FormatError(.malformed, at: 0, "no run directory of \(length) bytes")
        }
        var opener = UnitOpener()
        let identity = identity(header, footer.directoryOffset)
        let plain: Int
        do throws(FormatError) {
            plain = try opener.open(&bytes, at: 0, length: length, of: identity, key: key, "run directory")
        } catch { throw error.moved(by: 0 &- footer.directoryOffset) }
        // The checksum stays in its place when the unit is decrypted.
        guard load32(bytes, length - SegmentFormat.trailerBytes) == footer.directoryCRC else {
            throw FormatError(.checksum, at: 0, "the footer names another run directory")
        }
        let isZero = bytes[1] == 0 && load16(bytes, 2) == 0 && load32(bytes, reserved2.offset) == 0
        guard isZero, load32(bytes, runs.offset) == footer.runs else {
            throw FormatError(.malformed, at: 8, "number of runs or reserved bytes")
        }
        return try entries(bytes, end: plain - SegmentFormat.trailerBytes, footer)
    }

    private static func entries(
        _ bytes: [UInt8], end: Int, _ footer: SegmentFooter
    ) throws(FormatError) -> [RunEntry] {
        var reader = ByteReader(bytes, at: headerBytes, end: end)
        let count = Int(footer.runs)
        guard count <= reader.remaining / RunEntry.fixedBytes else {
            throw FormatError(.malformed, at: 8, "\(count) runs in \(reader.remaining) bytes")
        }
        var list: [RunEntry] = []
        list.reserveCapacity(count)
        var blocks: UInt64 = 0
        var samples: UInt64 = 0
        for _ in 0..<count {
            let here = reader.offset
            let entry = try entry(&reader)
            if let why = entry.fault(after: list.last, footer) { throw FormatError(.malformed, at: UInt64(here), why) }
            blocks += UInt64(entry.blocks)
            samples = samples.addingReportingOverflow(UInt64(bitPattern: entry.summary.count)).partialValue
            list.append(entry)
        }
        guard reader.remaining == 0, blocks == footer.blocks, samples == footer.samples else {
            throw FormatError(.malformed, at: 8, "the runs do not add up to the footer's totals")
        }
        return list
    }

    private static func entry(_ reader: inout ByteReader) throws(FormatError) -> RunEntry {
        do throws(ByteError) {
            let series = try reader.u64()
            let offset = try reader.u64()
            let length = try reader.u32()
            let levels = try reader.u8()
            let blocks = try reader.u32()
            return RunEntry(
                series: series, rootOffset: offset, rootLength: length, levels: levels, blocks: blocks,
                summary: try summary(&reader))
        } catch { throw FormatError(error) }
    }

    private static func summary(_ reader: inout ByteReader) throws(ByteError) -> Summary {
        try SummaryCodec.decode(&reader)
    }
}

extension RunEntry {
    /// Returns the reason why an entry is invalid, alone or after its predecessor; nil if it is valid.
    fileprivate func fault(after previous: RunEntry?, _ footer: SegmentFooter) -> String? {
        if let previous, previous.series >= series { return "series \(series) after \(previous.series)" }
        if rootOffset < UInt64(SegmentHeader.size) || rootOffset > footer.directoryOffset
            || UInt64(rootLength) > footer.directoryOffset - rootOffset || rootLength == 0
        {
            return "the root page of series \(series) has an impossible position"
        }
        if levels == 0 || levels > SegmentFormat.maximumLevels { return "\(levels) index levels" }
        let most = Int64(blocks) * Int64(SegmentFormat.maximumSamples)
        if blocks == 0 || summary.count < Int64(blocks) || summary.count > most {
            return "\(summary.count) samples in \(blocks) blocks"
        }
        if summary.firstStart > summary.lastStart || summary.lastStart > summary.maxEnd {
            return "the run of series \(series) ends before it starts"
        }
        return nil
    }
}
