// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import KymographHealth

/// The output of statistics as a table or as rows.
struct StatsAnswer {
    let report: StatisticsReport
    let zone: CivilZone
    let step: BucketStep?
    let bySource: Bool
    let more: Bool
    let deviation: Bool
    let quantiles: [Double]

    private var isCategory: Bool { report.type.kind == .category }

    /// The names of the fields, in order.
    var columns: [String] {
        var names = bySource ? ["source"] : []
        names += ["start", "end", "count"]
        if !isCategory { names += ["sum", "min", "max", "average"] }
        if more || deviation, !isCategory { names.append("standardDeviation") }
        if deviation { names += ["sampleStandardDeviation", "variance"] }
        names += quantiles.map(Self.name(ofQuantile:))
        if !quantiles.isEmpty { names.append("quantileError") }
        if more, !isCategory { names += ["timeWeightedAverage", "mostRecent"] }
        if more { names += ["mostRecentStart"] }
        if more || isCategory { names += ["duration"] }
        return isCategory ? names : names + ["unit"]
    }

    /// Returns the name of a quantile's field: `q0.05`.
    private static func name(ofQuantile probability: Double) -> String { "q" + NumberText.json(probability) }

    /// Writes the rows; empty buckets have a count of 0 and no numbers.
    func write(_ writer: consuming RowWriter) throws(DiskError) {
        for row in report.rows {
            writer.beginRow()
            if bySource { writer.text("source", row.source) }
            writer.instant("start", row.start, zone)
            writer.instant("end", row.end, zone)
            writer.integer("count", row.count)
            if !isCategory {
                writer.number("sum", row.sum)
                writer.number("min", row.min)
                writer.number("max", row.max)
                writer.number("average", row.average)
            }
            if more || deviation, !isCategory { writer.number("standardDeviation", row.standardDeviation) }
            if deviation {
                writer.number("sampleStandardDeviation", row.sampleStandardDeviation)
                writer.number("variance", row.variance)
            }
            for (i, probability) in quantiles.enumerated() {
                writer.number(Self.name(ofQuantile: probability), row.quantiles?[i])
            }
            if !quantiles.isEmpty { writer.number("quantileError", row.quantileError) }
            if more, !isCategory {
                writer.number("timeWeightedAverage", row.timeWeightedAverage)
                writer.number("mostRecent", row.mostRecent?.value)
            }
            if more { writer.instant("mostRecentStart", row.mostRecent?.start, zone) }
            if more || isCategory { writer.number("duration", row.isEmpty ? nil : row.duration.map { $0 / 1e9 }) }
            if !isCategory { writer.text("unit", report.unit) }
            try writer.endRow()
        }
        try writer.finish()
    }

    /// Writes the table: a title, a sparkline and a line per row.
    func table(_ output: Output) throws(DiskError) {
        var title = report.type.shortName
        if let unit = report.unit { title += " (\(ShownUnit(unit).name))" }
        if let step { title += " by \(step.text)" }
        title = TerminalText.printable(title)
        try output.line(output.style.bold(title) + output.style.dim(", times in \(zone.identifier)"))
        let groups = bySource ? Self.groups(report.rows) : [report.rows[...]]
        if !bySource, report.rows.count > 1 {
            let line = Sparkline.text(report.rows.map(height), width: output.columns, fromZero: isFromZero)
            if !line.isEmpty { try output.line(output.style.accent(line)) }
        }
        for rows in groups {
            if bySource {
                try output.line()
                let name = TerminalText.printable(rows.first?.source ?? "")
                let room = max(10, output.columns - TextWidth.of(name) - 2)
                let line =
                    rows.count > 1 ? Sparkline.text(rows.map(height), width: room, fromZero: isFromZero) : ""
                try output.line(output.style.bold(name) + "  " + output.style.accent(line))
            }
            try table(rows, output)
        }
    }

    /// Returns the number shown by a row's bar and by the sparkline.
    private func height(_ row: StatisticsRow) -> Double? {
        if isCategory { return row.isEmpty ? nil : hasDurations ? (row.duration ?? 0) : Double(row.count) }
        return report.type.isCumulative ? row.sum : row.average
    }

    private var isFromZero: Bool { isCategory || report.type.isCumulative }
    private var hasDurations: Bool { report.rows.contains { ($0.duration ?? 0) > 0 } }

    private static func groups(_ rows: [StatisticsRow]) -> [ArraySlice<StatisticsRow>] {
        var groups: [ArraySlice<StatisticsRow>] = []
        var from = 0
        for at in 1..<max(1, rows.count) where rows[at].source != rows[at - 1].source {
            groups.append(rows[from..<at])
            from = at
        }
        return rows.isEmpty ? [] : groups + [rows[from...]]
    }
}

// The table.
extension StatsAnswer {
    private func table(_ rows: ArraySlice<StatisticsRow>, _ output: Output) throws(DiskError) {
        var columns = names(rows) + numbers(rows)
        let lines = self.lines(rows)
        let texts = columns.map { $0.cells.map { TextWidth.of($0) }.max() ?? 0 }
        let width = zip(columns, texts).reduce(0) { $0 + max($1.0.title.count, $1.1) + 2 }
        let room = min(40, output.columns - width)
        if lines.count > 1, room >= 8 { columns.append(bars(rows, width: room)) }
        var table = Table(
            columns.map { .init(title: $0.title, alignment: $0.alignment, isAccent: $0.isBar) })
        for line in lines {
            switch line {
            case .row(let at): table.append(columns.map { $0.cells[at] })
            case .gap(let count): table.note("… \(step?.text(of: count) ?? "") without data")
            }
        }
        try table.write(to: output)
    }

    private enum Line {
        /// A row by its position.
        case row(Int)
        /// A number of consecutive buckets without data.
        case gap(Int)
    }

    /// Returns the lines of a table: several consecutive buckets without data are one line.
    private func lines(_ rows: ArraySlice<StatisticsRow>) -> [Line] {
        var lines: [Line] = []
        for (at, row) in rows.enumerated() {
            guard row.isEmpty, step != nil else {
                lines.append(.row(at))
                continue
            }
            switch lines.last {
            case .gap(let count): lines[lines.count - 1] = .gap(count + 1)
            case .row(let last) where rows[rows.startIndex + last].isEmpty: lines[lines.count - 1] = .gap(2)
            default: lines.append(.row(at))
            }
        }
        return lines
    }

    private struct TextColumn {
        var title: String
        var cells: [String]
        var alignment = Table.Alignment.right
        var isBar = false
    }

    /// Returns the columns that identify a row.
    private func names(_ rows: ArraySlice<StatisticsRow>) -> [TextColumn] {
        if let step {
            return [.init(title: "start", cells: rows.map { step.label($0.start, zone) }, alignment: .left)]
        }
        func text(_ instant: Int64) -> String { Civil.format(instant, zone: zone, fractionDigits: 0) }
        return [
            .init(title: "start", cells: rows.map { text($0.start) }, alignment: .left),
            .init(title: "end", cells: rows.map { text($0.end) }, alignment: .left),
        ]
    }

    /// Returns the number columns, the most relevant for the type first.
    private func numbers(_ rows: ArraySlice<StatisticsRow>) -> [TextColumn] {
        let shown = ShownUnit(report.unit)
        func column(_ title: String, _ value: (StatisticsRow) -> Double?) -> TextColumn {
            .init(title: title, cells: NumberText.column(rows.map { shown.number(value($0)) }))
        }
        // Steps and flights have no fractions; a share of a sample at the edge of a bucket does.
        func amount(_ title: String, _ value: (StatisticsRow) -> Double?) -> TextColumn {
            guard report.type.isCumulative, report.unit == "count" else { return column(title, value) }
            return .init(title: title, cells: rows.map { value($0).map { NumberText.whole($0) } ?? "" })
        }
        let count = TextColumn(title: "samples", cells: rows.map { NumberText.grouped($0.count) })
        let duration = TextColumn(
            title: "duration",
            cells: rows.map { row in
                row.isEmpty ? "" : row.duration.map { NumberText.clock(seconds: $0 / 1e9) } ?? ""
            })
        if isCategory { return hasDurations ? [duration, count] : [count] }
        // The average, least and greatest sample of an amount depend on how a device divides time.
        let levels = [column("average", \.average), amount("min", \.min), amount("max", \.max)]
        var columns =
            report.type.isCumulative ? [amount("sum", \.sum), count] + (more ? levels : []) : levels + [count]
        for (i, probability) in quantiles.enumerated() {
            columns.append(column(Self.name(ofQuantile: probability)) { $0.quantiles?[i] })
        }
        if more || deviation { columns.append(column("std dev", \.standardDeviation)) }
        if deviation {
            let variances = NumberText.column(rows.map { shown.variance($0.variance) })
            columns += [column("of a sample", \.sampleStandardDeviation), .init(title: "variance", cells: variances)]
        }
        if more {
            columns += [
                column("time-weighted", \.timeWeightedAverage), column("latest") { $0.mostRecent?.value },
            ]
            // Samples of instants have none.
            if hasDurations { columns.append(duration) }
        }
        return columns
    }

    /// Returns the bars: amounts from zero; levels as ranges from minimum to maximum with the average marked.
    private func bars(_ rows: ArraySlice<StatisticsRow>, width: Int) -> TextColumn {
        var cells: [String]
        if isFromZero {
            let greatest = rows.compactMap(height).max() ?? 0
            cells = rows.map { row in
                guard let value = height(row), greatest > 0 else { return "" }
                return Bar.amount(value / greatest, width: width)
            }
        } else {
            let least = rows.compactMap(\.min).min() ?? 0
            let range = (rows.compactMap(\.max).max() ?? 0) - least
            cells = rows.map { row in
                guard let low = row.min, let high = row.max, let middle = row.average else { return "" }
                func share(_ value: Double) -> Double { range > 0 ? (value - least) / range : 0.5 }
                return Bar.range(share(low), share(middle), share(high), width: width)
            }
        }
        return .init(title: "", cells: cells, alignment: .left, isBar: true)
    }
}
