// SPDX-License-Identifier: Apache-2.0

/// Cumulative series of several sources that may have counted the same amounts, in order of priority.
///
/// At every moment the first source with data counts. Time covered by a sample of one source is hidden in all later
/// sources. A partly hidden sample counts for the rest, in proportion to time. `Docs/Guide/Statistics.md` has every
/// rule.
public struct MergedSources: Hashable, Sendable {
    /// The series of each source, in order of priority. Series of one source do not hide each other.
    public var sources: [[SeriesID]]
    /// The series whose samples are counted; nil counts all. Series that are not counted still hide time.
    public var counting: Set<SeriesID>?
    /// Whether all copies count: samples of one series with equal start, end and value, for instance after a second
    /// import of the same file. If false, one of each group counts, and the first query compares all samples.
    public var countsCopies: Bool

    /// Creates sources of one series each, in order of priority.
    public init(_ series: [SeriesID], counting: Set<SeriesID>? = nil, countsCopies: Bool = true) {
        self.init(sources: series.map { [$0] }, counting: counting, countsCopies: countsCopies)
    }

    /// Creates sources of several series, in order of priority.
    public init(sources: [[SeriesID]], counting: Set<SeriesID>? = nil, countsCopies: Bool = true) {
        self.sources = sources
        self.counting = counting
        self.countsCopies = countsCopies
    }

    /// All series, in order of priority.
    public var series: [SeriesID] { sources.flatMap { $0 } }

    /// The counted series, in order of priority.
    var counted: [SeriesID] {
        guard let counting else { return series }
        return series.filter { counting.contains($0) }
    }
}
