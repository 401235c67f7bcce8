// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import FoundationEssentials
import HealthViews

/// The output of a list of workouts, in descending order of start.
struct WorkoutTable {
    let list: WorkoutList
    let zone: CivilZone
    let text: WorkoutText
    /// The maximum number of workouts in the table.
    let limit: Int

    /// The names of the fields, in order.
    static let columns = [
        "id", "start", "end", "activity", "duration", "distance", "energy", "averagePulse", "leastPulse",
        "greatestPulse", "isIndoor", "hasRoute", "source", "uuid",
    ]

    private var shown: [WorkoutSummary] { list.all.reversed().prefix(limit).map { $0 } }

    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for one in shown {
            writer.beginRow()
            writer.text("id", list.short(one))
            writer.instant("start", one.start, zone)
            writer.instant("end", one.end, zone)
            writer.text("activity", one.activityName)
            writer.number("duration", one.duration)
            writer.number("distance", one.distance)
            writer.number("energy", one.energy)
            writer.number("averagePulse", one.pulse?.average)
            writer.number("leastPulse", one.pulse?.least)
            writer.number("greatestPulse", one.pulse?.greatest)
            writer.nested("isIndoor", isThere: one.isIndoor != nil) { $0.bool(one.isIndoor ?? false) }
            writer.nested("hasRoute", isThere: true) { $0.bool(one.hasRoute) }
            writer.text("source", one.source)
            writer.text("uuid", one.id.uuid.uuidString)
            try writer.endRow()
        }
        try writer.finish()
    }

    func show(_ output: Output) throws(DiskError) {
        let hasRoutes = shown.contains(where: \.hasRoute)
        var table = Table(
            [
                .init(title: "start"), .init(title: "activity", limit: 36, least: 10),
                .init(title: "length", alignment: .right), .init(title: "distance", alignment: .right),
                .init(title: "energy", alignment: .right, omission: 3),
                .init(title: "pulse", alignment: .right, omission: 2),
                .init(title: "pace", alignment: .right, omission: 4), .init(title: "id"),
            ] + (hasRoutes ? [.init(title: "", omission: 5)] : []))
        for one in shown {
            table.append(
                [
                    Self.start(one.start, zone), ActivityName.words(one.activityName), WorkoutText.length(one.duration),
                    one.distance.map { text.distance($0, one.activity) } ?? "–",
                    one.energy.map(WorkoutText.energy) ?? "–", one.pulse.flatMap(WorkoutText.pulse) ?? "–",
                    text.pace(one.speed, one.activity) ?? "–", list.short(one),
                ] + (hasRoutes ? [one.hasRoute ? "route" : ""] : []))
        }
        table.fit(output.columns)
        try table.write(to: output)
        guard let total = list.total, let latest = shown.first else { return }
        let line = "\(text.totals(total))            kymo workouts \(list.short(latest))"
        try output.line(output.style.dim(line))
    }

    /// Returns the weekday, the date and the local time: `Sun 2022-05-01 11:06`.
    static func start(_ instant: Int64, _ zone: CivilZone) -> String {
        let date = CalendarDate(containing: instant, in: zone)
        return "\(DayText.shortWeekday(date)) \(date) \(DayText.clock(instant, zone))"
    }
}

/// The output of the totals of workouts by activity.
struct WorkoutTotalsTable {
    let list: WorkoutList
    let zone: CivilZone
    let text: WorkoutText

    /// The names of the fields, in order.
    static let columns = ["activity", "workouts", "duration", "distance", "energy", "longest", "fastest"]

    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for total in list.totals {
            writer.beginRow()
            writer.text("activity", total.activityName)
            writer.integer("workouts", total.count)
            writer.number("duration", total.duration)
            writer.number("distance", total.distance)
            writer.number("energy", total.energy)
            writer.text("longest", list.short(total.longest))
            writer.text("fastest", total.fastest.map { list.short($0) })
            try writer.endRow()
        }
        try writer.finish()
    }

    func show(_ output: Output) throws(DiskError) {
        var table = Table([
            .init(title: "activity", limit: 36, least: 10), .init(title: "workouts", alignment: .right),
            .init(title: "length", alignment: .right), .init(title: "distance", alignment: .right),
            .init(title: "energy", alignment: .right, omission: 3),
            .init(title: "longest", alignment: .right, omission: 1),
            .init(title: "fastest", alignment: .right, omission: 2),
        ])
        for total in list.totals {
            table.append([
                ActivityName.words(total.activityName), NumberText.grouped(total.count),
                WorkoutText.length(total.duration),
                total.distance.map { text.distance($0, total.activity) } ?? "–",
                total.energy.map(WorkoutText.energy) ?? "–", longest(total),
                total.fastest.flatMap { text.pace($0.speed, $0.activity) } ?? "–",
            ])
        }
        table.fit(output.columns)
        try table.write(to: output)
        if let total = list.total { try output.line(output.style.dim(text.totals(total))) }
    }

    private func longest(_ total: ActivityTotals) -> String {
        total.longest.distance.map { text.distance($0, total.activity) } ?? WorkoutText.length(total.longest.duration)
    }
}
