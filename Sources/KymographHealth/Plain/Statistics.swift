// SPDX-License-Identifier: Apache-2.0

/// A request for statistics of the samples of one type.
public struct StatisticsRequest: Sendable {
    /// The type.
    public var type: HealthType
    /// The division of time; nil for one row over the whole range.
    public var buckets: Buckets?
    /// The range of time. A sample counts where it starts; a cumulative sample is divided between the buckets it
    /// overlaps.
    public var range: TimeRange
    /// The unit of the result. Nil for the samples' stored unit, or for the type's canonical unit if there are several.
    public var unit: HKUnit?
    /// Whether each source has its own rows.
    public var bySource: Bool
    /// The names of the sources; nil for all. Excluded sources do not affect the result.
    public var sources: Set<String>?
    /// The treatment of samples of a cumulative type that several sources recorded. Nil for `byPriority`, or for
    /// `union` with `bySource`.
    ///
    /// With `bySource` and `byPriority`, each source has only its counted samples, so that the rows of all sources add
    /// up to the merged rows.
    public var merging: SourceMerging?
    /// The names of sources by descending priority. Other sources follow in the order of `Docs/Guide/Statistics.md`.
    public var priority: [String]
    /// The additional values to compute, besides count, sum, minimum, maximum, average and the most recent value.
    public var options: AggregateOptions
    /// The quantiles to compute: probabilities from 0 to 1. They require decoding every sample of the range.
    public var quantiles: [Double]
    /// The state of the store after this commit; nil for the newest. See `TimeSeriesStore.snapshot(asOf:)`.
    public var asOf: Int64?

    /// Creates a request; by default for all samples of the type.
    public init(
        _ type: HealthType, buckets: Buckets? = nil, range: TimeRange = .all, unit: HKUnit? = nil,
        bySource: Bool = false, sources: Set<String>? = nil, options: AggregateOptions = [],
        quantiles: [Double] = [], merging: SourceMerging? = nil, priority: [String] = [], asOf: Int64? = nil
    ) {
        self.type = type
        self.buckets = buckets
        self.range = range
        self.unit = unit
        self.bySource = bySource
        self.sources = sources
        self.options = options
        self.quantiles = quantiles
        self.merging = merging
        self.priority = priority
        self.asOf = asOf
    }
}

/// One bucket of statistics. Values are in the report's unit; a category has only counts and durations.
public struct StatisticsRow: Sendable, Hashable {
    /// The source; nil if all sources are counted together.
    public var source: String?
    /// The first instant of the bucket, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the bucket.
    public var end: Int64
    /// The number of samples that start in the bucket.
    public var count: Int
    /// The sum of the values; nil for an empty bucket. HealthKit has sums only for cumulative types.
    public var sum: Double?
    /// The least value of the samples that start in the bucket.
    public var min: Double?
    /// The greatest value of the samples that start in the bucket.
    public var max: Double?
    /// The arithmetic mean of the samples that start in the bucket, for any aggregation style of the type.
    public var average: Double?
    /// The last sample that starts in the bucket.
    public var mostRecent: Sample?
    /// The population standard deviation of the values, if requested.
    public var standardDeviation: Double?
    /// The population variance of the values, in the square of the unit, if the deviation is requested.
    public var variance: Double?
    /// The sample standard deviation, with a divisor of the count minus one; nil for fewer than two samples.
    public var sampleStandardDeviation: Double? {
        let count = deviating ?? count
        return standardDeviation.flatMap { count > 1 ? $0 * (Double(count) / Double(count - 1)).squareRoot() : nil }
    }
    /// The number of samples in the deviation, if it differs from `count`.
    var deviating: Int?
    /// The requested quantiles, in the order of the request; nil if none were requested or no sample starts in the
    /// bucket.
    public var quantiles: [Double]?
    /// The maximum relative error of the quantiles; 0 if all are exact.
    public var quantileError: Double?
    /// The mean of the values weighted by the time until the next sample starts, if requested; nil if the samples of
    /// the bucket have several stored units.
    public var timeWeightedAverage: Double?
    /// The total length of the samples' intervals in nanoseconds, if requested.
    public var duration: Double?

    /// Whether the bucket has no samples.
    public var isEmpty: Bool { count == 0 && sum == nil && (duration ?? 0) == 0 }
}

/// The result of a request for statistics.
public struct StatisticsReport: Sendable {
    /// The requested type.
    public var type: HealthType
    /// The unit of all values; nil for categories.
    public var unit: String?
    /// The rows: by source if requested, then by time. Empty buckets are included.
    public var rows: [StatisticsRow]
    /// The cost of the request.
    public var explanation: StatisticsExplanation
}

/// The cost of a request for statistics: the work done by summaries and by decoding.
public struct StatisticsExplanation: Sendable, Hashable {
    /// Series read; each has one source and one stored unit.
    public var series = 0
    /// Runs of those series.
    public var runs = 0
    /// Index pages read.
    public var indexPages = 0
    /// Index entries answered by their summary.
    public var summaries = 0
    /// Blocks decoded.
    public var blocksDecoded = 0
    /// Samples in those blocks.
    public var samplesDecoded = 0
    /// Compressed bytes of those blocks.
    public var bytesRead = 0
    /// Samples compared to find copies: the first time all samples, then only new ones.
    public var samplesCompared = 0
    /// Units of excluded samples, because they do not convert to the result's unit.
    public var leftOutUnits: [String] = []
    /// The stored units of the samples, most samples first.
    public var storedUnits: [String] = []
    /// The sources of the samples, most samples first.
    public var sources: [String] = []
    /// For merged sources: the sources by descending priority.
    public var priority: [String] = []
}
