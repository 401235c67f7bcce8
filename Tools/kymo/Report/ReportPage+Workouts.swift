// SPDX-License-Identifier: Apache-2.0

import Charts
import CivilTime
import HealthViews

extension ReportPage {
    private static let text = WorkoutText(unit: .km)

    /// Adds the workouts: hours by week, the totals of each activity type with its longest and fastest workout, and the
    /// latest routes.
    mutating func addWorkouts() {
        guard let workouts = review.workouts, let total = workouts.total else { return }
        var facts = [
            NumberText.count(total.count, "workout"), DurationText.words(.seconds(total.duration)),
        ]
        if let distance = total.distance { facts.append(Self.text.distance(distance)) }
        if let energy = total.energy { facts.append(WorkoutText.energy(energy)) }
        if total.longest.distance != nil { facts.append("longest \(record(total.longest) { self.longest($0) })") }
        section("Workouts", facts.joined(separator: " · "), [weekBars(workouts), activityTable(workouts), routeMaps()])
    }

    /// The maximum number of places of a map, and the distance in units of the drawing up to which places are left out.
    private static let mostPlaces = 200
    private static let tolerance = 0.15

    /// Returns a map of each of the latest routes, with its activity, day and distance; empty without routes.
    private mutating func routeMaps() -> String {
        let figures = review.routes.map { one, route in
            let plan = RoutePlan(route, fitting: RouteMap.area)
            let map = RouteMap(plan.simplified(most: Self.mostPlaces, tolerance: Self.tolerance))
            let date = DayText.dated(CalendarDate(containing: one.start, in: review.span.zone))
            let distance = Self.text.distance(one.distance ?? route.length, one.activity)
            let title = "\(ActivityName.words(one.activityName)), \(date), \(distance)"
            let image = drawing(
                map.draw(), title,
                "A map of the route, north at the top: a dot at the start, a ring at the end. It is "
                    + "\(Self.text.distance(route.height)) from north to south and "
                    + "\(Self.text.distance(route.width)) from west to east.")
            return "<figure>\(image)<figcaption>\(SVGCanvas.escaped(title))</figcaption></figure>"
        }
        if figures.isEmpty { return "" }
        return "<h3>Latest routes</h3><div class=\"m\">" + figures.joined() + "</div>"
    }

    /// Returns a chart of the hours of each week, with a colour for each activity type.
    private mutating func weekBars(_ workouts: WorkoutList) -> String {
        var names = workouts.totals.map(\.activityName)
        let hasRest = names.count > StackedBars.mostKinds
        if hasRest { names = Array(names.prefix(StackedBars.mostKinds - 1)) }
        let bars = workouts.weeks(review.span).map { week -> StackedBars.Bar in
            let bounds = DaySpan(week.monday, through: week.monday.adding(6), in: review.span.zone).bounds
            var parts = names.map { (week.seconds[$0] ?? 0) / 3_600 }
            let all = week.seconds.values.reduce(0, +)
            if hasRest { parts.append(max(0, all / 3_600 - parts.reduce(0, +))) }
            let activities = week.seconds.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "\(ActivityName.words($0.key)) \(DurationText.words(.seconds($0.value)))"
            }
            let words = "week of \(week.monday): \(activities.joined(separator: ", "))"
            return StackedBars.Bar(start: bounds.start, end: bounds.end, parts: parts, words: words)
        }
        let whole = TimeAxis(
            start: bars.first?.start ?? axis.start, end: bars.last?.end ?? axis.end, marks: axis.marks)
        let shown = names.map { ActivityName.words($0) } + (hasRest ? ["others"] : [])
        return drawing(
            StackedBars(bars, over: whole, names: shown).draw(), "Hours of workouts, every week",
            "A bar for each week: the hours of its workouts without pauses, in colours by activity.")
    }

    /// Returns a table with the totals of each activity type.
    private func activityTable(_ workouts: WorkoutList) -> String {
        let rows = workouts.totals.map { total in
            let cells = [
                ActivityName.words(total.activityName), NumberText.grouped(total.count),
                WorkoutText.length(total.duration),
                total.distance.map { Self.text.distance($0, total.activity) } ?? "–",
                total.energy.map(WorkoutText.energy) ?? "–", record(total.longest) { longest($0) },
                total.fastest.map { record($0) { Self.text.pace($0.speed, $0.activity) ?? "–" } } ?? "–",
            ]
            return "<tr>" + cells.map { "<td>\(SVGCanvas.escaped($0))</td>" }.joined() + "</tr>"
        }
        let titles = ["activity", "workouts", "time", "distance", "energy", "longest", "fastest"]
        return "<table><tr>" + titles.map { "<th>\($0)</th>" }.joined() + "</tr>" + rows.joined() + "</table>"
    }

    /// Returns the distance of a workout, or its duration if it has no distance.
    private func longest(_ one: WorkoutSummary) -> String {
        one.distance.map { Self.text.distance($0, one.activity) } ?? WorkoutText.length(one.duration)
    }

    /// Returns a value of a workout with its day: `42.2 km, 3 May 2024`.
    private func record(_ one: WorkoutSummary, _ value: (WorkoutSummary) -> String) -> String {
        let date = CalendarDate(containing: one.start, in: review.span.zone)
        return "\(value(one)), \(DayText.dated(date))"
    }
}
