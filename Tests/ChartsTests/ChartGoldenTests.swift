// SPDX-License-Identifier: Apache-2.0

import Charts
import Foundation
import Testing

/// Each chart with fixed values.
private enum Drawings {
    private static let day: Int64 = 86_400_000_000_000
    private static let start: Int64 = 1_704_067_200_000_000_000

    private static func axis(_ days: Int64) -> TimeAxis {
        let marks = [(0, "Jan"), (31, "Feb"), (60, "Mar")].map { TimeAxis.Mark(at: start + $0.0 * day, text: $0.1) }
        return TimeAxis(start: start, end: start + days * day, marks: marks)
    }

    private static var stackedBars: SVGCanvas {
        let bars = (0..<9).map { week -> StackedBars.Bar in
            let first = start + Int64(week * 7) * day
            let parts = [Double(week % 4), Double(week % 3) / 2, week == 5 ? 0.25 : 0]
            return StackedBars.Bar(start: first, end: first + 7 * day, parts: parts, words: "week \(week)")
        }
        return StackedBars(bars, over: axis(63), names: ["Cycling", "Running", "others"]).draw()
    }

    private static var routeMap: SVGCanvas {
        let loop = (0...20).map { place -> RouteMap.Place in (Double(place) * 8, Double(20 + place * place % 90)) }
        return RouteMap([loop, [(x: 180, y: 60), (x: 200, y: 12.345)], [(x: 210, y: 100)]]).draw()
    }

    static var all: [String: SVGCanvas] {
        let grid = DayGrid(
            (0..<70).map { number in
                let value = number % 9 == 0 ? nil : Double(number * 160)
                return DayGrid.Day(number: 19_723 + Int64(number), value: value, words: "day \(number) & <more>")
            }, steps: [2_500, 5_000, 7_500, 10_000], months: [(19_723, "Jan"), (19_754, "Feb"), (19_783, "Mar")])
        let points = (0..<60).filter { $0 < 20 || $0 > 30 }.map { place in
            let value = 60 + Double(place % 7) * 2
            return BandChart.Point(
                at: start + Int64(place) * day, bands: [value - 9...value + 22, value - 4...value + 6], value: value)
        }
        let parts = [(0, 40, 2), (40, 70, 3), (70, 75, 0), (75, 160, 2), (160, 190, 1), (190, 260, 4)].map {
            LanePart(start: Int64($0.0), end: Int64($0.1), lane: $0.2)
        }
        let hours = TimeAxis(
            start: 0, end: 300, marks: [0, 60, 120, 180, 240].map { TimeAxis.Mark(at: $0, text: "\($0 / 60 + 22)") })
        let columns = (0..<50).filter { $0 % 8 > 0 }.map { place in
            NightStrip.Column(place: place, minutes: 20 + place % 5..<260 + place % 11, words: "night \(place)")
        }
        let beats = (0..<3_000).map { place in place % 90 == 0 ? 1.4 : place % 90 == 2 ? -0.3 : 0.05 }
        return [
            "day-grid": grid.draw(),
            "band-chart": BandChart(points, over: axis(60), longestGap: 3 * day).draw(),
            "dotted-chart": BandChart(
                points.map { BandChart.Point(at: $0.at, value: $0.value) }, over: axis(60), isDotted: true, height: 90
            ).draw(),
            "night-lanes": NightLanes(
                parts, over: hours, names: ["Awake", "REM", "Core", "Deep", "No stage"]
            ).draw(),
            "night-rows": NightRows(
                [.init(name: "Mon 1", parts: parts), .init(name: "Tue 2", parts: Array(parts.dropFirst(2)))],
                over: hours, names: ["Awake", "REM", "Core", "Deep", "No stage"]
            ).draw(),
            "night-strip": NightStrip(columns, of: 60, hours: hours, months: [(0, "Jan"), (31, "Feb")]).draw(),
            "voltage-paper": VoltagePaper(beats, frequency: 128, secondsInRow: 10).draw(),
            "share-bars": ShareBars([
                .init(name: "Ann's Watch", whole: 87, part: 87, words: "87 of 87"),
                .init(name: "A phone with a very long name indeed", whole: 73, part: 49, words: "49 of 73"),
            ]).draw(),
            "stacked-bars": stackedBars,
            "scatter": ScatterChart((0..<80).map { (Double($0 * 37 % 101), Double($0)) }, names: ("x", "y")).draw(),
            "route-map": routeMap,
            "rings": RingGrid(
                (1...31).map { .init(row: $0 % 2, day: $0, shares: [Double($0) / 20, 0.5, 0.25], words: "\($0)") },
                months: ["Jan", "Feb"], names: ["move", "exercise", "stand"]
            ).draw(),
        ]
    }
}

@Suite("T-8 charts are the same text for the same values")
struct ChartGoldenTests {
    /// The files are remade by `UPDATE_CHARTS=1 Tools/test --filter ChartsTests`.
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    @Test("each chart equals its file", arguments: Drawings.all.keys.sorted())
    func golden(_ name: String) throws {
        let canvas = try #require(Drawings.all[name])
        let text = canvas.document(style: "text { font: 10px sans-serif }") + "\n"
        let file = Self.folder.appendingPathComponent("\(name).svg")
        if ProcessInfo.processInfo.environment["UPDATE_CHARTS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("each chart is well-formed XML without numbers that are none", arguments: Drawings.all.keys.sorted())
    func wellFormed(_ name: String) throws {
        let text = try #require(Drawings.all[name]).element(id: "c1", title: "a <b>", description: "\"c\" & 'd'")
        #expect(!text.contains("nan") && !text.contains("inf") && !text.contains("e-") && !text.contains("a <b>"))
        #expect(text.contains("role=\"img\" aria-labelledby=\"c1-t c1-d\""))
        let parser = XMLCheck(text)
        #expect(parser.isWellFormed)
    }
}

/// Checks that tags are closed in order.
private struct XMLCheck {
    let isWellFormed: Bool

    init(_ text: String) {
        var open: [Substring] = []
        var isSound = true
        for part in text.split(separator: "<", omittingEmptySubsequences: true) {
            guard let end = part.firstIndex(of: ">") else {
                isSound = false
                break
            }
            let tag = part[..<end]
            if tag.hasPrefix("/") {
                if open.popLast() != tag.dropFirst() { isSound = false }
            } else if !tag.hasSuffix("/") {
                open.append(tag.prefix { $0 != " " })
            }
            if tag.count(where: { $0 == "\"" }) % 2 != 0 { isSound = false }
        }
        isWellFormed = isSound && open.isEmpty
    }
}
