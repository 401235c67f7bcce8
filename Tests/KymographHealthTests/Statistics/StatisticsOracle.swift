// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Statistics of samples at whole seconds, computed second by second from the objects.
struct StatisticsOracle {
    let type: HKQuantityType
    let unit: HKUnit
    /// Sources by descending priority.
    let order: [HKSource]

    /// - Parameters:
    ///   - all: Every sample of the type.
    ///   - others: Samples of other types: a source that has ever recorded with a watch has priority.
    init(_ type: HKQuantityType, _ unit: HKUnit, all: [HKQuantitySample], others: [HKQuantitySample] = []) {
        self.type = type
        self.unit = unit
        var devices: [HKSource: Int] = [:]
        var latest: [HKSource: Date] = [:]
        for one in all + others {
            let rank = one.device?.model == "Watch" ? 0 : one.device?.model == "iPhone" ? 1 : 2
            devices[one.source] = min(devices[one.source] ?? 2, rank)
        }
        for one in all {
            latest[one.source] = max(latest[one.source] ?? .distantPast, one.startDate)
        }
        order = latest.keys.sorted { a, b in
            let (rank, other) = (devices[a] ?? 2, devices[b] ?? 2)
            let (date, otherDate) = (latest[a] ?? .distantPast, latest[b] ?? .distantPast)
            return rank != other ? rank < other : date != otherDate ? date > otherDate : a.name < b.name
        }
    }

    static func second(_ date: Date) -> Int { Int((date.timeIntervalSince(clock)).rounded()) }

    struct Answer {
        var isThere = false
        var sum: Double?
        var average: Double?
        var minimum: Double?
        var maximum: Double?
        var duration: Double?
        var mostRecent: [HKQuantitySample] = []
        var extent: (start: Date, end: Date)?
    }

    /// Returns the statistics of samples in an interval, or in all of time if the interval is nil.
    func answer(_ samples: [HKQuantitySample], in interval: Range<Int>?, hasDuration: Bool) -> Answer {
        var answer = Answer()
        func isInside(_ second: Int) -> Bool { interval?.contains(second) ?? true }
        let own = samples.filter { isInside(Self.second($0.startDate)) }
        var covered = Set<Int>()
        for one in samples {
            for second in Self.second(one.startDate)..<Self.second(one.endDate) where isInside(second) {
                covered.insert(second)
            }
        }
        let isCumulative = type.aggregationStyle == .cumulative
        answer.isThere = !own.isEmpty || (isCumulative || hasDuration) && !covered.isEmpty
        guard answer.isThere else { return answer }
        answer.duration = Double(covered.count)
        let values = own.map(value)
        if isCumulative { answer.sum = amount(samples, isInside) }
        guard let least = values.min(), let greatest = values.max() else { return answer }
        (answer.minimum, answer.maximum) = (least, greatest)
        answer.average = average(own)
        let latest = own.map { ($0.endDate, $0.startDate) }.max { $0 < $1 }
        answer.mostRecent = own.filter { $0.endDate == latest?.0 && $0.startDate == latest?.1 }
        answer.extent = (
            own.map(\.startDate).min() ?? .distantPast, own.map(\.endDate).max() ?? .distantPast
        )
        return answer
    }

    private func value(_ sample: HKQuantitySample) -> Double { sample.quantity.doubleValue(for: unit) }

    private func rank(_ sample: HKQuantitySample) -> Int { order.firstIndex(of: sample.source) ?? -1 }

    /// Returns the merged sum: each second counts from the first source with data.
    private func amount(_ samples: [HKQuantitySample], _ isInside: (Int) -> Bool) -> Double {
        var seen = Set<[String]>()
        let once = samples.filter { one in
            let unit = one.quantity.unit.unitString
            return seen.insert(
                ["\(rank(one)) \(one.startDate.timeIntervalSince(clock)) \(one.endDate) \(one.quantity.value) \(unit)"]
            ).inserted
        }
        var first: [Int: Int] = [:]
        var firstPoint: [Int: Int] = [:]
        for one in once {
            let (start, end) = (Self.second(one.startDate), Self.second(one.endDate))
            for second in start..<end { first[second] = min(first[second] ?? .max, rank(one)) }
            if start == end { firstPoint[start] = min(firstPoint[start] ?? .max, rank(one)) }
        }
        var total = 0.0
        for one in once {
            let (start, end) = (Self.second(one.startDate), Self.second(one.endDate))
            if start == end {
                let best = min(first[start] ?? .max, firstPoint[start] ?? .max)
                if isInside(start), rank(one) <= best { total += value(one) }
                continue
            }
            let seconds = (start..<end).count { isInside($0) && first[$0] == rank(one) }
            total += value(one) * Double(seconds) / Double(end - start)
        }
        return total
    }

    private func average(_ own: [HKQuantitySample]) -> Double {
        let values = own.map(value)
        let mean = values.reduce(0, +) / Double(values.count)
        switch type.aggregationStyle {
        case .discreteTemporallyWeighted:
            let sorted = own.sorted { ($0.startDate, $0.endDate) < ($1.startDate, $1.endDate) }
            var (area, length) = (0.0, 0.0)
            for (one, next) in zip(sorted, sorted.dropFirst()) {
                let time = next.startDate.timeIntervalSince(one.startDate)
                area += value(one) * time
                length += time
            }
            return length > 0 ? area / length : mean
        case .discreteEquivalentContinuousLevel:
            let times = own.map { $0.endDate.timeIntervalSince($0.startDate) }
            let powers = values.map { pow(10, $0 / 10) }
            let total = times.reduce(0, +)
            let power =
                total > 0
                ? zip(powers, times).map { $0 * $1 }.reduce(0, +) / total
                : powers.reduce(0, +) / Double(powers.count)
            return 10 * log10(power)
        default: return mean
        }
    }
}

extension HKStatistics {
    /// Compares with the oracle's answer, nil with nil, for one source or for all.
    func expect(
        _ wanted: StatisticsOracle.Answer, _ options: HKStatisticsOptions, _ unit: HKUnit, of source: HKSource? = nil,
        _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        func compare(_ found: HKQuantity?, _ value: Double?, _ option: HKStatisticsOptions, _ unit: HKUnit) {
            let value = options.contains(option) ? value : nil
            guard let found, let value else {
                #expect((found == nil) == (value == nil), comment, sourceLocation: sourceLocation)
                return
            }
            let number = found.doubleValue(for: unit)
            let isNear = abs(number - value) <= 1e-9 * max(1, abs(value))
            #expect(isNear, "\(option.rawValue): \(number), not \(value); \(comment)", sourceLocation: sourceLocation)
        }
        let recent: HKQuantity?
        let interval: DateInterval?
        if let source {
            compare(sumQuantity(for: source), wanted.sum, .cumulativeSum, unit)
            compare(averageQuantity(for: source), wanted.average, .discreteAverage, unit)
            compare(minimumQuantity(for: source), wanted.minimum, .discreteMin, unit)
            compare(maximumQuantity(for: source), wanted.maximum, .discreteMax, unit)
            compare(duration(for: source), wanted.duration, .duration, .second())
            (recent, interval) = (mostRecentQuantity(for: source), mostRecentQuantityDateInterval(for: source))
        } else {
            compare(sumQuantity(), wanted.sum, .cumulativeSum, unit)
            compare(averageQuantity(), wanted.average, .discreteAverage, unit)
            compare(minimumQuantity(), wanted.minimum, .discreteMin, unit)
            compare(maximumQuantity(), wanted.maximum, .discreteMax, unit)
            compare(duration(), wanted.duration, .duration, .second())
            (recent, interval) = (mostRecentQuantity(), mostRecentQuantityDateInterval())
        }
        if options.contains(.mostRecent), let one = wanted.mostRecent.first {
            let values = wanted.mostRecent.map { $0.quantity.doubleValue(for: unit) }
            let isAmong = recent.map { values.contains($0.doubleValue(for: unit)) } ?? false
            #expect(isAmong, comment, sourceLocation: sourceLocation)
            #expect(interval?.start == one.startDate, comment, sourceLocation: sourceLocation)
            #expect(interval?.end == one.endDate, comment, sourceLocation: sourceLocation)
        } else {
            #expect(recent == nil && interval == nil, comment, sourceLocation: sourceLocation)
        }
    }
}
