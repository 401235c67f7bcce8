// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import HealthViews

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show which sources count in a day's total, or a night.",
        discussion: """
            EXAMPLES
              kymo why stepCount                      the latest day with steps
              kymo why stepCount 2024-01-03
              kymo why distanceWalkingRunning yesterday
              kymo why sleepAnalysis 2024-01-19       the night to this day
              kymo why stepCount monday --json        with every half hour

            Each source has a line over the hours of the day. A block is what counts in half an hour; ░ marks a half \
            hour of which more than half is hidden, because a source before it has data of the same time. "kymo \
            prefer" changes the order of the sources.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument
    @OptionGroup var day: DayArgument
    @OptionGroup var zone: ZoneOption
    @OptionGroup var unit: UnitOption
    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            let type = try type.resolved(store)
            let zone = try zone.resolved(store, asOf: nil)
            let wanted = try day.resolved(zone)
            if type.isSleep {
                _ = try unit.resolved(type)
                return try explainNight(store, wanted, zone, output)
            }
            guard type.isCumulative else {
                throw Failure.usage(
                    "\(type.shortName) has no sum: the samples of all sources count; \"why\" explains sums and sleep")
            }
            guard let latest = try store.latestDay(of: type, in: zone) else {
                return try nothing("the store holds no samples of \(type.shortName)", WhyScreen.columns, output)
            }
            let date = wanted ?? latest
            let counted = try store.countedDay(type, on: date, in: zone, unit: unit.resolved(type))
            if counted.who.shares.isEmpty {
                let advice = "the latest day with data is \(latest)"
                return try nothing("no \(type.shortName) on \(date); \(advice)", WhyScreen.columns, output)
            }
            let screen = WhyScreen(day: counted)
            if let format = format.format {
                try screen.write(RowWriter(output, format, columns: WhyScreen.columns))
            } else {
                try screen.show(output)
            }
            return .done
        }
    }

    private func explainNight(
        _ store: HealthStore, _ wanted: CalendarDate?, _ zone: CivilZone, _ output: Output
    ) throws -> ExitStatus {
        let night = try wanted.map { try store.night(to: $0, in: zone) } ?? store.latestNight(in: zone)
        guard let night else {
            let what = wanted.map { "for the night to \($0); \"kymo sleep\" lists nights" } ?? "in the store"
            return try nothing("no sleep is recorded \(what)", WhyNight.columns, output)
        }
        let screen = WhyNight(night: night, zone: zone)
        if let format = format.format {
            try screen.write(RowWriter(output, format, columns: WhyNight.columns))
        } else {
            try screen.show(output)
        }
        return .done
    }

    /// Prints a message, and no rows.
    private func nothing(_ message: String, _ columns: [String], _ output: Output) throws -> ExitStatus {
        if let format = format.format {
            var writer = RowWriter(output, format, columns: columns)
            try writer.finish()
        } else {
            Messages.write(message)
        }
        return .done
    }
}
