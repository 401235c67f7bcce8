// SPDX-License-Identifier: Apache-2.0

import Charts
import CivilTime
import HealthViews

extension ReportPage {
    /// Electrocardiograms on paper.
    mutating func addRecordings() {
        for (one, voltages) in review.recordings {
            guard let frequency = one.frequency, frequency > 0, !voltages.isEmpty else { continue }
            let zone = review.span.zone
            let date = DayText.dated(CalendarDate(containing: one.start, in: zone))
            let start = "\(date), \(DayText.clock(one.start, zone))"
            let facts = [
                one.rhythm, ElectrocardiogramTable.pulse(one), ElectrocardiogramTable.frequency(one),
                "25 mm/s, 10 mm/mV",
            ]
            let shown = NumberText.fixed(min(Double(voltages.count) / frequency, 30), decimals: 0)
            let picture = drawing(
                VoltagePaper(voltages.map(\.millivolts), frequency: frequency).draw(), "Electrocardiogram of \(start)",
                "\(shown) seconds of voltages on millimetre paper, ten seconds a row.")
            section(
                "Electrocardiogram, \(start)", facts.compactMap { $0 }.joined(separator: " · "), [picture],
                remark: "Recorded by \(name(one.source)). This is no medical report.")
        }
    }

    /// Weight, blood pressure and other measures with few values.
    mutating func addMeasures() {
        for measure in review.measures {
            let shown = ShownUnit(measure.unit)
            let days = zip(review.span.dates, measure.values).compactMap { date, value in
                value.map { (date: date, value: shown.number($0)) }
            }
            let points = (review.isLong ? Self.weeks(days) : days).map { date, value in
                BandChart.Point(at: DaySpan(date, through: date, in: review.span.zone).bounds.start, value: value)
            }
            let chart = BandChart(points, over: axis, isDotted: points.count < 120, height: 110)
            let values = days.map(\.value)
            let texts = NumberText.column([values.last, values.min(), values.max()], digits: 3)
            let facts =
                "\(NumberText.grouped(days.count)) days · last \(texts[0])\(Self.unit(measure.unit)), "
                + "least \(texts[1]), greatest \(texts[2])"
            let title = Self.title(measure.type)
            let step = review.isLong ? "week" : "day"
            section(title, facts, [drawing(chart.draw(), title, "The mean of each \(step) with a value. \(facts).")])
        }
    }

    /// Returns the mean of each week with a value, at its first day with a value.
    private static func weeks(_ days: [(date: CalendarDate, value: Double)]) -> [(date: CalendarDate, value: Double)] {
        // Day 4 is Monday, 5 January 1970.
        let weeks = Dictionary(grouping: days) { ($0.date.number - 4).dividedDown(by: 7) }
        return weeks.values.compactMap { week in
            week.first.map { ($0.date, week.reduce(0) { $0 + $1.value } / Double(week.count)) }
        }.sorted { $0.date < $1.date }
    }

    /// Returns the words of a type's name: `bodyMass` is "Body mass".
    static func title(_ type: HealthType) -> String {
        if type.shortName == "stepCount" { return "Steps" }
        if type.shortName == "distanceWalkingRunning" { return "Distance on foot" }
        var text = ""
        for letter in type.shortName {
            let begins = letter.isUppercase && text.last?.isLowercase ?? false
            text += begins ? " " + letter.lowercased() : String(letter)
        }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// Returns a blank and the unit; nothing for a plain number.
    static func unit(_ unit: String?) -> String {
        guard let unit, unit != "count" else { return "" }
        return " " + ShownUnit(unit).name
    }

    /// Two types side by side by day.
    mutating func addPairs() {
        guard let pair = review.pairs.first, let correlation = pair.rankCorrelation else { return }
        func label(_ series: DailySeries) -> String {
            let unit = Self.unit(series.unit)
            return series.type.isSleep ? "Asleep, h" : Self.title(series.type) + (unit.isEmpty ? "" : "," + unit)
        }
        let value = SVGCanvas.label(correlation, decimals: 2)
        let chart = ScatterChart(pair.points, names: (label(pair.x), label(pair.y)))
        func name(_ series: DailySeries) -> String { series.type.isSleep ? "Time asleep" : Self.title(series.type) }
        let title = "\(name(pair.x)) and \(name(pair.y).lowercased()), day by day"
        let picture = drawing(
            chart.draw(), title, "A dot for each of \(pair.points.count) days. The rank correlation is \(value).")
        section(
            title,
            "\(NumberText.grouped(pair.points.count)) days with both · rank correlation \(value) "
                + "(Spearman; from −1 to 1)",
            [picture],
            remark: abs(correlation) < Self.leastCorrelation
                ? "No pair of types in this report moves together; this one is the closest."
                : "Of all pairs of types in this report, this one moves together most. That is no cause.")
    }

    /// The least rank correlation that the page calls moving together.
    private static let leastCorrelation = 0.3

    /// Which source counted.
    mutating func addCounting() {
        for who in review.counted {
            let isKilometres = who.unit == "m"
            func text(_ value: Double) -> String {
                NumberText.whole(isKilometres ? value / 1_000 : value)
            }
            let unit = isKilometres ? " km" : Self.unit(who.unit)
            let bars = who.shares.map { share in
                ShareBars.Bar(
                    name: name(share.source), whole: share.recorded, part: share.counted,
                    words: "\(text(share.counted)) of \(text(share.recorded))\(unit)")
            }
            let title = "Why this total? \(Self.title(who.type))"
            let twice = who.recorded - who.counted
            let sentence =
                "Together the sources recorded \(text(who.recorded))\(unit). The total is \(text(who.counted))\(unit), "
                + "without the \(text(twice))\(unit) that were recorded twice."
            let picture = drawing(
                ShareBars(bars).draw(), title, "A bar for each source: what it recorded, and in blue what counts.")
            section(
                title, sentence, [picture],
                remark: "At each moment the first source in this order counts. \"kymo prefer \(who.type.shortName)\" "
                    + "changes the order.")
        }
    }

    /// What the page does not show.
    mutating func addContents() {
        let rows = review.contents.map { entry in
            "<tr><td>\(SVGCanvas.escaped(entry.type.shortName))</td><td>\(NumberText.grouped(entry.samples))</td></tr>"
        }
        let table =
            "<details><summary>all types with samples</summary><table><tr><th>type</th><th>samples</th></tr>"
            + rows.joined() + "</table></details>"
        section(
            "What is in this span", "\(NumberText.grouped(review.samples)) samples of \(review.types) types", [table],
            remark: "A type is drawn if it has enough values: a measure on ten days, a pair on thirty. Routes are not "
                + "drawn.")
    }
}
