// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Synchronization

/// What the one writer of a store holds: the lock, the catalog and the numbers that come next.
struct Writer {
    let catalog: CatalogDatabase
    let lock: any DiskLock
    let witness: Witness
    /// Told when a commit's outcome is unknown.
    let outcomeMark: UnknownOutcomeMark
    var ballast: Ballast
    var tail: TailCodec
    /// The last commit.
    var seq: Int64
    var nextSegment: Int64
    var nextSeries: Int64
    var nextTombstone: Int64
    /// The greatest time that a retention by age was given as now.
    var latestNow: Int64?
    /// Series that loads under way will bring.
    private var promised = SeriesTable()
    /// Why nothing may be written any more, once a commit has failed.
    var failure: StoreError?
    /// Commits in a row for which there was no room.
    private var refusals = 0
    /// The commit from which the tail may be tidied up again by itself, after there was no room to.
    var sealsFrom: Int64 = 0
    /// Segments that others have replaced, until their files and rows are gone.
    var retired: [RetiredSegment] = []
    /// Segments of commits that are lost, which the next one takes for granted.
    var later: OrphanedSegments?
    private let telemetry: Telemetry?
    /// What of the catalog's traffic is counted.
    private var counted = CatalogTraffic()

    init(
        catalog: CatalogDatabase, lock: any DiskLock, witness: Witness, outcomeMark: UnknownOutcomeMark, ballast: Ballast,
        tail: TailCodec, seq: Int64,
        nextSegment: Int64, nextSeries: Int64, nextTombstone: Int64, latestNow: Int64?, telemetry: Telemetry?
    ) {
        self.catalog = catalog
        self.lock = lock
        self.witness = witness
        self.outcomeMark = outcomeMark
        self.ballast = ballast
        self.tail = tail
        self.seq = seq
        self.nextSegment = nextSegment
        self.nextSeries = nextSeries
        self.nextTombstone = nextTombstone
        self.latestNow = latestNow
        self.telemetry = telemetry
    }

    /// The series of a key: the one that is there, the one that a load will bring, or one of the next number, which
    /// the next commit brings.
    mutating func series(_ key: SeriesKey, _ kind: SeriesKind, in version: Version) throws(StoreError) -> Series {
        if let known = try known(key, kind, in: version) { return known }
        try key.requireStorable()
        defer { nextSeries += 1 }
        return Series(id: SeriesID(rawValue: nextSeries), name: key.name, labels: key.labels, kind: kind)
    }

    /// As `series`; a new one comes into being with the commit of a load.
    mutating func promise(_ key: SeriesKey, _ kind: SeriesKind, in version: Version) throws(StoreError) -> Series {
        if let known = try known(key, kind, in: version) { return known }
        let series = try series(key, kind, in: version)
        if promised.isEmpty { promised = SeriesTable(sharingNamesOf: version.series) }
        promised.add(series, key)
        return series
    }

    private func known(_ key: SeriesKey, _ kind: SeriesKind, in version: Version) throws(StoreError) -> Series? {
        let known = version.series[key] ?? promised[key]
        try known?.require(kind)
        return known
    }

    /// Of the series that are promised those with some numbers.
    func promised(_ numbers: RangeSet<Int64>) -> SeriesTable { promised.part(numbers) }

    /// Forgets what is promised. Its numbers are not given again.
    mutating func forgetPromised() { promised = SeriesTable() }

    /// Makes one commit: the only place where anything becomes visible or durable.
    ///
    /// An error whose outcome is unknown ends this writer; after any other nothing has happened.
    mutating func commit(
        _ commit: CatalogCommit, _ extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(StoreError) {
        _ = try perform(commit.seq) { writer throws(CatalogError) in
            try writer.catalog.commit(commit, extra: extra)
            return commit.tail?.count ?? 0
        }
    }

    /// Makes the next commit of what a closure decides inside the transaction; none if it returns nil or throws.
    ///
    /// - Returns: whether there was a commit.
    mutating func commit(
        deciding decide: (inout Writer, CatalogTransaction) throws -> CatalogCommit?
    ) throws(StoreError) -> Bool {
        let next = seq + 1
        return try perform(next) { writer throws(CatalogError) in
            var tail = 0
            let catalog = writer.catalog
            let isDone = try catalog.commit(seq: next) { transaction in
                let commit = try decide(&writer, transaction)
                tail = commit?.tail?.count ?? 0
                return commit
            }
            return isDone ? tail : nil
        }
    }

    /// Runs what commits, which gives the bytes of the tail's row that it wrote; nil if it did not commit.
    private mutating func perform(
        _ next: Int64, _ body: (inout Writer) throws(CatalogError) -> Int?
    ) throws(StoreError) -> Bool {
        if let failure {
            throw StoreError(
                .writerFailed,
                "the writer stopped after an earlier failure; close and reopen the store: \(failure.message)")
        }
        let watch = Stopwatch()
        let bytes: Int?
        do throws(CatalogError) {
            bytes = try body(&self)
        } catch {
            let mine = StoreError(error)
            telemetry?.noteFailed(mine, took: watch.nanoseconds)
            // A full disk may be why the sync failed, and then has no room for the note either.
            if mine.kind == .outcomeUnknown, !outcomeMark.note(), ballast.giveBack() { outcomeMark.note() }
            if mine.kind == .outcomeUnknown || mine.kind == .writerFailed { failure = mine }
            if mine.kind == .diskFull { makeRoom() }
            throw mine
        }
        guard let bytes else { return false }
        seq = next
        telemetry?.noteCommit(tail: bytes, took: watch.nanoseconds)
        countTraffic()
        refusals = 0
        // A witness that cannot be written costs a later warning, never data.
        try? witness.note(seq)
        later?.remove()
        if catalog.takeCallForRoom() { checkpointOnFullDisk() }
        ballast.note(seq)
        return true
    }

    /// Writes down when commits deleted, durably, without a commit.
    mutating func note(_ times: DeletionTimes) throws(StoreError) {
        if let failure { throw failure }
        do throws(CatalogError) {
            try catalog.note(times: times.rows)
        } catch {
            let mine = StoreError(error)
            if mine.kind == .outcomeUnknown { outcomeMark.note() }
            if mine.kind == .outcomeUnknown || mine.kind == .writerFailed { failure = mine }
            throw mine
        }
    }

    /// Brings the write-ahead log into the catalog.
    mutating func checkpoint(truncate: Bool) throws(StoreError) {
        defer { countTraffic() }
        let catalog = catalog
        try inCatalog { () throws(CatalogError) in try catalog.checkpoint(truncate: truncate) }
    }

    /// Counts what the catalog wrote since this was done last.
    private mutating func countTraffic() {
        let now = catalog.traffic
        telemetry?.catalogBytes.add(Int(now.bytes - counted.bytes), ordering: .relaxed)
        telemetry?.syncs.add(Int(now.syncs - counted.syncs), ordering: .relaxed)
        counted = now
    }

    /// After a commit that found no room: the first time, and ever more rarely while it goes on like that, what waits
    /// in the log is brought into the catalog.
    private mutating func makeRoom() {
        refusals += 1
        if refusals & (refusals - 1) == 0, catalog.logHasPages { checkpointOnFullDisk() }
    }

    /// Ends the writer. What the log holds is safe even if it cannot be brought into the catalog.
    mutating func close() {
        try? witness.close()
        var gaveBack = false
        try? catalog.close {
            gaveBack = ballast.giveBack()
            return gaveBack
        }
        if gaveBack { ballast.putBack() }
        countTraffic()
        lock.release()
    }
}
