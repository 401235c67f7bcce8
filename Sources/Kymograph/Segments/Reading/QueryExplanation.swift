// SPDX-License-Identifier: Apache-2.0

/// The work of a query. Pass an explanation to a query and read its counts afterwards.
///
/// Counts add up over all queries with the same object, and over the threads of each query. Several queries at once
/// must not use the same object.
public final class QueryExplanation {
    /// Runs visited (a run is the blocks of one series in one segment, or one batch in the tail).
    public internal(set) var runs = 0
    /// Index pages visited.
    public internal(set) var indexPages = 0
    /// Index entries (blocks or whole subtrees) answered by their summaries alone.
    public internal(set) var summaries = 0
    /// Blocks decoded.
    public internal(set) var blocksDecoded = 0
    /// Samples in the decoded blocks.
    public internal(set) var samplesDecoded = 0
    /// Compressed bytes read for the decoded blocks.
    public internal(set) var bytesRead = 0

    /// Blocks decoded that may hold deleted samples. Fully deleted blocks are skipped and not counted.
    public internal(set) var blocksMasked = 0

    /// Samples compared to find copies (`MergedSources.countsCopies`); their decoding is not counted above. The first
    /// query compares all samples of a series, later ones only newer samples.
    public internal(set) var samplesCompared = 0

    /// Creates an explanation with all counts at 0.
    public init() {}

    private static let all: [any ReferenceWritableKeyPath<QueryExplanation, Int> & Sendable] = [
        \.runs, \.indexPages, \.summaries, \.blocksDecoded, \.samplesDecoded, \.bytesRead, \.blocksMasked,
        \.samplesCompared,
    ]

    /// The counts in a fixed order, for another thread.
    var counts: [Int] { Self.all.map { self[keyPath: $0] } }

    func add(_ counts: [Int]) {
        for (path, count) in zip(Self.all, counts) { self[keyPath: path] += count }
    }
}
