// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Synchronization
import TimeIndex

/// One immutable segment that a committed row names. It is mapped on first use and stays so.
final class SegmentFile: Sendable {
    let row: SegmentRow
    /// What its runs have together.
    let totals: SegmentTotals
    let store: [UInt8]
    let path: String
    /// Where the pages of its index are kept.
    let cache: IndexCache
    /// Who is told of damage.
    let telemetry: Telemetry?
    /// Tells it from all other segment files of this process, those of other stores and of removed rows included.
    let number: Int64
    private let disk: any Disk
    private let map = Mutex<(any MappedFile)?>(nil)
    private let asked = Mutex(AskedPiece())
    private let expired = Atomic(false)
    /// Whether the opening was closed when no snapshot of it needed the file any more.
    private let isClosed = Atomic(false)

    private static let numbers = Atomic<Int64>(0)

    /// - Throws: `corrupt` if a summary in the catalog's row is damaged.
    init(
        row: SegmentRow, store: [UInt8], path: String, disk: any Disk, cache: IndexCache, telemetry: Telemetry? = nil
    ) throws(StoreError) {
        self.row = row
        totals = try SegmentTotals(row, path)
        self.store = store
        self.path = path
        self.disk = disk
        self.cache = cache
        self.telemetry = telemetry
        number = Self.numbers.add(1, ordering: .relaxed).newValue
    }

    /// The run of a row.
    func run(_ place: Int) -> RunIndex {
        let run = row.runs[place]
        return RunIndex(file: self, row: run, summary: RunSummary.known(run.summary))
    }

    /// All runs, ascending by series.
    var runs: [RunIndex] { row.runs.indices.map { run($0) } }

    /// Whether only snapshots have it that are older than `StoreOptions.snapshotAge`.
    var isExpired: Bool { expired.load(ordering: .relaxed) }

    /// What a snapshot says then.
    var expiry: StoreError {
        if isClosed.load(ordering: .relaxed) {
            return StoreError(
                .closed, "the store was closed, and no snapshot from before keeps the file; open the store again",
                path: path)
        }
        return StoreError(
            .snapshotExpired,
            "what this snapshot needs was replaced, and kept for longer than the store's snapshotAge; take a new one",
            path: path)
    }

    /// From now on it is not read any more, and may be removed.
    ///
    /// - Parameter isClosed: whether the opening is closed, and no snapshot from before that needs the file.
    func expire(isClosed: Bool = false) {
        map.withLock { held in
            if isClosed { self.isClosed.store(true, ordering: .relaxed) }
            expired.store(true, ordering: .relaxed)
            held = nil
        }
    }

    /// The mapped file. The first call maps it and holds its footer against the catalog's row.
    func mapped() throws(StoreError) -> any MappedFile {
        let outcome: Result<any MappedFile, StoreError> = map.withLock { held in
            if isExpired { return .failure(expiry) }
            if let held { return .success(held) }
            do throws(StoreError) {
                let fresh = try openChecked()
                held = fresh
                return .success(fresh)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private func openChecked() throws(StoreError) -> any MappedFile {
        guard try onDisk({ () throws(DiskError) in try disk.exists(path) }) else {
            throw StoreError(
                .corrupt, "a segment that the catalog names is missing; restore it from a backup", path: path)
        }
        let size: UInt64
        do throws(DiskError) {
            size = try disk.size(of: path)
        } catch {
            guard error.isWrongKind else { throw StoreError(error) }
            throw StoreError(
                .corrupt, "what the catalog names as a segment is no file (\(error.message)); restore it from a backup",
                path: path)
        }
        guard size == UInt64(row.bytes) else {
            throw StoreError(
                .corrupt, "the segment has \(size) bytes where the catalog says \(row.bytes); restore it from a backup",
                path: path)
        }
        let file = try onDisk { () throws(DiskError) in try disk.map(path, length: Int(row.bytes)) }
        // A query needs pieces here and there, and what it needs in a row is asked for beforehand; left alone, the
        // system may read megabytes around each piece.
        file.advise(.random, 0..<file.count)
        let (header, footer) = try Self.ends(of: file, path: path)
        guard header.store == store, header.segment == row.uuid, footer.checksum == row.checksum else {
            throw StoreError(
                .corrupt, "this is not the segment that the catalog names; restore it from a backup", path: path)
        }
        return file
    }

    /// The header and the footer of a mapped segment.
    static func ends(of file: any MappedFile, path: String) throws(StoreError) -> (SegmentHeader, SegmentFooter) {
        var bytes = [UInt8]()
        let head = min(file.count, SegmentHeader.size)
        try onDisk { () throws(DiskError) in try file.copy(0..<head, into: &bytes, at: 0) }
        let header = try inFormat(path) { () throws(FormatError) in try SegmentHeader.decode(Array(bytes[0..<head])) }
        let tail = max(0, file.count - SegmentFooter.size)
        try onDisk { () throws(DiskError) in try file.copy(tail..<file.count, into: &bytes, at: 0) }
        let footer = try inFormat(path) { () throws(FormatError) in
            try SegmentFooter.decode(bytes, fileLength: UInt64(file.count), header: header)
        }
        return (header, footer)
    }

    /// The runs that the segment itself lists.
    func directory() throws(StoreError) -> [RunEntry] {
        let file = try mapped()
        let (header, footer) = try Self.ends(of: file, path: path)
        var bytes = [UInt8]()
        try copy(footer.directoryOffset, footer.directoryLength, into: &bytes)
        return try inFormat(path) { () throws(FormatError) in
            try RunDirectory.decode(bytes, header: header, footer: footer)
        }
    }

    /// Asks the system to read a piece of the file that will be needed soon.
    func willNeed(_ range: Range<UInt64>) {
        guard let file = map.withLock({ $0 }) else { return }
        file.advise(.willNeed, Int(clamping: range.lowerBound)..<Int(clamping: range.upperBound))
    }

    /// Asks the system to read ahead from an offset on, unless it was asked a moment ago. Returns the end of the piece
    /// that was asked for.
    func readAhead(from offset: UInt64) -> UInt64 {
        let (piece, end) = asked.withLock { asked in
            let piece = asked.advance(to: offset, now: SystemClock.monotonicNanoseconds())
            return (piece, asked.end)
        }
        if let piece { willNeed(piece) }
        return end
    }

    /// Copies a piece of the file out of the map; a piece that the disk cannot give is an error.
    func copy(_ offset: UInt64, _ length: UInt32, into bytes: inout [UInt8]) throws(StoreError) {
        let file = try mapped()
        guard offset <= UInt64(file.count), UInt64(length) <= UInt64(file.count) - offset else {
            throw StoreError(.corrupt, "the index points past the end of the segment", path: path, offset: offset)
        }
        let range = Int(offset)..<Int(offset) + Int(length)
        try onDisk { () throws(DiskError) in try file.copy(range, into: &bytes, at: 0) }
    }
}
