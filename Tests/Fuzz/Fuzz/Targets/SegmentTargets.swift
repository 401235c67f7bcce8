// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Kernels
import TimeIndex

@testable import ChunkFormat

enum SegmentTargets {
    static let all = [
        Target(
            name: "segment", maximumLength: 8192, variants: 15,
            asserts: "header, footer, directory, index and blocks are read or refused; samples satisfy the rules",
            seeds: { files in files.goldenSegments.flatMap { bytes in [[7] + bytes, [0] + bytes] } },
            run: each { read(SegmentSealing.sealed($0)) }),
        Target(
            name: "index-page", maximumLength: 4096, variants: 31,
            asserts: "the entries of the naive decoder or an error; a page that is read round-trips",
            seeds: { files in files.units(.indexPage).map { [$0.bytes[1]] + $0.bytes } }, run: each(page)),
        Target(
            name: "summary", maximumLength: 4096, variants: 15,
            asserts: "summaries keep their bits in both encodings",
            seeds: { files in
                files.units(.directory).map { Array($0.bytes.dropFirst(16 + 25).prefix(168)) }
                    + [(0..<1680).map { UInt8(truncatingIfNeeded: $0 / 168 * 3 + $0 % 8) }]
            }, run: each(summaries)),
    ]

    // MARK: Segments

    /// Reads everything: through the directory, and unit by unit as after damage.
    static func read(_ bytes: [UInt8]) {
        guard let header = try? SegmentHeader.decode(Array(bytes.prefix(SegmentHeader.size))) else { return }
        var scanner = UnitScanner(bytes, store: header.store, segment: header.segment)
        var end: UInt64 = 0
        while let unit = scanner.next() {
            require(unit.offset >= end && unit.isIntact, "units overlap")
            end = unit.offset + UInt64(unit.length)
            if unit.kind == .block { _ = try? BlockAnatomy(bytes, at: Int(unit.offset)) }
        }
        require(end <= UInt64(bytes.count), "a unit past the end")
        _ = try? runs(bytes, header)
    }

    private static func runs(_ bytes: [UInt8], _ header: SegmentHeader) throws {
        let footer = try SegmentFooter.decode(
            Array(bytes.suffix(SegmentFooter.size)), fileLength: UInt64(bytes.count), header: header)
        let at = Int(footer.directoryOffset)
        let directory = Array(bytes[at..<at + Int(footer.directoryLength)])
        let entries = try RunDirectory.decode(directory, header: header, footer: footer)
        let padded = bytes + [UInt8](repeating: 0, count: SegmentFormat.spareBytes)
        for entry in entries {
            let identity = IndexIdentity(store: header.store, segment: header.segment, series: entry.series)
            let root = IndexRoot(offset: entry.rootOffset, length: entry.rootLength, levels: entry.levels)
            walk(padded, header, Pages(bytes: padded, identity: identity), root, entry.summary)
        }
    }

    private static func walk(
        _ bytes: [UInt8], _ header: SegmentHeader, _ pages: Pages, _ root: IndexRoot, _ summary: Summary
    ) {
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        var last = Int64.min
        var blocks = 0
        var isSound = true
        var scan = IndexScan(root, summary: summary, page: pages.page)
        // Entries can be out of order only below a page that is lost or has other times than its parent states.
        scan.run { finding in
            let found: IndexEntry
            switch finding {
            case .block(let entry): found = entry
            case .lost:
                isSound = false
                return
            case .contradiction(_, let below, let entries):
                if entries.firstStart != below.firstStart || entries.lastStart != below.lastStart { isSound = false }
                return
            }
            blocks += 1
            require(!isSound || found.summary.firstStart >= last, "entries out of order")
            last = found.summary.lastStart
            let identity = BlockIdentity(
                store: header.store, segment: header.segment, series: pages.identity.series, position: found.offset)
            guard let at = Int(exactly: found.offset) else { return }
            guard
                (try? decoder.decode(
                    bytes, at: at, length: Int(found.length), identity: identity, columns: .all, into: buffer)) != nil
            else { return }
            let rows = 0..<buffer.count
            require(
                buffer.count > 0 && Kernel.isAscending(buffer.starts, rows) && Kernel.allFinite(buffer.values, rows),
                "samples violate the rules")
        }
        // Every block has at least a byte, and a sound index names none twice.
        require(!isSound || blocks <= bytes.count, "\(blocks) blocks in \(bytes.count) bytes")
    }

    struct Pages {
        let bytes: [UInt8]
        let identity: IndexIdentity

        func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
            guard let at = Int(exactly: offset) else { throw IndexError(.unreadable, at: offset, "too far") }
            return try IndexPage.decode(
                bytes, at: at, length: Int(length), identity: identity, position: offset, level: level)
        }
    }

    // MARK: Index pages

    private static let position: UInt64 = 1 << 20
    private static let identity = IndexIdentity(
        store: Checksums.store, segment: Checksums.segment, series: Checksums.series)

    /// Reads a level and a page whose kind, length, series and checksum are corrected.
    private static func page(_ bytes: [UInt8], _ choice: UInt64?) {
        guard bytes.count >= 1 + IndexFormat.minimumPageBytes else { return }
        let level = bytes[0] % 10
        var page = Array(bytes.dropFirst())
        page[0] = IndexFormat.kind
        page[1] = level
        Checksums.put(UInt64(page.count), 4, into: &page, at: 4)
        Checksums.put(Checksums.series, 8, into: &page, at: 8)
        Checksums.set(&page, 0..<page.count, Checksums.identity(position: position))
        let expected = try? NaivePage(page)
        let decoded = decode(page, level, choice)
        guard let found = decoded else { return }
        // Nil entries: the page has LZ4 that the naive decoder refuses.
        guard let expected else { finding("decoded a page that the format refuses") }
        if let entries = expected.entries {
            require(entries == found.entries.map(NaivePage.fields), "entries differ from the naive decoder's")
        }
        // Writing a page takes the most time and is done for every fourth variant only.
        if let choice, choice & 3 != 0 { return }
        var writer = ByteWriter()
        do { try found.encode(identity: identity, position: position, into: &writer) } catch {
            finding("a page that was read cannot be written: \(error)")
        }
        guard let again = decode(writer.bytes, level) else { finding("a written page cannot be read") }
        require(again.entries.map(NaivePage.fields) == found.entries.map(NaivePage.fields), "the page has changed")
    }

    /// Decodes on every level of the processor, or for a variant on one.
    private static func decode(_ page: [UInt8], _ level: UInt8, _ choice: UInt64?) -> IndexPage? {
        let levels = 0...Kernel.highestLevel
        let chosen = choice.map { Int($0 >> 8 & 0xFF) % levels.count }
        defer { Kernel.force(level: -1) }
        var pages: [IndexPage?] = []
        for number in levels where number == chosen ?? number {
            Kernel.force(level: number)
            let found = decode(page, level)
            pages.append(found)
            require((found == nil) == (pages[0] == nil), "level \(number) and level 0 disagree on refusing")
            guard let found, pages.count > 1, let first = pages[0] else { continue }
            let isSame = found.entries.map(NaivePage.fields) == first.entries.map(NaivePage.fields)
            require(isSame, "level \(number): different entries")
        }
        return pages[0]
    }

    private static func decode(_ bytes: [UInt8], _ level: UInt8) -> IndexPage? {
        try? IndexPage.decode(bytes, length: bytes.count, identity: identity, position: position, level: level)
    }

    // MARK: Summaries

    private static func summaries(_ bytes: [UInt8], _ choice: UInt64?) {
        var reader = ByteReader(bytes)
        var all: [Summary] = []
        while all.count < 24, let summary = try? SummaryCodec.decode(&reader) { all.append(summary) }
        var single = ByteWriter()
        for summary in all { SummaryCodec.encode(summary, into: &single) }
        require(single.bytes == Array(bytes.prefix(all.count * SummaryCodec.length)), "the fixed layout changed bits")
        _ = try? SummaryCodec.decode(columns: bytes, at: 0, end: bytes.count, count: 3)
        // The search for the best encoding of eleven columns takes the most time.
        if let choice {
            if choice & 3 != 0 { return }
            all = Array(all.prefix(1 + Int(choice >> 8 & 0xFF) % 24))
        }
        var writer = ByteWriter()
        var encoder = SummaryColumnsEncoder()
        encoder.encode(all, into: &writer)
        let end = writer.count
        let decoded: (summaries: [Summary], next: Int)
        do {
            decoded = try SummaryCodec.decode(columns: writer.bytes, at: 0, end: end, count: all.count)
        } catch { finding("columns of summaries cannot be read: \(error)") }
        require(decoded.next == end, "columns end at \(decoded.next), not \(end)")
        require(decoded.summaries.map(NaivePage.bits) == all.map(NaivePage.bits), "columns changed bits")
    }
}
