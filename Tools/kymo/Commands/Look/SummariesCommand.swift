// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import HealthModel
import KymographHealth

struct SummariesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summaries",
        abstract: "Show the rings of each day with their goals.",
        discussion: """
            EXAMPLES
              kymo summaries --from 2024-01 --to 2024-01
              kymo summaries --csv > rings.csv
              kymo summaries --jsonl | tail -n 7

            A day with an imported summary is shown as imported; all other days are computed from samples.

            \(RangeOptions.explanation)
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption
    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store)
            let days = try store.activityDays(touching: range.resolved(zone), zone: zone)
            if let format = format.format {
                try Self.write(days, RowWriter(output, format, columns: Self.columns))
            } else if days.isEmpty {
                Messages.write(Self.emptyMessage(try store.activityDays(touching: .all, zone: zone)))
            } else {
                try output.line(
                    output.style.bold("activity summaries") + output.style.dim(", days in \(zone.identifier)"))
                try Self.table(days, output)
            }
            return .done
        }
    }

    /// Returns the message for a range without summaries.
    ///
    /// - Parameter days: all stored days.
    private static func emptyMessage(_ days: [ActivityDay]) -> String {
        guard let first = days.first, let last = days.last else {
            return "no summaries are stored; \"kymo types\" lists all types"
        }
        let (begin, end) = (text(first.day), text(last.day))
        return "no summaries in this range; all are " + (begin == end ? "of \(begin)" : "from \(begin) to \(end)")
    }

    private static let columns = [
        "day", "activeEnergyBurned", "activeEnergyBurnedGoal", "activeEnergyBurnedUnit", "appleMoveTime",
        "appleMoveTimeGoal", "appleExerciseTime", "appleExerciseTimeGoal", "appleStandHours", "appleStandHoursGoal",
        "isImported",
    ]

    private static func write(_ days: [ActivityDay], _ writer: consuming RowWriter) throws(DiskError) {
        for day in days {
            let (values, goals) = (day.values, day.values.goals)
            let energy = values.activeEnergyBurned.unit
            writer.beginRow()
            writer.text("day", text(day.day))
            writer.number("activeEnergyBurned", values.activeEnergyBurned.value)
            writer.number("activeEnergyBurnedGoal", number(goals.activeEnergyBurned, energy))
            writer.text("activeEnergyBurnedUnit", energy.unitString)
            writer.number("appleMoveTime", number(values.appleMoveTime, .minute()))
            writer.number("appleMoveTimeGoal", number(goals.appleMoveTime, .minute()))
            writer.number("appleExerciseTime", number(values.appleExerciseTime, .minute()))
            writer.number("appleExerciseTimeGoal", number(goals.appleExerciseTime, .minute()))
            writer.number("appleStandHours", number(values.appleStandHours, .count()))
            writer.number("appleStandHoursGoal", number(goals.appleStandHours, .count()))
            writer.integer("isImported", day.isImported ? 1 : 0)
            try writer.endRow()
        }
        try writer.finish()
    }

    private static func table(_ days: [ActivityDay], _ output: Output) throws(DiskError) {
        let hasMoveTime = days.contains { day in
            day.values.appleMoveTime.value > 0 || (day.values.goals.appleMoveTime?.value ?? 0) > 0
        }
        var titles = ["day", "active energy", "goal"]
        if hasMoveTime { titles += ["motion", "goal"] }
        titles += ["exercise", "goal", "stand", "goal", "from"]
        var table = Table(
            titles.map { .init(title: $0, alignment: $0 == "day" || $0 == "from" ? .left : .right) })
        for day in days {
            let (values, goals) = (day.values, day.values.goals)
            let energy = values.activeEnergyBurned.unit
            func pair(
                _ value: HKQuantity, _ goal: HKQuantity?, _ unit: HKUnit, _ name: String, _ decimals: Int
            ) -> [String] {
                [
                    "\(NumberText.fixed(value.doubleValue(for: unit), decimals: decimals)) \(name)",
                    number(goal, unit).map { NumberText.fixed($0, decimals: 0) } ?? "",
                ]
            }
            var cells = [text(day.day)]
            cells += pair(values.activeEnergyBurned, goals.activeEnergyBurned, energy, energy.unitString, 1)
            if hasMoveTime { cells += pair(values.appleMoveTime, goals.appleMoveTime, .minute(), "min", 0) }
            cells += pair(values.appleExerciseTime, goals.appleExerciseTime, .minute(), "min", 0)
            cells += pair(values.appleStandHours, goals.appleStandHours, .count(), "h", 0)
            table.append(cells + [day.isImported ? "import" : "samples"])
        }
        try table.write(to: output)
    }

    private static func number(_ quantity: HKQuantity?, _ unit: HKUnit) -> Double? {
        quantity.map { $0.doubleValue(for: unit) }
    }

    private static func text(_ day: Int64) -> String {
        let (year, month, day) = Civil.date(days: day)
        func padded(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}
