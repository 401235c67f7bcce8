// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import HealthViews

struct SleepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sleep",
        abstract: "Show nights: asleep, in bed, stages.",
        discussion: """
            EXAMPLES
              kymo sleep                                       the last \(defaultCount) nights
              kymo sleep --from 2024-01-01 --to 2024-01-31     the nights to these days
              kymo sleep --explain                             what each source recorded
              kymo sleep --json                                with the stages in order

            A night lasts from 18:00 to 18:00 in the home zone of the store ("kymo zone") and has the date of its \
            later noon. At each instant the first source with a stage or time awake decides: the sources of \
            --priority, then those of "kymo prefer sleepAnalysis", watches, phones, others. Time in bed is the union \
            of all sources and is not part of the time asleep.
            """)

    /// The number of nights without a range.
    private static let defaultCount = 14

    @OptionGroup var store: StoreOption
    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("Time of day at which nights begin.", valueName: "hh:mm"))
    var nightFrom = NightStart.evening

    @OptionGroup var source: SourceOption

    @Option(help: ArgumentHelp("Source that decides first; repeat for an order.", valueName: "name"))
    var priority: [String] = []

    @OptionGroup var asOf: AsOfOption

    @Flag(help: "Print what each source recorded, and how much of it counts, on standard error.")
    var explain = false

    @OptionGroup var format: FormatOptions

    private static func emptyMessage(_ store: HealthStore, _ zone: CivilZone) -> String {
        guard let sleep = (try? store.types())?.first(where: \.type.isSleep) else {
            return "no sleep is stored; watches record it, and exports contain it"
        }
        return EmptyRange.message(sleep.type, store, zone)
    }

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store, asOf: asOf.commit)
            let range = try range.days(zone)
            let order = try MergingOptions.order(priority, store, asOf: asOf.commit)
            let request = NightRequest(
                range: range, zone: zone.identifier, startMinute: nightFrom.minute,
                sources: try source.resolved(store, asOf: asOf.commit), priority: order, asOf: asOf.commit)
            let all = try store.nights(request)
            let isLimited = range == .all && all.count > Self.defaultCount
            let nights = isLimited ? Array(all.suffix(Self.defaultCount)) : all
            let answer = SleepAnswer(nights: nights, zone: zone, startMinute: request.startMinute)
            if let format = format.format {
                try answer.write(RowWriter(output, format, columns: SleepAnswer.columns))
            } else if nights.isEmpty {
                Messages.write(Self.emptyMessage(store, zone))
            } else {
                try answer.table(output)
                try output.finish()
            }
            if isLimited { Messages.line("note: the last \(nights.count) of \(all.count) nights; --from shows more") }
            if explain { answer.explain() }
            return .done
        }
    }
}

extension RangeOptions {
    /// Returns the whole days of the range: a night has a date, so that `--last 24h` includes the night to today.
    func days(_ zone: CivilZone) throws -> TimeRange {
        var range = try resolved(zone)
        if range.start != .min { range.start = DaySpan(TimeRange(range.start, range.start), in: zone).bounds.start }
        if range.end != .max { range.end = DaySpan(TimeRange(range.end - 1, range.end), in: zone).bounds.end }
        return range
    }
}
