// SPDX-License-Identifier: Apache-2.0

// `Docs/Guide/Engine.md` has the rules.
extension TimeSeriesStore {
    /// Makes one durable commit of the changes that a closure returns, all or none. No other caller can write while the
    /// closure runs.
    ///
    /// Batches of several threads share a commit, and each fails alone.
    /// - Parameters:
    ///   - rule: the treatment of identities that the batch supplies.
    ///   - decide: returns the changes. It may run on another caller's thread, and more than once; its earlier rows are
    ///     rolled back each time. It must not call the store, nor hold its argument.
    /// - Throws: errors of the closure, and `StoreError`: `identityTaken`, `invalidSample`, `unknownSeries`,
    ///   `kindMismatch`, `readOnly`, `closed`, `locked`, `diskFull`, `corrupt`, `outcomeUnknown`, `writerFailed`,
    ///   `inputOutput`. After `outcomeUnknown` the batch is stored wholly or not at all; after any other error not at
    ///   all.
    /// - Complexity: one commit of the catalog; many samples go into segments, while other callers wait.
    @discardableResult
    package func write(
        identities rule: IdentityRule = .unchecked,
        _ decide: @escaping @Sendable (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        defer { closeIfAsked() }
        return try committer.write(rule, decide)
    }

    /// Writes like concurrent calls of several threads, but in one thread and in this order: one commit, if its bounds
    /// allow.
    ///
    /// - Returns: the outcome of each batch.
    package func write(
        identities rule: IdentityRule = .unchecked, meeting all: [@Sendable (WriteContext) throws -> WriteBatch]
    ) throws(StoreError) -> [Result<WriteReceipt, any Error>] {
        defer { closeIfAsked() }
        return try committer.write(rule, meeting: all)
    }

    /// Makes one commit of a bulk load and of a batch. Samples are written before the closure decides, with bounded
    /// memory and while others can write.
    ///
    /// - Parameters:
    ///   - rule: `.unchecked` or `.new`.
    ///   - expected: the expected number of samples, if known; the call throws at once if the disk clearly has too
    ///     little space for them.
    ///   - body: passes samples to the loader; returns whether to commit. If it returns false or throws, nothing is
    ///     stored.
    ///   - decide: as in `write(identities:_:)`, but runs in this thread.
    @discardableResult
    package func write(
        identities rule: IdentityRule = .unchecked, expecting expected: Int = 0,
        loading body: (BulkLoader) throws -> Bool,
        _ decide: (WriteContext) throws -> WriteBatch
    ) throws -> WriteReceipt {
        defer { closeIfAsked() }
        return try committer.load(rule, expecting: expected, body, decide)
    }

    /// Appends any number of samples in one commit: when the call returns, all are visible; after an error, none.
    ///
    /// Memory is bounded: at most a million samples that are collected from small calls, some MB for each thread, and a
    /// copy of the columns of a call that is out of order.
    /// - Parameters:
    ///   - expected: the expected number of samples, if known; the call throws at once if the disk clearly has too
    ///     little space for them.
    ///   - body: passes samples to the loader. If it throws, nothing is stored.
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
    /// - Throws: `locked`, `readOnly`, `closed`, and errors of opening for writing.
    package func beginWork() throws(StoreError) -> WriterWork { try access.beginWork() }

    /// Ends this opening's turn as the writer, without waiting for `StoreOptions.writerIdle`. For a program that shares
    /// its store and has nothing to save for a while.
    ///
    /// Does nothing during a bulk load or a merge, in a store that is not shared, in a closure whose call holds the
    /// writer, and while this opening is not the writer. The next commit makes this opening the writer again.
    public func giveWay() { access.giveWay() }

    /// Makes every commit that this opening shows durable. A writer that was killed, or whose commit has an unknown
    /// outcome, may have left commits in the log that are not on the device.
    ///
    /// - Throws: `readOnly`, `closed`, `diskFull`, `outcomeUnknown`, `writerFailed`, `inputOutput`.
    package func settle() throws(StoreError) { try access.settle() }
}
