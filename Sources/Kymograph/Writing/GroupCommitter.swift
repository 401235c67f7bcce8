// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Dispatch
import Synchronization

/// Makes the commits of callers. Appends and batches of several threads and tasks share a commit; a bulk load or a
/// deletion has a commit of its own.
///
/// Every change of a caller goes through `commit`, as encoded samples or as a batch that a closure returns inside the
/// transaction.
final class GroupCommitter: Sendable {
    let context: StoreContext
    let access: CatalogAccess
    let sealer: TailSealer
    let compactor: Compactor
    /// Appends that wait for a commit.
    let queue = CommitQueue()
    let threads = CommitThreads()

    init(_ context: StoreContext, _ access: CatalogAccess, _ sealer: TailSealer, _ compactor: Compactor) {
        self.context = context
        self.access = access
        self.sealer = sealer
        self.compactor = compactor
    }

    // MARK: Appends

    /// Appends samples of some series in one commit, which appends of other threads may share.
    ///
    /// - Throws: `invalidArgument` in a closure whose call holds the writer, `unknownSeries`, `invalidSample`, and
    ///   errors of a commit.
    func append(_ batches: [(series: SeriesID, rows: SampleRows)]) throws(StoreError) -> CommitReceipt {
        try access.requireOutside()
        try context.requireSeries(batches)
        let total = batches.reduce(0) { $0 + $1.rows.count }
        if total > context.options.largeAppend { return try load(batches, expecting: total) }
        let draft = try context.draft(batches)
        if total == 0 {
            // Waits for the writer nevertheless, so that the writer's errors are reported.
            return try access.withWriter { writer throws(StoreError) in CommitReceipt(sequence: writer.seq) }
        }
        if let known = queue.enter(draft)?.wait() { return try known.get() }
        return try lead()
    }

    /// Appends like concurrent calls of several threads, but in one thread and in this order: one commit, if its bounds
    /// allow.
    ///
    /// - Parameter appends: at least one; none of them empty.
    func append(meeting appends: [(series: SeriesID, samples: [Sample])]) throws(StoreError) -> CommitReceipt {
        var drafts = [TailDraft]()
        for one in appends {
            let batches = [(series: one.series, rows: try SampleRows(one.samples))]
            try context.requireSeries(batches)
            drafts.append(try context.draft(batches))
        }
        var receipt = CommitReceipt(sequence: context.published.withLock { $0.seq })
        // The leader is first, unless another thread leads.
        for caller in drafts.map({ queue.enter($0) }) {
            if let known = caller?.wait() { receipt = try known.get() } else { receipt = try lead() }
        }
        return receipt
    }

    // MARK: Batches

    /// Makes one commit of the batch that a closure returns. See `TimeSeriesStore.write(identities:_:)`.
    func write(
        _ rule: IdentityRule, _ decide: @escaping @Sendable (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        try requireWritable()
        try prepare(rule)
        let batch = PendingBatch(rule, decide)
        let outcome: WaitingCaller.Outcome
        if let known = queue.enter(TailDraft(parts: []), batch)?.wait() {
            outcome = known
        } else {
            outcome = Result { () throws(StoreError) in try lead() }
        }
        let receipt = try batch.receipt(or: outcome)
        noteDeletions(of: receipt)
        return receipt
    }

    /// Writes like concurrent calls of several threads, but in one thread and in this order: one commit, if its bounds
    /// allow.
    ///
    /// - Returns: the outcome of each batch.
    func write(
        _ rule: IdentityRule, meeting all: [@Sendable (WriteContext) throws -> WriteBatch]
    ) throws(StoreError) -> [Result<WriteReceipt, any Error>] {
        try context.requireOwnProcess()
        try prepare(rule)
        let batches = all.map { PendingBatch(rule, $0) }
        // The leader is first, unless another thread leads.
        return batches.map { ($0, queue.enter(TailDraft(parts: []), $0)) }.map { batch, caller in
            let outcome = caller?.wait() ?? Result { () throws(StoreError) in try lead() }
            return Result { try batch.receipt(or: outcome) }
        }
    }

    /// Makes one commit of the batch that a closure returns, in the calling thread and with no other batch.
    ///
    /// - Parameter deletes: whether the batch deletes samples, so that it may use the ballast's space.
    func writeAlone(deletes: Bool = false, _ decide: (WriteContext) throws -> WriteBatch) throws -> WriteReceipt {
        try requireWritable()
        let outcome = try access.withWriter { writer throws(StoreError) in
            try self.commitAlone(.unchecked, nil, deletes: deletes, decide, &writer)
        }
        let receipt = try outcome.get()
        noteDeletions(of: receipt)
        return receipt
    }

    func requireWritable() throws(StoreError) {
        try context.requireOwnProcess()
        try access.requireOutside()
        try context.requireWritable()
    }

    /// Reads the stored identities before the commit, so that other callers do not wait for it.
    private func prepare(_ rule: IdentityRule) throws(StoreError) {
        if rule != .unchecked { try context.identities.prepare(for: context.version) }
    }

    func noteDeletions(of receipt: WriteReceipt) {
        if receipt.deletions.contains(where: { $0.count > 0 }) { context.requestUpkeep() }
    }

    // MARK: The leader

    /// Commits the waiting writes for all their callers, this caller's own first.
    func lead() throws(StoreError) -> CommitReceipt {
        let group = commitGroup()
        if group.isLeft { leadForTasks() }
        group.notifyCallers(from: 1)
        sealAndCompact()
        return try group.outcome(of: 0).get()
    }

    /// Commits the waiting writes as the leader, and passes the lead on.
    func commitGroup() -> CommittedGroup {
        queue.waitForFollowers()
        var group = [PendingAppend]()
        let result = Result { () throws(StoreError) in
            // Writes that arrived while the writer was busy are included.
            try access.withWriter { writer throws(StoreError) in
                group = queue.takeGroup()
                return self.commit(&group, &writer)
            }
        }
        if group.isEmpty { group = queue.takeGroup() }
        let outcomes: [WaitingCaller.Outcome]
        switch result {
        case .success(let some): outcomes = some
        case .failure(let error): outcomes = [.failure(error)]
        }
        return CommittedGroup(appends: group, outcomes: outcomes, isLeft: queue.passLead())
    }

    /// Runs sealing and compaction that are due. An error does not affect the commit; the next append retries.
    func sealAndCompact() {
        guard sealer.isDue else { return }
        sealer.sealIfDue()
        compactor.compactLater()
    }
}

/// The threads of a store that commit and seal for tasks, which must not wait for a disk.
struct CommitThreads: Sendable {
    fileprivate let committing = DispatchQueue(label: "kymograph.commit", qos: .userInitiated)
    /// For appends that become segments of their own.
    fileprivate let loading = DispatchQueue(label: "kymograph.load", qos: .userInitiated)
    fileprivate let sealing = DispatchQueue(label: "kymograph.tidy", qos: .utility)
    /// True while a thread seals.
    fileprivate let isSealing = Flag()

    fileprivate final class Flag: Sendable { let value = Atomic(false) }
}

// Appends of tasks.
extension GroupCommitter {
    /// Appends samples without blocking a thread of the caller. See `TimeSeriesStore.append(to:_:)`.
    func append(to id: SeriesID, _ samples: [Sample]) async throws(StoreError) -> CommitReceipt {
        let batches = [(series: id, rows: try SampleRows(samples))]
        try context.requireSeries(batches)
        if samples.isEmpty || samples.count > context.options.largeAppend {
            let result = await withCheckedContinuation { waiting in
                threads.loading.async {
                    waiting.resume(returning: Result { () throws(StoreError) in try self.append(batches) })
                }
            }
            return try result.get()
        }
        let draft = try context.draft(batches)
        let result = await withCheckedContinuation { waiting in
            if queue.enter(draft, { waiting.resume(returning: $0) }) { leadForTasks() }
        }
        return try result.get()
    }

    /// Commits on a thread of the store until a waiting thread leads, or no write waits.
    func leadForTasks() {
        threads.committing.async {
            var isLeft = true
            while isLeft {
                let group = self.commitGroup()
                group.notifyCallers(from: 0)
                isLeft = group.isLeft
                self.sealBeside()
            }
        }
    }

    /// Seals and compacts on another thread. Waits for that thread only if the tail has grown far beyond the sealing
    /// limit.
    private func sealBeside() {
        guard sealer.isDue else { return }
        guard threads.isSealing.value.exchange(true, ordering: .acquiringAndReleasing) == false else {
            return sealer.waitIfBehind()
        }
        threads.sealing.async {
            self.sealAndCompact()
            self.threads.isSealing.value.store(false, ordering: .releasing)
        }
    }
}
