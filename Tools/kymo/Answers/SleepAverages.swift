// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of averages of nights by week, month or year.
struct SleepAverages {
    struct Row {
        var bounds: Range<Int64>
        var totals: SleepTotals
    }

    let rows: [Row]
    let zone: CivilZone
    let step: BucketStep

    init(_ rows: [Row], zone: CivilZone, step: BucketStep) {
        self.rows = rows
        self.zone = zone
        self.step = step
    }

    static let columns = [
        "start", "end", "nights", "asleep", "inBed", "deep", "core", "rem", "unspecified", "awake",
    ]

    private static let order: [SleepStage] = [.deep, .core, .rem, .unspecified, .awake]

    /// Groups nights by the noon of their dates; steps without nights are omitted.
    static func rows(_ nights: [Night], _ step: BucketStep, _ zone: CivilZone) throws(CivilError) -> [Row] {
        func noon(_ night: Night) -> Int64 {
            zone.instant(ofLocal: night.date.number * Civil.secondsPerDay + Civil.secondsPerDay / 2) * Civil.second
        }
        guard let first = nights.first else { return [] }
        let grid = try step.grid(near: noon(first), zone)
        var found: [(bounds: Range<Int64>, nights: [Night])] = []
        for night in nights {
            if let last = found.last, last.bounds.contains(noon(night)) {
                found[found.count - 1].nights.append(night)
            } else {
                found.append((try grid.bucket(containing: noon(night)), [night]))
            }
        }
        return found.map { Row(bounds: $0.bounds, totals: SleepTotals($0.nights)) }
    }

    /// Writes a row for each step; times are seconds a night.
    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for row in rows {
            writer.beginRow()
            writer.instant("start", row.bounds.lowerBound, zone)
            writer.instant("end", row.bounds.upperBound, zone)
            writer.integer("nights", row.totals.nights)
            writer.number("asleep", row.totals.averageAsleep.map(\.inSeconds))
            writer.number("inBed", row.totals.averageInBed.map(\.inSeconds))
            for stage in Self.order {
                writer.number(stage.rawValue, row.totals.average(of: stage).map(\.inSeconds))
            }
            try writer.endRow()
        }
        try writer.finish()
    }

    func table(_ output: Output) throws(DiskError) {
        try output.line(output.style.bold("sleep by \(step.text), average of a night") + output.style.dim(", h:mm"))
        let titles = ["nights", "asleep", "in bed", "deep", "core", "REM", "no stage", "awake"]
        var table = Table([.init(title: step.text)] + titles.map { .init(title: $0, alignment: .right) })
        for row in rows {
            let times = [row.totals.averageAsleep, row.totals.averageInBed] + Self.order.map(row.totals.average(of:))
            let cells = times.map { $0.map(DurationText.hours) ?? "–" }
            table.append([step.label(row.bounds.lowerBound, zone), String(row.totals.nights)] + cells)
        }
        try table.write(to: output)
    }
}

/// The output of the time by value over all nights.
struct SleepValues {
    let totals: SleepTotals

    static let columns = ["value", "nights", "total", "average"]

    private var rows: [(value: String, nights: Int, total: Duration)] {
        var found = [("asleep", totals.nights, totals.asleep)]
        for stage: SleepStage in [.deep, .core, .rem, .unspecified, .awake] {
            found.append((stage.rawValue, totals.nights, totals.stages[stage] ?? .zero))
        }
        return found + [("inBed", totals.nightsInBed, totals.inBed)]
    }

    /// Writes a row for each value; times are in seconds.
    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for row in rows {
            writer.beginRow()
            writer.text("value", row.value)
            writer.integer("nights", row.nights)
            writer.number("total", row.total.inSeconds)
            writer.number("average", row.nights > 0 ? (row.total / row.nights).inSeconds : nil)
            try writer.endRow()
        }
        try writer.finish()
    }

    func table(_ output: Output) throws(DiskError) {
        try output.line(output.style.bold("sleep by value") + output.style.dim(", h:mm"))
        var table = Table([
            .init(title: "value"), .init(title: "nights", alignment: .right), .init(title: "total", alignment: .right),
            .init(title: "a night", alignment: .right),
        ])
        for row in rows where row.total > .zero {
            let average = row.nights > 0 ? DurationText.hours(row.total / row.nights) : "–"
            let name = row.value == "inBed" ? "in bed" : row.value == "rem" ? "REM" : row.value
            table.append([name, String(row.nights), DurationText.hours(row.total), average])
        }
        try table.write(to: output)
    }
}
