// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import Testing

@testable import HealthViews

/// The minutes of 2024-01-19 in UTC; minute -360 is 18:00 of the day before.
private func range(_ from: Int64, _ to: Int64) -> TimeRange {
    let midnight: Int64 = 1_705_622_400
    return TimeRange((midnight + from * 60) * 1_000_000_000, (midnight + to * 60) * 1_000_000_000)
}

private func span(_ value: HKCategoryValueSleepAnalysis, _ from: Int64, _ to: Int64) -> CategorySpan {
    let range = range(from, to)
    return CategorySpan(start: range.start, end: range.end, value: value.rawValue)
}

private func nights(_ sources: [(String, [CategorySpan])], _ request: NightRequest = NightRequest()) throws -> [Night] {
    let calendar = try NightCalendar(request, home: { .utc })
    return calendar.nights(sources.map { CategorySpans(source: $0.0, spans: $0.1) }, request.range)
}

@Suite("T-12 a night: which source decides, and where it begins and ends")
struct NightTests {
    @Test("the first source with a value decides at each instant, and others fill its gaps")
    func decides() throws {
        let watch = [span(.asleepCore, 0, 60), span(.awake, 60, 70), span(.asleepDeep, 200, 260)]
        let phone = [span(.asleepUnspecified, -30, 300)]
        let night = try #require(try nights([("Watch", watch), ("Phone", phone)]).first)
        #expect(night.date.description == "2024-01-19")
        #expect(
            night.stages == [
                StageInterval(range: range(-30, 0), stage: .unspecified, source: "Phone"),
                StageInterval(range: range(0, 60), stage: .core, source: "Watch"),
                StageInterval(range: range(60, 70), stage: .awake, source: "Watch"),
                StageInterval(range: range(70, 200), stage: .unspecified, source: "Phone"),
                StageInterval(range: range(200, 260), stage: .deep, source: "Watch"),
                StageInterval(range: range(260, 300), stage: .unspecified, source: "Phone"),
            ])
        #expect(night.asleep == .seconds(320 * 60) && night.duration(of: .awake) == .seconds(600))
        #expect(night.sources.map(\.recorded) == [.seconds(7_200), .seconds(330 * 60)])
        #expect(night.sources.map(\.counted) == [.seconds(7_200), .seconds(200 * 60)])
        #expect(night.inBed == nil)
    }

    @Test("time in bed is the union of all sources and not part of asleep")
    func inBed() throws {
        let watch = [span(.inBed, -60, 400), span(.asleepCore, 0, 300)]
        let phone = [span(.inBed, -90, 0), span(.inBed, 380, 420)]
        let night = try #require(try nights([("Watch", watch), ("Phone", phone)]).first)
        #expect(night.timesInBed == [range(-90, 420)])
        #expect(night.inBed == .seconds(510 * 60) && night.asleep == .seconds(300 * 60))
        #expect(night.sources.map(\.inBed) == [.seconds(460 * 60), .seconds(130 * 60)])
    }

    @Test("overlapping samples of one source: awake, then deep, REM, core, asleep without a stage")
    func strength() throws {
        let spans = [
            span(.asleepUnspecified, 0, 100), span(.asleepCore, 10, 90), span(.asleepREM, 20, 80),
            span(.asleepDeep, 30, 70), span(.awake, 40, 60), span(.asleepDeep, 50, 65),
        ]
        let night = try #require(try nights([("Watch", spans)]).first)
        #expect(
            night.stages.map(\.stage) == [.unspecified, .core, .rem, .deep, .awake, .deep, .rem, .core, .unspecified])
        #expect(night.stages.first?.range.start == range(0, 0).start)
        #expect(night.stages.last?.range.end == range(0, 100).end)
        #expect(zip(night.stages, night.stages.dropFirst()).allSatisfy { $0.range.end == $1.range.start })
    }

    @Test("a sample across 18:00 is divided, and a nap belongs to the night that ends at 18:00")
    func bounds() throws {
        let found = try nights([("Watch", [span(.asleepCore, 17 * 60, 19 * 60), span(.asleepCore, -120, 300)])])
        #expect(found.map(\.date.description) == ["2024-01-19", "2024-01-20"])
        #expect(found.map(\.asleep) == [.seconds(8 * 3_600), .seconds(3_600)])
        #expect(found[0].mainPeriod == range(-120, 300) && found[0].periods.count == 2)
        let noon = try nights(
            [("Watch", [span(.asleepCore, 17 * 60, 19 * 60)])], NightRequest(startMinute: 12 * 60))
        #expect(noon.map(\.date.description) == ["2024-01-20"])
        let morning = try nights(
            [("Watch", [span(.asleepCore, 3 * 60, 5 * 60)])], NightRequest(startMinute: 4 * 60))
        #expect(morning.map(\.date.description) == ["2024-01-18", "2024-01-19"])
    }

    @Test("nights are 23 or 25 hours long when the clocks change")
    func clockChanges() throws {
        let berlin = try NightCalendar(NightRequest(zone: "Europe/Berlin"), home: { .utc })
        let spring = CalendarDate(number: Civil.days(year: 2024, month: 3, day: 31))
        let autumn = CalendarDate(number: Civil.days(year: 2024, month: 10, day: 27))
        #expect(berlin.bounds(of: spring.number).duration == .seconds(23 * 3_600))
        #expect(berlin.bounds(of: autumn.number).duration == .seconds(25 * 3_600))
        for day in spring.number - 2...spring.number + 2 {
            let bounds = berlin.bounds(of: day)
            #expect(berlin.night(at: bounds.start) == day && berlin.night(at: bounds.end - 1) == day)
        }
    }

    @Test("values that are no sleep are ignored, and a range names nights by their noon")
    func ranges() throws {
        let spans = [
            CategorySpan(start: range(0, 1).start, end: range(0, 1).end, value: 99),
            CategorySpan(start: range(5, 5).start, end: range(5, 5).end, value: 3),
        ]
        #expect(try nights([("Watch", spans)]).isEmpty)
        let two = [("Watch", [span(.asleepCore, 0, 60), span(.asleepCore, 1_440, 1_500)])]
        let first = NightRequest(range: range(0, 1_440))
        #expect(try nights(two, first).map(\.date.description) == ["2024-01-19"])
        #expect(throws: HealthStoreError.self) { try nights(two, NightRequest(zone: "Nowhere")) }
        #expect(throws: HealthStoreError.self) { try nights(two, NightRequest(startMinute: 1_440)) }
    }

    @Test("many samples of many years take the time of their nights", .timeLimit(.minutes(1)))
    func longSamples() throws {
        let years: Int64 = 30 * 525_960
        let spans = (0..<5_000).map { span(.asleepCore, $0, years - $0) }
        let all = try nights([("Watch", spans), ("Phone", [span(.inBed, 0, years)])])
        #expect(all.count == 30 * 365 + 8 && all.allSatisfy { $0.stages.count == 1 && $0.sources.count == 2 })
        let days = NightRequest(range: range(1_440_000, 1_444_320))
        let three = try nights([("Watch", spans)], days)
        #expect(three.count == 3 && three.allSatisfy { $0.asleep == .seconds(86_400) })
        #expect(
            three
                == all.filter { days.range.contains($0.bounds.start + 18 * 3_600_000_000_000) }.map { night in
                    var own = night
                    own.sources.removeLast()
                    own.timesInBed = []
                    return own
                })
    }

    @Test("extreme times neither trap nor loop")
    func extremes() throws {
        let spans = [CategorySpan(start: .min, end: .min + 10, value: 3), CategorySpan(start: 0, end: 1, value: 3)]
        #expect(try nights([("Watch", spans)]).count == 2)
        // The noon of the last night is beyond the last instant.
        #expect(try nights([("Watch", [CategorySpan(start: .max - 10, end: .max, value: 3)])]).isEmpty)
    }
}
