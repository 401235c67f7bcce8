// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

// Adds a batch as a part of the commit, after the parts before it. If the batch throws, its changes are rolled back.
extension WriteStep {
    /// The outcome of one write.
    enum Taken {
        /// The write is in the commit.
        case added
        /// The batch is in the commit, or failed alone.
        case decided(Result<WriteReceipt, any Error>)
        /// The write must wait for the next commit.
        case postponed
    }

    /// Adds one write. An error ends the transaction.
    mutating func take(
        _ one: PendingAppend, _ transaction: CatalogTransaction, _ writer: inout Writer
    ) throws -> Taken {
        guard let batch = one.batch else {
            add(Part(draft: one.draft))
            return .added
        }
        return try take(batch.rule, nil, transaction, &writer, batch.decide)
    }

    /// Adds the batch that a closure returns, and samples in segments if there are any. An error ends the transaction.
    mutating func take(
        _ rule: IdentityRule, _ loaded: LoadedSamples?, _ transaction: CatalogTransaction, _ writer: inout Writer,
        _ decide: (WriteContext) throws -> WriteBatch
    ) throws -> Taken {
        do {
            return .decided(
                .success(try transaction.attempt { try fill(rule, loaded, transaction, &writer, decide) }))
        } catch is Postponed {
            return .postponed
        } catch {
            if CatalogTransaction.isLost(error) { throw error }
            return .decided(.failure((error as? CatalogError).map { StoreError($0) } ?? error))
        }
    }

    private mutating func fill(
        _ rule: IdentityRule, _ loaded: LoadedSamples?, _ transaction: CatalogTransaction, _ writer: inout Writer,
        _ decide: (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        try mergeParts(&writer)
        let changes = transaction.changes
        let now = WriteContext(
            snapshot: snapshot, transaction: transaction, latestNow: writer.latestNow, context: context)
        let wanted = try decide(now)
        var part = Part()
        var receipt = WriteReceipt(sequence: base.seq)
        var rows = [SeriesRows]()
        part.series = SeriesTable(sharingNamesOf: current.series)
        if let loaded {
            part.segments = loaded.segments
            part.loaded = loaded.count
            // Another load with the same promised series may have added it.
            var known = current.series
            rows = known.add(loaded.series)
            _ = part.series.add(loaded.series)
        }
        let version = try delete(wanted.deletions, &part, &receipt, writer)
        let (samples, made) = try targets(of: wanted, &part, &receipt, &writer)
        rows.append(SeriesRows(made))
        var written = 0
        for some in rows {
            try transaction.add(some)
            written += some.count
        }
        var added = samples
        try identify(&added, rule, isShared: wanted.sharesIdentities, &part, &receipt, after: version)
        if let loaded {
            try loaded.identities?.check(
                in: Snapshot(version: version), of: base, loaded.segments, isShared: wanted.sharesIdentities,
                besides: part.identities)
        }
        receipt.added = part.loaded + added.reduce(0) { $0 + $1.rows.count }
        do {
            try write(added, &part, keeping: writer.ballast.missing)
            part.hasWritten = wanted.inCommit != nil || transaction.changes - changes > written
            part.horizon = wanted.horizon
            part.makesRoom = wanted.makesRoom
            part.now = wanted.retention?.toStore(writer.latestNow, deletesNothing: part.tombstones.isEmpty)
            if !part.isEmpty { receipt = receipt.at(seq) }
            try wanted.inCommit?(transaction, receipt)
        } catch {
            part.loader?.abandon()
            throw error
        }
        add(part)
        return receipt
    }

    /// Finds the samples that the batch deletes.
    ///
    /// - Returns: `current` without these samples.
    private func delete(
        _ deletions: [(series: SeriesID, what: Deletion)], _ part: inout Part, _ receipt: inout WriteReceipt,
        _ writer: borrowing Writer
    ) throws -> Version {
        var version = current
        var next = nextTombstone(writer)
        for (place, (id, what)) in deletions.enumerated() {
            if !pending.runs[id.rawValue].isEmpty {
                // A deletion hides samples of earlier commits only.
                if case .allBut = what { throw Postponed() }
                if try Snapshot(version: pending).resolve(what, of: id).count > 0 { throw Postponed() }
            }
            let found: ResolvedDeletion
            if let known = resolved?[place] {
                found = known
            } else {
                found = try Snapshot(version: version).resolve(what, of: id)
                resolved?.append(found)
            }
            let first = next
            next += Int64(found.pieces.count)
            let some = zip(first..<next, found.pieces).map { number, piece in
                Tombstone(
                    id: number, series: id.rawValue, born: seq, range: piece.range, count: Int64(piece.count),
                    listed: piece.listed)
            }
            if !some.isEmpty {
                version.add(some, to: id.rawValue)
                // Other snapshots must not share the caches of a version that is never published.
                version.hold = nil
            }
            part.tombstones += some
            receipt.deletions.append(DeletionReceipt(sequence: base.seq, count: found.count, unknown: found.unknown))
        }
        return version
    }

    /// Returns the batch's samples by series, checked, and the rows of new series.
    private func targets(
        of wanted: WriteBatch, _ part: inout Part, _ receipt: inout WriteReceipt, _ writer: inout Writer
    ) throws -> (samples: [(series: SeriesID, rows: SampleRows)], made: [SeriesRow]) {
        var samples: [(series: SeriesID, rows: SampleRows)] = []
        var made = [SeriesRow]()
        for (target, rows) in wanted.samples {
            try rows.checkColumns()
            let id: SeriesID
            switch target {
            case .stored(let known):
                guard current.series.has(known.rawValue) else { throw StoreError.unknown(known) }
                id = known
            case .named(let name, let labels, let kind):
                let key = SeriesKey(name: name, labels: labels)
                if let known = part.series[key] {
                    try known.require(kind)
                    id = known.id
                } else {
                    let series = try writer.series(key, kind, in: current)
                    if !current.series.has(series.id.rawValue) {
                        part.series.add(series, key)
                        made.append(series.row)
                    }
                    id = series.id
                }
            }
            receipt.series.append(id)
            if rows.count > 0 { samples.append((id, rows)) }
        }
        return (samples, made)
    }

    /// Looks up the caller's identities in a version, and removes known samples.
    private func identify(
        _ samples: inout [(series: SeriesID, rows: SampleRows)], _ rule: IdentityRule, isShared: Bool,
        _ part: inout Part, _ receipt: inout WriteReceipt, after version: Version
    ) throws {
        let mint = context.mint.withLock { $0 }
        // Identities that this opening generated are new, and may be very many.
        let given = rule == .unchecked ? samples.filter { !mint.hasGiven($0.rows) } : samples
        var request = try IdentityRequest(given, rule, isShared: isShared)
        if request.isEmpty { return }
        part.identities = request.identities
        if rule != .unchecked {
            // If the commit failed, the order of two parts with one identity would be unknown.
            if parts.contains(where: { !$0.identities.isDisjoint(with: part.identities) }) { throw Postponed() }
            if !parts.isEmpty, !part.identities.stretches(high: mint.high).isEmpty { throw Postponed() }
            let candidates = try context.identities.candidates(part.identities, in: base)
            try request.look(candidates, in: Snapshot(version: version))
            samples = request.left()
            receipt.known = request.known
        }
        context.mint.withLock { $0.avoid(part.identities) }
    }

    /// Encodes the samples; a large number of samples is written to segments.
    private func write(
        _ samples: [(series: SeriesID, rows: SampleRows)], _ part: inout Part, keeping reserve: UInt64
    ) throws(StoreError) {
        let total = samples.reduce(0) { $0 + $1.rows.count }
        if total == 0 { return }
        if total <= context.options.largeAppend {
            part.draft = try context.draft(samples)
            return
        }
        let loader = BulkLoader(context, nil, keeping: reserve)
        part.loader = loader
        for (id, rows) in samples.sorted(by: { $0.series < $1.series }) { try loader.write(rows, to: id) }
        part.segments += try loader.finish()
        part.loaded += loader.count
    }
}

extension WriteReceipt {
    /// Returns the receipt of a batch whose changes are in a commit.
    fileprivate func at(_ commit: Int64) -> WriteReceipt {
        var receipt = WriteReceipt(sequence: commit, added: added, known: known, series: series)
        receipt.deletions = deletions.map {
            DeletionReceipt(sequence: commit, count: $0.count, unknown: $0.unknown)
        }
        return receipt
    }
}
