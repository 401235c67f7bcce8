// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Charts

@Suite("T-8 charts: axes, shapes, extreme values")
struct ChartTests {
    @Test("labels of an axis are round numbers in its range")
    func ticks() {
        #expect(Axis(0...10, from: 0, to: 100).ticks(most: 6) == [0, 2, 4, 6, 8, 10])
        #expect(Axis(42...119, from: 0, to: 1).ticks(most: 6) == [60, 80, 100])
        #expect(Axis(-1...1, from: 0, to: 1).ticks(most: 4) == [-1, -0.5, 0, 0.5, 1])
        #expect(Axis(5...5, from: 0, to: 1).range == 4...6)
        #expect(Axis(0...Double.infinity, from: 0, to: 1).ticks(most: 5).isEmpty)
        // A step is less than the distance of two numbers.
        #expect(Axis(1e20...1e20.nextUp, from: 0, to: 1).ticks(most: 6).count <= 7)
    }

    @Test("labels of an axis have the same decimals, and separate thousands")
    func labels() {
        #expect(
            Axis(71.4...73.6, from: 0, to: 1).labels(most: 5).map(\.text) == ["71.5", "72.0", "72.5", "73.0", "73.5"])
        #expect(Axis(0...15_000, from: 0, to: 1).labels(most: 4).map(\.text) == ["0", "5,000", "10,000", "15,000"])
        #expect(SVGCanvas.label(-0.5, decimals: 1) == "\u{2212}0.5" && SVGCanvas.label(-0.01, decimals: 1) == "0.0")
        #expect(SVGCanvas.label(1_234_567, decimals: 0) == "1,234,567" && SVGCanvas.label(.nan, decimals: 2) == "0")
    }

    @Test("a label at the right end of a time axis is moved to the left, not cut off")
    func lastLabel() {
        let axis = TimeAxis(start: 0, end: 100, marks: [.init(at: 0, text: "06:00"), .init(at: 99, text: "07:00")])
        var canvas = SVGCanvas(width: 760, height: 50)
        axis.draw(&canvas, from: 64, to: 756, top: 0, bottom: 30)
        let text = canvas.document(style: "")
        #expect(text.contains("x=\"730\" y=\"44\" class=\"ax\">07:00"))
    }

    @Test("values outside of an axis are at its ends")
    func places() {
        let axis = Axis(0...10, from: 100, to: 0)
        #expect(axis.place(-5) == 100 && axis.place(15) == 0 && axis.place(2.5) == 75)
        let time = TimeAxis(start: 0, end: 10, marks: [])
        #expect(time.place(-3, from: 0, to: 1) == 0 && time.place(99, from: 0, to: 1) == 1)
        #expect(TimeAxis(start: 5, end: 5, marks: []).end == 6)
    }

    @Test("numbers have two decimals at most, texts have no markup")
    func texts() {
        #expect(SVGCanvas.number(1.005) == "1" && SVGCanvas.number(0.126) == "0.13")
        #expect(SVGCanvas.number(.nan) == "0" && SVGCanvas.number(1e30) == "0" && SVGCanvas.number(-2) == "-2")
        #expect(SVGCanvas.escaped("<img src=x onerror='a()'>&\u{1}") == "&lt;img src=x onerror=&#39;a()&#39;&gt;&amp; ")
    }

    @Test("an arc ends at its share of the circle")
    func arcs() {
        #expect(RingGrid.arc(0, 0, 10, 0.25) == "M0 -10A10 10 0 0 1 10 0")
        #expect(RingGrid.arc(0, 0, 10, 0.5) == "M0 -10A10 10 0 0 1 0 10")
        #expect(RingGrid.arc(0, 0, 10, 0.75) == "M0 -10A10 10 0 1 1 -10 0")
        #expect(RingGrid.arc(0, 0, 10, 7).hasSuffix("0 -10") && RingGrid.arc(0, 0, 10, .nan).isEmpty)
        // The ends of an arc differ, or nothing is drawn.
        #expect(RingGrid.arc(52, 12, 9, 0.99999) == RingGrid.arc(52, 12, 9, 0.99))
        #expect(!RingGrid.arc(52, 12, 9, 0.99999).hasSuffix("52 3"))
        #expect(RingGrid.arc(0, 0, 100, 0.125) == "M0 -100A100 100 0 0 1 70.71 -70.71")
    }

    @Test("a route is in the middle of its map, one place is a dot, and places that are no numbers are left out")
    func routes() {
        let map = RouteMap([[(x: 0, y: 0), (x: .nan, y: 5), (x: 220, y: 0)], [], [(x: 110, y: 10)]]).draw()
        let text = map.document(style: "")
        #expect(text.contains("<polyline points=\"10,80 230,80\" class=\"r\"/>"), "\(text)")
        #expect(text.contains("<circle cx=\"120\" cy=\"90\" r=\"4\" class=\"re\"><title>end</title>"), "\(text)")
        #expect(text.contains("<circle cx=\"10\" cy=\"80\" r=\"4\" class=\"rs\"><title>start</title>"), "\(text)")
        #expect(RouteMap([]).draw().height == map.height && count("<circle", in: RouteMap([[]]).draw()) == 0)
        #expect(count("<circle", in: RouteMap([[(x: .infinity, y: 0)]]).draw()) == 0)
    }

    /// Returns the number of times that a text occurs.
    private func count(_ text: String, in canvas: SVGCanvas) -> Int {
        canvas.document(style: "").components(separatedBy: text).count - 1
    }

    @Test("a single value is visible, and a missing value interrupts the line")
    func single() {
        let axis = TimeAxis(start: 0, end: 100, marks: [])
        let one = BandChart([.init(at: 50, bands: [1...3], value: 2)], over: axis).draw().document(style: "")
        #expect(one.contains("<polyline points=\"396.5,88 399.5,88\" class=\"l\"/>"))
        #expect(one.contains("<polygon points=\"396.5,"))
        let values: [Double?] = [1, 2, nil, 3, nil, 4, 5]
        let points = values.enumerated().map { BandChart.Point(at: Int64($0.offset * 10), value: $0.element) }
        #expect(count("<polyline", in: BandChart(points, over: axis).draw()) == 3)
        let far = BandChart(points.filter { $0.value != nil }, over: axis, longestGap: 15).draw()
        #expect(count("<polyline", in: far) == 3)
    }

    @Test("labels that would overlap are left out")
    func overlapping() {
        let year = TimeAxis(start: 0, end: 366, marks: [.init(at: 300, text: "Nov"), .init(at: 365, text: "Dec")])
        let chart = BandChart([.init(at: 9, value: 2)], over: year).draw()
        #expect(count(">Nov<", in: chart) == 1 && count(">Dec<", in: chart) == 1)
        let hours = TimeAxis(start: 0, end: 300, marks: [])
        let months = (0..<120).map { (place: $0 * 30, name: "Jan") }
        let strip = NightStrip([], of: 3_600, hours: hours, months: months).draw()
        #expect((20...40).contains(count(">Jan<", in: strip)))
    }

    @Test("charts without values and with extreme ones neither trap nor write numbers that are none")
    func extremes() {
        let axis = TimeAxis(start: .min, end: .max, marks: [.init(at: 0, text: "now")])
        let wild = [-Double.infinity, .infinity, .nan, 1e300, -1e300, 0, .leastNonzeroMagnitude]
        var texts = [
            DayGrid([], steps: [], months: []).draw(), BandChart([], over: axis).draw(),
            NightLanes([], over: axis, names: []).draw(), NightRows([], over: axis, names: []).draw(),
            NightStrip([], of: 0, hours: axis, months: []).draw(), VoltagePaper([], frequency: 1).draw(),
            VoltagePaper([1], frequency: 0).draw(), VoltagePaper(wild, frequency: 1e-9).draw(),
            VoltagePaper(wild, frequency: 1e300).draw(), ShareBars([]).draw(),
            ScatterChart([], names: ("", "")).draw(), RingGrid([], months: [], names: []).draw(),
            StackedBars([], over: axis, names: []).draw(),
            StackedBars(
                [.init(start: .min, end: .max, parts: wild, words: ""), .init(start: 5, end: 5, parts: [], words: "")],
                over: axis, names: Array(repeating: "x", count: 9)
            ).draw(),
        ]
        texts.append(BandChart(wild.map { .init(at: .max, value: $0) }, over: axis).draw())
        let ends = [Int64.min, .max].map { BandChart.Point(at: $0, bands: [0...1], value: 1) }
        texts.append(BandChart(ends, over: axis, longestGap: 1).draw())
        texts.append(ShareBars(wild.map { .init(name: "", whole: $0, part: $0, words: "") }).draw())
        texts.append(ScatterChart(wild.map { ($0, $0) }, names: ("", "")).draw())
        texts.append(RingGrid([.init(row: 0, day: 1, shares: wild, words: "")], months: [""], names: []).draw())
        for canvas in texts {
            let text = canvas.document(style: "")
            #expect(!text.contains("nan") && !text.contains("inf"))
        }
    }
}
