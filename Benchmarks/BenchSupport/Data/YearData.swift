// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// The samples of a year with their arrival times and deletions; all parts can be regenerated.
final class YearData {
    typealias Part = (times: [Int64], values: [Double])

    private static let second: Int64 = 1_000_000_000
    /// 2025-01-01 in UTC.
    private static let origin: Int64 = 1_735_689_600 * second
    /// The maximum delay of a late sample in hours.
    private static let latest = 60 * 24

    private let bounds: YearBenchmark.Bounds
    /// Late samples before their arrival, by series and hour.
    private var waiting: [[Int: Part]]

    init(_ bounds: YearBenchmark.Bounds) {
        self.bounds = bounds
        waiting = Array(repeating: [:], count: bounds.series)
    }

    /// The retention of samples in nanoseconds.
    var kept: Int64 { Int64(bounds.kept) * 86_400 * Self.second }

    func start(hour: Int) -> Int64 { Self.origin + Int64(hour) * 3_600 * Self.second }

    /// Returns the samples of an hour, each with its delay in hours.
    private func all(series: Int, hour: Int) -> (part: Part, delays: [Int]) {
        var random = BenchRandom(seed: UInt64(series) << 40 | UInt64(hour))
        var level = 55 + random.below(40)
        var part: Part = ([], [])
        var delays = [Int]()
        let count = 3_600 / Int(bounds.step)
        part.times.reserveCapacity(count)
        part.values.reserveCapacity(count)
        delays.reserveCapacity(count)
        for i in 0..<count {
            let draw = random.next()
            level = min(190, max(40, level + Int(draw & 3) - Int(draw >> 2 & 3)))
            part.times.append(
                start(hour: hour) + Int64(i) * bounds.step * Self.second + Int64(draw >> 8 & 63) * 1_000_000)
            part.values.append(Double(level))
            // Most late samples are late by a few hours, some by weeks.
            let isLate = draw >> 16 & 0xFFFF < 3_277
            let far = Double(draw >> 32 & 0xFFFF) / 65_536
            delays.append(isLate ? 1 + Int(far * far * far * Double(Self.latest)) : 0)
        }
        return (part, delays)
    }

    /// Returns the samples recorded in an hour.
    func made(series: Int, hour: Int) -> Part { all(series: series, hour: hour).part }

    /// Returns the samples that arrive in an hour: most samples of this hour, and late samples of earlier hours.
    ///
    /// - Ordering: hours are requested in ascending order.
    func arriving(series: Int, hour: Int) -> Part {
        let (part, delays) = all(series: series, hour: hour)
        var now = waiting[series].removeValue(forKey: hour) ?? ([], [])
        for i in delays.indices {
            let due = arrival(hour, delays[i])
            if due == hour {
                now.times.append(part.times[i])
                now.values.append(part.values[i])
            } else {
                waiting[series][due, default: ([], [])].times.append(part.times[i])
                waiting[series][due, default: ([], [])].values.append(part.values[i])
            }
        }
        return now
    }

    /// Returns the hour of arrival, at most the last hour.
    private func arrival(_ hour: Int, _ delay: Int) -> Int { min(hour + delay, bounds.days * 24 - 1) }

    /// Returns the ranges deleted at the end of a day: minutes to hours within the last weeks.
    func deletions(series: Int, day: Int) -> [TimeRange] {
        var random = BenchRandom(seed: 0xDE1E_7E << 40 | UInt64(series) << 20 | UInt64(day))
        return (0..<bounds.deletions).map { _ in
            let end = start(hour: (day + 1) * 24)
            let from = end - Int64(random.below(40 * 86_400)) * Self.second
            return TimeRange(from, from + Int64(60 + random.below(3 * 3_600)) * Self.second)
        }
    }

    /// Returns the samples of a day that remain at the end of all days.
    func left(series: Int, day: Int) -> Part {
        let range = TimeRange(start(hour: day * 24), start(hour: day * 24 + 24))
        var deleted = [(range: TimeRange, day: Int)]()
        for other in day..<min(bounds.days, day + 42) {
            for one in deletions(series: series, day: other) where one.start < range.end && range.start < one.end {
                deleted.append((one, other))
            }
        }
        for other in day..<bounds.days where start(hour: (other + 1) * 24) - kept > range.start {
            deleted.append((TimeRange(.min, start(hour: (other + 1) * 24) - kept), other))
        }
        var found: Part = ([], [])
        for hour in day * 24..<day * 24 + 24 {
            let (part, delays) = all(series: series, hour: hour)
            for i in delays.indices {
                let arrived = arrival(hour, delays[i]) / 24
                let isDeleted = deleted.contains { $0.day >= arrived && $0.range.contains(part.times[i]) }
                if isDeleted { continue }
                found.times.append(part.times[i])
                found.values.append(part.values[i])
            }
        }
        return found
    }
}
