// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import HealthViews

struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Write a page about a year: steps, heart, sleep, workouts.",
        discussion: """
            EXAMPLES
              kymo report                            latest year, as kymograph-2024.html
              kymo report mine.html --year 2023
              kymo report --last 1y --open           show the page in the browser
              kymo report --names hide               without names of sources, for sharing

            The page is one file of HTML, readable only by its owner. It has no script, loads nothing and sends \
            nothing. Print it in a browser to get a PDF.
            """)

    enum Names: String, ExpressibleByArgument, CaseIterable {
        case show, hide
    }

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("The calendar year. Default: the latest one with data.", valueName: "year"))
    var year: Int?

    @OptionGroup var range: RangeOptions

    @Argument(
        help: ArgumentHelp("The file; - for standard output. Default: kymograph-YEAR.html.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var file: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The file, as an option.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var output: String?

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Show the page in the browser.")
    var open = false

    @Option(
        help: ArgumentHelp("Only these types, separated by commas; also ecg and workouts.", valueName: "list"),
        completion: Completions.typeLists)
    var types: String?

    @Option(help: ArgumentHelp("show or hide the names of sources.", valueName: "names"))
    var names = Names.show

    /// The most days of a report.
    private static let mostDays = 3_700

    func run() throws {
        try perform { console in
            let store = try store.open()
            defer { store.close() }
            let zone = try zone.resolved(store, asOf: nil)
            let span = try span(store, zone)
            guard span.count <= Self.mostDays else {
                throw Failure.usage("a report covers at most ten years; narrow the range")
            }
            let only = try types.map { list in
                try Set(list.split(separator: ",").map { try Self.identifier(String($0.drop { $0 == " " }), store) })
            }
            let path = try path(span)
            // Before the work, so that it is not in vain.
            if path != Self.dash { try NewFile.check(path, replaces: force) }
            let review = try store.review(span, only: only)
            if review.samples == 0, review.workouts == nil, review.recordings.isEmpty {
                Messages.write(EmptyRange.message(from: span.first, to: span.last, store, zone))
                return .done
            }
            let page = ReportPage.html(review, hidesNames: names == .hide)
            if path == Self.dash {
                try console.write(Array(page.utf8))
                return .done
            }
            try write(page, to: path)
            try console.line(TerminalText.printable(path))
            if open { try Browser.open(path) }
            return .done
        }
    }

    /// Returns the identifier of a type that a section draws.
    private static func identifier(_ name: String, _ store: HealthStore) throws -> String {
        if let listed = ListedType.find(name), [.workout, .electrocardiogram].contains(listed) {
            return listed.identifier
        }
        return try TypeArgument.type(name, store).identifier
    }

    /// The path of standard output.
    private static let dash = "-"
    /// The suffixes of formats that a report does not have.
    private static let otherFormats = ["pdf", "png", "svg", "jpg", "jpeg", "csv", "json", "jsonl", "xml"]

    /// Returns the path of the page.
    private func path(_ span: DaySpan) throws -> String {
        if file != nil, output != nil { throw Failure.usage("the file is given twice: as an argument and as -o") }
        if let file { try Self.requireName(file) }
        guard let path = file ?? output else {
            return "kymograph-\(range.isGiven ? "\(span.first)-\(span.last)" : "\(span.last.year)").html"
        }
        if open, path == Self.dash { throw Failure.usage("--open needs a file") }
        let suffix = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if path.contains("."), Self.otherFormats.contains(suffix) {
            let advice = suffix == "pdf" ? "; print the page in a browser to get a PDF" : ""
            throw Failure.usage("\(path): a report is HTML; use the suffix .html\(advice)")
        }
        return path
    }

    /// Throws if an argument is a year or another date instead of the name of a page.
    private static func requireName(_ file: String) throws {
        if file == dash || file.contains("/") || file.lowercased().hasSuffix(".html") { return }
        if file.count == 4, Int(file) != nil { throw Failure.usage("\(file) is a year; use --year \(file)") }
        if let advice = ArgumentAdvice.range(file) { throw Failure.usage("\"\(file)\" is a date; \(advice)") }
    }

    /// Returns the days of the report.
    private func span(_ store: HealthStore, _ zone: CivilZone) throws -> DaySpan {
        let asked = try range.resolved(zone)
        let stored = try store.types()
        let workouts = try ListedType.workout.overview(store)
        guard let first = (stored.map(\.first) + (workouts.map { [$0.first] } ?? [])).min(),
            let last = (stored.map(\.last) + (workouts.map { [$0.last] } ?? [])).max()
        else {
            throw Failure(.failed, "the store is empty; \"kymo import export.zip\" fills it")
        }
        if let year {
            if asked != .all { throw Failure.usage("--year cannot be combined with --from, --to and --last") }
            guard (1679...2260).contains(year) else { throw Failure.usage("--year must be from 1679 to 2260") }
            return Self.year(year, zone)
        }
        if asked != .all {
            let start = asked.start == .min ? first : asked.start
            return DaySpan(TimeRange(start, asked.end == .max ? max(last, start + 1) : asked.end), in: zone)
        }
        // The days of the latest year with data, from the month of the first sample to the day of the last one.
        let year = Self.year(CalendarDate(containing: last - 1, in: zone).year, zone)
        let begin = CalendarDate(containing: first, in: zone)
        let month = CalendarDate(number: Civil.days(year: begin.year, month: begin.month, day: 1))
        return DaySpan(
            max(year.first, month), through: min(year.last, CalendarDate(containing: last - 1, in: zone)), in: zone)
    }

    private static func year(_ year: Int, _ zone: CivilZone) -> DaySpan {
        DaySpan(
            CalendarDate(number: Civil.days(year: year, month: 1, day: 1)),
            through: CalendarDate(number: Civil.days(year: year, month: 12, day: 31)), in: zone)
    }

    private func write(_ html: String, to path: String) throws {
        let file = try NewFile(path, replaces: force)
        do {
            try file.write(Array(html.utf8))
            try file.complete()
        } catch {
            file.abandon()
            throw error
        }
    }
}
