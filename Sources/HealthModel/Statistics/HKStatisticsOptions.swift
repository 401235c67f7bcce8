// SPDX-License-Identifier: Apache-2.0

/// The statistics to compute. Raw values are HealthKit's.
///
/// Sums exist for cumulative types; averages, minima and maxima for discrete types; all other statistics for both.
public struct HKStatisticsOptions: OptionSet, Hashable, Sendable {
    /// The bits of the options.
    public let rawValue: UInt

    /// Creates options from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Computes each value also per source.
    public static let separateBySource = HKStatisticsOptions(rawValue: 1)
    /// The average, by the type's aggregation style.
    public static let discreteAverage = HKStatisticsOptions(rawValue: 2)
    /// The minimum.
    public static let discreteMin = HKStatisticsOptions(rawValue: 4)
    /// The maximum.
    public static let discreteMax = HKStatisticsOptions(rawValue: 8)
    /// The sum.
    public static let cumulativeSum = HKStatisticsOptions(rawValue: 16)
    /// The value and the time of the sample with the latest end.
    public static let mostRecent = HKStatisticsOptions(rawValue: 32)
    /// The older name of ``mostRecent``.
    public static let discreteMostRecent = mostRecent
    /// The time covered by samples.
    public static let duration = HKStatisticsOptions(rawValue: 64)

    private static let ofDiscrete: HKStatisticsOptions = [.discreteAverage, .discreteMin, .discreteMax]
    private static let known: HKStatisticsOptions = [
        .ofDiscrete, .separateBySource, .cumulativeSum, .mostRecent, .duration,
    ]

    /// Throws if a type does not have these statistics: sums of a discrete type, averages of a cumulative type, unknown
    /// bits. HealthKit raises an exception.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument``.
    package func check(for type: HKQuantityType) throws(HKError) {
        let isCumulative = type.aggregationStyle == .cumulative
        if isCumulative, !isDisjoint(with: Self.ofDiscrete) {
            throw HKError(
                .errorInvalidArgument, reason: "samples of a cumulative type have no average, minimum or maximum",
                place: type.identifier, advice: "ask for cumulativeSum, mostRecent or duration")
        }
        if !isCumulative, contains(.cumulativeSum) {
            throw HKError(
                .errorInvalidArgument, reason: "samples of a discrete type have no sum", place: type.identifier,
                advice: "ask for discreteAverage, discreteMin, discreteMax, mostRecent or duration")
        }
        guard isSubset(of: Self.known) else {
            throw HKError(
                .errorInvalidArgument, reason: "\(rawValue) has bits that are no option", place: type.identifier)
        }
    }
}
