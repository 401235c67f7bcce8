// SPDX-License-Identifier: Apache-2.0

/// The work of a query. Pass an explanation to a query and read its counts afterwards.
///
/// Counts add up over all queries with the same object, and over the threads of each query. Several queries at once
/// must not use the same object.
public final class QueryExplanation {
    /// The counts, as a value.
    struct Counts: Sendable {
        var runs = 0
        var indexPages = 0
        var summaries = 0
        var blocksDecoded = 0
        var samplesDecoded = 0
        var bytesRead = 0
        var blocksMasked = 0
        var samplesCompared = 0

        mutating func add(_ other: Counts) {
            runs += other.runs
            indexPages += other.indexPages
            summaries += other.summaries
            blocksDecoded += other.blocksDecoded
            samplesDecoded += other.samplesDecoded
            bytesRead += other.bytesRead
            blocksMasked += other.blocksMasked
            samplesCompared += other.samplesCompared
        }
    }

    var counts = Counts()

    /// Runs visited (a run is the blocks of one series in one segment, or one batch in the tail).
    public internal(set) var runs: Int {
        get { counts.runs }
        set { counts.runs = newValue }
    }
    /// Index pages visited.
    public internal(set) var indexPages: Int {
        get { counts.indexPages }
        set { counts.indexPages = newValue }
    }
    /// Index entries (blocks or whole subtrees) answered by their summaries alone.
    public internal(set) var summaries: Int {
        get { counts.summaries }
        set { counts.summaries = newValue }
    }
    /// Blocks decoded.
    public internal(set) var blocksDecoded: Int {
        get { counts.blocksDecoded }
        set { counts.blocksDecoded = newValue }
    }
    /// Samples in the decoded blocks.
    public internal(set) var samplesDecoded: Int {
        get { counts.samplesDecoded }
        set { counts.samplesDecoded = newValue }
    }
    /// Compressed bytes read for the decoded blocks.
    public internal(set) var bytesRead: Int {
        get { counts.bytesRead }
        set { counts.bytesRead = newValue }
    }

    /// Blocks decoded that may hold deleted samples. Fully deleted blocks are skipped and not counted.
    public internal(set) var blocksMasked: Int {
        get { counts.blocksMasked }
        set { counts.blocksMasked = newValue }
    }

    /// Samples compared to find copies (`MergedSources.countsCopies`); their decoding is not counted above. The first
    /// query compares all samples of a series, later ones only newer samples.
    public internal(set) var samplesCompared: Int {
        get { counts.samplesCompared }
        set { counts.samplesCompared = newValue }
    }

    /// Creates an explanation with all counts at 0.
    public init() {}
}
