// SPDX-License-Identifier: Apache-2.0

/// Cumulative series of several sources that may have counted the same, in the order in which they count.
///
/// At every moment the first source that has data wins: what a sample of an earlier source covers is hidden in all
/// later ones, and a sample of which a part is hidden counts for the rest, shared by time. `Docs/MergedSources.md` has
/// every rule.
public struct MergedSources: Hashable, Sendable {
    /// The series of each source, the source that counts first first. Series of one source do not hide each other.
    public var sources: [[SeriesID]]
    /// The series whose samples are counted; nil for all. All hide, whether they are counted or not.
    public var counting: Set<SeriesID>?
    /// Whether samples of a series that are equal in start, end and value, as importing the same thing twice leaves
    /// them, all count; otherwise one of them does. To know them, every sample is looked at once.
    public var countsCopies: Bool

    /// Sources of one series each, the one that counts first first.
    public init(_ series: [SeriesID], counting: Set<SeriesID>? = nil, countsCopies: Bool = true) {
        self.init(sources: series.map { [$0] }, counting: counting, countsCopies: countsCopies)
    }

    /// Sources of several series, the one that counts first first.
    public init(sources: [[SeriesID]], counting: Set<SeriesID>? = nil, countsCopies: Bool = true) {
        self.sources = sources
        self.counting = counting
        self.countsCopies = countsCopies
    }

    /// All series, those of the first source first.
    public var series: [SeriesID] { sources.flatMap { $0 } }

    /// The series whose samples are counted, in the same order.
    var counted: [SeriesID] {
        guard let counting else { return series }
        return series.filter { counting.contains($0) }
    }
}
