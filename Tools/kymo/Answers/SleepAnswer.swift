// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of nights as a table or as rows.
struct SleepAnswer {
    let nights: [Night]
    let zone: CivilZone
    let startMinute: Int

    /// The names of the fields, in order.
    static let columns = [
        "night", "start", "end", "asleep", "inBed", "deep", "core", "rem", "unspecified", "awake", "sources", "stages",
    ]

    /// The stages in the order of columns.
    private static let order: [SleepStage] = [.deep, .core, .rem, .unspecified, .awake]

    /// Writes a row for each night; times of stages are in seconds.
    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for night in nights {
            writer.beginRow()
            writer.text("night", night.date.description)
            writer.instant("start", night.mainPeriod?.start, zone)
            writer.instant("end", night.mainPeriod?.end, zone)
            let isRecorded = !night.stages.isEmpty
            writer.number("asleep", isRecorded ? night.asleep.inSeconds : nil)
            writer.number("inBed", night.inBed.map(\.inSeconds))
            for stage in Self.order {
                writer.number(stage.rawValue, isRecorded ? night.duration(of: stage).inSeconds : nil)
            }
            writer.list("sources", Self.deciding(night))
            writer.nested("stages", isThere: isRecorded) { json in
                json.beginArray()
                for part in night.stages {
                    json.beginObject()
                    json.field("stage", part.stage.rawValue)
                    json.field("start", part.range.start, zone)
                    json.field("end", part.range.end, zone)
                    json.field("source", part.source)
                    json.endObject()
                }
                json.endArray()
            }
            try writer.endRow()
        }
        try writer.finish()
    }

    /// Returns the sources that decide some part of a night, in order of priority.
    private static func deciding(_ night: Night) -> [String] {
        let names = Set(night.stages.map(\.source))
        return night.sources.map(\.name).filter { names.contains($0) }
    }

    /// Writes the table: a line for each night with its stages over the clock, averages, and a legend.
    func table(_ output: Output) throws(DiskError) {
        let stages = Self.order.filter { stage in
            stage != .unspecified || nights.contains { $0.duration(of: stage) > .zero }
        }
        var columns = ["night to", "asleep", "in bed"].map { Table.Column(title: $0, alignment: .right) }
        columns[0].alignment = .left
        columns += stages.map { Table.Column(title: Self.title($0), alignment: .right) }
        let width = columns.reduce(Self.label(CalendarDate(number: 0)).count) { $0 + max(5, $1.title.count) + 2 } - 8
        let strip = SleepStrip(nights, zone, startMinute, columns: output.columns - width)
        if let strip { columns.append(Table.Column(title: strip.hours, isAccent: true)) }
        var table = Table(columns)
        for night in nights {
            var cells = [Self.label(night.date)]
            cells.append(night.stages.isEmpty ? "–" : DurationText.hours(night.asleep))
            cells.append(night.inBed.map(DurationText.hours) ?? "–")
            for stage in stages {
                cells.append(night.stages.isEmpty ? "–" : DurationText.hours(night.duration(of: stage)))
            }
            if let strip { cells.append(strip.line(night)) }
            table.append(cells)
        }
        let totals = SleepTotals(nights)
        if nights.count > 1 {
            func text(_ duration: Duration?) -> String { duration.map(DurationText.hours) ?? "–" }
            var cells = ["average", text(totals.averageAsleep), text(totals.averageInBed)]
            cells += stages.map { text(totals.average(of: $0)) }
            table.append(cells + (strip == nil ? [] : [""]))
        }
        try table.write(to: output)
        if strip != nil { try output.line(output.style.dim(SleepStrip.legend(stages))) }
        for line in FoldedText.folded(FoldedText.words(remark), width: output.tableWidth).split(separator: "\n") {
            try output.line(output.style.dim(String(line)))
        }
    }

    private static func title(_ stage: SleepStage) -> String {
        switch stage {
        case .rem: "REM"
        case .unspecified: "no stage"
        default: stage.rawValue
        }
    }

    private static func label(_ date: CalendarDate) -> String { "\(DayText.shortWeekday(date)) \(date)" }

    /// The sources and bounds of the nights.
    private var remark: String {
        func names(_ isCounted: (NightSource) -> Bool) -> String {
            var found: [String] = []
            for source in nights.flatMap(\.sources) where isCounted(source) && !found.contains(source.name) {
                found.append(source.name)
            }
            return found.map { TerminalText.printable($0) }.joined(separator: ", ")
        }
        let (stages, beds) = (names { $0.counted > .zero }, names { $0.inBed > .zero })
        var text = stages.isEmpty ? "" : "from \(stages)"
        if !beds.isEmpty, beds != stages { text += (text.isEmpty ? "" : "; ") + "in bed from \(beds)" }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(startMinute / 60)):\(two(startMinute % 60))"
        return text + (text.isEmpty ? "" : "; ") + "nights from \(clock) to \(clock), times in \(zone.identifier)"
    }

    /// Prints what each source recorded of each night, and how much of it counts.
    func explain() {
        for night in nights {
            for source in night.sources {
                let name = TerminalText.printable(source.name)
                var parts: [String] = []
                if source.recorded > .zero {
                    let hidden = source.recorded - source.counted
                    let rest = hidden > .zero ? ", \(DurationText.hours(hidden)) hidden by sources before it" : ""
                    parts.append("asleep \(DurationText.hours(source.recorded))\(rest)")
                }
                if source.inBed > .zero { parts.append("in bed \(DurationText.hours(source.inBed))") }
                Messages.line("\(night.date) \(name): \(parts.isEmpty ? "awake" : parts.joined(separator: "; "))")
            }
        }
    }
}
