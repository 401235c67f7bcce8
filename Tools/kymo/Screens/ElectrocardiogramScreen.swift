// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of an electrocardiogram as lines of some seconds each, with one scale of millivolts.
struct ElectrocardiogramScreen {
    let one: Electrocardiogram
    let voltages: [Voltage]
    let zone: CivilZone

    /// The height of a line of the drawing in characters.
    private static let rows = 5
    /// The longest drawing in seconds.
    private static let longest = 3_600.0
    /// The width of the value axis and its labels.
    private static let margin = 12

    func show(_ output: Output) throws(DiskError) {
        let facts = [
            one.rhythm, ElectrocardiogramTable.pulse(one), ElectrocardiogramTable.start(one, zone),
            ElectrocardiogramTable.length(one), ElectrocardiogramTable.frequency(one),
            TerminalText.printable(one.source),
        ]
        try output.line(output.style.bold(facts.compactMap { $0 }.joined(separator: ", ")))
        let finite = voltages.filter { $0.millivolts.isFinite && $0.time.isFinite && $0.time >= 0 }
        guard let least = finite.map(\.millivolts).min(), let greatest = finite.map(\.millivolts).max(),
            let last = finite.map(\.time).max()
        else { return try output.line("it has no voltages") }
        let columns = max(20, output.columns - Self.margin)
        let seconds = columns >= 140 ? 10 : columns >= 55 ? 5 : 2
        let labels = [greatest, least].map { "\(NumberText.fixed($0, decimals: 2)) mV" }
        let width = labels.map(\.count).max() ?? 0
        let blank = String(repeating: " ", count: width)
        let scale = ValueScale(least: least, greatest: greatest, height: Self.rows * 4)
        let parts = Dictionary(grouping: finite.filter { $0.time <= Self.longest }) { Int($0.time) / seconds }
        for line in 0...Int(min(last, Self.longest)) / seconds where output.isOpen {
            let start = line * seconds
            let lines = picture(parts[line] ?? [], from: start, seconds, columns, scale)
            for (row, text) in lines.enumerated() {
                let label = row == 0 ? labels[0] : row == lines.count - 1 ? labels[1] : ""
                let dots = text.isEmpty ? "" : " " + output.style.accent(text)
                try output.line("\(label.aligned(to: width)) ┤\(dots)")
            }
            try output.line("\(blank) └ \(output.style.dim(Self.axis(start, seconds, columns)))")
        }
        try output.line("Recorded by the watch. This is no medical report.")
    }

    /// Draws the voltages of some seconds.
    private func picture(
        _ voltages: [Voltage], from start: Int, _ seconds: Int, _ columns: Int, _ scale: ValueScale
    ) -> [String] {
        var canvas = Braille(columns: columns, rows: Self.rows)
        var before: (x: Int, y: Int)?
        for voltage in voltages {
            let x = Int((voltage.time - Double(start)) / Double(seconds) * Double(canvas.width))
            let point = (x: min(x, canvas.width - 1), y: scale.row(voltage.millivolts))
            canvas.line(from: before ?? point, to: point)
            before = point
        }
        return canvas.lines
    }

    /// Returns the seconds below a line: `5 s        6 s`.
    private static func axis(_ start: Int, _ seconds: Int, _ columns: Int) -> String {
        var text = ""
        for second in 0..<seconds {
            let place = columns * second / seconds
            text += String(repeating: " ", count: max(0, place - text.count)) + "\(start + second) s"
        }
        return text
    }
}
