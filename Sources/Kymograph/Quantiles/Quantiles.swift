// SPDX-License-Identifier: Apache-2.0

/// Quantiles of the samples that start in one range of time.
public struct Quantiles: Hashable, Sendable {
    /// The first instant of the range, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the range.
    public var end: Int64
    /// Samples that start in the range.
    public var count: Int
    /// A value for each probability, in the order asked for; empty where no sample starts in the range.
    public var values: [Double]
    /// The most that a value may differ from the exact one, as a part of it; 0 means that all are exact.
    /// See `QuantileSketch.relativeError`.
    public var relativeError: Double
}
