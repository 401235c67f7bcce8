// SPDX-License-Identifier: Apache-2.0

/// A series of any length whose parts can be regenerated: whole beats per minute about once a second, with times in
/// milliseconds.
package struct GrowthData: Sendable {
    /// The number of samples in a piece, which depends only on its number.
    package static let piece = 1 << 20
    package static let origin: Int64 = 1_767_225_600_000_000_000 - 33 * 365 * 86_400 * 1_000_000_000

    /// The seed of the series.
    package let series: Int

    package init(series: Int = 0) { self.series = series }

    /// Fills the arrays with the samples `range` of the series, after removing their contents.
    package func fill(_ range: Range<Int>, _ times: inout [Int64], _ values: inout [Double]) {
        times.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        var number = range.lowerBound / Self.piece
        while number * Self.piece < range.upperBound {
            var random = BenchRandom(seed: UInt64(series) << 32 | UInt64(number))
            var level = 55 + random.below(40)
            let first = number * Self.piece
            for i in first..<min(first + Self.piece, range.upperBound) {
                // Two random bits for the level and six for the time, from one draw.
                let draw = random.next()
                level = min(190, max(40, level + Int(draw & 3) - Int(draw >> 2 & 3)))
                if i < range.lowerBound { continue }
                times.append(Self.time(i) + Int64(draw >> 8 & 63) * 1_000_000)
                values.append(Double(level))
            }
            number += 1
        }
    }

    /// Returns the beginning of the second that contains sample `index`.
    package static func time(_ index: Int) -> Int64 { origin + Int64(index) * 1_000_000_000 }

    /// Returns the samples that start in a range of time, for comparison with results.
    package func part(_ start: Int64, _ end: Int64, of count: Int) -> BenchSeries {
        let first = max(0, Int((start - Self.origin) / 1_000_000_000) - 1)
        let last = min(count, Int((end - Self.origin) / 1_000_000_000) + 1)
        var times = [Int64]()
        var values = [Double]()
        if first < last { fill(first..<last, &times, &values) }
        return BenchSeries(name: "growth_\(series)", times: times, values: values)
    }
}
