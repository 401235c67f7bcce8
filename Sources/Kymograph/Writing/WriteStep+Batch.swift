// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

// A batch becomes a part of a commit, behind those that came before it; if it throws, nothing of it is left.
extension WriteStep {
    /// What became of one of the writes.
    enum Taken {
        /// It is in the commit, if there is one.
        case added
        /// So is the batch; or it failed alone.
        case decided(Result<WriteReceipt, any Error>)
        /// It has to wait for the next commit.
        case putOff
    }

    /// Takes one write in. What it throws ends the transaction.
    mutating func take(
        _ one: PendingAppend, loaded: LoadedSamples?, _ transaction: CatalogTransaction, _ writer: inout Writer
    ) throws -> Taken {
        guard let batch = one.batch else {
            add(Part(draft: one.draft))
            return .added
        }
        do {
            return .decided(.success(try transaction.attempt { try take(batch, loaded, transaction, &writer) }))
        } catch is PutOff {
            return .putOff
        } catch {
            if CatalogTransaction.isLost(error) { throw error }
            return .decided(.failure((error as? CatalogError).map { StoreError($0) } ?? error))
        }
    }

    private mutating func take(
        _ batch: PendingBatch, _ loaded: LoadedSamples?, _ transaction: CatalogTransaction, _ writer: inout Writer
    ) throws -> WriteReceipt {
        try absorb(&writer)
        let changes = transaction.changes
        let wanted = try batch.decide(WriteContext(snapshot: snapshot, transaction: transaction, store: store))
        var part = Part()
        part.series = SeriesTable(sharingNamesOf: left.series)
        var receipt = WriteReceipt(sequence: base.seq)
        if let loaded {
            part.segments = loaded.rows
            part.loaded = loaded.count
            for one in loaded.series where !left.series.has(one.id.rawValue) { part.series.add(one) }
        }
        let version = try delete(wanted.deletions, &part, &receipt, writer)
        var samples = try targets(of: wanted, &part, &receipt, &writer)
        try transaction.add(SeriesRows(part.series.all.map(\.row)))
        let isShared = wanted.sharesIdentities
        try identify(&samples, batch.rule, isShared: isShared, &part, &receipt, after: version)
        if let loaded {
            try loaded.identities?.check(
                in: Snapshot(version: version), of: base, loaded.rows, isShared: isShared, besides: part.identities)
        }
        receipt.added = part.loaded + samples.reduce(0) { $0 + $1.rows.count }
        do {
            try write(samples, &part, keeping: writer.ballast.missing)
            part.hasWritten = wanted.inCommit != nil || transaction.changes - changes > part.series.count
            part.horizon = wanted.horizon
            part.makesRoom = wanted.makesRoom
            if !part.isEmpty { receipt = receipt.at(seq) }
            try wanted.inCommit?(transaction, receipt)
        } catch {
            part.loader?.abandon()
            throw error
        }
        add(part)
        return receipt
    }

    /// Finds what the batch deletes; what is left of the base then.
    private func delete(
        _ deletions: [(series: SeriesID, what: Deletion)], _ part: inout Part, _ receipt: inout WriteReceipt,
        _ writer: Writer
    ) throws -> Version {
        var version = left
        var next = nextTombstone(writer)
        for (id, what) in deletions {
            if !fresh.runs[id.rawValue].isEmpty {
                // A deletion hides what is older than its commit.
                if case .allBut = what { throw PutOff() }
                if try Snapshot(version: fresh).resolve(what, of: id).count > 0 { throw PutOff() }
            }
            let found = try Snapshot(version: version).resolve(what, of: id)
            let first = next
            next += Int64(found.pieces.count)
            let some = zip(first..<next, found.pieces).map { number, piece in
                Tombstone(
                    id: number, series: id.rawValue, born: seq, range: piece.range, count: Int64(piece.count),
                    listed: piece.listed)
            }
            if !some.isEmpty {
                version.add(some, to: id.rawValue)
                // What is found of a version that nobody sees is not for others.
                version.hold = nil
            }
            part.tombstones += some
            receipt.deletions.append(DeletionReceipt(sequence: base.seq, count: found.count, unknown: found.unknown))
        }
        return version
    }

    /// The batch's samples by series, those that come into being included; checked.
    private func targets(
        of wanted: WriteBatch, _ part: inout Part, _ receipt: inout WriteReceipt, _ writer: inout Writer
    ) throws -> [(series: SeriesID, rows: SampleRows)] {
        var samples: [(series: SeriesID, rows: SampleRows)] = []
        for (target, rows) in wanted.samples {
            try rows.checkColumns()
            let id: SeriesID
            switch target {
            case .stored(let known):
                guard left.series.has(known.rawValue) else { throw StoreError.unknown(known) }
                id = known
            case .named(let name, let labels, let kind):
                let key = SeriesKey(name: name, labels: labels)
                if let made = part.series[key] {
                    try made.require(kind)
                    id = made.id
                } else {
                    let series = try writer.series(key, kind, in: left)
                    if !left.series.has(series.id.rawValue) { part.series.add(series, key) }
                    id = series.id
                }
            }
            receipt.series.append(id)
            if rows.count > 0 { samples.append((id, rows)) }
        }
        return samples
    }

    /// Looks for the caller's identities in what is left of the base, and leaves out what is known.
    private func identify(
        _ samples: inout [(series: SeriesID, rows: SampleRows)], _ rule: IdentityRule, isShared: Bool,
        _ part: inout Part, _ receipt: inout WriteReceipt, after version: Version
    ) throws {
        let mint = store.mint.withLock { $0 }
        // Identities that this opening has given for them are known to be new, and may be very many.
        let given = rule == .unchecked ? samples.filter { !mint.hasGiven($0.rows) } : samples
        var request = try IdentityRequest(given, rule, isShared: isShared)
        if request.isEmpty { return }
        part.identities = request.identities
        if rule != .unchecked {
            // Which of two of one commit came first no one could tell if it failed.
            if parts.contains(where: { !$0.identities.isDisjoint(with: part.identities) }) { throw PutOff() }
            if !parts.isEmpty, !part.identities.stretches(high: mint.high).isEmpty { throw PutOff() }
            let candidates = try store.identities.candidates(part.identities, in: base)
            try request.look(candidates, in: Snapshot(version: version))
            samples = request.left()
            receipt.known = request.known
        }
        store.mint.withLock { $0.avoid(part.identities) }
    }

    /// Encodes the samples; very many are written to segments.
    private func write(
        _ samples: [(series: SeriesID, rows: SampleRows)], _ part: inout Part, keeping reserve: UInt64
    ) throws(StoreError) {
        let total = samples.reduce(0) { $0 + $1.rows.count }
        if total == 0 { return }
        if total <= store.options.largeAppend {
            part.draft = try store.draft(samples)
            return
        }
        let loader = BulkLoader(store, keeping: reserve)
        part.loader = loader
        for (id, rows) in samples.sorted(by: { $0.series < $1.series }) { try loader.write(rows, to: id) }
        part.segments += try loader.finish()
        part.loaded += loader.count
    }
}

extension WriteReceipt {
    /// The receipt of what a commit changed.
    fileprivate func at(_ commit: Int64) -> WriteReceipt {
        var receipt = WriteReceipt(sequence: commit, added: added, known: known, series: series)
        receipt.deletions = deletions.map {
            DeletionReceipt(sequence: $0.count > 0 ? commit : $0.sequence, count: $0.count, unknown: $0.unknown)
        }
        return receipt
    }
}
