// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import HealthViews

struct PlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plot",
        abstract: "Draw the values of a type over time in the terminal.",
        discussion: """
            EXAMPLES
              kymo plot heartRate                         the last \(defaultDays) days with data
              kymo plot heartRate --from yesterday
              kymo plot stepCount --last 1y --by week
              kymo plot bodyMass --from 2020 --unit lb

            Two slices of time in each character show their least and greatest sample, so that no extreme is lost. A \
            type with sums, such as stepCount, has bars: by hour for up to two days, else by day, week, month or year. \
            "kymo query TYPE --points 400 --envelope --json" writes the same slices for other programs.

            \(RangeOptions.explanation)
            """)

    /// The number of days without a range.
    private static let defaultDays = 30

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument
    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("Length of the bars of a type with sums.", valueName: "step"))
    var by: BucketStep?

    @OptionGroup var source: SourceOption
    @OptionGroup var unit: UnitOption

    func run() throws {
        try perform { output in
            let store = try store.open()
            let type = try type.resolved(store)
            if type.kind == .category {
                let advice = type.isSleep ? "; \"kymo sleep\" draws nights" : ""
                throw Failure.usage("\(type.shortName) is a category and has no curve\(advice)")
            }
            if by != nil, !type.isCumulative {
                throw Failure.usage("\(type.shortName) has no sum; omit --by")
            }
            let zone = try zone.resolved(store, asOf: nil)
            let (sources, unit) = (try source.resolved(store), try unit.resolved(type))
            let columns = max(20, output.columns - PlotScreen.margin)
            guard let range = try bounds(type, store, zone) else {
                Messages.write("the store holds no samples of \(type.shortName); \"kymo types\" lists all types")
                return .done
            }
            let step = type.isCumulative ? try by ?? Self.step(range, columns) : nil
            let curve: TypeCurve?
            if let step {
                curve = try store.sums(
                    StatisticsRequest(
                        type, buckets: step.buckets(near: range.start, zone), range: range, unit: unit,
                        sources: sources))
            } else {
                curve = try store.outline(
                    SampleRequest(type, range: range, sources: sources, unit: unit), points: columns * 2)
            }
            guard let curve else {
                Messages.write(EmptyRange.message(type, store, zone))
                return .done
            }
            try PlotScreen(curve: curve, zone: zone, step: step, columns: columns).show(output)
            return .done
        }
    }

    /// Returns the asked range, limited to the days with data; nil without samples.
    private func bounds(_ type: HealthType, _ store: HealthStore, _ zone: CivilZone) throws -> TimeRange? {
        guard let latest = try store.latestDay(of: type, in: zone),
            let overview = try store.types().first(where: { $0.type == type })
        else { return nil }
        var asked = try range.resolved(zone)
        let first = CalendarDate(containing: overview.first, in: zone)
        let all = DaySpan(first, through: latest, in: zone).bounds
        if asked == .all {
            return DaySpan(max(first, latest.adding(1 - Self.defaultDays)), through: latest, in: zone).bounds
        }
        // A range without data stays as it is asked, for the message.
        guard asked.start < all.end, all.start < asked.end else { return asked }
        asked.start = max(asked.start, all.start)
        asked.end = min(asked.end, all.end)
        return asked
    }

    /// The lengths of bars, with their days. Bars of an hour are for two days at most.
    private static let steps: [(text: String, days: Double)] = [
        ("day", 1), ("week", 7), ("month", 30.4), ("year", 365.2),
    ]

    /// Returns the length of bars that suits a range: at most a bar for each character.
    private static func step(_ range: TimeRange, _ columns: Int) throws -> BucketStep {
        let days = (Double(range.end) - Double(range.start)) / 86_400e9
        var text = "hour"
        if days > 2.1 { text = steps.first { days / $0.days <= Double(columns) }?.text ?? "year" }
        guard let step = BucketStep(argument: text) else { throw Failure.usage("no step \(text)") }
        return step
    }
}
