// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of a night by source: what each one recorded, what of it counts, and when.
struct WhyNight {
    let night: Night
    let zone: CivilZone

    /// The names of the fields, in order.
    static let columns = ["night", "source", "recorded", "counted", "inBed"]

    /// Writes a row for each source; times are in seconds.
    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for source in night.sources {
            writer.beginRow()
            writer.text("night", night.date.description)
            writer.text("source", source.name)
            writer.number("recorded", source.recorded.inSeconds)
            writer.number("counted", source.counted.inSeconds)
            writer.number("inBed", source.inBed > .zero ? source.inBed.inSeconds : nil)
            try writer.endRow()
        }
        try writer.finish()
    }

    func show(_ output: Output) throws(DiskError) {
        let asleep = DurationText.hours(night.asleep)
        try output.line(output.style.bold("sleep, night to \(DayText.weekday(night.date)): \(asleep)"))
        let names = night.sources.map { min(24, TextWidth.of(TerminalText.printable($0.name))) }.max() ?? 0
        let strip = SleepStrip([night], zone, NightStart.evening.minute, columns: output.columns - names - 34)
        let titles = ["asleep", "counts", "hidden", "in bed"]
        var table = Table(
            [.init(title: "source", limit: 24)] + titles.map { .init(title: $0, alignment: .right) }
                + (strip.map { [.init(title: $0.hours, isAccent: true)] } ?? []))
        for source in night.sources {
            var own = night
            own.stages = night.stages.filter { $0.source == source.name }
            let cells = [
                source.name, DurationText.hours(source.recorded), DurationText.hours(source.counted),
                DurationText.hours(source.recorded - source.counted),
                source.inBed > .zero ? DurationText.hours(source.inBed) : "–",
            ]
            table.append(cells + (strip.map { [$0.line(own)] } ?? []))
        }
        try table.write(to: output)
        let stages = [SleepStage.deep, .core, .rem, .unspecified, .awake].filter { night.duration(of: $0) > .zero }
        if strip != nil { try output.line(output.style.dim(SleepStrip.legend(stages))) }
        guard night.sources.count > 1 else { return try output.line("no other source has data of this night") }
        let name = ShellText.quoted(TerminalText.printable(night.sources[1].name))
        let sentences = [
            "at each instant the first source with a stage or time awake decides",
            "another order: kymo prefer sleepAnalysis \(name)",
        ]
        for line in ShellText.lines(sentences, output.columns) { try output.line(line) }
    }
}
