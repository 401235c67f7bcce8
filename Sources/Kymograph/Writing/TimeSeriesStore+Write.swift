// SPDX-License-Identifier: Apache-2.0

// `Docs/Guide/Engine.md` has the rules.
extension TimeSeriesStore {
    /// Makes one durable commit of the changes that a closure decides on while no other caller can write: all of them,
    /// or none.
    ///
    /// Batches of several threads share a commit, and each fails alone.
    /// - Parameters:
    ///   - rule: the treatment of identities that the batch supplies.
    ///   - decide: returns the changes. It may run on another caller's thread, and more than once, each time with its
    ///     rows rolled back; it must not call the store, nor keep its argument.
    /// - Throws: errors of the closure, and `StoreError`: `identityTaken`, `invalidSample`, `unknownSeries`,
    ///   `kindMismatch`, `readOnly`, `closed`, `locked`, `diskFull`, `corrupt`, `outcomeUnknown`, `writerFailed`,
    ///   `inputOutput`. After `outcomeUnknown` the batch is stored wholly or not at all; after any other not at all.
    /// - Complexity: one commit of the catalog; many samples go into segments, while others wait.
    @discardableResult
    package func write(
        identities rule: IdentityRule = .unchecked,
        _ decide: @escaping @Sendable (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        defer { closeIfAsked() }
        return try committer.write(rule, decide)
    }

    /// Writes as threads whose calls meet do, in one thread and in this order: one commit, if its bounds allow.
    ///
    /// - Returns: the outcome of each.
    package func write(
        identities rule: IdentityRule = .unchecked, meeting all: [@Sendable (WriteContext) throws -> WriteBatch]
    ) throws(StoreError) -> [Result<WriteReceipt, any Error>] {
        defer { closeIfAsked() }
        return try committer.write(rule, meeting: all)
    }

    /// Makes one commit of a bulk load and of a batch: samples are written before the decision, with bounded memory and
    /// while others can write.
    ///
    /// - Parameters:
    ///   - rule: `.unchecked` or `.new`.
    ///   - expected: the expected number of samples, if it is known.
    ///   - body: gives samples to the loader; returns whether to commit. If it returns false or throws, nothing is
    ///     stored.
    ///   - decide: as of `write(identities:_:)`, but in this thread.
    @discardableResult
    package func write(
        identities rule: IdentityRule = .unchecked, expecting expected: Int = 0,
        loading body: (BulkLoader) throws -> Bool,
        _ decide: (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        defer { closeIfAsked() }
        return try committer.load(rule, expecting: expected, body, decide)
    }

    /// Appends any number of samples in one commit: all become visible when this returns, or none.
    ///
    /// Memory stays bounded however much is loaded: at most a million samples that are collected from small calls, some
    /// MB for each thread, and a copy of the columns of a call that is out of order.
    /// - Parameters:
    ///   - expected: the expected number of samples, if it is known: where there is clearly no room for them, nothing
    ///     is begun.
    ///   - body: gives samples to the loader. If it throws, nothing is stored.
    /// - Throws: errors of `body`, and `StoreError`: `readOnly`, `closed`, `diskFull`, `outcomeUnknown`,
    ///   `writerFailed`, `inputOutput`.
    /// - Complexity: O(n) for samples in order of time, O(n log n) otherwise.
    @discardableResult
    public func bulkLoad(expecting expected: Int = 0, _ body: (BulkLoader) throws -> Void) throws -> CommitReceipt {
        let receipt = try write(expecting: expected) { loader in
            try body(loader)
            return true
        } _: { _ in
            WriteBatch()
        }
        return CommitReceipt(sequence: receipt.sequence)
    }

    /// Becomes the writer and stays it until the work ends: the published version is the last commit, and no other
    /// process commits meanwhile.
    ///
    /// - Throws: `locked`, `readOnly`, `closed`, and what opening for writing may throw.
    package func beginWork() throws(StoreError) -> WriterWork { try access.beginWork() }

    /// Lets other processes write now, without waiting for `StoreOptions.writerIdle`: for a program that shares its
    /// store and has nothing to save for a while.
    ///
    /// Does nothing during a bulk load or a merge, in a store that is not shared, in a closure that runs while the
    /// store is written, and while this opening is not the writer. The next commit makes it the writer again.
    public func giveWay() { access.giveWay() }
}
