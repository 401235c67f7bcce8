// SPDX-License-Identifier: Apache-2.0

// `Docs/Operations/Retention.md` has the rules.
extension TimeSeriesStore {
    /// Moves the samples of the tail into segments. Appends do this automatically from time to time.
    ///
    /// - Throws: `readOnly`, `closed`, `diskFull`, `outcomeUnknown`, `writerFailed`, `corrupt`, `inputOutput`.
    public func seal() throws(StoreError) { _ = try sealer.sealEverything() }

    /// Seals the tail, then merges segments and leaves out deleted samples, until nothing is left to merge.
    ///
    /// Afterwards no current file holds a sample that was deleted before the call. Appends, queries and snapshots
    /// continue meanwhile; each merge is one commit, and stays if a later merge fails or is cancelled.
    /// - Parameter progress: called regularly; returns false to cancel. It must not compact.
    /// - Throws: `readOnly`, `closed`, `cancelled`, `diskFull`, `corrupt`, `outcomeUnknown`, `writerFailed`,
    ///   `inputOutput`.
    /// - Complexity: reads and writes all samples that are not merged yet, and all segments with deleted samples. Files
    ///   are removed when no snapshot and no other opening needs them.
    @discardableResult
    public func compact(progress: ((CompactionProgress) -> Bool)? = nil) throws(StoreError) -> CompactionReport {
        try compactor.compact(progress) { () throws(StoreError) in try eraser.forgetDeletions() }
    }

    /// Runs all due merges in this thread.
    @discardableResult
    package func compactDue() throws(StoreError) -> CompactionReport { try compactor.compactDue() }
}
