// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Synchronization
import TimeIndex

/// One immutable segment that a committed row names. The first access maps the file, which then stays mapped.
final class SegmentFile: Sendable {
    let row: SegmentRow
    /// The totals of all runs.
    let totals: SegmentTotals
    let store: [UInt8]
    let path: String
    /// The cache of the segment's index pages.
    let cache: IndexCache
    /// Distinguishes the file from all other segment files of this process, including those of other stores and removed
    /// rows.
    let number: Int64
    private let access: FileAccess
    private let map = Mutex<OpenedSegment?>(nil)
    private let asked = Mutex(AskedPiece())
    private let expired = Atomic(false)
    /// Whether the store was closed while no snapshot needed the file.
    private let isClosed = Atomic(false)

    private static let numbers = Atomic<Int64>(0)

    /// - Throws: `corrupt` if a summary in the catalog's row is damaged.
    init(
        row: SegmentRow, store: [UInt8], path: String, access: FileAccess, cache: IndexCache
    ) throws(StoreError) {
        self.row = row
        totals = try SegmentTotals(row, path)
        self.store = store
        self.path = path
        self.access = access
        self.cache = cache
        number = Self.numbers.add(1, ordering: .relaxed).newValue
    }

    /// Receives reports of damage.
    var telemetry: Telemetry? { access.telemetry }
    /// The decrypted blocks of an encrypted store; nil for a plain store, whose units are decoded as they are.
    @inline(__always)
    var openedBlocks: OpenedBlocks? { access.keys?.blocks }
    private var disk: any Disk { access.disk }

    /// Returns the run at a position in the row.
    func run(_ place: Int) -> RunIndex {
        let run = row.runs[place]
        return RunIndex(file: self, row: run, summary: RunSummary.known(run.summary))
    }

    /// All runs, ascending by series.
    var runs: [RunIndex] { row.runs.indices.map { run($0) } }

    /// Whether only snapshots older than `StoreOptions.snapshotAge` use the file.
    var isExpired: Bool { expired.load(ordering: .relaxed) }

    /// The error of a query after the file expired.
    var expiry: StoreError {
        if isClosed.load(ordering: .relaxed) {
            return StoreError(
                .closed, "the store is closed, and no earlier snapshot holds the file; open the store again",
                path: path)
        }
        return StoreError(
            .snapshotExpired,
            "this snapshot needs a file that was replaced longer ago than snapshotAge; take a new snapshot",
            path: path)
    }

    /// Ends all access to the file, so that it may be removed.
    ///
    /// - Parameter isClosed: whether the store was closed while no snapshot needed the file.
    func expire(isClosed: Bool = false) {
        map.withLock { held in
            if isClosed { self.isClosed.store(true, ordering: .relaxed) }
            expired.store(true, ordering: .relaxed)
            held = nil
        }
    }

    /// Returns the mapped file. The first call maps the file and compares its footer with the catalog's row.
    func mapped() throws(StoreError) -> OpenedSegment {
        let outcome: Result<OpenedSegment, StoreError> = map.withLock { held in
            if isExpired { return .failure(expiry) }
            if let held { return .success(held) }
            do throws(StoreError) {
                let fresh = try openChecked()
                held = fresh
                return .success(fresh)
            } catch {
                return .failure(access.segments?.explain(error, disk) ?? error)
            }
        }
        return try outcome.get()
    }

    private func openChecked() throws(StoreError) -> OpenedSegment {
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
                .corrupt, "the segment in the catalog is not a file (\(error.message)); restore it from a backup",
                path: path)
        }
        guard size == UInt64(row.bytes) else {
            throw StoreError(
                .corrupt, "the segment has \(size) bytes, in the catalog \(row.bytes); restore it from a backup",
                path: path)
        }
        let file = try onDisk { () throws(DiskError) in try disk.map(path, length: Int(row.bytes)) }
        // Queries need scattered pieces, and request sequential ones ahead. By default the system may read megabytes
        // around each piece.
        file.advise(.random, 0..<file.count)
        let opened = try OpenedSegment(file, path: path, keys: access.keys)
        let (header, footer) = (opened.header, try opened.footer())
        guard header.store == store, header.segment == row.uuid, footer.checksum == row.checksum else {
            throw StoreError(
                .corrupt, "the file is not the segment that the catalog names; restore it from a backup", path: path)
        }
        return opened
    }

    /// Returns the runs in the segment's own directory.
    func directory() throws(StoreError) -> [RunEntry] {
        let opened = try mapped()
        let footer = try opened.footer()
        var bytes = [UInt8]()
        try copy(footer.directoryOffset, footer.directoryLength, into: &bytes)
        return try inFormat(path) { () throws(FormatError) in
            try RunDirectory.decode(bytes, header: opened.header, footer: footer, key: opened.key)
        }
    }

    /// Gives the memory of the mapped pages back; later reads map them again.
    func releasePages() {
        guard let file = map.withLock({ $0?.file }) else { return }
        file.advise(.unused, 0..<file.count)
    }

    /// Asks the system to read a piece of the file that is needed soon.
    func willNeed(_ range: Range<UInt64>) {
        guard let file = map.withLock({ $0?.file }) else { return }
        file.advise(.willNeed, Int(clamping: range.lowerBound)..<Int(clamping: range.upperBound))
    }

    /// Asks the system to read ahead from an offset on, unless it was asked a moment ago. Returns the end of the
    /// requested piece.
    func readAhead(from offset: UInt64) -> UInt64 {
        let (piece, end) = asked.withLock { asked in
            let piece = asked.advance(to: offset, now: SystemClock.monotonicNanoseconds())
            return (piece, asked.end)
        }
        if let piece { willNeed(piece) }
        return end
    }

    /// Copies a piece of the file out of the map. Throws if the disk cannot read it.
    ///
    /// - Returns: the key with which a `UnitOpener` opens the units of an encrypted segment.
    @discardableResult
    func copy(_ offset: UInt64, _ length: UInt32, into bytes: inout [UInt8]) throws(StoreError) -> SegmentKey? {
        let opened = try mapped()
        let file = opened.file
        guard offset <= UInt64(file.count), UInt64(length) <= UInt64(file.count) - offset else {
            throw StoreError(.corrupt, "the index points past the end of the segment", path: path, offset: offset)
        }
        let range = Int(offset)..<Int(offset) + Int(length)
        try onDisk { () throws(DiskError) in try file.copy(range, into: &bytes, at: 0) }
        return opened.key
    }
}
