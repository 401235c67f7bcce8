// SPDX-License-Identifier: Apache-2.0

/// One slice of time of a plot: the first, last, least and greatest sample that start in it.
public struct EnvelopeSlice: Hashable, Sendable {
    /// The first instant of the slice, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the slice.
    public var end: Int64
    /// Samples that start in the slice.
    public var count: Int
    /// The first sample that starts in the slice; nil if the slice is empty.
    public var first: Sample?
    /// The last sample that starts in the slice; nil if the slice is empty.
    public var last: Sample?
    /// The sample with the least value; of several, the first.
    public var min: Sample?
    /// The sample with the greatest value; of several, the first.
    public var max: Sample?

    /// The distinct samples of `first`, `min`, `max` and `last`, in order of time. A line through them touches every
    /// extreme.
    public var points: [Sample] {
        var found = [Sample]()
        for sample in [first, min, max, last].compactMap({ $0 }).sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) })
        where !found.contains(sample) { found.append(sample) }
        return found
    }
}
