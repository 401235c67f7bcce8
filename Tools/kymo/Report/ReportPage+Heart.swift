// SPDX-License-Identifier: Apache-2.0

import Charts
import CivilTime
import HealthViews

extension ReportPage {
    private static let day: Int64 = 86_400_000_000_000

    /// Resting heart rate, heart rate and variability.
    mutating func addHeart() {
        if review.resting.count > 1 { addResting() }
        if !review.heart.isEmpty { addRates() }
        if let variability = review.variability, variability.daysWithData > 6 { addVariability(variability) }
    }

    private static func point(_ spread: Spread, all: Bool) -> BandChart.Point {
        var bands = [spread.percentiles[1]...max(spread.percentiles[1], spread.percentiles[2])]
        if all {
            let most = spread.percentiles[0]...max(spread.percentiles[0], spread.percentiles[3])
            bands = [spread.least...spread.greatest, most] + bands
        }
        return BandChart.Point(at: spread.start / 2 + spread.end / 2, bands: bands, value: spread.average)
    }

    private mutating func addResting() {
        let months = review.resting
        guard let first = months.first, let last = months.last else { return }
        let span = DaySpan(TimeRange(first.start, last.end), in: review.span.zone)
        let marks = span.dates.filter { $0.day == 1 && ($0.month == 1 || months.count < 25) }.map { date in
            TimeAxis.Mark(
                at: DaySpan(date, through: date, in: span.zone).bounds.start,
                text: date.month == 1 || months.count > 24 ? "\(date.year)" : DayText.shortMonth(date))
        }
        let axis = TimeAxis(start: first.start, end: last.end, marks: marks)
        let chart = BandChart(
            months.map { Self.point($0, all: false) }, over: axis, isDotted: months.count < 60,
            longestGap: 70 * Self.day)
        let month = CalendarDate(containing: last.start, in: span.zone)
        func words(_ value: Double) -> String { NumberText.fixed(value, decimals: 0) }
        var text = "\(words(last.average)) in \(DayText.month(month))"
        let yearBefore = months.first { spread in
            let date = CalendarDate(containing: spread.start, in: span.zone)
            return date.year == month.year - 1 && date.month == month.month
        }
        if let yearBefore { text += "; \(words(yearBefore.average)) a year before" }
        if let lowest = months.min(by: { $0.average < $1.average }) {
            let date = CalendarDate(containing: lowest.start, in: span.zone)
            text += "; lowest in \(DayText.month(date)): \(words(lowest.average))"
        }
        let picture = drawing(
            chart.draw(), "Resting heart rate by month",
            "The mean of each month, with a band that holds half of its values. \(text).")
        section("Resting heart rate", "beats a minute by month · \(text)", [picture])
    }

    private mutating func addRates() {
        let days = review.heart
        let count = days.reduce(0) { $0 + $1.count }
        let chart = BandChart(
            days.map { Self.point($0, all: true) }, over: axis, longestGap: (review.isLong ? 14 : 2) * Self.day)
        let step = review.isLong ? "week" : "day"
        let least = days.map(\.least).min() ?? 0
        let greatest = days.map(\.greatest).max() ?? 0
        let (low, high) = (NumberText.fixed(least, decimals: 0), NumberText.fixed(greatest, decimals: 0))
        let range = "least \(low), greatest \(high)"
        let picture = drawing(
            chart.draw(), "Heart rate, every \(step)",
            "For each \(step) the mean as a line; the dark band holds half of the values, the middle one 90 %, "
                + "the pale one all. \(range).")
        section(
            "Heart rate",
            "beats a minute · \(NumberText.grouped(count)) measurements · \(range) · the dark band holds half of "
                + "each \(step), the middle one 90 %, the pale one all", [picture])
    }

    private mutating func addVariability(_ series: DailySeries) {
        let dates = review.span.dates
        func values(_ place: Int, _ count: Int) -> [Double] {
            series.values[max(0, place - count + 1)...place].compactMap { $0 }
        }
        // Each mean is of seven days: a long span has one a week.
        let places = stride(from: 0, to: dates.count, by: review.isLong ? 7 : 1)
        let points = places.compactMap { place -> BandChart.Point? in
            let week = values(place, 7)
            guard week.count > 2 else { return nil }
            let mean = week.reduce(0, +) / Double(week.count)
            let base = values(place, 60).sorted()
            let at = DaySpan(dates[place], through: dates[place], in: review.span.zone).bounds.start + Self.day / 2
            guard base.count >= Self.leastBase else { return BandChart.Point(at: at, value: mean) }
            let low = base[base.count / 4], high = base[base.count * 3 / 4]
            return BandChart.Point(at: at, bands: [low...max(low, high)], value: mean)
        }
        if points.isEmpty { return }
        let chart = BandChart(points, over: axis, longestGap: 8 * Self.day)
        let hasBand = points.contains { !$0.bands.isEmpty }
        let band = hasBand ? ", with a band that holds half of the 60 days before" : ""
        let picture = drawing(
            chart.draw(), "Heart rate variability", "The mean of seven days as a line\(band).")
        section("Heart rate variability", "ms (SDNN) · mean of seven days\(band)", [picture])
    }

    /// The least number of days with a value for a band.
    private static let leastBase = 14
}
