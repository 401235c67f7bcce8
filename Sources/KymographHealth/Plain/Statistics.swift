// SPDX-License-Identifier: Apache-2.0

/// What to compute of the samples of one type.
public struct StatisticsRequest: Sendable {
    /// The type.
    public var type: HealthType
    /// How time is divided; nil for one row over the whole range.
    public var buckets: Buckets?
    /// Which time: a sample belongs where it starts, a cumulative one is shared between the buckets it crosses.
    public var range: TimeRange
    /// The unit of the answer. Without one: the unit that the samples are stored in, or the type's canonical unit if
    /// they are stored in several.
    public var unit: HKUnit?
    /// Whether every source gets rows of its own.
    public var bySource: Bool
    /// Only sources of these names; nil for all. Others hide nothing.
    public var sources: Set<String>?
    /// What becomes of samples of a cumulative type by which several sources counted the same. Nil: by priority, or, if
    /// each source has rows of its own, all of its samples. With rows of its own and by priority, each source has what
    /// counts of it, so that the rows of all add up to the merged ones.
    public var merging: SourceMerging?
    /// Names of sources, the one that counts first first. Those that are not named come after them, in the order that
    /// `Docs/MergedSources.md` tells.
    public var priority: [String]
    /// What to compute beyond count, sum, minimum, maximum, average and the most recent value.
    public var options: AggregateOptions
    /// Which quantiles to compute: probabilities from 0 to 1. They decode every sample of the range.
    public var quantiles: [Double]
    /// The commit after which the store is looked at; nil for now. See `TimeSeriesStore.snapshot(asOf:)`.
    public var asOf: Int64?

    /// A request for the samples of a type, all of them unless more is said.
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

/// One bucket of statistics. Values are in the report's unit; of a category there are only counts and durations.
public struct StatisticsRow: Sendable, Hashable {
    /// The source; nil where all sources are together.
    public var source: String?
    /// The first instant of the bucket, in nanoseconds since 1970-01-01 UTC.
    public var start: Int64
    /// The first instant after the bucket.
    public var end: Int64
    /// Samples that start in the bucket.
    public var count: Int
    /// The sum of the values; nil where nothing falls in the bucket. HealthKit has it of cumulative types only.
    public var sum: Double?
    /// The smallest value of a sample that starts in the bucket.
    public var min: Double?
    /// The greatest value of a sample that starts in the bucket.
    public var max: Double?
    /// The arithmetic mean of the samples that start in the bucket, whatever the type's style of aggregation.
    public var average: Double?
    /// The sample that starts last in the bucket.
    public var mostRecent: Sample?
    /// The population standard deviation of the values, if asked for.
    public var standardDeviation: Double?
    /// The population variance of the values, in the square of the unit, if the deviation was asked for.
    public var variance: Double?
    /// The sample standard deviation, divided by one less than the count; nil with fewer than two samples.
    public var sampleStandardDeviation: Double? {
        let count = deviating ?? count
        return standardDeviation.flatMap { count > 1 ? $0 * (Double(count) / Double(count - 1)).squareRoot() : nil }
    }
    /// The samples that the deviation is of, where they are others than those that are counted.
    var deviating: Int?
    /// The quantiles asked for, in their order; nil where none were or no sample starts in the bucket.
    public var quantiles: [Double]?
    /// The most that a quantile may differ from the exact one, as a part of it; 0 where all are exact.
    public var quantileError: Double?
    /// The mean that weighs each value by the time until the next sample starts, if asked for; nil where samples in
    /// several stored units fall in the bucket.
    public var timeWeightedAverage: Double?
    /// The total length of the samples' intervals in nanoseconds, if asked for.
    public var duration: Double?

    /// Whether nothing falls in the bucket.
    public var isEmpty: Bool { count == 0 && sum == nil && (duration ?? 0) == 0 }
}

/// The answer to a request for statistics.
public struct StatisticsReport: Sendable {
    /// The type asked about.
    public var type: HealthType
    /// The unit of all values; nil for categories.
    public var unit: String?
    /// The rows: by source if asked for, then by time. Empty buckets are there.
    public var rows: [StatisticsRow]
    /// What it took.
    public var explanation: StatisticsExplanation
}

/// What a request for statistics took: how much was answered by summaries, how much was decoded.
public struct StatisticsExplanation: Sendable, Hashable {
    /// Series (of one source and stored unit each) that were asked.
    public var series = 0
    /// Runs of those series.
    public var runs = 0
    /// Index pages read.
    public var indexPages = 0
    /// Entries of the index that were answered by their summary.
    public var summaries = 0
    /// Blocks decoded.
    public var blocksDecoded = 0
    /// Samples in those blocks.
    public var samplesDecoded = 0
    /// Compressed bytes read for them.
    public var bytesRead = 0
    /// Samples that were compared with each other to find copies: all the first time, then those that came later.
    public var samplesCompared = 0
    /// Units of samples that are not part of the answer, because they do not convert to its unit.
    public var leftOutUnits: [String] = []
    /// The units that the samples are stored in, most samples first.
    public var storedUnits: [String] = []
    /// The sources that have a part in the answer, most samples first.
    public var sources: [String] = []
    /// Where sources were merged: their order, the one that counts first first.
    public var priority: [String] = []
}
