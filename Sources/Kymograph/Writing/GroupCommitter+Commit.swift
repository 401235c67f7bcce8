// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Synchronization

// The commits of callers' changes.
extension GroupCommitter {
    /// Makes one commit of a group of writes, in which a batch can fail alone. Writes that must wait for the next
    /// commit are requeued, and removed from the group.
    ///
    /// - Returns: the outcome of each write that stays in the group, or one for all.
    func commit(_ group: inout [PendingAppend], _ writer: inout Writer) -> [WaitingCaller.Outcome] {
        guard group.contains(where: { $0.batch != nil }) else {
            return [Result { () throws(StoreError) in try commit(drafts: group, &writer) }]
        }
        do throws(StoreError) {
            return try commitBatches(&group, &writer)
        } catch {
            guard group.count > 1, error.kind == .diskFull || error.kind == .corrupt else {
                return [.failure(error)]
            }
        }
        // A batch that is too large, or reads damaged bytes, must not fail the other writes.
        return group.map { one in
            Result { () throws(StoreError) in
                if one.batch == nil { return try commit(drafts: [one], &writer) }
                var alone = [one]
                return try commitBatches(&alone, &writer)[0].get()
            }
        }
    }

    /// Commits appends with encoded samples: one row of the tail, without a transaction of several statements.
    private func commit(drafts group: [PendingAppend], _ writer: inout Writer) throws(StoreError) -> CommitReceipt {
        let seq = writer.seq + 1
        let row = try inFormat("tail") { () throws(FormatError) in
            try writer.tail.close(group.map(\.draft), seq: seq)
        }
        try writer.commit(CatalogCommit(seq: seq, tail: row.body))
        context.telemetry.countAppends(group)
        // In place, so that a version that no snapshot holds is not copied: the tail may have thousands of rows.
        context.publish { version in
            // A refresh of a shared store may have published the commit first.
            if version.seq >= seq { return }
            version.seq = seq
            version.add(row.blocks, seq: seq)
        }
        return CommitReceipt(sequence: seq)
    }

    /// Commits appends and batches in one transaction.
    private func commitBatches(
        _ group: inout [PendingAppend], _ writer: inout Writer
    ) throws(StoreError) -> [WaitingCaller.Outcome] {
        let taken = try transact(&writer) { step, transaction, writer in
            var taken = [WriteStep.Taken]()
            for one in group {
                let isLate = !taken.isEmpty && step.isFull
                taken.append(isLate ? .postponed : try step.take(one, transaction, &writer))
            }
            return taken
        }
        return settle(&group, taken, sequence: writer.seq)
    }

    /// Commits the batch that a closure returns, and samples in segments.
    ///
    /// - Returns: the receipt, or the error for which the batch failed alone.
    ///
    /// - Parameter deletes: whether the batch deletes samples, so that it may use the ballast's room.
    func commitAlone(
        _ rule: IdentityRule, _ loaded: LoadedSamples?, deletes: Bool = false,
        _ decide: (WriteContext) throws -> WriteBatch, _ writer: inout Writer
    ) throws(StoreError) -> Result<WriteReceipt, any Error> {
        let resolved = ResolvedDeletions()
        let watch = loaded?.watch ?? Stopwatch()
        func attempt(_ writer: inout Writer) throws(StoreError) -> WriteStep.Taken {
            var isDeletion = false
            return try self.attempt(&writer, &isDeletion, watch) { step, transaction, writer in
                step.resolved = resolved
                return try step.take(rule, loaded, transaction, &writer, decide)
            }
        }
        let taken = deletes ? try writer.withReserve(attempt) : try attempt(&writer)
        guard case .decided(let result) = taken else {
            throw StoreError(.inputOutput, "a batch alone was postponed; nothing was stored", path: context.path)
        }
        if case .failure(let error) = result, let mine = error as? StoreError { context.telemetry.note(mine) }
        return result
    }

    /// Runs a step in a transaction and commits its parts. A step that only deletes may use the ballast's space,
    /// because it frees space in the end.
    ///
    /// - Parameter fill: adds parts to the step; may run twice.
    private func transact<R>(
        _ writer: inout Writer,
        _ fill: (inout WriteStep, CatalogTransaction, inout Writer) throws -> R
    ) throws(StoreError) -> R {
        var isDeletion = false
        let watch = Stopwatch()
        do throws(StoreError) {
            return try attempt(&writer, &isDeletion, watch, fill)
        } catch {
            guard error.kind == .diskFull, isDeletion else { throw error }
        }
        return try writer.withReserve { writer throws(StoreError) in try attempt(&writer, &isDeletion, watch, fill) }
    }

    /// - Parameter watch: started when the work began, for the events.
    private func attempt<R>(
        _ writer: inout Writer, _ isDeletion: inout Bool, _ watch: Stopwatch,
        _ fill: (inout WriteStep, CatalogTransaction, inout Writer) throws -> R
    ) throws(StoreError) -> R {
        access.forgetPromises(of: &writer)
        var step = WriteStep(context, after: writer.seq)
        var result: R?
        var made: WriteCommit?
        do throws(StoreError) {
            _ = try writer.commit { writer, transaction in
                result = try fill(&step, transaction, &writer)
                isDeletion = step.isDeletion
                made = try step.commit(&writer)
                return made?.rows
            }
        } catch {
            // A commit of unknown outcome may name the files; the next opening decides.
            if error.kind != .outcomeUnknown { step.abandon() }
            throw error
        }
        step.end()
        if let made { show(made, step.parts, watch, &writer) }
        guard let result else { throw StoreError(.inputOutput, "the commit did not run", path: context.path) }
        return result
    }

    /// Publishes a commit to new snapshots.
    private func show(_ made: WriteCommit, _ parts: [WriteStep.Part], _ watch: Stopwatch, _ writer: inout Writer) {
        writer.nextTombstone += Int64(made.rows.deletions.tombstones.count)
        writer.nextSegment += Int64(made.files.count)
        if let now = made.rows.deletions.now { writer.latestNow = now }
        if !made.files.isEmpty { writer.forget(made.rows.removedSegments, adding: []) }
        context.telemetry.count(made, parts, took: watch.elapsed)
        context.publish { version in
            // A refresh of a shared store may have published the commit first.
            if version.seq < made.rows.seq { made.apply(to: &version) }
        }
        if !made.files.isEmpty { writer.fitBallast(context) }
    }

    /// Passes each batch its outcome, and requeues the writes that must wait.
    private func settle(
        _ group: inout [PendingAppend], _ taken: [WriteStep.Taken], sequence: Int64
    ) -> [WaitingCaller.Outcome] {
        var waiting = [PendingAppend]()
        var done = [PendingAppend]()
        for (one, outcome) in zip(group, taken) {
            if case .postponed = outcome {
                waiting.append(one)
                continue
            }
            if case .decided(let result) = outcome {
                if case .failure(let error) = result, let mine = error as? StoreError { context.telemetry.note(mine) }
                one.batch?.finish(result)
            }
            done.append(one)
        }
        queue.requeue(waiting)
        group = done
        return [WaitingCaller.Outcome](
            repeating: .success(CommitReceipt(sequence: sequence)), count: done.count)
    }
}

extension Telemetry {
    /// Counts the samples that a commit of several writes added and deleted.
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
