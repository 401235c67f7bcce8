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
