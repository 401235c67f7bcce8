// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import HealthViews

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show sums, averages, extremes by day, month, hour ...",
        discussion: """
            EXAMPLES
              kymo stats steps --by month
              kymo stats heartRate --by day --from 2024-01-01 --to 2024-01-31
              kymo stats pulse --by 15m --from 2024-01-31 --json
              kymo stats distance --by year --unit miles --sources
              kymo stats steps --by month --priority watch --priority phone
              kymo stats stepCount --by day --tz America/New_York --explain
              kymo stats heartRate --by month --quantiles 0.05,0.5,0.95 --deviation
              kymo stats stepCount --by month --as-of 812

            \(RangeOptions.explanation) Buckets are whole: all that overlap the range are listed, including empty \
            ones: --skip-empty omits them, and a table has one line for several. Without --by there is one row.

            A sample belongs to the bucket that contains its start. A cumulative sample (steps, energy) that crosses \
            the edge of a bucket is divided between the buckets by time. If several sources recorded the same time, \
            only one counts: the sources of --priority first, then watches, phones, others; among these, the source \
            with the most recent sample. --sources separates the sources, --union adds them up. For categories the \
            statistics are the number of samples and their total duration in seconds. sleepAnalysis is counted by \
            night, as "kymo sleep" does.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument

    @Option(
        help: ArgumentHelp("Length of a bucket, optionally with a number (2weeks, 6h, 5m).", valueName: "step"),
        completion: .list(BucketStep.allValueStrings))
    var by: BucketStep?

    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption
    @OptionGroup var unit: UnitOption
    @OptionGroup var source: SourceOption

    @OptionGroup var asOf: AsOfOption

    @Flag(help: "Show separate rows for each source.")
    var sources = false

    @OptionGroup var merging: MergingOptions

    @Flag(
        help: ArgumentHelp(
            "Add standard deviation, time-weighted average, duration in seconds, latest sample; for amounts also "
                + "average, minimum and maximum."))
    var more = false

    @Option(
        help: ArgumentHelp(
            "Add these quantiles: comma-separated probabilities from 0 to 1.", valueName: "list"))
    var quantiles: QuantileList?

    @Flag(help: "Add population and sample standard deviation, and variance.")
    var deviation = false

    @Flag(help: "Omit buckets without data.")
    var skipEmpty = false

    @Flag(help: "Print the cost on standard error: index pages, summaries, blocks decoded, bytes read.")
    var explain = false

    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            let type = try type.resolved(store)
            if type.isSleep { return try sleep(store, type, output) }
            let zone = try zone.resolved(store, asOf: asOf.commit)
            let range = try range.resolved(zone)
            let isCategory = type.kind == .category
            if isCategory, deviation || quantiles != nil {
                throw Failure.usage(
                    "\(type.shortName) is a category, whose values are names; omit --quantiles and --deviation")
            }
            var options: AggregateOptions = more ? .all : isCategory ? .duration : []
            if deviation { options.insert(.standardDeviation) }
            var request = StatisticsRequest(
                type, range: range, unit: try unit.resolved(type), bySource: sources,
                sources: try source.resolved(store, asOf: asOf.commit), options: options,
                quantiles: quantiles?.probabilities ?? [], merging: try merging.resolved(bySource: sources),
                priority: try merging.order(store, asOf: asOf.commit), asOf: asOf.commit)
            let extent = try store.types(asOf: asOf.commit).first { $0.type == type }
            if let by {
                let near = range.start != Int64.min ? range.start : extent?.first ?? 0
                request.buckets = try by.buckets(near: near, zone)
            }
            let begun = SystemClock.monotonicNanoseconds()
            var report = try store.statistics(request)
            let took = SystemClock.monotonicNanoseconds() - begun
            if let extent { report.bound(by: TimeRange(extent.first, extent.last)) }
            if skipEmpty { report.rows.removeAll(where: \.isEmpty) }

            let answer = StatsAnswer(
                report: report, zone: zone, step: by, bySource: sources, more: more, deviation: deviation,
                quantiles: quantiles?.probabilities ?? [])
            if let format = format.format {
                try answer.write(RowWriter(output, format, columns: answer.columns))
            } else if report.rows.allSatisfy(\.isEmpty) {
                Messages.write(EmptyRange.message(type, store, zone))
            } else {
                try answer.table(output)
                try output.finish()
                Self.printSources(report, bySource: sources)
            }
            Self.warnOfLeftOut(report)
            if explain {
                Self.say(report.explanation, took: took)
                try Self.sayWhoCounted(request, report, store)
                if let error = report.rows.compactMap(\.quantileError).max() {
                    Messages.line("quantiles: \(error == 0 ? "exact" : "relative error up to \(error)")")
                }
            }
            return .done
        }
    }

    /// Warns, in every format, that an answer omits samples.
    private static func warnOfLeftOut(_ report: StatisticsReport) {
        for unit in report.explanation.leftOutUnits {
            let names = "samples stored in \"\(TerminalText.printable(unit))\" are omitted: the unit does not convert"
            let others = TerminalText.printable(report.unit ?? "the other units")
            Messages.line("note: \(names) to \(others); --unit selects another unit")
        }
    }

    /// Notes how several sources were combined: the choice of a source changes a cumulative sum.
    private static func printSources(_ report: StatisticsReport, bySource: Bool) {
        let count = report.explanation.sources.count
        guard report.type.isCumulative, !bySource, count > 1 else { return }
        if report.explanation.priority.isEmpty {
            Messages.line(
                "note: \(count) sources are added up, even for the same time; --sources separates them")
        } else {
            let order = report.explanation.priority.map { TerminalText.printable($0) }
            let names = order.dropLast().map { $0 + "," } + order.suffix(1).map { $0 + ";" }
            Messages.folded(
                FoldedText.words("note: for overlapping data the first of these sources counts:") + names
                    + FoldedText.words("--priority changes it"))
        }
    }

    /// Prints how much of each source's sum a merged total contains.
    private static func sayWhoCounted(
        _ request: StatisticsRequest, _ report: StatisticsReport, _ store: HealthStore
    ) throws {
        if report.explanation.priority.isEmpty { return }
        Messages.line("counted of each source:")
        let shown = ShownUnit(report.unit)
        for share in try store.whoCounted(request).shares {
            func text(_ sum: Double) -> String {
                let number = shown.number(sum)
                return NumberText.fixed(number, decimals: number == number.rounded() ? 0 : 3)
            }
            let unit = report.unit.map { " " + TerminalText.printable($0) } ?? ""
            let name = TerminalText.printable(share.source)
            Messages.line("  \(name): \(text(share.counted)) of \(text(share.recorded))\(unit)")
        }
    }

    private static func say(_ explanation: StatisticsExplanation, took: Int64) {
        let sources = explanation.sources.map { TerminalText.printable($0) }
        let units = explanation.storedUnits.map { TerminalText.printable($0) }
        Messages.line(
            """
            sources: \(sources.isEmpty ? "none" : sources.joined(separator: ", "))
            stored units: \(units.isEmpty ? "none" : units.joined(separator: ", "))
            series: \(explanation.series)
            runs: \(explanation.runs)
            index pages: \(explanation.indexPages)
            summaries used: \(explanation.summaries)
            blocks decoded: \(explanation.blocksDecoded) (\(NumberText.count(explanation.samplesDecoded, "sample")))
            bytes read: \(explanation.bytesRead)
            samples compared for copies: \(explanation.samplesCompared)
            time: \(NumberText.fixed(Double(took) / 1e6, decimals: 3)) ms
            """)
    }
}

extension StatisticsReport {
    /// Replaces the missing bounds of rows with the times of the first and last sample.
    fileprivate mutating func bound(by extent: TimeRange) {
        for at in rows.indices {
            if rows[at].start == Int64.min { rows[at].start = min(extent.start, rows[at].end) }
            if rows[at].end == Int64.max { rows[at].end = max(extent.end, rows[at].start) }
        }
    }
}
