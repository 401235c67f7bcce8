// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Synchronization

/// The one writer of a store: owns the lock and the catalog's connection, and assigns the numbers of new rows.
///
/// Its deinitializer checkpoints and closes the catalog, and releases the lock last.
struct Writer: ~Copyable {
    let catalog: CatalogDatabase
    private let lock: any DiskLock
    let witness: Witness
    /// The mark that is set when the outcome of a commit is unknown.
    let outcomeMark: UnknownOutcomeMark
    var ballast: Ballast
    var tail: TailCodec
    /// The last commit.
    private(set) var seq: Int64
    var nextSegment: Int64
    private var nextSeries: Int64
    var nextTombstone: Int64
    /// The greatest `now` of a retention that deleted samples.
    var latestNow: Int64?
    /// The series of loads under way, which their commits will add.
    private var promised = SeriesTable()
    /// The failure after which this writer refuses to write.
    private(set) var failure: StoreError?
    /// Commits in a row that failed on a full disk.
    private var refusals = 0
    /// The commit from which the tail may be sealed again after a full disk.
    var sealsFrom: Int64 = 0
    /// Replaced segments whose files or rows are not removed yet.
    var retired: [RetiredSegment] = []
    /// Segments of lost commits; the next commit removes them.
    private var orphans: OrphanedSegments?
    private let telemetry: Telemetry?
    /// The process that opened the writer.
    private let owner = ProcessMark.current
    /// The part of the catalog's traffic that the counters include.
    private var counted = CatalogTraffic()

    /// The parts that a writer owns, as the opening made them.
    struct Parts {
        let catalog: CatalogDatabase
        let lock: any DiskLock
        let witness: Witness
        let outcomeMark: UnknownOutcomeMark
        let orphans: OrphanedSegments
    }

    /// - Parameter image: the catalog's state, from which numbering continues.
    init(_ parts: Parts, _ image: CatalogImage, _ layout: StoreLayout, _ options: StoreOptions) {
        catalog = parts.catalog
        lock = parts.lock
        witness = parts.witness
        outcomeMark = parts.outcomeMark
        orphans = parts.orphans
        ballast = Ballast(layout, options)
        tail = TailCodec(store: image.storeID)
        seq = image.seq
        nextSegment = (image.segments.last?.id ?? 0) + 1
        nextSeries = (image.series.ids.last ?? 0) + 1
        nextTombstone = (image.deletions.tombstones.last?.id ?? 0) + 1
        latestNow = image.deletions.now
        retired = image.retired.map { RetiredSegment($0) }
        telemetry = options.telemetry
    }

    /// Closes the catalog and then releases the lock. A failed checkpoint loses nothing: the log has the commits.
    deinit {
        // A forked child owns neither the lock nor the connection.
        if owner != .current { return }
        try? witness.close()
        var ballast = ballast
        var gaveBack = false
        try? catalog.close {
            gaveBack = ballast.giveBack()
            return gaveBack
        }
        if gaveBack { ballast.putBack() }
        let traffic = catalog.traffic
        telemetry?.catalogBytes.add(Int(traffic.bytes - counted.bytes), ordering: .relaxed)
        telemetry?.syncs.add(Int(traffic.syncs - counted.syncs), ordering: .relaxed)
        lock.release()
    }

    /// Returns the series of a key: the stored series, the promised series, or a new series with the next number, which
    /// the caller's commit must add.
    mutating func series(_ key: SeriesKey, _ kind: SeriesKind, in version: Version) throws(StoreError) -> Series {
        if let known = try known(key, kind, in: version) { return known }
        try key.requireStorable()
        defer { nextSeries += 1 }
        return Series(id: SeriesID(rawValue: nextSeries), name: key.name, labels: key.labels, kind: kind)
    }

    /// Returns the series of a key as `series` does, and keeps a new series until the commit of the load adds it.
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

    func promised(_ numbers: RangeSet<Int64>) -> SeriesTable { promised.part(numbers) }

    /// Forgets the promised series. Their numbers are not used again.
    mutating func forgetPromised() { promised = SeriesTable() }

    /// Makes one commit: this and `commit(deciding:)` are the only places where anything becomes visible or durable.
    ///
    /// After `outcomeUnknown` this writer refuses to write; after any other error nothing was changed.
    mutating func commit(_ commit: CatalogCommit) throws(StoreError) {
        _ = try perform(commit.seq) { writer throws(CatalogError) in
            try writer.catalog.commit(commit)
            return commit.tail?.count ?? 0
        }
    }

    /// Makes the next commit of the rows that a closure returns inside the transaction; no commit if it returns nil or
    /// throws.
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

    /// Runs a commit, with all steps before and after it.
    ///
    /// - Parameter body: commits; returns the bytes of the tail's row that it wrote, or nil if it did not commit.
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
            // A full disk may be the reason for the failed sync, and then has no space for the mark either.
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
        orphans?.remove()
        if catalog.takeCallForRoom() { checkpointOnFullDisk() }
        ballast.note(seq)
        return true
    }

    /// Stores the times of deletions, durably, without a commit.
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

    /// Copies the write-ahead log into the catalog.
    mutating func checkpoint(truncate: Bool) throws(StoreError) {
        let catalog = catalog
        defer { countTraffic() }
        try inCatalog { () throws(CatalogError) in try catalog.checkpoint(truncate: truncate) }
    }

    /// Adds the catalog's traffic since the last call to the counters.
    private mutating func countTraffic() {
        let now = catalog.traffic
        telemetry?.catalogBytes.add(Int(now.bytes - counted.bytes), ordering: .relaxed)
        telemetry?.syncs.add(Int(now.syncs - counted.syncs), ordering: .relaxed)
        counted = now
    }

    /// Checkpoints after a commit that failed on a full disk, so that the log can be reused; less often with each
    /// further failure in a row.
    private mutating func makeRoom() {
        refusals += 1
        if refusals & (refusals - 1) == 0, catalog.logHasPages { checkpointOnFullDisk() }
    }

    // Replaced segments, until their files and rows are removed.

    /// Rows of retired segments whose files are removed. The row with the greatest number stays, so that numbers are
    /// not reused.
    var forgettable: [Int64] { retired.filter { $0.isGone && $0.row.id < nextSegment - 1 }.map(\.row.id) }

    /// Updates the list after a commit that removed `rows` and retired the segments `more`.
    mutating func forget(_ rows: [Int64], adding more: [RetiredSegment]) {
        if !rows.isEmpty {
            let gone = Set(rows)
            retired.removeAll { gone.contains($0.row.id) }
        }
        retired += more
    }

    /// Removes the files of retired segments that no reader can use. A failed removal is retried at the next call.
    mutating func removeRetired(_ slots: ReaderSlots, _ layout: StoreLayout, _ disk: any Disk) {
        if retired.allSatisfy(\.isGone) { return }
        guard let held = try? Optional.some(slots.oldest()) else { return }
        let oldest = held ?? .max
        for i in retired.indices where !retired[i].isGone && oldest >= retired[i].row.died && !retired[i].isNeeded {
            do throws(DiskError) {
                try disk.remove(layout.segment(retired[i].row.uuid))
                retired[i].isGone = true
            } catch {
                if error.isMissing { retired[i].isGone = true }
            }
        }
    }
}
