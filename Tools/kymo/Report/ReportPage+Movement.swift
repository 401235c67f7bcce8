// SPDX-License-Identifier: Apache-2.0

import Charts
import CivilTime
import HealthViews

extension ReportPage {
    /// The title and the numbers that people ask for first.
    mutating func addHead() {
        let count = "\(NumberText.grouped(review.samples)) samples of \(review.types) types"
        add("<h1>\(SVGCanvas.escaped(spanText))</h1>")
        add(
            "<p class=\"s\">Made by kymo \(Kymo.version) from \(count). This file loads nothing and sends nothing.</p>")
        var cards: [(String, String)] = []
        if let steps = review.steps?.average { cards.append((NumberText.whole(steps), "steps a day")) }
        if let distance = review.distance, distance.total > 0 {
            cards.append(("\(NumberText.whole(distance.total)) km", "on foot"))
        }
        if let resting = review.restingDays?.average(ofLast: 30) ?? review.restingDays?.average {
            cards.append((NumberText.fixed(resting, decimals: 0), "resting heart rate"))
        } else if !review.heart.isEmpty {
            let mean = review.heart.reduce(0) { $0 + $1.average } / Double(review.heart.count)
            cards.append((NumberText.fixed(mean, decimals: 0), "mean heart rate"))
        }
        if let asleep = SleepTotals(review.nights).averageAsleep {
            cards.append((DurationText.words(asleep), "asleep a night"))
        }
        if let workouts = review.workouts?.all.count {
            cards.append((NumberText.grouped(workouts), workouts == 1 ? "workout" : "workouts"))
        }
        if cards.isEmpty { return }
        let divs = cards.map { "<div><b>\(SVGCanvas.escaped($0.0))</b><span>\(SVGCanvas.escaped($0.1))</span></div>" }
        add("<div class=\"k\">\(divs.joined())</div>")
    }

    /// Steps and rings.
    mutating func addMovement() {
        if let steps = review.steps, steps.daysWithData > 0 { addSteps(steps) }
        if !review.activity.isEmpty { addRings() }
    }

    private mutating func addSteps(_ steps: DailySeries) {
        var facts = ["\(NumberText.whole(steps.total)) steps"]
        facts.append("\(steps.days(from: 10_000)) days of \(NumberText.grouped(review.span.count)) with 10,000 or more")
        if let best = steps.best {
            facts.append("best day \(DayText.dated(best.date)): \(NumberText.whole(best.value))")
        }
        let run = steps.longestRun(from: 10_000)
        if run > 1 { facts.append("longest run \(run) days") }
        section("Steps, every day", facts.joined(separator: " · "), stepGrids(steps) + [monthTable(steps)])
    }

    /// The most days in one grid: more would be too small to read.
    private static let mostDaysOfGrid = 400

    /// Returns the squares of all days; of a long span in a drawing for each year.
    private mutating func stepGrids(_ steps: DailySeries) -> [String] {
        let isLong = review.span.count > Self.mostDaysOfGrid
        var years: [(year: Int, days: [DayGrid.Day])] = []
        for (date, value) in zip(review.span.dates, steps.values) {
            let amount = value.map { "\(NumberText.whole($0)) steps" } ?? "no steps recorded"
            // Thousands of titles would be a third of the page.
            let words = review.isLong ? nil : "\(DayText.shortWeekday(date)) \(date): \(amount)"
            let day = DayGrid.Day(number: date.number, value: value, words: words)
            if years.isEmpty || isLong && years[years.count - 1].year != date.year { years.append((date.year, [])) }
            years[years.count - 1].days.append(day)
        }
        let recorded = years.filter { $0.days.contains { $0.value != nil } }
        return recorded.flatMap { year, days in
            let numbers = (days.first?.number ?? 0)...(days.last?.number ?? 0)
            let grid = DayGrid(
                days, steps: [2_500, 5_000, 7_500, 10_000], months: months.filter { numbers.contains($0.day) })
            let picture = drawing(
                grid.draw(), isLong ? "Steps, every day of \(year)" : "Steps, every day",
                "A square for each day, in weeks from left to right; the stronger, the more steps. The weakest of "
                    + "five shades is below 2,500, the strongest 10,000 or more.")
            return isLong ? ["<h3>\(year)</h3>", picture] : [picture]
        }
    }

    /// Returns the totals and means of months as a table that can be unfolded.
    private func monthTable(_ series: DailySeries) -> String {
        var rows: [(name: String, total: Double, days: Int)] = []
        for (date, value) in zip(review.span.dates, series.values) {
            let name = DayText.month(date)
            if rows.last?.name != name { rows.append((name, 0, 0)) }
            guard let value else { continue }
            rows[rows.count - 1].total += value
            rows[rows.count - 1].days += 1
        }
        let cells = rows.map { row in
            let mean = row.days > 0 ? NumberText.whole(row.total / Double(row.days)) : "–"
            return
                "<tr><td>\(row.name)</td><td>\(NumberText.whole(row.total))</td><td>\(mean)</td></tr>"
        }
        return "<details><summary>as a table</summary><table><tr><th>month</th><th>sum</th><th>a day</th></tr>"
            + cells.joined() + "</table></details>"
    }

    /// The shares of the three goals on one day.
    private struct Rings {
        let date: CalendarDate
        let shares: [Double]

        init(_ day: ActivityDay) {
            date = CalendarDate(number: day.day)
            let (values, goals) = (day.values, day.values.goals)
            func share(_ value: HKQuantity, _ goal: HKQuantity?) -> Double {
                guard let goal, goal.is(compatibleWith: value.unit) else { return 0 }
                let wanted = goal.doubleValue(for: value.unit)
                return wanted > 0 ? value.value / wanted : 0
            }
            shares = [
                share(values.moved, values.moveGoal),
                share(values.appleExerciseTime, goals.appleExerciseTime),
                share(values.appleStandHours, goals.appleStandHours),
            ]
        }

        var isClosed: Bool { shares.allSatisfy { $0 >= 1 } }

        static func words(_ shares: [Double]) -> String {
            let texts = shares.map { "\(NumberText.fixed($0 * 100, decimals: 0)) %" }
            return "move \(texts[0]), exercise \(texts[1]), stand \(texts[2])"
        }
    }

    private mutating func addRings() {
        let days = review.activity.map { Rings($0) }.filter {
            $0.date >= review.span.first && $0.date <= review.span.last
        }
        if days.isEmpty { return }
        let grid = review.isLong ? Self.monthlyRings(days) : Self.dailyRings(days, review.span)
        let picture =
            review.isLong
            ? drawing(
                grid.draw(), "Rings, every month",
                "Three rings for each month, a row for each year: the mean of move outside, exercise, stand inside.")
            : drawing(
                grid.draw(), "Rings, every day",
                "Three rings for each day, a row for each month: move outside, exercise, stand inside.")
        let closed = NumberText.grouped(days.count(where: \.isClosed))
        section(
            "Rings", "\(closed) days of \(NumberText.grouped(days.count)) with all three closed", [picture])
    }

    private static let ringNames = ["move", "exercise", "stand"]

    private static func dailyRings(_ days: [Rings], _ span: DaySpan) -> RingGrid {
        var rows: [String] = []
        let rings = days.map { day -> RingGrid.Day in
            let name = DayText.shortMonth(day.date) + (span.count > 366 ? " \(day.date.year % 100)" : "")
            if rows.last != name { rows.append(name) }
            return RingGrid.Day(
                row: rows.count - 1, day: day.date.day, shares: day.shares,
                words: "\(day.date): \(Rings.words(day.shares))")
        }
        return RingGrid(rings, months: rows, names: ringNames)
    }

    /// Returns the means of months, a row for each year.
    private static func monthlyRings(_ days: [Rings]) -> RingGrid {
        var rows: [String] = []
        let months = Dictionary(grouping: days) { $0.date.year * 12 + $0.date.month }
        let rings = months.sorted { $0.key < $1.key }.compactMap { _, month -> RingGrid.Day? in
            guard let date = month.first?.date else { return nil }
            if rows.last != "\(date.year)" { rows.append("\(date.year)") }
            let shares = (0..<3).map { ring in month.reduce(0) { $0 + $1.shares[ring] } / Double(month.count) }
            return RingGrid.Day(
                row: rows.count - 1, day: date.month, shares: shares,
                words: "\(DayText.month(date)): \(Rings.words(shares)) on average")
        }
        return RingGrid(rings, months: rows, names: ringNames)
    }
}
