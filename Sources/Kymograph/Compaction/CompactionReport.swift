// SPDX-License-Identifier: Apache-2.0

/// The result of a compaction.
public struct CompactionReport: Hashable, Sendable {
    /// The last commit after the compaction.
    public var sequence: Int64 = 0
    /// Merges; each is one commit.
    public var steps = 0
    /// Segments that were read and retired.
    public var segmentsRead = 0
    /// Segments that were written.
    public var segmentsWritten = 0
    /// Bytes of the segments that were read.
    public var bytesRead: Int64 = 0
    /// Bytes of the segments that were written.
    public var bytesWritten: Int64 = 0
    /// Samples that were written.
    public var samplesWritten = 0
    /// Deleted samples that were left out of segments, and of the tail, which is sealed first.
    public var samplesRemoved = 0
}

/// The progress of a compaction.
public struct CompactionProgress: Hashable, Sendable {
    /// Committed merges.
    public var steps: Int
    /// Samples that were written, including those of the current merge.
    public var samplesWritten: Int
}

extension CompactionReport {
    init(_ step: CompactionStep, retiring count: Int, sequence: Int64) {
        self.sequence = sequence
        steps = 1
        segmentsRead = count
        segmentsWritten = step.rows.count
        bytesRead = step.bytesRead
        bytesWritten = step.bytesWritten
        samplesWritten = step.samples
        samplesRemoved = step.samplesRemoved
    }

    mutating func add(_ other: CompactionReport) {
        sequence = max(sequence, other.sequence)
        steps += other.steps
        segmentsRead += other.segmentsRead
        segmentsWritten += other.segmentsWritten
        bytesRead += other.bytesRead
        bytesWritten += other.bytesWritten
        samplesWritten += other.samplesWritten
        samplesRemoved += other.samplesRemoved
    }
}

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
