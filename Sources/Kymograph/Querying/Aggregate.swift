// SPDX-License-Identifier: Apache-2.0

import Kernels

/// Which statistics a query computes beyond count, sum, minimum, maximum, average, first and last, which are
/// always there.
public struct AggregateOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8
    /// A set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Variance and standard deviation of the values.
    public static let standardDeviation = AggregateOptions(rawValue: 1)
    /// The average that weighs each value by the time until the next sample starts.
    public static let timeWeightedAverage = AggregateOptions(rawValue: 2)
    /// The total length of the samples' intervals.
    public static let duration = AggregateOptions(rawValue: 4)
    /// The latest end of a sample that starts in the range.
    package static let latestEnd = AggregateOptions(rawValue: 8)
    /// All of them.
    public static let all: AggregateOptions = [.standardDeviation, .timeWeightedAverage, .duration]
}

/// Statistics over the samples of one or several series in one range of time.
///
/// A sample belongs to the range in which it starts. Of a cumulative series, `sum` and `duration` are shared
/// between ranges: a sample that crosses an edge adds to each range the part of its value that its time there is of
/// its whole length, computed to some 100 bits, so that the sums of adjoining ranges add up to the whole.
public struct Aggregate: Hashable, Sendable {
    /// The first instant of the range, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the range.
    public var end: Int64
    /// Samples that start in the range.
    public var count: Int
    /// The sum of the values, within 1 ulp of the exact sum (see `Docs/Sums.md`); `nil` where nothing falls in the
    /// range.
    public var sum: Double?
    /// The smallest value of the samples that start in the range.
    public var min: Double?
    /// The greatest value of the samples that start in the range.
    public var max: Double?
    /// The mean of the values of the samples that start in the range.
    public var average: Double?
    /// The first sample that starts in the range.
    public var first: Sample?
    /// The last sample that starts in the range: the most recent one.
    public var last: Sample?
    /// The population standard deviation of the values, each sample counted once; `nil` unless asked for. Within some
    /// 2^-50 of the exact one, whatever the mean.
    public var standardDeviation: Double?
    /// The population variance: the mean of the squared distances from the mean; infinite where it is beyond all
    /// doubles. `nil` unless the standard deviation was asked for.
    public var variance: Double?
    /// The average that weighs each value by the time until the next sample of the range starts; where all
    /// samples start at one instant, their mean. `nil` unless asked for.
    public var timeWeightedAverage: Double?
    /// The total length of the samples' intervals, in nanoseconds, as a `Double`; `nil` unless asked for.
    public var duration: Double?
    /// The latest end of the samples that start in the range; `nil` unless asked for.
    package var latestEnd: Int64?

    package init(start: Int64, end: Int64, count: Int) {
        self.start = start
        self.end = end
        self.count = count
    }

    /// The sample variance, divided by one less than the count; `nil` with fewer than two samples, or unless the
    /// standard deviation was asked for.
    public var sampleVariance: Double? {
        variance.flatMap { count > 1 ? $0 * (Double(count) / Double(count - 1)) : nil }
    }
    /// The root of the sample variance, also where that is beyond all doubles; `nil` where there is none.
    public var sampleStandardDeviation: Double? {
        standardDeviation.flatMap { count > 1 ? $0 * (Double(count) / Double(count - 1)).squareRoot() : nil }
    }

    /// Whether nothing falls in the range: no sample starts in it and none reaches into it.
    public var isEmpty: Bool { count == 0 && sum == nil }
}

/// How a range of time is divided into buckets.
public enum Buckets: Hashable, Sendable {
    /// Buckets of one length in nanoseconds, one of whose edges is `anchor`.
    case fixed(nanoseconds: Int64, anchor: Int64 = 0)
    /// Calendar buckets, one of whose edges is the local midnight of the anchor's day; `zone` is a name from the zone
    /// database.
    case calendar(CalendarUnit, anchor: Int64 = 0, zone: String)
    /// Exactly these edges, ascending; one bucket fewer than edges.
    case edges([Int64])
}

/// A length of time on the calendar.
public enum CalendarUnit: Hashable, Sendable {
    /// So many minutes of elapsed time.
    case minutes(Int)
    /// So many hours of elapsed time.
    case hours(Int)
    /// So many civil days, of 23 to 25 hours where clocks change.
    case days(Int)
    /// So many weeks of seven civil days; the anchor's day begins one.
    case weeks(Int)
    /// So many months; the day of the month is the anchor's, or the month's last where it has fewer.
    case months(Int)
    /// So many years.
    case years(Int)
}
