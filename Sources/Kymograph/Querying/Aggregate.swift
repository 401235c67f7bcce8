// SPDX-License-Identifier: Apache-2.0

import Kernels

/// The optional statistics of a query. Count, sum, minimum, maximum, average, first and last are always computed.
public struct AggregateOptions: OptionSet, Sendable, Hashable {
    /// The raw bits.
    public let rawValue: UInt8
    /// Creates a set from its raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Variance and standard deviation of the values.
    public static let standardDeviation = AggregateOptions(rawValue: 1)
    /// The average that weights each value by the time until the next sample starts.
    public static let timeWeightedAverage = AggregateOptions(rawValue: 2)
    /// The total length of the samples' intervals.
    public static let duration = AggregateOptions(rawValue: 4)
    /// The latest end of a sample that starts in the range.
    package static let latestEnd = AggregateOptions(rawValue: 8)
    /// All public options.
    public static let all: AggregateOptions = [.standardDeviation, .timeWeightedAverage, .duration]
}

/// Statistics of the samples of one or several series in one range of time.
///
/// A sample belongs to the range in which it starts. For a cumulative series, `sum` and `duration` of a sample that
/// crosses an edge are divided in proportion to time, with a precision of about 100 bits. So the sums of adjoining
/// ranges add up to the whole.
public struct Aggregate: Hashable, Sendable {
    /// The first instant of the range, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the range.
    public var end: Int64
    /// The number of samples that start in the range.
    public var count: Int
    /// The sum of the values, within 1 ulp of the exact sum (see `Docs/Internals/Accuracy.md`); `nil` if the range is
    /// empty.
    public var sum: Double?
    /// The least value of the samples that start in the range.
    public var min: Double?
    /// The greatest value of the samples that start in the range.
    public var max: Double?
    /// The mean of the values of the samples that start in the range.
    public var average: Double?
    /// The first sample that starts in the range.
    public var first: Sample?
    /// The last sample that starts in the range.
    public var last: Sample?
    /// The population standard deviation of the values; each sample counts once. The relative error is about 2^-50, for
    /// any mean. `nil` unless requested.
    public var standardDeviation: Double?
    /// The population variance: the mean of the squared distances from the mean; infinity if it exceeds the range of
    /// `Double`. `nil` unless the standard deviation was requested.
    public var variance: Double?
    /// The average that weights each value by the time until the next sample of the range starts. If all samples start
    /// at one instant, their mean. `nil` unless requested.
    public var timeWeightedAverage: Double?
    /// The total length of the samples' intervals, in nanoseconds; `nil` unless requested.
    public var duration: Double?
    /// The latest end of the samples that start in the range; `nil` unless requested.
    package var latestEnd: Int64?

    package init(start: Int64, end: Int64, count: Int) {
        self.start = start
        self.end = end
        self.count = count
    }

    /// The sample variance, with divisor `count - 1`; `nil` with fewer than two samples, or unless the standard
    /// deviation was requested.
    public var sampleVariance: Double? {
        variance.flatMap { count > 1 ? $0 * (Double(count) / Double(count - 1)) : nil }
    }
    /// The square root of the sample variance, finite even if the variance is not; `nil` if `sampleVariance` is `nil`.
    public var sampleStandardDeviation: Double? {
        standardDeviation.flatMap { count > 1 ? $0 * (Double(count) / Double(count - 1)).squareRoot() : nil }
    }

    /// Whether no sample starts in the range or reaches into it.
    public var isEmpty: Bool { count == 0 && sum == nil }
}

/// A division of a range of time into buckets.
public enum Buckets: Hashable, Sendable {
    /// Buckets of one length in nanoseconds. `anchor` is one of the edges.
    case fixed(nanoseconds: Int64, anchor: Int64 = 0)
    /// Calendar buckets. The local midnight of the anchor's day is one of the edges; `zone` is a name of the time zone
    /// database.
    case calendar(CalendarUnit, anchor: Int64 = 0, zone: String)
    /// Exactly these edges, ascending; there is one bucket fewer than edges.
    case edges([Int64])
}

/// A length of time on the calendar.
public enum CalendarUnit: Hashable, Sendable {
    /// Minutes of elapsed time.
    case minutes(Int)
    /// Hours of elapsed time.
    case hours(Int)
    /// Civil days, of 23 to 25 hours across clock changes.
    case days(Int)
    /// Weeks of seven civil days, counted from the anchor's day.
    case weeks(Int)
    /// Months. The day of the month is the anchor's, or the month's last day if the month is shorter.
    case months(Int)
    /// Years.
    case years(Int)
}
