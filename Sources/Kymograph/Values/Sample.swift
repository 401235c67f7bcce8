// SPDX-License-Identifier: Apache-2.0

/// One sample of a series.
public struct Sample: Hashable, Sendable {
    /// The start, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The end, in nanoseconds since 1970-01-01 UTC; equal to `start` for a point.
    public var end: Int64
    /// The measured value, in the unit of the series.
    public var value: Double

    /// Creates a sample over an interval or, without an end, at a point.
    @inlinable
    public init(start: Int64, end: Int64? = nil, value: Double) {
        self.start = start
        self.end = end ?? start
        self.value = value
    }
}
