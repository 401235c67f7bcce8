// SPDX-License-Identifier: Apache-2.0

import Charts
import CivilTime
import HealthViews

/// A report as one HTML file, without scripts and without anything to load.
struct ReportPage {
    let review: YearReview
    /// Whether sources are called Watch, Phone, Source instead of their names.
    var hidesNames = false
    /// The number of drawings, for their identities.
    private var drawings = 0
    private var body = ""

    init(_ review: YearReview, hidesNames: Bool = false) {
        self.review = review
        self.hidesNames = hidesNames
    }

    /// The text of the page.
    static func html(_ review: YearReview, hidesNames: Bool = false) -> String {
        var page = ReportPage(review, hidesNames: hidesNames)
        page.addHead()
        page.addMovement()
        page.addHeart()
        page.addSleep()
        page.addRecordings()
        page.addMeasures()
        page.addPairs()
        page.addCounting()
        page.addContents()
        let title = "\(page.spanText) – Kymograph"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width">
            <meta name="referrer" content="no-referrer">
            <title>\(SVGCanvas.escaped(title))</title>
            <style>
            \(ReportStyle.css)
            </style>
            </head>
            <body>
            <main>
            \(page.body)</main>
            </body>
            </html>

            """
    }

    // MARK: Parts of a page

    /// Adds text that is HTML already.
    mutating func add(_ html: String) { body += html + "\n" }

    /// Adds a section with a title, a sentence and drawings.
    ///
    /// - Parameters:
    ///   - subtitle: plain text below the title.
    ///   - parts: HTML.
    mutating func section(_ title: String, _ subtitle: String, _ parts: [String], remark: String? = nil) {
        let end = remark.map { "<p class=\"s\">\(SVGCanvas.escaped($0))</p>" } ?? ""
        let head = "<h2>\(SVGCanvas.escaped(title))</h2><p class=\"s\">\(SVGCanvas.escaped(subtitle))</p>"
        add("<section>\(head)\n\(parts.joined(separator: "\n"))\(end)</section>")
    }

    /// Returns a drawing with its title and description.
    mutating func drawing(_ canvas: SVGCanvas, _ title: String, _ description: String) -> String {
        drawings += 1
        return canvas.element(id: "c\(drawings)", title: title, description: description)
    }

    // MARK: Texts

    /// The dates of the page: a year, or its first and last day.
    var spanText: String {
        let (first, last) = (review.span.first, review.span.last)
        let isYear = first.month == 1 && first.day == 1 && last.month == 12 && last.day == 31
        return isYear && first.year == last.year ? "\(first.year)" : "\(DayText.dated(first)) to \(DayText.dated(last))"
    }

    /// Returns the name of a source, as the page may show it.
    func name(_ source: String) -> String {
        guard hidesNames else { return source }
        let lower = source.lowercased()
        return lower.contains("watch") ? "Watch" : lower.contains("phone") ? "Phone" : "Source"
    }

    /// The days as an axis with the names of months; of at most ten weeks with dates.
    var axis: TimeAxis {
        let span = review.span
        let first = span.first.number
        let marks = span.dates.filter { date in
            span.count > 70 ? date.day == 1 : span.count > 16 ? date.weekday == 1 : (date.number - first) % 2 == 0
        }.map { date in
            TimeAxis.Mark(
                at: DaySpan(date, through: date, in: span.zone).bounds.start,
                text: span.count > 70
                    ? DayText.shortMonth(date) + (date.month == 1 && span.count > 400 ? " \(date.year)" : "")
                    : DayText.brief(date))
        }
        return TimeAxis(start: span.bounds.start, end: span.bounds.end, marks: marks)
    }

    /// The most days of a span whose axis has dates.
    private static let shortSpan = 62

    /// Returns the name of a month, with the year in January of a span of several years.
    private func monthName(_ date: CalendarDate) -> String {
        DayText.shortMonth(date) + (date.month == 1 && review.span.count > 400 ? " \(date.year)" : "")
    }

    /// The first day of each month of the span, with its name.
    var months: [(day: Int64, name: String)] {
        review.span.dates.filter { $0.day == 1 || $0 == review.span.first }.map {
            ($0.number, monthName($0))
        }
    }
}
