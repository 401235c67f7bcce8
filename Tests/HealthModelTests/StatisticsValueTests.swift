// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("S-121 S-137 statistics and their collections as values")
struct StatisticsValueTests {
    /// One-hour intervals of 1,000 hours before and after the start of 2001.
    private struct Hours: StatisticsIntervals {
        func edges(from date: Date, count: Int) -> [Date] {
            let hour = max((date.timeIntervalSinceReferenceDate / 3_600).rounded(.down), -1_000)
            if hour >= 1_000 || count <= 0 { return [] }
            return (0...count).map { hour + Double($0) }.filter { $0 <= 1_000 }.map { Self.date($0) }
        }

        static func date(_ hour: Double) -> Date { Date(timeIntervalSinceReferenceDate: hour * 3_600) }
    }

    private static let steps = HKQuantityType(.stepCount)
    private static let phone = HKSource(name: "Phone", bundleIdentifier: "phone")
    private static let watch = HKSource(name: "Watch", bundleIdentifier: "watch")

    /// Returns a collection of three hours from hour 10; the middle one has no samples.
    private func collection(_ options: HKStatisticsOptions, isEmpty: Bool = false) -> HKStatisticsCollection {
        var columns = StatisticsColumns()
        if !isEmpty {
            columns.isThere = [true, false, true]
            columns.sum = [7, .nan, 0]
        }
        var own = columns
        own.isThere = isEmpty ? [] : [false, false, true]
        own.sum = isEmpty ? [] : [.nan, .nan, 5]
        let table = StatisticsTable(
            quantityType: Self.steps, options: options, unit: .count(), all: columns,
            bySource: options.contains(.separateBySource) && !isEmpty ? [(Self.watch, own)] : [])
        return HKStatisticsCollection(
            table, edges: isEmpty ? [] : (10...13).map { Hours.date(Double($0)) }, intervals: Hours())
    }

    @Test("raw values of the options equal HealthKit's")
    func rawValues() {
        let all: [HKStatisticsOptions] = [
            .separateBySource, .discreteAverage, .discreteMin, .discreteMax, .cumulativeSum, .mostRecent, .duration,
        ]
        #expect(all.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64])
        #expect(HKStatisticsOptions.discreteMostRecent == .mostRecent)
    }

    @Test("options of the other aggregation style and unknown bits are refused, all others combine")
    func legality() throws {
        for bits in 0..<UInt(256) {
            let options = HKStatisticsOptions(rawValue: bits)
            for (type, illegal) in [
                (HKQuantityType(.stepCount), HKStatisticsOptions(rawValue: 2 + 4 + 8 + 128)),
                (HKQuantityType(.bodyMass), HKStatisticsOptions(rawValue: 16 + 128)),
                (HKQuantityType(.heartRate), HKStatisticsOptions(rawValue: 16 + 128)),
                (HKQuantityType(.environmentalAudioExposure), HKStatisticsOptions(rawValue: 16 + 128)),
            ] {
                var code: HKError.Code?
                do throws(HKError) { try options.check(for: type) } catch { code = error.code }
                #expect(code == (options.isDisjoint(with: illegal) ? nil : .errorInvalidArgument))
            }
        }
    }

    @Test("a value is nil unless its option is set, and per-source values need separateBySource")
    func nils() throws {
        let plain = try #require(collection(.cumulativeSum).statistics().first)
        #expect(plain.sumQuantity() == HKQuantity(unit: .count(), doubleValue: 7))
        #expect(plain.averageQuantity() == nil && plain.minimumQuantity() == nil && plain.maximumQuantity() == nil)
        #expect(plain.mostRecentQuantity() == nil && plain.mostRecentQuantityDateInterval() == nil)
        #expect(plain.duration() == nil && plain.sources == nil && plain.sumQuantity(for: Self.watch) == nil)
        #expect(collection(.cumulativeSum).sources().isEmpty)
        let separate = collection([.cumulativeSum, .separateBySource])
        #expect(separate.sources() == [Self.watch])
        #expect(separate.statistics().map(\.sources) == [[], [Self.watch]])
        let last = try #require(separate.statistics().last)
        #expect(last.sumQuantity(for: HKSource(name: "renamed", bundleIdentifier: "watch"))?.value == 5)
        #expect(last.sumQuantity(for: Self.phone) == nil && last.duration(for: Self.watch) == nil)
        #expect(last.quantityType == Self.steps)
    }

    @Test("a collection lists intervals with samples and returns any interval by date")
    func lookUp() throws {
        let found = collection(.cumulativeSum)
        #expect(found.statistics().map(\.startDate) == [10, 12].map { Hours.date($0) })
        #expect(found.statistics().map(\.endDate) == [11, 13].map { Hours.date($0) })
        let sums: [(Double, Double?)] = [
            (9.9, nil), (10, 7), (10.99, 7), (11, nil), (12, 0), (12.5, 0), (13, nil), (-999.5, nil),
        ]
        for (hour, sum) in sums {
            let one = try #require(found.statistics(for: Hours.date(hour)))
            #expect(one.startDate == Hours.date(hour.rounded(.down)) && one.sumQuantity()?.value == sum)
        }
        #expect(found.statistics(for: .distantFuture) == nil && found.statistics(for: .distantPast) == nil)
        let empty = collection(.cumulativeSum, isEmpty: true)
        #expect(empty.statistics().isEmpty)
        #expect(empty.statistics(for: Hours.date(3))?.sumQuantity() == nil)
        #expect(empty.statistics(for: Hours.date(3))?.endDate == Hours.date(4))
    }

    @Test(
        "enumeration covers the intervals between two dates, including empty ones, until it is stopped",
        arguments: [false, true])
    func enumerate(isEmpty: Bool) {
        let found = collection(.cumulativeSum, isEmpty: isEmpty)
        func hours(_ from: Double, _ to: Double, most: Int = .max) -> [Double] {
            var hours = [Double]()
            found.enumerateStatistics(from: Hours.date(from), to: Hours.date(to)) { statistics, stop in
                hours.append(statistics.startDate.timeIntervalSinceReferenceDate / 3_600)
                let sum = isEmpty ? nil : [10: 7.0, 12: 0][hours[hours.count - 1]]
                #expect(statistics.sumQuantity()?.value == sum)
                if hours.count == most { unsafe stop.pointee = true }
            }
            return hours
        }
        #expect(hours(8.5, 14) == [8, 9, 10, 11, 12, 13, 14])
        #expect(hours(10, 10) == [10] && hours(11.5, 12.999) == [11, 12] && hours(12, 11.99).isEmpty)
        #expect(hours(-400, 400).count == 801)
        #expect(
            hours(8.5, 14, most: 3) == [8, 9, 10] && hours(11, 14, most: 1) == [11] && hours(3, 9, most: 2) == [3, 4])
        // The enumeration ends where the intervals end.
        #expect(hours(-5_000, 5_000) == (-1_000..<1_000).map(Double.init))
        #expect(hours(2_000, 5_000).isEmpty)
        let nan = Date(timeIntervalSinceReferenceDate: .nan)
        found.enumerateStatistics(from: nan, to: nan) { _, _ in }
        #expect(found.statistics(for: nan)?.sumQuantity() == nil)
    }
}
