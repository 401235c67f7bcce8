// SPDX-License-Identifier: Apache-2.0

import Charts
import CivilTime
import HealthViews

extension ReportPage {
    private static let lanes: [SleepStage] = [.awake, .rem, .core, .deep, .unspecified]
    private static let laneNames = ["Awake", "REM", "Core", "Deep", "No stage"]

    /// The nights: all of them as a strip, the latest ones in rows, the last one in lanes.
    mutating func addSleep() {
        let nights = review.nights.filter { !$0.stages.isEmpty }
        if nights.isEmpty { return }
        let totals = SleepTotals(nights)
        var facts = ["\(NumberText.grouped(nights.count)) nights"]
        if let asleep = totals.averageAsleep { facts.append("asleep \(DurationText.words(asleep)) on average") }
        if let inBed = totals.averageInBed { facts.append("in bed \(DurationText.words(inBed))") }
        if let words = bedtimes(nights) { facts.append(words) }
        var parts: [String] = []
        if nights.count > 21 {
            parts.append(
                drawing(
                    (review.isLong ? weekStrip(nights) : strip(nights)).draw(), "All nights",
                    "A column for each \(review.isLong ? "week" : "night"), from falling asleep at the top to waking "
                        + "at the bottom."))
        }
        if nights.count > 1 {
            let rows = Array(nights.suffix(21))
            parts.append(
                drawing(
                    nightRows(rows).draw(), "The last \(rows.count) nights",
                    "A row for each night over the clock, coloured by stage."))
        }
        section("Sleep", facts.joined(separator: " · "), parts)
        // A night of which only time awake is stored shows nothing.
        if let last = nights.last(where: { $0.asleep > .zero }) { addNight(last) }
    }

    private mutating func addNight(_ night: Night) {
        let parts = night.stages.map { part in
            LanePart(start: part.range.start, end: part.range.end, lane: Self.lanes.firstIndex(of: part.stage) ?? 0)
        }
        guard let start = parts.first?.start, let end = parts.last?.end else { return }
        let hour: Int64 = 3_600_000_000_000
        let zone = review.span.zone
        let marks = stride(from: start.dividedDown(by: hour) * hour + hour, to: end, by: Int(hour)).map { at in
            TimeAxis.Mark(at: at, text: DayText.clock(at, zone))
        }
        let used = Self.lanes.indices.filter { lane in lane < 4 || parts.contains { $0.lane == lane } }
        let chart = NightLanes(
            parts, over: TimeAxis(start: start, end: end, marks: marks), names: used.map { Self.laneNames[$0] })
        var facts = ["asleep \(DurationText.words(night.asleep))"]
        for stage in [SleepStage.deep, .core, .rem, .unspecified, .awake] {
            let time = night.duration(of: stage)
            let name = stage == .rem ? "REM" : stage == .unspecified ? "without a stage" : stage.rawValue
            if time > .zero { facts.append("\(name) \(DurationText.words(time))") }
        }
        let title = "The night to \(DayText.full(night.date))"
        let text = facts.joined(separator: " · ")
        section(
            title, text, [drawing(chart.draw(), title, "The stages over time, each in a lane of its own: \(text).")])
    }

    /// Returns the minutes of the clock from 18:00 to an instant of a night.
    private func minute(_ instant: Int64, _ night: Night) -> Int64 {
        Int64(night.minute(of: instant, in: review.span.zone))
    }

    /// Returns an axis of minutes from 18:00, with a label every two hours, around some minutes.
    private func hours(_ minutes: [Int64]) -> TimeAxis {
        let first = max(0, (minutes.min() ?? 0).dividedDown(by: 120) * 120)
        let last = min(1_440, ((minutes.max() ?? 0) + 119).dividedDown(by: 120) * 120)
        let marks = stride(from: first, through: last, by: 120).map { minute in
            let hour = (minute / 60 + 18) % 24
            return TimeAxis.Mark(at: minute, text: (hour < 10 ? "0" : "") + "\(hour):00")
        }
        return TimeAxis(start: first, end: max(last, first + 120), marks: marks)
    }

    private func strip(_ nights: [Night]) -> NightStrip {
        let periods = nights.compactMap { night in night.mainPeriod.map { (night, $0) } }
        let columns = periods.map { night, period -> NightStrip.Column in
            let from = minute(period.start, night)
            let to = max(from, minute(period.end, night))
            return NightStrip.Column(
                place: Int(night.date.number - review.span.first.number), minutes: Int(from)..<Int(to),
                words: "night to \(night.date): asleep \(DurationText.words(night.asleep))")
        }
        let minutes = columns.flatMap { [Int64($0.minutes.lowerBound), Int64($0.minutes.upperBound)] }
        return NightStrip(
            columns, of: review.span.count, hours: hours(minutes),
            months: months.map { (Int($0.day - review.span.first.number), $0.name) })
    }

    /// Returns the means of weeks: a long span has more nights than columns.
    private func weekStrip(_ nights: [Night]) -> NightStrip {
        let first = review.span.first.number
        let weeks = Dictionary(grouping: nights.filter { $0.mainPeriod != nil }) { Int($0.date.number - first) / 7 }
        let columns = weeks.sorted { $0.key < $1.key }.map { place, nights -> NightStrip.Column in
            let periods = nights.compactMap { night in night.mainPeriod.map { (night, $0) } }
            func mean(_ minutes: [Int64]) -> Int { Int(minutes.reduce(0, +) / Int64(max(1, minutes.count))) }
            let from = mean(periods.map { minute($1.start, $0) })
            let to = max(from, mean(periods.map { minute($1.end, $0) }))
            let asleep = SleepTotals(nights).averageAsleep.map { ": asleep \(DurationText.words($0)) on average" }
            return NightStrip.Column(
                place: place, minutes: from..<to,
                words: "week from \(review.span.first.adding(place * 7))\(asleep ?? "")")
        }
        return NightStrip(
            columns, of: (review.span.count + 6) / 7,
            hours: hours(columns.flatMap { [Int64($0.minutes.lowerBound), Int64($0.minutes.upperBound)] }),
            months: months.map { (Int($0.day - first) / 7, $0.name) })
    }

    private func nightRows(_ nights: [Night]) -> NightRows {
        let rows = nights.map { night in
            NightRows.Row(
                name: "\(DayText.shortWeekday(night.date)) \(DayText.brief(night.date))",
                parts: night.stages.map { part in
                    LanePart(
                        start: minute(part.range.start, night), end: minute(part.range.end, night),
                        lane: Self.lanes.firstIndex(of: part.stage) ?? 0)
                })
        }
        return NightRows(
            rows, over: hours(rows.flatMap { $0.parts.flatMap { [$0.start, $0.end] } }), names: Self.laneNames)
    }

    /// The least difference of weekdays in minutes that the page names.
    private static let leastDifference: Int64 = 15

    /// Returns the weekdays on which a person falls asleep earliest and latest; nil if they hardly differ.
    private func bedtimes(_ nights: [Night]) -> String? {
        var sums = [(total: Int64, count: Int64)](repeating: (0, 0), count: 7)
        for night in nights {
            guard let period = night.mainPeriod else { continue }
            // The evening before the date.
            let day = (night.date.weekday + 5) % 7
            sums[day].total += minute(period.start, night)
            sums[day].count += 1
        }
        let means = sums.enumerated().filter { $0.element.count > 3 }.map {
            (day: $0.offset, minute: $0.element.total / $0.element.count)
        }
        guard means.count == 7, let early = means.min(by: { $0.minute < $1.minute }),
            let late = means.max(by: { $0.minute < $1.minute }), late.minute - early.minute >= Self.leastDifference
        else { return nil }
        func clock(_ minute: Int64) -> String {
            let time = (minute + 1_080) % 1_440
            return (time < 600 ? "0" : "") + "\(time / 60):" + (time % 60 < 10 ? "0" : "") + "\(time % 60)"
        }
        let names = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"]
        return "asleep earliest on \(names[early.day]), \(clock(early.minute)); latest on \(names[late.day]), "
            + clock(late.minute)
    }
}
