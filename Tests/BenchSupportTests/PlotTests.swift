// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import Testing

@Suite("B-5 plots of benchmarks are well-formed SVG")
struct PlotTests {
    /// Returns the first problem of the text as XML: an element that is not closed in order, an unquoted attribute,
    /// bare markup.
    private func problem(_ text: String) -> String? {
        var open: [String] = []
        var rest = Substring(text)
        while let start = rest.firstIndex(of: "<") {
            if rest[..<start].contains(">") { return "a bare > in \(rest[..<start])" }
            guard let end = rest[start...].firstIndex(of: ">") else { return "an open tag" }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("?") { continue }
            if tag.contains("<") || tag.count(where: { $0 == "\"" }) % 2 != 0 { return "the tag \(tag)" }
            if tag.hasPrefix("/") {
                if open.popLast() != String(tag.dropFirst()) { return "\(tag) closes something else" }
            } else if !tag.hasSuffix("/") {
                open.append(String(tag.prefix { $0 != " " && $0 != "\n" }))
            }
        }
        for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst()
        where !["amp;", "lt;", "gt;", "quot;"].contains(where: { part.hasPrefix($0) }) {
            return "a bare & before \(part)"
        }
        return open.isEmpty ? nil : "\(open) stays open"
    }

    @Test("bars are drawn over a logarithmic axis")
    func bars() {
        var chart = SVGBars(title: "Times & <sizes>", axis: .logarithmic(NumberWords.time))
        chart.add(1e-6, group: "Q1", series: "warm")
        chart.add(3e-3, group: "Q1", series: "cold \"dropped\"")
        chart.add(2e-9, group: "Q7", series: "warm")
        let text = chart.text
        #expect(problem(text) == nil)
        #expect(text.contains("Times &amp; &lt;sizes&gt;"))
        #expect(text.contains("1 ns") && text.contains("10 ms"))
        // Three bars and two legend entries.
        #expect(text.split(separator: "<rect").count == 6)
        #expect(text.contains("prefers-color-scheme: dark"))
    }

    @Test("one bar, equal bars and huge bars have an axis", arguments: [1.0, 1e-300, 1e300])
    func extremes(_ value: Double) {
        for axis in [SVGBars.Axis.logarithmic(NumberWords.number), .linear(NumberWords.number)] {
            var chart = SVGBars(title: "t", axis: axis)
            chart.add(value, group: "g", series: "s")
            chart.add(value, group: "h", series: "s")
            let text = chart.text
            #expect(problem(text) == nil)
            #expect(!text.contains("\"nan") && !text.contains("\"inf"))
        }
    }

    @Test("lines are drawn over two logarithmic axes")
    func lines() {
        let text = SVGLines(
            title: "Growth",
            lines: [
                .init(name: "Q2", points: [(1e6, 1e-5), (1e7, 1e-5), (1e9, 2e-5)]),
                .init(name: "Q5", points: [(1e6, 1e-6)]),
            ], x: { NumberWords.count(Int($0)) }, y: NumberWords.time
        ).text
        #expect(problem(text) == nil)
        #expect(text.split(separator: "<polyline").count == 3 && text.split(separator: "<circle").count == 5)
        #expect(text.contains(">1 G<"))
    }

    @Test("all plots that the rows suffice for are made")
    func all() {
        #expect(Plot.all(of: []).isEmpty)
        var growth = ReportTests.row("Q2")
        growth.set = "growth"
        growth.samples = 1_000_000
        var more = growth
        more.samples = 10_000_000
        var load = ReportTests.row("ingest", mode: "bulk")
        load.samplesPerSecond = 5e7
        var size = ReportTests.row("size", mode: "all files", seconds: 0)
        size.bytesPerSample = 1.4
        var kernel = ReportTests.row("kernel", mode: "AVX2")
        kernel.bytesPerSecond = 5e9
        let plots = Plot.all(of: [growth, more, load, size, kernel, ReportTests.row("Q1")])
        #expect(plots.map(\.name) == ["queries", "ingest", "size", "kernels", "growth"])
        for plot in plots { #expect(problem(plot.svg) == nil, "\(plot.name)") }
    }
}
