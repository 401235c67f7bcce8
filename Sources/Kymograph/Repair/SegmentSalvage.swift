// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Kernels
import TimeIndex

/// Everything that is sound in one segment file, whatever became of the rest: its blocks, and what its index, its list
/// of runs or the catalog say should be there.
///
/// The whole file is in memory, but for one that is longer than any segment: of that nothing is read.
struct SegmentSalvage {
    /// What should be there of one series.
    struct Expected {
        var row: RunRow
        var summary: Summary
    }

    /// A sound block.
    struct Found {
        var offset: UInt64
        var length: Int
        var summary: Summary
        var end: UInt64 { offset + UInt64(length) }
    }

    let path: String
    let uuid: [UInt8]
    let store: [UInt8]
    /// The catalog's row, where there is one.
    let row: SegmentRow?
    /// The file, without what follows the segment's end; empty where there is none, or none that can be a segment, and
    /// zeros where the disk could not give it.
    private(set) var bytes: [UInt8] = []
    /// Why a file that is there was not read.
    private(set) var refusal: String?
    private(set) var header: SegmentHeader?
    private(set) var footer: SegmentFooter?
    private(set) var directory: [RunEntry]?
    /// By series, each in the order of the file.
    private(set) var found: [Int64: [Found]] = [:]
    private(set) var expected: [Int64: Expected] = [:]
    /// Whether the file is, byte for byte that matters, what was once written and, where there is a row, what it names.
    private(set) var isSound = false
    private(set) var report = RepairReport()
    /// The greatest number of a metadata set that a sample has.
    private(set) var highestMetadata: Int64 = 0
    /// The numbers in the provenance column, each with a series whose samples have it.
    private(set) var provenances: [Int64: Int64] = [:]

    /// The commit that made it visible; without a row the earliest possible one, which comes after it was begun.
    var born: Int64 { row?.born ?? commit + 1 }
    /// The commit after which it was begun; 0 where that is lost.
    var commit: Int64 { Int64(clamping: header?.commit ?? 0) }
    var blocks: Int { found.values.reduce(0) { $0 + $1.count } }
    var samples: Int { found.values.joined().reduce(0) { $0 + Int($1.summary.count) } }

    /// The greatest number of a commit or a series. Numbers count up from 1, so that no store reaches greater ones;
    /// whoever makes a file up may write them there all the same, and they leave no room to go on.
    static let mostNumber = Int64.max / 2

    /// The bytes that no segment has: loads and merges end a file soon after `StoreOptions.segmentBytes`, and a length
    /// that a file only claims must not decide how much memory is taken.
    static func bound(_ options: StoreOptions) -> UInt64 {
        max(1 << 30, UInt64(clamping: min(options.segmentBytes, Int.max / 4) * 4))
    }

    /// - Parameter most: a longer file is not read.
    init(path: String, uuid: [UInt8], store: [UInt8], row: SegmentRow?, disk: any Disk, most: UInt64) {
        self.path = path
        self.uuid = uuid
        self.store = store
        self.row = row
        read(disk, most)
        expect()
        scan()
        account()
    }

    // MARK: What should be there

    /// The segment's own lists, if they are sound and of this segment.
    private mutating func readEnds() {
        guard let header = try? SegmentHeader.decode(Array(bytes.prefix(SegmentHeader.size))), header.store == store,
            header.segment == uuid, header.commit <= UInt64(Self.mostNumber)
        else { return }
        self.header = header
        let end = Array(bytes.suffix(SegmentFooter.size))
        guard let footer = try? SegmentFooter.decode(end, fileLength: UInt64(bytes.count), header: header) else {
            return
        }
        self.footer = footer
        let place = Int(footer.directoryOffset)..<Int(footer.directoryOffset) + Int(footer.directoryLength)
        directory = try? RunDirectory.decode(Array(bytes[place]), header: header, footer: footer)
        if directory?.contains(where: { Self.series($0.series) == nil }) ?? false { directory = nil }
    }

    /// What the segment says of its runs or, where that is lost, what the catalog does.
    private mutating func expect() {
        for entry in directory ?? [] {
            guard let series = Self.series(entry.series) else { continue }
            let row = RunRow(
                series: series, rootOffset: Int64(entry.rootOffset), rootLength: Int64(entry.rootLength),
                levels: Int(entry.levels), blocks: Int64(entry.blocks),
                summary: RunSummary.encode(entry.summary, segment: uuid, series: series))
            expected[series] = Expected(row: row, summary: entry.summary)
        }
        if directory != nil { return }
        for run in row?.runs ?? [] {
            guard let summary = try? RunSummary.decode(run.summary, segment: uuid, series: run.series) else { continue }
            expected[run.series] = Expected(row: run, summary: summary)
        }
    }

    /// A number of a series, if it can be one.
    private static func series(_ number: UInt64) -> Int64? {
        number > 0 && number <= UInt64(mostNumber) ? Int64(number) : nil
    }

    /// The runs as a catalog row lists them; only of a sound segment.
    var runs: [RunRow] { expected.values.map(\.row).sorted { $0.series < $1.series } }

    // MARK: What is there

    private mutating func scan() {
        var scanner = UnitScanner(bytes, store: store, segment: uuid)
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        while let unit = scanner.next() {
            guard unit.kind == .block else { continue }
            guard let series = Self.series(unit.series) else {
                report.lose(path, at: unit.offset, "a block is of series \(unit.series), which no store has")
                continue
            }
            let place = BlockIdentity(store: store, segment: uuid, series: unit.series, position: unit.offset)
            do throws(FormatError) {
                try decoder.decode(
                    bytes, at: Int(unit.offset), length: unit.length, identity: place, columns: .all, into: buffer)
            } catch {
                continue
            }
            let block = Found(offset: unit.offset, length: unit.length, summary: buffer.summary)
            // A segment's runs ascend, and so do a run's blocks; what does not was not written by us.
            if let last = found[series]?.last, last.summary.lastStart > block.summary.firstStart { continue }
            found[series, default: []].append(block)
            highestMetadata = Swift.max(highestMetadata, buffer.metadata.bounds(count: buffer.count)?.greatest ?? 0)
            buffer.noteProvenances(series, in: &provenances)
        }
        holes = scanner.damage
    }

    /// Stretches of the file in which no sound unit begins.
    private var holes: [Range<Int>] = []

    // MARK: What is missing

    private mutating func account() {
        let before = report.losses.count
        var isAsWritten = header != nil && footer != nil && directory != nil && holes.isEmpty
        for (series, run) in expected.sorted(by: { $0.key < $1.key }) {
            isAsWritten = account(series, run) && isAsWritten
        }
        for series in found.keys.sorted() where expected[series] == nil {
            isAsWritten = false
            accountUnexpected(series)
        }
        accountUnknown()
        if bytes.isEmpty, report.losses.isEmpty {
            let why = refusal ?? "the segment is missing or cannot be read"
            report.lose(path, "\(why), and nothing says what it held")
        } else if let refusal {
            report.remarks.append("\(path): \(refusal)")
        }
        let isNamed = row.map { $0.bytes == Int64(bytes.count) && $0.checksum == footer?.checksum } ?? true
        isSound = isAsWritten && isNamed && report.losses.count == before
    }

    /// Walks the index of a run and compares it with the blocks that were found; whether it is sound.
    private mutating func account(_ series: Int64, _ run: Expected) -> Bool {
        let mine = found[series] ?? []
        var byOffset: [UInt64: Summary] = [:]
        for block in mine { byOffset[block.offset] = block.summary }
        let (bytes, path) = (self.bytes, self.path)
        let owner = IndexIdentity(store: store, segment: uuid, series: UInt64(series))
        let root = IndexRoot(
            offset: UInt64(run.row.rootOffset), length: UInt32(clamping: run.row.rootLength),
            levels: UInt8(clamping: run.row.levels))
        var survey = TolerantIndexScan(root: root, summary: run.summary, path: path) {
            (offset, length, level) throws(IndexError) in
            guard offset <= UInt64(bytes.count), UInt64(length) <= UInt64(bytes.count) - offset else {
                throw IndexError(.truncated, at: offset, "the file ends before the page does")
            }
            return try IndexPage.decode(
                bytes, at: Int(offset), length: Int(length), identity: owner, position: offset, level: level)
        }
        var isSound = true
        var losses: [RepairReport.Loss] = []
        // What lies below pages that are lost, from behind one block that is known to before the next.
        var stretch: (from: UInt64, below: Summary)?
        var end: UInt64 = 0
        func close(_ before: UInt64, _ salvage: SegmentSalvage) {
            guard let open = stretch else { return }
            stretch = nil
            losses += salvage.missing(series, mine.filter { $0.offset >= open.from && $0.offset < before }, open.below)
        }
        survey.run { finding in
            switch finding {
            case .block(let entry):
                close(entry.offset, self)
                end = entry.offset + UInt64(entry.length)
                if byOffset[entry.offset]?.agrees(with: entry.summary) ?? false { return }
                isSound = false
                if byOffset[entry.offset] != nil { return }
                losses.append(
                    loss(
                        series, entry.offset, TimeRange(of: entry.summary), Int(entry.summary.count),
                        "a block is damaged"))
            case .lost(_, let below, _):
                isSound = false
                if stretch == nil { stretch = (end, below) } else { stretch?.below.append(below) }
            case .contradiction: isSound = false
            }
        }
        close(.max, self)
        report.losses += losses
        return isSound
    }

    private func loss(
        _ series: Int64, _ offset: UInt64, _ range: TimeRange?, _ samples: Int?, _ message: String
    ) -> RepairReport.Loss {
        RepairReport.Loss(
            path: path, offset: offset, series: SeriesID(rawValue: series), range: range, samples: samples,
            message: message)
    }

    /// What is missing between sound blocks of a run, when only the sum of all of them is known.
    private func missing(_ series: Int64, _ there: [Found], _ all: Summary) -> [RepairReport.Loss] {
        let count = Int(all.count) - there.reduce(0) { $0 + Int($1.summary.count) }
        if count <= 0 { return [] }
        let whole = TimeRange(of: all)
        guard let first = there.first, let last = there.last else {
            return [loss(series, 0, whole, count, "no block of the run is left")]
        }
        var gaps: [(offset: UInt64, range: TimeRange)] = []
        // What stood before the first and behind the last block cannot be seen in the file, where other units follow.
        if first.summary.firstStart > all.firstStart {
            gaps.append((0, TimeRange(whole.start, first.summary.firstStart &+ 1)))
        }
        for (one, next) in zip(there, there.dropFirst()) where next.offset > one.end {
            gaps.append((one.end, TimeRange(one.summary.lastStart, next.summary.firstStart &+ 1)))
        }
        if last.summary.lastStart < all.lastStart {
            gaps.append((last.end, TimeRange(last.summary.lastStart, whole.end)))
        }
        if gaps.isEmpty { gaps = [(first.offset, whole)] }
        let only = gaps.count == 1 ? count : nil
        return gaps.map { loss(series, $0.offset, $0.range, only, "blocks and the index over them are damaged") }
    }

    /// Blocks of a series of which nothing says how many there were.
    private mutating func accountUnexpected(_ series: Int64) {
        guard let mine = found[series] else { return }
        for (one, next) in zip(mine, mine.dropFirst()) where next.offset > one.end {
            let range = TimeRange(one.summary.lastStart, next.summary.firstStart &+ 1)
            report.losses.append(loss(series, one.end, range, nil, "blocks are damaged"))
        }
    }

    /// Damage of which nothing says what it held: where neither the segment nor the catalog lists the runs.
    private mutating func accountUnknown() {
        let listed = row?.runs.count ?? 0
        guard directory == nil, listed == 0 || expected.count < listed else { return }
        let ends = found.values.joined().map { ($0.offset, $0.end) }.sorted { $0.0 < $1.0 }
        for hole in holes {
            let before = ends.last { $0.1 <= UInt64(hole.lowerBound) }
            let after = ends.first { $0.0 >= UInt64(hole.upperBound) }
            // Between two blocks of one series the loss has been told.
            if let before, let after, series(at: before.0) == series(at: after.0) { continue }
            report.lose(
                path, at: UInt64(hole.lowerBound), "\(hole.count) bytes are damaged, and nothing says what they held")
        }
    }

    private func series(at offset: UInt64) -> Int64? {
        found.first { $0.value.contains { $0.offset == offset } }?.key
    }

    // MARK: The file

    /// Reads the file, as far as the disk gives it: what the catalog's row says it has, and all of it where that does
    /// not end with a segment's end. Then the segment's own lists.
    private mutating func read(_ disk: any Disk, _ most: UInt64) {
        guard let file = try? disk.open(path, writable: false), let size = try? file.size() else { return }
        defer { try? file.close() }
        let wanted = row.map { min(size, UInt64(clamping: $0.bytes)) } ?? size
        for length in wanted < size ? [wanted, size] : [size] where footer == nil {
            guard length <= most else {
                if bytes.isEmpty {
                    refusal =
                        "the file has \(size) bytes, more than any segment has, and was not read (a repair with a "
                        + "greater StoreOptions.segmentBytes reads it)"
                }
                break
            }
            bytes = Self.read(file, Int(length))
            readEnds()
        }
        if !bytes.isEmpty, UInt64(bytes.count) < size {
            report.remarks.append("\(path) has \(size) bytes; what is behind the first \(bytes.count) was left out")
        }
    }

    private static func read(_ file: any DiskFile, _ size: Int) -> [UInt8] {
        let piece = 65_536
        var all = [UInt8](repeating: 0, count: size)
        var isWhole = false
        if let count = try? file.read(at: 0, count: all.count, into: &all, offset: 0) { isWhole = count == all.count }
        if isWhole { return all }
        for at in stride(from: 0, to: all.count, by: piece) {
            let count = Swift.min(piece, all.count - at)
            if (try? file.read(at: UInt64(at), count: count, into: &all, offset: at)) == nil {
                for i in at..<at + count { all[i] = 0 }
            }
        }
        return all
    }
}

extension SegmentSalvage {
    /// Gives the sound blocks, decoded whole, series by series in the order of time.
    func forEachBlock(_ body: (Int64, BlockBuffer) throws(StoreError) -> Void) throws(StoreError) {
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        for (series, blocks) in found.sorted(by: { $0.key < $1.key }) {
            for block in blocks {
                let place = BlockIdentity(store: store, segment: uuid, series: UInt64(series), position: block.offset)
                try inFormat(path) { () throws(FormatError) in
                    try decoder.decode(
                        bytes, at: Int(block.offset), length: block.length, identity: place, columns: .all,
                        into: buffer)
                }
                try body(series, buffer)
            }
        }
    }
}
