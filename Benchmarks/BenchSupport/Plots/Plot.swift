// SPDX-License-Identifier: Apache-2.0

/// A plot of some rows: its name and its SVG text.
package struct Plot: Sendable {
    /// The file's name without its extension.
    package let name: String
    package let svg: String

    package init(name: String, svg: String) {
        self.name = name
        self.svg = svg
    }

    /// Returns the plots for which there are enough rows.
    package static func all(of rows: [BenchResult]) -> [Plot] {
        [queries(rows), ingest(rows), sizes(rows), kernels(rows), growth(rows)].compactMap { $0 }
    }

    /// Returns the times of the queries: bars over a logarithmic axis, grouped by query.
    private static func queries(_ rows: [BenchResult]) -> Plot? {
        let queries = rows.filter { $0.id.hasPrefix("Q") && $0.minSeconds > 0 && $0.set != "growth" }
        return bars("queries", "Queries: time of one query", queries, axis: .logarithmic(NumberWords.time)) {
            ("\($0.id) \($0.set)", series($0), $0.minSeconds)
        }
    }

    private static func ingest(_ rows: [BenchResult]) -> Plot? {
        let ingest = rows.filter { $0.id == "ingest" && ($0.samplesPerSecond ?? 0) > 0 }
        return bars(
            "ingest", "Ingest: samples per second, durable", ingest,
            axis: .logarithmic { NumberWords.count(Int($0)) + "/s" }
        ) { ("\($0.mode) \($0.set)", "\($0.threads) thread\($0.threads == 1 ? "" : "s")", $0.samplesPerSecond ?? 0) }
    }

    private static func sizes(_ rows: [BenchResult]) -> Plot? {
        let sizes = rows.filter { $0.id == "size" && $0.mode == "all files" }
        return bars(
            "size", "Size: bytes per sample, all files", sizes,
            axis: .linear { "\(NumberWords.number($0)) B" }
        ) { ($0.set, "all files", $0.bytesPerSample ?? 0) }
    }

    private static func kernels(_ rows: [BenchResult]) -> Plot? {
        let kernels = rows.filter { ["kernel", "decode", "memory"].contains($0.id) }
        return bars(
            "kernels", "Kernels: plain values per second", kernels,
            axis: .logarithmic { "\(NumberWords.number($0 / 1e9)) GB/s" }
        ) { ("\($0.id) \($0.set)", $0.mode, $0.bytesPerSecond ?? 0) }
    }

    private static func growth(_ rows: [BenchResult]) -> Plot? {
        let growth = rows.filter { $0.set == "growth" && $0.id != "ingest" && $0.minSeconds > 0 }
        var names = [String]()
        for row in growth where !names.contains(row.id) { names.append(row.id) }
        let lines = names.map { name in
            SVGLines.Line(
                name: name,
                points: growth.filter { $0.id == name }.map { (Double($0.samples), $0.minSeconds) })
        }.filter { $0.points.count > 1 }
        if lines.isEmpty { return nil }
        return Plot(
            name: "growth",
            svg: SVGLines(
                title: "Growth: time by number of samples", lines: lines, x: { NumberWords.count(Int($0)) },
                y: NumberWords.time
            ).text)
    }

    /// Returns the text that distinguishes the bars of one query.
    private static func series(_ row: BenchResult) -> String {
        row.mode + (row.threads == 1 ? "" : ", \(row.threads) threads")
    }

    /// Returns bars, one group for each label, in the order of the rows; nil without bars.
    private static func bars(
        _ name: String, _ title: String, _ rows: [BenchResult], axis: SVGBars.Axis,
        _ bar: (BenchResult) -> (group: String, series: String, value: Double)
    ) -> Plot? {
        var chart = SVGBars(title: title, axis: axis)
        for row in rows {
            let (group, series, value) = bar(row)
            if value > 0, value.isFinite { chart.add(value, group: group, series: series) }
        }
        return chart.isEmpty ? nil : Plot(name: name, svg: chart.text)
    }
}
