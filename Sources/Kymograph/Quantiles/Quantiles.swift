// SPDX-License-Identifier: Apache-2.0

/// Quantiles of the samples that start in a range of time.
public struct Quantiles: Hashable, Sendable {
    /// The first instant of the range, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the range.
    public var end: Int64
    /// The number of samples that start in the range.
    public var count: Int
    /// One value for each probability, in the order of the query; empty if no sample starts in the range.
    public var values: [Double]
    /// The maximum relative error of the values; 0 if all are exact. See `QuantileSketch.relativeError`.
    public var relativeError: Double
}
