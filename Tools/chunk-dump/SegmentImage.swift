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

/// The result of verifying a unit.
enum UnitState {
    /// Kind, length, identity and checksum agree; the unit of an encrypted segment was decrypted.
    case intact
    /// The checksum does not match.
    case damaged
    /// The checksum matches, but the unit was not encrypted for this place with the store's key.
    case forged
    /// The checksum matches; the content is encrypted, and there is no key.
    case closed
}

/// One block of a segment, from index and scan.
struct BlockInfo {
    var number = 0
    let offset: UInt64
    /// The stored length, with the tag of an encrypted block.
    let length: Int
    let series: UInt64
    let state: UnitState
    let stored: UInt32?
    let computed: UInt32?
    /// The summary from the index, otherwise computed from the decoded samples; nil if neither is available.
    var summary: Summary?
    /// Whether an index page names the block.
    let isIndexed: Bool

    var samples: Int { Int(clamping: summary?.count ?? 0) }
    /// Whether the content is readable.
    var isIntact: Bool { state == .intact }
}

/// The recoverable contents of one segment file, intact or damaged. Never writes.
struct SegmentImage {
    let path: String
    /// The contents of the file, followed by 64 spare bytes. The units of an encrypted segment are decrypted in place,
    /// with their plain length; tags and checksums are those of the file.
    var bytes: [UInt8]
    /// The length of the file.
    let size: Int
    var header: SegmentHeader?
    /// The header, or the best guess if it is damaged.
    var assumed = SegmentHeader(
        store: [UInt8](repeating: 0, count: SegmentFormat.idBytes),
        segment: [UInt8](repeating: 0, count: SegmentFormat.idBytes), commit: 0)
    /// The key of an encrypted segment; nil without a key.
    var key: SegmentKey?
    /// The offsets of decrypted units.
    var opened: Set<UInt64> = []
    /// The offsets of units with the right checksum that do not open.
    var forged: Set<UInt64> = []
    /// The keys of the store; nil for a tail row.
    let keys: DumpKeys?
    /// Whether only this file is dumped.
    let isAlone: Bool
    var footer: SegmentFooter?
    var runs: [RunEntry] = []
    /// The units found by scanning, in order.
    var units: [FoundUnit] = []
    /// The ranges without an intact unit.
    var damage: [Range<Int>] = []
    var blocks: [BlockInfo] = []
    /// The problems as text; empty for a sound file.
    var problems: [String] = []

    /// The commit of a tail row, which is the position of its blocks; nil for a file.
    var tailPosition: UInt64?

    /// Creates the image of bytes that are not a file.
    init(path: String, bytes: [UInt8], size: Int, tailPosition: UInt64) {
        self.path = path
        self.bytes = bytes
        self.size = size
        self.tailPosition = tailPosition
        keys = nil
        isAlone = false
    }

    /// Reads a file. Throws if the file is unreadable, or contains no part of a segment.
    ///
    /// - Parameter isAlone: whether only this file is dumped.
    init(path: String, keys: DumpKeys, isAlone: Bool = false) throws(DumpFailure) {
        self.path = path
        self.keys = keys
        self.isAlone = isAlone
        do throws(DiskError) {
            let content = try RealDisk().contents(of: path, limit: 1 << 32)
            size = content.count
            bytes = content + [UInt8](repeating: 0, count: SegmentFormat.spareBytes)
        } catch {
            throw DumpFailure(error)
        }
        readUnits()
        let isNamed = bytes.starts(with: SegmentFormat.magic)
        guard header != nil || !units.isEmpty || isNamed else {
            throw DumpFailure(message: "\(path): \(problems.first ?? "not a segment file")")
        }
        if isAlone, assumed.encryption != nil, let problem = keys.problem { problems.append(problem) }
        readFooter()
        try openUnits()
        collectBlocks()
        for range in damage {
            problems.append("no intact unit in bytes \(range.lowerBound) to \(range.upperBound - 1)")
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
                offset: unit.offset, length: unit.length, series: named?.series ?? series(of: unit),
                state: state(of: unit),
                stored: unit.stored, computed: unit.computed, summary: named?.entry.summary, isIndexed: named != nil)
            if info.summary == nil, decode(info, &decoder, buffer) == nil {
                info.summary = SegmentImage.summary(buffer)
            }
            blocks.append(info)
        }
        var scanner = UnitScanner(bytes, header: assumed, end: size)
        for (offset, named) in indexed {
            let seen = Int(exactly: offset).flatMap { scanner.unit(at: $0) }
            blocks.append(
                BlockInfo(
                    offset: offset, length: Int(named.entry.length), series: named.series, state: .damaged,
                    stored: seen?.stored, computed: seen?.computed, summary: named.entry.summary, isIndexed: true))
            problems.append("the block at \(offset) (series \(named.series)) is damaged")
        }
        blocks.sort { $0.offset < $1.offset }
        for index in blocks.indices { blocks[index].number = index }
    }

    /// Returns the entries of intact leaves, for files without a footer and directory.
    private func leavesFoundByScanning() -> [UInt64: (entry: IndexEntry, series: UInt64)] {
        var found: [UInt64: (entry: IndexEntry, series: UInt64)] = [:]
        for unit in units where unit.kind == .indexPage && state(of: unit) == .intact {
            guard let fixed = PageHeader(bytes, at: Int(unit.offset)), fixed.level == 0,
                let page = try? pages(of: fixed.series).page(
                    offset: unit.offset, length: UInt32(unit.length), level: 0)
            else { continue }
            for entry in page.entries { found[entry.offset] = (entry, fixed.series) }
        }
        return found
    }
}
