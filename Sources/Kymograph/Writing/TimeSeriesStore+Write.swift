// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

// What a write batch is, and what holds of it, is told in `Docs/WriteBatches.md`.
extension TimeSeriesStore {
    /// Makes one durable commit of what a closure decides while nobody else can write: all of it, or nothing.
    ///
    /// Batches of several threads share a commit, and each fails alone.
    /// - Parameters:
    ///   - rule: what becomes of identities that the batch gives.
    ///   - decide: looks at the store as it is, and says what to change. May run on another caller's thread, and more
    ///     than once, what it wrote rolled back each time; it must not call the store, nor keep what it is given.
    /// - Throws: what the closures throw, and `StoreError`: `identityTaken`, `invalidSample`, `unknownSeries`,
    ///   `kindMismatch`, `readOnly`, `closed`, `locked`, `diskFull`, `corrupt`, `outcomeUnknown`, `writerFailed`,
    ///   `inputOutput`. After `outcomeUnknown` the batch is there wholly or not at all; after any other nothing is.
    /// - Complexity: one commit of the catalog; many samples go into segments, while others wait.
    @discardableResult
    package func write(
        identities rule: IdentityRule = .unchecked,
        _ decide: @escaping @Sendable (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        try requireWritable()
        defer { closeIfAsked() }
        // What is old is read before anybody has to wait for it.
        if rule != .unchecked { try identities.prepare(for: published.withLock { $0 }) }
        let batch = PendingBatch(rule, decide)
        let outcome: WaitingCaller.Outcome
        if let known = queue.enter(TailDraft(parts: []), batch)?.wait() {
            outcome = known
        } else {
            outcome = Result { () throws(StoreError) in try lead() }
        }
        let receipt = try batch.receipt(or: outcome)
        finish(receipt)
        return receipt
    }

    /// Writes as so many threads do whose calls meet, in one thread and in this order: one commit, if its bounds allow.
    /// What became of each.
    package func write(
        identities rule: IdentityRule = .unchecked, meeting all: [@Sendable (WriteContext) throws -> WriteBatch]
    ) throws(StoreError) -> [Result<WriteReceipt, any Error>] {
        try requireOwnProcess()
        defer { closeIfAsked() }
        if rule != .unchecked { try identities.prepare(for: published.withLock { $0 }) }
        let batches = all.map { PendingBatch(rule, $0) }
        // The one that leads comes first, if it is not another thread's.
        return batches.map { ($0, queue.enter(TailDraft(parts: []), $0)) }.map { batch, caller in
            let outcome = caller?.wait() ?? Result { () throws(StoreError) in try lead() }
            return Result { try batch.receipt(or: outcome) }
        }
    }

    /// As `write`, of samples as well that are written before the decision, with bounded memory, and while others can
    /// write: a bulk load and a batch in one commit, which they share with nobody.
    ///
    /// - Parameters:
    ///   - rule: `.unchecked` or `.new`.
    ///   - expected: the samples that will come, if that is known.
    ///   - body: hands samples to the loader.
    @discardableResult
    package func write(
        identities rule: IdentityRule = .unchecked, expecting expected: Int = 0,
        loading body: (BulkLoader) throws -> Void,
        _ decide: @escaping @Sendable (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        try requireWritable()
        if rule == .known {
            throw StoreError(.invalidArgument, "a load cannot pass over what is known; write its samples in batches")
        }
        defer { closeIfAsked() }
        let work = try beginWork(isLoad: true)
        defer { work.end() }
        if expected > 0 { try requireRoomToLoad(Self.expectedBytes(samples: expected)) }
        let known = rule == .new ? try LoadIdentities(self) : nil
        let loader = BulkLoader(self, known)
        let batch = PendingBatch(rule, decide)
        var isUnknown = false
        do {
            try body(loader)
            let rows = try loader.finish()
            let series = try withWriter { writer throws(StoreError) in
                Array(writer.promised(loader.promised).all)
            }
            let loaded = LoadedSamples(
                rows: rows, series: series, count: loader.count, identities: known)
            try known?.catchUp()
            let outcome = try withWriter { writer throws(StoreError) in
                var group = [PendingAppend(draft: TailDraft(parts: []), caller: nil, batch: batch)]
                defer { self.forgetPromises(of: &writer, unlessMoreThan: 1) }
                return self.commitTogether(&group, loaded, &writer)[0]
            }
            if case .failure(let error) = outcome { isUnknown = error.kind == .outcomeUnknown }
            let receipt = try batch.receipt(or: outcome)
            finish(receipt)
            if loaded.count > 0 { compactWhatIsDue() }
            return receipt
        } catch {
            // What a commit of unknown outcome may have named must stay; the next opening decides.
            if !isUnknown { loader.abandon() }
            throw error
        }
    }

    private func requireWritable() throws(StoreError) {
        try requireOwnProcess()
        try requireOutside()
        if mode == .readOnly {
            throw StoreError(.readOnly, "the store was opened for reading; open it for writing", path: path)
        }
    }

    private func finish(_ receipt: WriteReceipt) {
        if receipt.deletions.contains(where: { $0.count > 0 }) { eraseInTime() }
    }

    /// Makes one commit of some writes, of which a batch can fail alone; those that cannot be in it go back into the
    /// queue, and out of the group. What became of each of the others.
    func commitTogether(
        _ group: inout [PendingAppend], _ loaded: LoadedSamples?, _ writer: inout Writer
    ) -> [WaitingCaller.Outcome] {
        do throws(StoreError) {
            return try commitOnce(&group, loaded, &writer)
        } catch {
            guard group.count > 1, error.kind == .diskFull || error.kind == .corrupt else {
                return [WaitingCaller.Outcome](repeating: .failure(error), count: group.count)
            }
        }
        // One that is too large, or reads what is damaged, shall not fail the others.
        return group.map { one in
            Result { () throws(StoreError) in
                if one.batch == nil { return try commit([one], &writer, nil) }
                var alone = [one]
                return try commitOnce(&alone, nil, &writer)[0].get()
            }
        }
    }

    private func commitOnce(
        _ group: inout [PendingAppend], _ loaded: LoadedSamples?, _ writer: inout Writer
    ) throws(StoreError) -> [WaitingCaller.Outcome] {
        var isDeletion = false
        do throws(StoreError) {
            return try commitOnce(&group, loaded, &writer, &isDeletion)
        } catch {
            guard error.kind == .diskFull, isDeletion else { throw error }
        }
        // A deletion makes room in the end, so it may use what is kept for that.
        return try writer.withReserve { writer throws(StoreError) in
            try commitOnce(&group, loaded, &writer, &isDeletion)
        }
    }

    private func commitOnce(
        _ group: inout [PendingAppend], _ loaded: LoadedSamples?, _ writer: inout Writer, _ isDeletion: inout Bool
    ) throws(StoreError) -> [WaitingCaller.Outcome] {
        let watch = Stopwatch()
        forgetPromises(of: &writer)
        var step = WriteStep(self, writer)
        var taken = [WriteStep.Taken]()
        var made: WriteCommit?
        do throws(StoreError) {
            _ = try writer.commit { writer, transaction in
                for one in group {
                    let isLate = !taken.isEmpty && step.isFull
                    taken.append(isLate ? .putOff : try step.take(one, loaded: loaded, transaction, &writer))
                }
                isDeletion = step.isDeletion
                made = try step.commit(&writer)
                return made?.rows
            }
        } catch {
            // What a commit of unknown outcome may have named must stay; the next opening decides.
            if error.kind != .outcomeUnknown { step.abandon() }
            throw error
        }
        step.end()
        if let made { show(made, step.parts, watch, &writer) }
        return settle(&group, taken, sequence: writer.seq)
    }

    /// Shows new snapshots what was committed.
    private func show(_ made: WriteCommit, _ parts: [WriteStep.Part], _ watch: Stopwatch, _ writer: inout Writer) {
        writer.nextTombstone += Int64(made.rows.deletions.tombstones.count)
        writer.nextSegment += Int64(made.files.count)
        if !made.files.isEmpty { writer.forget(made.rows.removedSegments, adding: []) }
        telemetry.count(made, parts, took: watch.elapsed)
        publish { version in
            // A refreshing of a shared store may have seen it first.
            if version.seq < made.rows.seq { made.apply(to: &version) }
        }
        if !made.files.isEmpty { fitBallast(&writer) }
    }

    /// Tells batches what became of them, and puts those back that have to wait.
    private func settle(
        _ group: inout [PendingAppend], _ taken: [WriteStep.Taken], sequence: Int64
    ) -> [WaitingCaller.Outcome] {
        var waiting = [PendingAppend]()
        var done = [PendingAppend]()
        for (one, what) in zip(group, taken) {
            if case .putOff = what {
                waiting.append(one)
                continue
            }
            if case .decided(let result) = what {
                if case .failure(let error) = result, let mine = error as? StoreError { telemetry.note(mine) }
                one.batch?.finish(result)
            }
            done.append(one)
        }
        queue.putBack(waiting)
        group = done
        return [WaitingCaller.Outcome](
            repeating: .success(CommitReceipt(sequence: sequence)), count: done.count)
    }

    /// Never gives identities that a caller gave.
    func avoid(_ rows: SampleRows) {
        mint.withLock { mint in
            if case .constant(let high) = rows.identityHigh, high != mint.high || mint.hasGiven(rows) { return }
            for row in 0..<rows.count { mint.avoid(rows.identity(row)) }
        }
    }
}

extension Telemetry {
    /// Counts what a commit of several writes brought and deleted.
    fileprivate func count(_ made: WriteCommit, _ parts: [WriteStep.Part], took: Duration) {
        let tail = parts.filter { !$0.draft.parts.isEmpty }
        appends.add(tail.count, ordering: .relaxed)
        if tail.count > 1 { appendsGrouped.add(tail.count - 1, ordering: .relaxed) }
        samplesAppended.add(tail.reduce(0) { $0 + Int($1.draft.samples) }, ordering: .relaxed)
        segmentBytes.add(made.rows.segments.reduce(0) { $0 + Int($1.bytes) }, ordering: .relaxed)
        let loaded = parts.reduce(0) { $0 + $1.loaded }
        samplesLoaded.add(loaded, ordering: .relaxed)
        if loaded > 0 { post(.loaded(samples: loaded, sequence: made.rows.seq, took: took)) }
        let deleted = parts.flatMap(\.tombstones).reduce(0) { $0 + Int($1.count) }
        samplesDeleted.add(deleted, ordering: .relaxed)
        if deleted > 0 { post(.deleted(samples: deleted, sequence: made.rows.seq)) }
    }
}
