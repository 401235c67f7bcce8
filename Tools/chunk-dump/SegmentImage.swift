// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import ColumnCodec
import FileSystem
import Kernels
import TimeIndex

/// The reason why a path cannot be dumped.
struct DumpFailure: Error {
    let message: String
    /// True if the system refused a call for a reason other than damage, such as too few descriptors.
    var isRefusal = false

    init(message: String) { self.message = message }

    init(_ error: DiskError) {
        message = error.description
        isRefusal = !error.isDamage && !error.isMissing && !error.isWrongKind
    }
}

/// One block of a segment, from index and scan.
struct BlockInfo {
    var number = 0
    let offset: UInt64
    let length: Int
    let series: UInt64
    /// Whether kind, length, identity and checksum agree.
    let isIntact: Bool
    let stored: UInt32?
    let computed: UInt32?
    /// The summary from the index, otherwise computed from the decoded samples; nil if neither is available.
    var summary: Summary?
    /// Whether an index page names the block.
    let isIndexed: Bool

    var samples: Int { Int(clamping: summary?.count ?? 0) }
}

/// The recoverable contents of one segment file, intact or damaged. Never writes.
struct SegmentImage {
    let path: String
    /// The contents of the file, followed by 64 spare bytes.
    let bytes: [UInt8]
    /// The length of the file.
    let size: Int
    var header: SegmentHeader?
    var footer: SegmentFooter?
    var runs: [RunEntry] = []
    /// The units found by scanning, in order.
    var units: [FoundUnit] = []
    /// The ranges without an intact unit.
    var damage: [Range<Int>] = []
    var blocks: [BlockInfo] = []
    /// The problems as text; empty for a sound file.
    var problems: [String] = []
    /// The ids used to verify units: from the header, or the best guess if the header is damaged.
    var store = [UInt8](repeating: 0, count: SegmentFormat.idBytes)
    var segment = [UInt8](repeating: 0, count: SegmentFormat.idBytes)

    /// The commit of a tail row, which is the position of its blocks; nil for a file.
    var tailPosition: UInt64?

    /// Creates the image of bytes that are not a file.
    init(path: String, bytes: [UInt8], size: Int, tailPosition: UInt64) {
        self.path = path
        self.bytes = bytes
        self.size = size
        self.tailPosition = tailPosition
    }

    /// Reads a file. Throws if the file is unreadable, or contains no part of a segment.
    init(path: String) throws(DumpFailure) {
        self.path = path
        do throws(DiskError) {
            let content = try RealDisk().contents(of: path, limit: 1 << 32)
            size = content.count
            bytes = content + [UInt8](repeating: 0, count: SegmentFormat.spareBytes)
        } catch {
            throw DumpFailure(error)
        }
        readHeader()
        scan()
        let isNamed = bytes.starts(with: SegmentFormat.magic)
        guard header != nil || !units.isEmpty || isNamed else {
            throw DumpFailure(message: "\(path): \(problems.first ?? "not a segment file")")
        }
        readFooter()
        collectBlocks()
        for range in damage {
            problems.append("no intact unit in bytes \(range.lowerBound) to \(range.upperBound - 1)")
        }
    }

    private mutating func readHeader() {
        do throws(FormatError) {
            let header = try SegmentHeader.decode(Array(bytes.prefix(min(size, SegmentHeader.size))))
            self.header = header
            store = header.store
            segment = header.segment
        } catch {
            problems.append("\(error)")
            guard size >= SegmentHeader.size else { return }
            let repaired = repairedHeader()
            store = repaired?.store ?? Array(bytes[16..<32])
            segment = repaired?.segment ?? Array(bytes[32..<48])
        }
    }

    /// Returns a header that verifies and differs from the damaged one in a single byte: verifying units needs its ids.
    private func repairedHeader() -> SegmentHeader? {
        let damaged = Array(bytes.prefix(SegmentHeader.size))
        for index in damaged.indices {
            for change in UInt8(1)...255 {
                var attempt = damaged
                attempt[index] ^= change
                if let header = try? SegmentHeader.decode(attempt) { return header }
            }
        }
        return nil
    }

    /// Scans all units; if the header is damaged, the ids with which units verify are chosen.
    private mutating func scan() {
        var best = SegmentImage.scan(bytes, size, store, segment)
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if header == nil, best.units.isEmpty, let named = Text.uuidBytes(ofFile: name) {
            let other = SegmentImage.scan(bytes, size, store, named)
            if !other.units.isEmpty { (best, segment) = (other, named) }
        }
        units = best.units
        damage = best.damage
    }

    private static func scan(
        _ bytes: [UInt8], _ size: Int, _ store: [UInt8], _ segment: [UInt8]
    )
        -> (units: [FoundUnit], damage: [Range<Int>])
    {
        var scanner = UnitScanner(bytes, end: size, store: store, segment: segment)
        var units: [FoundUnit] = []
        while let unit = scanner.next() { units.append(unit) }
        return (units, scanner.damage)
    }

    private mutating func readFooter() {
        guard let header else { return }
        do throws(FormatError) {
            let tail = Array(bytes[max(0, size - SegmentFooter.size)..<size])
            let footer = try SegmentFooter.decode(tail, fileLength: UInt64(size), header: header)
            self.footer = footer
            let at = Int(footer.directoryOffset)
            let directory = Array(bytes[at..<at + Int(footer.directoryLength)])
            runs = try RunDirectory.decode(directory, header: header, footer: footer)
        } catch {
            problems.append("\(error)")
        }
    }

    // MARK: blocks

    private mutating func collectBlocks() {
        var indexed: [UInt64: (entry: IndexEntry, series: UInt64)] = [:]
        for run in runs {
            let root = IndexRoot(offset: run.rootOffset, length: run.rootLength, levels: run.levels)
            var scan = IndexScan(
                root, summary: run.summary, agree: Verification.same, page: pages(of: run.series).page)
            scan.run { finding in
                switch finding {
                case .block(let entry): indexed[entry.offset] = (entry, run.series)
                case .lost(_, _, let why): problems.append("index of series \(run.series): \(why)")
                case .contradiction(let offset, _, _):
                    problems.append(
                        "index of series \(run.series): the entries of the page at \(offset) do not add up to the "
                            + "summary in its parent")
                }
            }
        }
        if runs.isEmpty { indexed = leavesFoundByScanning() }
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        for unit in units where unit.kind == .block {
            let named = indexed.removeValue(forKey: unit.offset)
            var info = BlockInfo(
                offset: unit.offset, length: unit.length, series: named?.series ?? unit.series, isIntact: unit.isIntact,
                stored: unit.stored, computed: unit.computed, summary: named?.entry.summary, isIndexed: named != nil)
            if info.summary == nil, decode(info, &decoder, buffer) == nil {
                info.summary = SegmentImage.summary(buffer)
            }
            blocks.append(info)
        }
        var scanner = UnitScanner(bytes, end: size, store: store, segment: segment)
        for (offset, named) in indexed {
            let seen = Int(exactly: offset).flatMap { scanner.unit(at: $0) }
            blocks.append(
                BlockInfo(
                    offset: offset, length: Int(named.entry.length), series: named.series, isIntact: false,
                    stored: seen?.stored, computed: seen?.computed, summary: named.entry.summary, isIndexed: true))
            problems.append("the block at \(offset) (series \(named.series)) is damaged")
        }
        blocks.sort { $0.offset < $1.offset }
        for index in blocks.indices { blocks[index].number = index }
    }

    /// Returns the entries of intact leaves, for files without a footer and directory.
    private func leavesFoundByScanning() -> [UInt64: (entry: IndexEntry, series: UInt64)] {
        var found: [UInt64: (entry: IndexEntry, series: UInt64)] = [:]
        for unit in units where unit.kind == .indexPage {
            guard let fixed = PageHeader(bytes, at: Int(unit.offset)), fixed.level == 0,
                let page = try? pages(of: unit.series).page(
                    offset: unit.offset, length: UInt32(unit.length), level: 0)
            else { continue }
            for entry in page.entries { found[entry.offset] = (entry, unit.series) }
        }
        return found
    }

    /// Decodes all columns of a block; returns the error, or nil on success.
    func decode(_ block: BlockInfo, _ decoder: inout BlockDecoder, _ buffer: BlockBuffer) -> FormatError? {
        let identity = BlockIdentity(
            store: store, segment: segment, series: block.series, position: tailPosition ?? block.offset)
        do throws(FormatError) {
            try decoder.decode(
                bytes, at: Int(block.offset), length: block.length, identity: identity, columns: .all, into: buffer)
            return nil
        } catch { return error }
    }

    func pages(of series: UInt64) -> ImagePages {
        ImagePages(
            bytes: bytes, size: size, identity: IndexIdentity(store: store, segment: segment, series: series))
    }

    static func summary(_ buffer: BlockBuffer) -> Summary {
        let born = buffer.born.bounds(count: buffer.count) ?? (0, 0)
        return Kernel.summarize(
            starts: buffer.starts, ends: buffer.hasEnds ? buffer.ends : nil, values: buffer.values,
            range: 0..<buffer.count, minBorn: born.least, maxBorn: born.greatest)
    }
}

/// Index pages decoded from the bytes of the file.
struct ImagePages {
    let bytes: [UInt8]
    let size: Int
    let identity: IndexIdentity

    func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
        guard let at = Int(exactly: offset), at <= size, Int(length) <= size - at else {
            throw IndexError(.truncated, at: offset, "the page is beyond the end of the file")
        }
        return try IndexPage.decode(
            bytes, at: at, length: Int(length), identity: identity, position: offset, level: level)
    }
}
