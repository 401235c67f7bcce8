// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

/// The kernel level is global to the process, so tests that force it run serially.
@Suite("E-8 E-11 distances, extremes and triangles, on every level", .serialized)
struct ShapeTests {
    /// Returns the results of `body` on each level.
    private static func onLevels<R>(_ body: () -> R) -> [R] {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        return (0...Kernel.highestLevel).map { level in
            Kernel.force(level: level)
            return body()
        }
    }

    @Test("Sums of distances and of their squares: exact for exact inputs, the same bits on every level")
    func deviations() {
        var g = TestRandom(seed: 0xd3f1)
        for round in 0..<400 {
            let n = g.below(round < 40 ? 20 : 700)
            let centre = [0, 72, 1e15, -3e9][round % 4]
            // Multiples of 1/8, so that each distance is exact.
            let values = (0..<n + 5).map { _ in centre + Double(g.below(4_001) - 2_000) / 8 }
            let scale = [1, 0x1p-40, 0x1p100][round % 3]
            let range = g.below(3)..<n + 3
            let found = Self.onLevels { Kernel.deviations(values, range, from: centre, scale: scale) }
            var (sum, squares) = (ExactSum(), ExactSum())
            for value in values[range] {
                sum.add(value - centre)
                squares.add((value - centre) * (value - centre))
            }
            #expect(found[0].sum.value == sum.value * scale && found[0].squares.value == squares.value * scale * scale)
            for one in found { #expect(one.sum == found[0].sum && one.squares == found[0].squares, "round \(round)") }
        }
    }

    @Test("Sums of arbitrary distances follow the lanes of Sums.md on every level")
    func lanes() {
        var g = TestRandom(seed: 0x1a9e)
        for round in 0..<200 {
            let values = (0..<1 + g.below(300)).map { _ in (g.unit() - 0.5) * [1, 1e-150, 1e150, 1e300][round % 4] }
            let centre = values[g.below(values.count)]
            let scale = [1, 0x1p400, 0x1p-400, 0x1p-990][round % 4]
            let (sum, squares) = (
                LaneModel.sum(values.map { $0 * scale - centre * scale }[...]),
                LaneModel.sumOfSquares(values.map { $0 * scale - centre * scale }[...])
            )
            for found in Self.onLevels({ Kernel.deviations(values, 0..<values.count, from: centre, scale: scale) }) {
                #expect(found.sum == sum && found.squares == squares, "round \(round)")
            }
        }
    }

    @Test("Extremes return the first positions, in any lane")
    func extremes() {
        var g = TestRandom(seed: 0xe37)
        for round in 0..<600 {
            let n = 1 + g.below(90)
            let different = [2, 5, 1_000][round % 3]
            let values = (0..<n).map { _ in
                let x = Double(g.below(different)) - 1
                return x == 0 && g.oneIn(2) ? -0.0 : x
            }
            let low = g.below(n)
            let range = low..<low + 1 + g.below(n - low)
            let least = range.reduce(low) { values[$1] < values[$0] ? $1 : $0 }
            let greatest = range.reduce(low) { values[$1] > values[$0] ? $1 : $0 }
            for found in Self.onLevels({ Kernel.extremes(values, range) }) {
                #expect(found == (least, greatest), "round \(round)")
            }
        }
    }

    @Test("The first of equally large triangles is returned, with the same bits on every level")
    func triangles() {
        var g = TestRandom(seed: 0x771a)
        for round in 0..<600 {
            let n = 1 + g.below(90)
            var at: Int64 = round % 5 == 0 ? -9_000_000_000_000_000_000 : 1_700_000_000_000_000_000
            let start = at
            let times = (0..<n).map { _ in
                at += Int64(g.below(round % 5 == 0 ? 1 << 50 : 3_000_000))
                return at
            }
            let scale = [1, 1, 1e300, 1e308][round % 4]
            let values = (0..<n).map { _ in Double(g.below(round % 2 == 0 ? 3 : 100_000) - 1) * scale }
            let (width, height) = (Double(g.below(1 << 40)), Double(g.below(100) - 50) * scale)
            var wanted: (area: Double, place: Int)?
            for i in 0..<n {
                let away = Double(UInt64(bitPattern: times[i] &- start))
                let area = abs(width * (values[i] - scale) - away * height)
                if area >= 0, area > wanted?.area ?? -1 { wanted = (area, i) }
            }
            let found = Self.onLevels {
                Kernel.largestTriangle(
                    times, values, 0..<n,
                    with: TriangleSide(start: start, value: scale, width: width, height: height))
            }
            for one in found {
                #expect(one?.place == wanted?.place && one?.area == wanted?.area, "round \(round)")
            }
        }
    }

    @Test("Sums of times are correct beyond 64 bits")
    func times() {
        var g = TestRandom(seed: 0x7135)
        for _ in 0..<200 {
            let times = (0..<g.below(70)).map { _ in g.int64() }
            let start = times.min() ?? 0
            let wanted = times.reduce(Int128(0)) { $0 + Int128($1) - Int128(start) }
            for found in Self.onLevels({ Kernel.sum(ofTimes: times, 0..<times.count, since: start) }) {
                #expect(found == wanted)
            }
        }
    }
}

@Suite("E-11 counts of values by their leading bits")
struct KeyCountTests {
    private static func dictionary(_ values: some Sequence<Double>, shift: Int) -> [Int64: UInt64] {
        var found = [Int64: UInt64]()
        for value in values where !value.isNaN { found[KeyCounts.key(of: value, shift: shift), default: 0] += 1 }
        return found
    }

    @Test("Keys are ordered like their values, symmetrically around zero")
    func order() {
        let values = [
            -Double.infinity, -1e308, -2, -1, -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 0.1, 1, 1.5, 2,
            .greatestFiniteMagnitude, .infinity,
        ]
        let keys = values.map { KeyCounts.key(of: $0, shift: 0) }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        #expect(KeyCounts.key(of: -0.0, shift: 0) == 0)
        for value in values {
            for shift in 0...52 {
                let (plus, minus) = (
                    KeyCounts.key(of: value.magnitude, shift: shift), KeyCounts.key(of: -value.magnitude, shift: shift)
                )
                #expect(plus == ~minus || value == 0 && plus == minus)
            }
        }
    }

    @Test("The sketch keeps exactly as many keys as fit, for any order and any division into parts", arguments: 0..<6)
    func bounded(kind: Int) {
        var g = TestRandom(seed: UInt64(kind) + 0x6e)
        var values = (0..<60_000).map { i -> Double in
            switch kind {
            case 0: Double(g.below(200))
            case 1: g.unit() * 100
            case 2: (g.unit() - 0.5) * 1e-3
            case 3: Double(bitPattern: g.next())
            case 4: Double(i)
            default: g.oneIn(50) ? .infinity : g.oneIn(50) ? -.infinity : g.unit() - g.unit()
            }
        }
        var shift = 0
        while Self.dictionary(values, shift: shift).count > KeyCounts.leastLimit { shift += 1 }
        let wanted = Self.dictionary(values, shift: shift)
        for round in 0..<4 {
            if round > 0 { values.shuffle(using: &g) }
            var counts = KeyCounts(limit: 1)
            if round == 3 {
                // Counts of two halves, merged.
                for half in [values[..<20_000], values[20_000...]] {
                    var part = KeyCounts(limit: KeyCounts.leastLimit)
                    part.add(Array(half), 0..<half.count)
                    for entry in part.sorted { counts.add(key: entry.key, ofShift: part.shift, count: entry.count) }
                }
            } else {
                var at = 0
                while at < values.count {
                    let next = min(values.count, at + 1 + g.below(3_000))
                    counts.add(values, at..<next)
                    at = next
                }
            }
            #expect(counts.shift == shift && counts.used == wanted.count)
            #expect(Dictionary(uniqueKeysWithValues: counts.sorted.map { ($0.key, $0.count) }) == wanted)
            #expect(zip(counts.sorted, counts.sorted.dropFirst()).allSatisfy { $0.key < $1.key })
        }
    }
}
