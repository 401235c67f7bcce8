// SPDX-License-Identifier: Apache-2.0

/// What a query did: hand one to a query and read it afterwards.
///
/// Counts add up over all queries that were given the same object, and over the threads of each. Not for use by several
/// queries at once.
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

    /// Runs (the blocks of one series in one segment, or one batch in the tail) that the query looked at.
    public internal(set) var runs: Int {
        get { counts.runs }
        set { counts.runs = newValue }
    }
    /// Index pages looked at.
    public internal(set) var indexPages: Int {
        get { counts.indexPages }
        set { counts.indexPages = newValue }
    }
    /// Entries of the index (blocks or whole subtrees) answered by their summary alone.
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

    /// Blocks decoded of which deletions may hide samples. Not counted: blocks that they hide whole, which are not
    /// looked at.
    public internal(set) var blocksMasked: Int {
        get { counts.blocksMasked }
        set { counts.blocksMasked = newValue }
    }

    /// Samples compared with each other to find copies (`MergedSources.countsCopies`), whose decoding is not counted
    /// above: all of a series the first time, then those that came later.
    public internal(set) var samplesCompared: Int {
        get { counts.samplesCompared }
        set { counts.samplesCompared = newValue }
    }

    /// An explanation with nothing counted.
    public init() {}
}
