// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of a day beside the days before it.
struct TodayScreen {
    let day: DayOverview
    /// The path of the store.
    let path: String

    /// A line of the screen.
    private struct Line {
        var name: String
        var value: String
        var picture: String
        var words: [String]
        /// The text instead of value, picture and words; nil to show these.
        var text: String?
        /// The command that shows more, if it fits into the line.
        var hint: String?
    }

    /// The columns of a picture; 30 days are three days a column.
    private static let pictureWidth = 10
    /// An import of this age is mentioned.
    private static let oldImport = 7

    func write(_ output: Output) throws(DiskError) {
        try output.line(header(output))
        try output.line()
        let lines = [steps, move, pulse, sleep, weight, workout].compactMap { $0 }
        let names = lines.map(\.name.count).max() ?? 0
        let values = lines.map { TextWidth.of($0.value) }.max() ?? 0
        for line in lines {
            let picture = output.style.accent(line.picture)
            let blank = String(repeating: " ", count: Self.pictureWidth - TextWidth.of(line.picture))
            let words = line.words.joined(separator: "   ")
            let joined = "\(line.value.aligned(to: values))  \(picture)" + (words.isEmpty ? "" : "\(blank)  \(words)")
            let text = line.text ?? joined
            let hint = line.hint.map { String(repeating: " ", count: 12) + $0 } ?? ""
            let fits = names + 2 + TextWidth.of(text) + TextWidth.of(hint) <= output.columns
            let more = fits ? output.style.dim(hint) : ""
            try output.line("\(output.style.bold(line.name.padded(to: names + 2)))\(text)\(more)")
        }
        if let days = day.daysSinceImport, days >= Self.oldImport {
            try output.line()
            let advice = "export again on the phone, then \"kymo import export.zip\""
            try output.line(output.style.dim("import is \(days) days old: \(advice)"))
        }
    }

    private func header(_ output: Output) -> String {
        let title = DayText.full(day.date) + (day.isToday ? "" : ", the latest day with data")
        var home = Environment.value("HOME") ?? ""
        while home.hasSuffix("/") { home.removeLast() }
        let place = !home.isEmpty && path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
        var facts = "store \(TerminalText.printable(place)), \(NumberText.count(day.samples, "sample"))"
        if let first = day.first { facts += " since \(CalendarDate(containing: first, in: day.zone).year)" }
        let room = output.columns - TextWidth.of(title) - TextWidth.of(facts)
        let gap = room >= 3 ? String(repeating: " ", count: min(room, 24)) : "\n"
        return output.style.bold(title) + gap + output.style.dim(facts)
    }

    /// Returns the date of a value that is not of the shown day.
    private func remark(_ date: CalendarDate) -> [String] { date == day.date ? [] : [DayText.near(date, day.date)] }

    private func picture(_ values: [Double?], fromZero: Bool) -> String {
        Sparkline.text(values, width: Self.pictureWidth, fromZero: fromZero)
    }

    private var steps: Line? {
        day.steps.map { steps in
            var words = remark(steps.date)
            if let average = steps.average { words += ["7 days", "average \(AmountText.whole(average))"] }
            if let change = steps.change {
                let percent = (change * 100).rounded()
                let sign = percent > 0 ? "+" : percent < 0 ? "−" : ""
                words.append("\(sign)\(AmountText.whole(abs(percent))) % to the 30 days before")
            }
            return Line(
                name: "steps", value: AmountText.whole(steps.value), picture: picture(steps.recent, fromZero: true),
                words: words)
        }
    }

    private var move: Line? {
        day.activity.map { activity in
            let (values, goals) = (activity.values, activity.values.goals)
            var words = remark(activity.date)
            if let goal = values.moveGoal { words.append("goal \(AmountText.whole(goal.value))") }
            func part(_ name: String, _ value: HKQuantity, _ goal: HKQuantity?, _ unit: HKUnit, _ text: String) {
                let number = value.doubleValue(for: unit)
                if number <= 0, goal == nil { return }
                let of = goal.map { " of \(AmountText.whole($0.doubleValue(for: unit)))" } ?? ""
                words.append("\(name) \(AmountText.whole(number))\(of) \(text)")
            }
            part("exercise", values.appleExerciseTime, goals.appleExerciseTime, .minute(), "min")
            part("stand", values.appleStandHours, goals.appleStandHours, .count(), "h")
            let unit = TerminalText.printable(values.moved.unit.unitString)
            return Line(
                name: "move", value: "\(AmountText.whole(values.moved.value)) \(unit)",
                picture: picture(activity.recent, fromZero: true), words: words)
        }
    }

    private var pulse: Line? {
        day.restingPulse.map { pulse in
            let words = remark(pulse.date) + (pulse.average.map { ["30 days \(AmountText.whole($0))"] } ?? [])
            return Line(
                name: "resting pulse", value: AmountText.whole(pulse.value),
                picture: picture(pulse.recent, fromZero: false),
                words: words)
        }
    }

    private var sleep: Line? {
        day.sleep.map { sleep in
            var parts: [String] = []
            if let period = sleep.night.mainPeriod {
                parts.append("\(DayText.clock(period.start, day.zone)) to \(DayText.clock(period.end, day.zone))")
            }
            for (name, stage) in [("deep", SleepStage.deep), ("REM", .rem)] {
                let time = sleep.night.duration(of: stage)
                if time > .zero { parts.append("\(name) \(DurationText.hours(time))") }
            }
            let date = sleep.night.date
            let night = date == day.date ? [] : ["night to \(DayText.near(date, day.date))"]
            return Line(
                name: "sleep", value: DurationText.hours(sleep.night.asleep),
                picture: picture(sleep.recent, fromZero: true), words: night + [parts.joined(separator: ", ")])
        }
    }

    private var workout: Line? {
        day.lastWorkout.map { workout in
            let text = WorkoutText(unit: .km)
            var parts: [String] = []
            if let distance = workout.distance { parts.append(text.distance(distance, workout.activity)) }
            parts.append(DurationText.words(.seconds(workout.duration)))
            let date = CalendarDate(containing: workout.start, in: day.zone)
            let words =
                switch day.date.number - date.number {
                case 0 where day.isToday: "today"
                case 1 where day.isToday: "yesterday"
                default: DayText.near(date, day.date)
                }
            parts.append("\(words) \(DayText.clock(workout.start, day.zone))")
            return Line(
                name: "last workout", value: "", picture: "", words: [],
                text: "\(TerminalText.printable(ActivityName.words(workout.activityName))), "
                    + parts.joined(separator: ", "), hint: "kymo workouts")
        }
    }

    private var weight: Line? {
        day.weight.map { weight in
            let unit = weight.unit.map { " " + TerminalText.printable($0) } ?? ""
            var words = remark(weight.date)
            if let average = weight.average {
                words.append("30 days \(NumberText.fixed(average, decimals: 1))")
            }
            return Line(
                name: "weight", value: NumberText.fixed(weight.value, decimals: 1) + unit,
                picture: picture(weight.recent, fromZero: false), words: words)
        }
    }
}
