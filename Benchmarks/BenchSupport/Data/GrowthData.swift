// SPDX-License-Identifier: Apache-2.0

/// A series of any length whose every part can be made again: whole beats a minute about once a second, times in
/// milliseconds.
package struct GrowthData: Sendable {
    /// Samples of a piece, which depends on its number and on nothing else.
    package static let piece = 1 << 20
    package static let origin: Int64 = 1_767_225_600_000_000_000 - 33 * 365 * 86_400 * 1_000_000_000

    /// Distinguishes series.
    package let series: Int

    package init(series: Int = 0) { self.series = series }

    /// Puts samples `range` of the series after each other into arrays, which are emptied first.
    package func fill(_ range: Range<Int>, _ times: inout [Int64], _ values: inout [Double]) {
        times.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        var number = range.lowerBound / Self.piece
        while number * Self.piece < range.upperBound {
            var random = BenchRandom(seed: UInt64(series) << 32 | UInt64(number))
            var level = 55 + random.below(40)
            let first = number * Self.piece
            for i in first..<min(first + Self.piece, range.upperBound) {
                // Two bits of chance for the level, six for the time: one draw for both.
                let draw = random.next()
                level = min(190, max(40, level + Int(draw & 3) - Int(draw >> 2 & 3)))
                if i < range.lowerBound { continue }
                times.append(Self.time(i) + Int64(draw >> 8 & 63) * 1_000_000)
                values.append(Double(level))
            }
            number += 1
        }
    }

    /// The beginning of the second in which sample `index` lies.
    package static func time(_ index: Int) -> Int64 { origin + Int64(index) * 1_000_000_000 }

    /// The samples that start in a range of time, as arrays: what an answer is held against.
    package func part(_ start: Int64, _ end: Int64, of count: Int) -> BenchSeries {
        let first = max(0, Int((start - Self.origin) / 1_000_000_000) - 1)
        let last = min(count, Int((end - Self.origin) / 1_000_000_000) + 1)
        var times = [Int64]()
        var values = [Double]()
        if first < last { fill(first..<last, &times, &values) }
        return BenchSeries(name: "growth_\(series)", times: times, values: values)
    }
}
