// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem

/// What the one writer of a store holds: the lock, the catalog and the numbers that come next.
struct Writer {
    let catalog: CatalogDatabase
    let lock: any DiskLock
    let witness: Witness
    /// Told when a commit's outcome is unknown.
    let doubt: Doubt
    var tail: TailCodec
    /// The last commit.
    var seq: Int64
    var nextSegment: Int64
    var nextSeries: Int64
    /// Series that loads under way will bring.
    private var reserved: [SeriesKey: Series] = [:]
    /// Why nothing may be written any more, once a commit has failed.
    var failure: StoreError?

    init(
        catalog: CatalogDatabase, lock: any DiskLock, witness: Witness, doubt: Doubt, tail: TailCodec, seq: Int64,
        nextSegment: Int64, nextSeries: Int64
    ) {
        self.catalog = catalog
        self.lock = lock
        self.witness = witness
        self.doubt = doubt
        self.tail = tail
        self.seq = seq
        self.nextSegment = nextSegment
        self.nextSeries = nextSeries
    }

    /// The series of a key: the one that is there, the one that is promised already, or a newly promised one.
    mutating func reserve(_ key: SeriesKey, _ kind: SeriesKind, in version: Version) throws(StoreError) -> Series {
        let known = version.ids[key].flatMap { version.series[$0] } ?? reserved[key]
        if let known {
            guard known.kind == kind else {
                throw StoreError(
                    .kindMismatch, "series \"\(key.name)\" is \(known.kind), not \(kind); use another name or labels")
            }
            return known
        }
        let series = Series(id: SeriesID(rawValue: nextSeries), name: key.name, labels: key.labels, kind: kind)
        nextSeries += 1
        reserved[key] = series
        return series
    }

    /// Makes one commit: the only place where anything becomes visible or durable.
    ///
    /// An error whose outcome is unknown ends this writer; after any other nothing has happened.
    mutating func commit(
        _ commit: CatalogCommit, _ extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(StoreError) {
        if let failure {
            throw StoreError(
                .writerFailed,
                "the writer stopped after an earlier failure; close and reopen the store: \(failure.message)")
        }
        do throws(CatalogError) {
            try catalog.commit(commit, extra: extra)
        } catch {
            let mine = StoreError(error)
            if mine.kind == .outcomeUnknown { doubt.note() }
            if mine.kind == .outcomeUnknown || mine.kind == .writerFailed { failure = mine }
            throw mine
        }
        seq = commit.seq
        // A witness that cannot be written costs a later warning, never data.
        try? witness.note(seq)
    }

    func close() {
        try? witness.close()
        try? catalog.close()
        lock.release()
    }
}
