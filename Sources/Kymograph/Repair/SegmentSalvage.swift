// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Kernels
import TimeIndex

/// The intact parts of one segment file: its blocks, and the expected content according to its index, its directory of
/// runs or the catalog.
///
/// The whole file is in memory. A file longer than any segment is not read.
struct SegmentSalvage {
    /// The expected content of one series.
    struct Expected {
        var row: RunRow
        var summary: Summary
    }

    /// An intact block.
    struct Found {
        var offset: UInt64
        var length: Int
        var summary: Summary
        var end: UInt64 { offset + UInt64(length) }
    }

    let path: String
    let uuid: [UInt8]
    let store: [UInt8]
    /// The catalog's row; nil if there is none.
    let row: SegmentRow?
    /// The bytes of the file up to the end of the segment. Empty if the file is missing or cannot be a segment; zeros
    /// where the disk could not read.
    private(set) var bytes: [UInt8] = []
    /// The reason why an existing file was not read.
    private(set) var refusal: String?
    private(set) var header: SegmentHeader?
    /// The header, even if its commit is impossible.
    private var form: SegmentHeader?
    /// The keys of an encrypted store.
    private let keys: StoreKeys?
    /// The key of an encrypted segment.
    private var key: SegmentKey?
    private(set) var footer: SegmentFooter?
    private(set) var directory: [RunEntry]?
    /// By series, in the order of the file.
    private(set) var found: [Int64: [Found]] = [:]
    private(set) var expected: [Int64: Expected] = [:]
    /// Whether the file is unchanged in every relevant byte and matches its catalog row, if it has one.
    private(set) var isSound = false
    private(set) var report = RepairReport()
    /// The greatest metadata number of a sample.
    private(set) var highestMetadata: Int64 = 0
    /// The numbers in the provenance column, each with a series that uses it.
    private(set) var provenances: [Int64: Int64] = [:]

    /// The commit that made the segment visible. Without a row, the earliest possible commit, the one after `commit`.
    var born: Int64 { row?.born ?? commit + 1 }
    /// The last commit before the segment was started; 0 if unknown.
    var commit: Int64 { Int64(clamping: header?.commit ?? 0) }
    var blocks: Int { found.values.reduce(0) { $0 + $1.count } }
    var samples: Int { found.values.joined().reduce(0) { $0 + Int($1.summary.count) } }

    /// The greatest plausible number of a commit or a series. Numbers count up from 1, so no store exceeds it. Greater
    /// numbers in a forged file would leave no room for further commits.
    static let mostNumber = Int64.max / 2

    /// Returns the maximum size of a segment, in bytes. Loads and merges end a file soon after
    /// `StoreOptions.segmentBytes`; a length in a damaged file must not determine the memory used.
    static func bound(_ options: StoreOptions) -> UInt64 {
        max(1 << 30, UInt64(clamping: min(options.segmentBytes, Int.max / 4) * 4))
    }

    /// - Parameter most: the maximum size of the file, in bytes; a longer file is not read.
    init(path: String, uuid: [UInt8], store: [UInt8], row: SegmentRow?, _ access: FileAccess, most: UInt64) {
        keys = access.keys
        self.path = path
        self.uuid = uuid
        self.store = store
        self.row = row
        read(access.disk, most)
        requireKey()
        expect()
        scan()
        account()
    }

    // MARK: Expected content

    /// Reads the header, the footer and the directory of runs, if they are intact and of this segment.
    private mutating func readEnds() {
        let start = Array(bytes.prefix(SegmentHeader.encryptedSize))
        guard let header = try? SegmentHeader.decode(start, latest: SegmentFormat.encryptedVersion) else {
            return guessHeader(start)
        }
        guard header.store == store, header.segment == uuid, let key = try? Optional.some(keys.key(of: header))
        else { return }
        (form, self.key) = (header, key)
        guard header.commit <= UInt64(Self.mostNumber) else { return }
        self.header = header
        readFooter(header, key)
    }

    private mutating func readFooter(_ header: SegmentHeader, _ key: SegmentKey?) {
        let end = Array(bytes.suffix(header.footerLength))
        guard
            let footer = try? SegmentFooter.decode(end, fileLength: UInt64(bytes.count), header: header, key: key)
        else { return }
        self.footer = footer
        let place = Int(footer.directoryOffset)..<Int(footer.directoryOffset) + Int(footer.directoryLength)
        directory = try? RunDirectory.decode(Array(bytes[place]), header: header, footer: footer, key: key)
        if directory?.contains(where: { Self.series($0.series) == nil }) ?? false { directory = nil }
    }

    /// Finds the key of an encrypted segment whose header is damaged. The file is not sound then, but its blocks are
    /// read.
    private mutating func guessHeader(_ start: [UInt8]) {
        guard let ring = keys?.ring else { return }
        let fields = SegmentHeader.ofFields(
            start, store: store, segment: uuid, generations: ring.image.generations.map(\.number))
        for header in fields + SegmentHeader.withOneByteChanged(start)
        where header.store == store && header.segment == uuid && header.encryption != nil {
            guard let key = try? SegmentKey.of(header, keys: ring), opensAnything(header, key) else { continue }
            (form, self.key) = (header, key)
            return readFooter(header, key)
        }
    }

    /// Whether one of the first units opens, which proves the header.
    private func opensAnything(_ header: SegmentHeader, _ key: SegmentKey) -> Bool {
        var scanner = UnitScanner(bytes, header: header)
        var opener = UnitOpener()
        for _ in 0..<3 {
            guard let unit = scanner.next() else { return false }
            let identity = BlockIdentity(store: store, segment: uuid, series: 0, position: unit.offset)
            var copy = Array(bytes[Int(unit.offset)..<Int(unit.offset) + unit.length])
            if (try? opener.open(&copy, at: 0, length: unit.length, of: identity, key: key)) != nil { return true }
        }
        return false
    }

    /// Drops the bytes of a file without a key in an encrypted store: plain samples there are forged, and encrypted
    /// ones cannot be read.
    private mutating func requireKey() {
        guard keys != nil, key == nil, !bytes.isEmpty else { return }
        refusal = "the header is damaged or that of a plain segment, so no sample of this encrypted store can be read"
        bytes = []
        (header, footer, directory) = (nil, nil, nil)
    }

    private var units: SegmentUnits { SegmentUnits(bytes, store: store, segment: uuid, key: key) }

    /// Collects the expected runs from the segment's directory or, if this is lost, from the catalog.
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

    /// Returns a number as a series number if it is valid.
    private static func series(_ number: UInt64) -> Int64? {
        number > 0 && number <= UInt64(mostNumber) ? Int64(number) : nil
    }

    /// The runs for a catalog row.
    /// - Requires: the segment is intact.
    var runs: [RunRow] { expected.values.map(\.row).sorted { $0.series < $1.series } }

    // MARK: Found content

    private mutating func scan() {
        var scanner = UnitScanner(
            bytes, header: form ?? SegmentHeader(store: store, segment: uuid, commit: 0))
        var units = units
        let buffer = BlockBuffer()
        while let unit = scanner.next() {
            guard unit.kind == .block else { continue }
            let number: UInt64
            do throws(FormatError) {
                number = try units.block(at: unit.offset, length: unit.length, into: buffer)
            } catch {
                continue
            }
            guard let series = Self.series(number) else {
                report.lose(path, at: unit.offset, "a block has the invalid series number \(number)")
                continue
            }
            let block = Found(offset: unit.offset, length: unit.length, summary: buffer.summary)
            // Runs ascend in a segment and blocks in a run. A block out of order is not authentic.
            if let last = found[series]?.last, last.summary.lastStart > block.summary.firstStart { continue }
            found[series, default: []].append(block)
            highestMetadata = Swift.max(highestMetadata, buffer.metadata.bounds(count: buffer.count)?.greatest ?? 0)
            buffer.noteProvenances(series, in: &provenances)
        }
        holes = scanner.damage
    }

    /// Ranges of the file without the start of an intact block or page.
    private var holes: [Range<Int>] = []

    // MARK: Losses

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
            report.lose(path, "\(why); its content is unknown")
        } else if let refusal {
            report.remarks.append("\(path): \(refusal)")
        }
        let isNamed = row.map { $0.bytes == Int64(bytes.count) && $0.checksum == footer?.checksum } ?? true
        isSound = isAsWritten && isNamed && report.losses.count == before
    }

    /// Compares the index of a run with the blocks found in the file. Returns true if the run is intact.
    private mutating func account(_ series: Int64, _ run: Expected) -> Bool {
        let mine = found[series] ?? []
        var byOffset: [UInt64: Summary] = [:]
        for block in mine { byOffset[block.offset] = block.summary }
        var units = units
        let root = IndexRoot(
            offset: UInt64(run.row.rootOffset), length: UInt32(clamping: run.row.rootLength),
            levels: UInt8(clamping: run.row.levels))
        var scan = IndexScan(root, summary: run.summary) { (offset, length, level) throws(IndexError) in
            try units.page(of: UInt64(series), at: offset, length: length, level: level)
        }
        var isSound = true
        var losses: [RepairReport.Loss] = []
        // The content below lost pages, from the end of a known block to the start of the next one.
        var stretch: (from: UInt64, below: Summary)?
        var end: UInt64 = 0
        func close(_ before: UInt64, _ salvage: SegmentSalvage) {
            guard let open = stretch else { return }
            stretch = nil
            losses += salvage.missing(series, mine.filter { $0.offset >= open.from && $0.offset < before }, open.below)
        }
        scan.run { finding in
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

    /// Returns the gaps between intact blocks of a run whose other entries are known only as a sum.
    private func missing(_ series: Int64, _ there: [Found], _ all: Summary) -> [RepairReport.Loss] {
        let count = Int(all.count) - there.reduce(0) { $0 + Int($1.summary.count) }
        if count <= 0 { return [] }
        let whole = TimeRange(of: all)
        guard let first = there.first, let last = there.last else {
            return [loss(series, 0, whole, count, "all blocks of the run are lost")]
        }
        var gaps: [(offset: UInt64, range: TimeRange)] = []
        // Gaps before the first and after the last block are invisible in the file, since other data adjoins there.
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

    /// Records gaps between blocks of a series whose number of blocks is unknown.
    private mutating func accountUnexpected(_ series: Int64) {
        guard let mine = found[series] else { return }
        for (one, next) in zip(mine, mine.dropFirst()) where next.offset > one.end {
            let range = TimeRange(one.summary.lastStart, next.summary.firstStart &+ 1)
            report.losses.append(loss(series, one.end, range, nil, "blocks are damaged"))
        }
    }

    /// Records damage of unknown content, if neither the segment nor the catalog lists the runs.
    private mutating func accountUnknown() {
        let listed = row?.runs.count ?? 0
        guard directory == nil, listed == 0 || expected.count < listed else { return }
        let ends = found.values.joined().map { ($0.offset, $0.end) }.sorted { $0.0 < $1.0 }
        for hole in holes {
            let before = ends.last { $0.1 <= UInt64(hole.lowerBound) }
            let after = ends.first { $0.0 >= UInt64(hole.upperBound) }
            // A gap between two blocks of one series is already reported.
            if let before, let after, series(at: before.0) == series(at: after.0) { continue }
            report.lose(
                path, at: UInt64(hole.lowerBound), "\(hole.count) bytes are damaged; their content is unknown")
        }
    }

    private func series(at offset: UInt64) -> Int64? {
        found.first { $0.value.contains { $0.offset == offset } }?.key
    }

    // MARK: The file

    /// Reads as much of the file as the disk can read: the length in the catalog's row or, if there is no footer at its
    /// end, the whole file. Then reads the header, the footer and the directory.
    private mutating func read(_ disk: any Disk, _ most: UInt64) {
        guard let file = try? disk.open(path, writable: false), let size = try? file.size() else { return }
        defer { try? file.close() }
        let wanted = row.map { min(size, UInt64(clamping: $0.bytes)) } ?? size
        for length in wanted < size ? [wanted, size] : [size] where footer == nil {
            guard length <= most else {
                if bytes.isEmpty {
                    refusal =
                        "the file has \(size) bytes, more than any segment, and was not read (repair with a "
                        + "greater StoreOptions.segmentBytes to read it)"
                }
                break
            }
            bytes = Self.read(file, Int(length))
            readEnds()
        }
        if !bytes.isEmpty, UInt64(bytes.count) < size {
            report.remarks.append("\(path) has \(size) bytes; those after the first \(bytes.count) were ignored")
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

    /// Calls `body` with the intact blocks, decoded whole, series by series in order of time.
    func forEachBlock(_ body: (Int64, BlockBuffer) throws(StoreError) -> Void) throws(StoreError) {
        var units = units
        let buffer = BlockBuffer()
        for (series, blocks) in found.sorted(by: { $0.key < $1.key }) {
            for block in blocks {
                try inFormat(path) { () throws(FormatError) in
                    _ = try units.block(at: block.offset, length: block.length, into: buffer)
                }
                try body(series, buffer)
            }
        }
    }
}
