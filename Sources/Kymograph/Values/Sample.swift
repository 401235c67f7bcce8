// SPDX-License-Identifier: Apache-2.0

/// One sample, as answers show it.
public struct Sample: Hashable, Sendable {
    /// When it starts, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// When it ends; equal to `start` for a point.
    public var end: Int64
    /// What was measured, in the unit of the series.
    public var value: Double

    /// A sample over an interval; without an end, a point.
    public init(start: Int64, end: Int64? = nil, value: Double) {
        self.start = start
        self.end = end ?? start
        self.value = value
    }
}
