// SPDX-License-Identifier: Apache-2.0

/// What a query did: hand one to a query and read it afterwards.
///
/// Counts add up over all queries that were given the same object. Not for use by several threads at once.
public final class QueryExplanation {
    /// Runs (the blocks of one series in one segment, or one batch in the tail) that the query looked at.
    public internal(set) var runs = 0
    /// Index pages read.
    public internal(set) var indexPages = 0
    /// Entries of the index (blocks or whole subtrees) answered by their summary alone.
    public internal(set) var summaries = 0
    /// Blocks decoded.
    public internal(set) var blocksDecoded = 0
    /// Samples in the decoded blocks.
    public internal(set) var samplesDecoded = 0
    /// Compressed bytes read for the decoded blocks.
    public internal(set) var bytesRead = 0

    /// An explanation with nothing counted.
    public init() {}
}
