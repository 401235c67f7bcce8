// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-8 S-5 the values of a report")
struct YearReviewTests {
    private static let zone = CivilZone(identifier: "Europe/Zurich") ?? .utc

    private static func date(_ year: Int, _ month: Int, _ day: Int) -> CalendarDate {
        CalendarDate(number: Civil.days(year: year, month: month, day: day))
    }

    @Test("days of a span, also when the clocks change")
    func spans() {
        let march = DaySpan(Self.date(2024, 3, 1), through: Self.date(2024, 3, 31), in: Self.zone)
        #expect(march.count == 31 && march.bounds.duration == .seconds(31 * 86_400 - 3_600))
        #expect(march.dates.first?.description == "2024-03-01" && march.dates.last?.description == "2024-03-31")
        #expect(march.place(of: march.bounds.start) == 0 && march.place(of: march.bounds.end - 1) == 30)
        #expect(march.place(of: march.bounds.end) == nil && march.place(of: march.bounds.start - 1) == nil)
        #expect(DaySpan(march.bounds, in: Self.zone).dates == march.dates)
        #expect(Self.date(2024, 3, 31).weekday == 7)
    }

    @Test("daily values: total, mean, best day, longest run")
    func series() {
        let series = DailySeries(
            type: HealthTypes.type(for: HKQuantityTypeIdentifier.stepCount), unit: "count",
            first: Self.date(2024, 1, 1), values: [5, nil, 12, 11, 12, 3, nil])
        #expect(series.total == 43 && series.daysWithData == 5 && series.average == 8.6)
        #expect(series.best?.date == Self.date(2024, 1, 3) && series.best?.value == 12)
        #expect(series.days(from: 10) == 3 && series.longestRun(from: 10) == 3 && series.longestRun(from: 100) == 0)
        #expect(series.average(ofLast: 2) == 3 && series.average(ofLast: 1) == nil)
    }

    @Test("the rank correlation equals the known one, with ties")
    func correlation() throws {
        func series(_ values: [Double?]) -> DailySeries {
            DailySeries(
                type: HealthTypes.type(for: HKQuantityTypeIdentifier.stepCount), unit: nil,
                first: Self.date(2024, 1, 1), values: values)
        }
        #expect(TypePair.ranks([10, 20, 20, 5]) == [2, 3.5, 3.5, 1])
        let up = TypePair(series([1, 2, nil, 3, 9]), series([10, 20, 1, 30, 31]))
        #expect(up.points.count == 4 && up.rankCorrelation == 1)
        // From scipy.stats.spearmanr([106,100,86,101,99,103,97,113,112,110],[7,27,2,50,28,29,20,12,6,17]).
        let known = TypePair(
            series([106, 100, 86, 101, 99, 103, 97, 113, 112, 110]), series([7, 27, 2, 50, 28, 29, 20, 12, 6, 17]))
        #expect(abs(try #require(known.rankCorrelation) + 0.175_757_575_757_575_75) < 1e-12)
        #expect(TypePair(series([1, 2, 3]), series([4, 4, 4])).rankCorrelation == nil)
        #expect(TypePair(series([1, 2]), series([4, 5])).rankCorrelation == nil)
    }

    @Test("a review of simulated days has the sums of their samples")
    func review() throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let zone = TimeZone(identifier: "Europe/Zurich") ?? .gmt
        let wearer = SimulatedWearer(seed: 9, timeZone: zone, heartRateInterval: 600)
        var samples: [[HKSample]] = []
        for day in 0..<40 {
            samples.append(wearer.samples(of: Date(timeIntervalSince1970: 1_709_290_800 + Double(day) * 86_400)))
            try health.saveNow(samples[day])
        }
        let span = DaySpan(Self.date(2024, 3, 1), through: Self.date(2024, 4, 9), in: Self.zone)
        let review = try health.store().review(span)
        #expect(span.count == 40 && review.nights.count == 40)
        let steps = try #require(review.steps)
        for (day, own) in samples.enumerated() {
            let truth = own.compactMap { $0 as? HKQuantitySample }
                .filter { $0.quantityType == HKQuantityType(.stepCount) }.reduce(0) { $0 + $1.quantity.value }
            #expect(abs((steps.values[day] ?? 0) - truth) < 1e-6, "\(day)")
        }
        #expect(review.heart.count == 40 && review.heart.allSatisfy { $0.least <= $0.average })
        #expect(review.heart.allSatisfy { $0.percentiles == $0.percentiles.sorted() })
        #expect(review.pairs.first?.points.count == 40)
        let all = review.contents.reduce(0) { $0 + $1.samples }
        #expect(review.samples == all && review.types == review.contents.count && all > 10_000)
        let only = try health.store().review(span, only: [HKQuantityTypeIdentifier.stepCount.rawValue])
        #expect(only.types == 1 && only.heart.isEmpty && only.nights.isEmpty && only.steps != nil)
    }
}
