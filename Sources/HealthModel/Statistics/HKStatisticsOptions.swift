// SPDX-License-Identifier: Apache-2.0

/// What statistics are asked for. Raw values are HealthKit's.
///
/// Of a cumulative type there are sums, of the others averages, minima and maxima; the rest is there of all.
public struct HKStatisticsOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Every value also of each source alone.
    public static let separateBySource = HKStatisticsOptions(rawValue: 1)
    /// The average, as the type's style has it.
    public static let discreteAverage = HKStatisticsOptions(rawValue: 2)
    /// The least value.
    public static let discreteMin = HKStatisticsOptions(rawValue: 4)
    /// The greatest value.
    public static let discreteMax = HKStatisticsOptions(rawValue: 8)
    /// The sum.
    public static let cumulativeSum = HKStatisticsOptions(rawValue: 16)
    /// The value of the sample that ends last, and when it was measured.
    public static let mostRecent = HKStatisticsOptions(rawValue: 32)
    /// The older name of ``mostRecent``.
    public static let discreteMostRecent = mostRecent
    /// The time that samples cover.
    public static let duration = HKStatisticsOptions(rawValue: 64)
}

extension HKStatisticsOptions {
    private static let ofDiscrete: HKStatisticsOptions = [.discreteAverage, .discreteMin, .discreteMax]
    private static let known: HKStatisticsOptions = [
        .ofDiscrete, .separateBySource, .cumulativeSum, .mostRecent, .duration,
    ]

    /// Refuses what a type does not have: sums of a discrete type, averages of a cumulative one, bits without a
    /// meaning. HealthKit raises an exception.
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
                .errorInvalidArgument, reason: "samples of a discrete type do not add up", place: type.identifier,
                advice: "ask for discreteAverage, discreteMin, discreteMax, mostRecent or duration")
        }
        guard isSubset(of: Self.known) else {
            throw HKError(
                .errorInvalidArgument, reason: "no option has one of the bits of \(rawValue)", place: type.identifier)
        }
    }
}
