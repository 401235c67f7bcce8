// SPDX-License-Identifier: Apache-2.0

/// A bar for each step of time, stacked by kind: the hours of workouts in each week.
package struct StackedBars {
    /// The bar of one step.
    package struct Bar {
        /// The first instant of the step, and the first one after it.
        package var start: Int64
        package var end: Int64
        /// The amount of each kind, from the bottom to the top.
        package var parts: [Double]
        /// What the bar says.
        package var words: String

        package init(start: Int64, end: Int64, parts: [Double], words: String) {
            self.start = start
            self.end = end
            self.parts = parts
            self.words = words
        }
    }

    /// The greatest number of kinds.
    package static let mostKinds = 6

    let bars: [Bar]
    let axis: TimeAxis
    /// The names of the kinds.
    let names: [String]
    let height: Double

    /// - Parameter names: the name of each kind, at most ``mostKinds``.
    package init(_ bars: [Bar], over axis: TimeAxis, names: [String], height: Double = 140) {
        self.bars = bars
        self.axis = axis
        self.names = Array(names.prefix(Self.mostKinds))
        self.height = height
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        let (left, right, top, bottom) = (40.0, 756.0, 8.0, 8.0 + height)
        var canvas = SVGCanvas(width: 760, height: bottom + 22 + ColorKey.height)
        let stacks = bars.map { bar in
            bar.parts.prefix(names.count).map { $0.isFinite && $0 > 0 ? $0 : 0 }
        }
        let greatest = stacks.map { $0.reduce(0, +) }.filter(\.isFinite).max() ?? 0
        let vertical = Axis(0...max(greatest, .leastNonzeroMagnitude), from: bottom, to: top)
        for label in vertical.labels(most: 5) {
            let y = vertical.place(label.value)
            canvas.line(from: (left, y), to: (right, y))
            canvas.text(label.text, x: left - 6, y: y + 4, "ax end")
        }
        axis.draw(&canvas, from: left, to: right, top: top, bottom: bottom)
        for (bar, stack) in zip(bars, stacks) {
            let first = axis.place(bar.start, from: left, to: right)
            let width = axis.place(bar.end, from: left, to: right) - first
            // Wide bars have a gap.
            let gap = width > 4 ? width * 0.15 : 0
            var sum = 0.0
            for (kind, amount) in stack.enumerated() where amount > 0 {
                let lower = vertical.place(sum)
                sum += amount
                let upper = vertical.place(sum)
                canvas.rectangle(
                    .init(x: first + gap / 2, y: upper, width: width - gap, height: lower - upper), "w\(kind)",
                    says: bar.words)
            }
        }
        let entries = names.enumerated().map { (classes: "w\($0.offset)", words: $0.element) }
        ColorKey(entries).draw(&canvas, x: left, y: bottom + 22)
        return canvas
    }
}
