// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

/// The kernel level is global to the process, so tests that force it run serially.
@Suite("E-10 covered time and the visible part of samples", .serialized)
struct MergeKernelTests {
    private typealias One = (start: Int64, end: Int64, value: Double)

    private func samples(_ g: inout TestRandom, _ count: Int, _ span: Int, _ length: Int) -> [One] {
        let all = (0..<count).map { _ in
            let start = Int64(g.below(span)) - 50
            return (start, g.oneIn(5) ? start : start + Int64(g.below(length)), Double(g.below(2_001) - 1_000) / 8)
        }
        return all.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    }

    /// True if an instant is covered, by plain loops.
    private func covers(_ cover: [One], _ at: Int64) -> Bool { cover.contains { $0.start <= at && at < $0.end } }

    private func hidden(_ one: One, _ cover: [One]) -> UInt64 {
        if one.start == one.end {
            return covers(cover, one.start) || cover.contains { $0.start == one.start && $0.end == one.start } ? 1 : 0
        }
        return (one.start..<one.end).reduce(0) { $0 + (covers(cover, $1) ? 1 : 0) }
    }

    @Test("Hidden time equals a count of instants, in whatever parts coverage is added and released")
    func time() {
        var g = TestRandom(seed: 77)
        for round in 0..<200 {
            let cover = samples(&g, g.below(40), 300, [3, 20, 200][round % 3])
            let others = samples(&g, 1 + g.below(40), 300, [200, 3, 40][round % 3])
            var covered = CoveredTime()
            var hidden = [UInt64](repeating: 7, count: others.count)
            var (known, row) = (0, 0)
            while row < others.count {
                // Adds at least the coverage that this sample needs, then processes all samples that it suffices for.
                let need = cover.firstIndex { $0.start >= max(others[row].end, others[row].start + 1) } ?? cover.count
                let next = max(known, min(cover.count, need + g.below(5)))
                covered.forget(endingBy: others[row].start)
                covered.add(starts: cover.map(\.start), ends: cover.map(\.end), known..<next)
                known = next
                let horizon = known < cover.count ? cover[known].start : .max
                var end = row + 1
                while end < others.count, max(others[end].end, others[end].start + 1) <= horizon { end += 1 }
                let any = covered.hide(
                    starts: others.map(\.start), ends: others.map(\.end), row..<end, into: &hidden)
                for i in row..<end {
                    #expect(hidden[i] == self.hidden(others[i], cover), "round \(round) row \(i)")
                    let from = others[i].start + Int64(g.below(4))
                    let wanted = from < others[i].end ? (from..<others[i].end).filter { covers(cover, $0) }.count : 0
                    if from >= others[row].start {
                        #expect(covered.time(from: from, to: others[i].end) == UInt64(wanted))
                    }
                }
                #expect(any == hidden[row..<end].contains { $0 != 0 })
                row = end
            }
        }
    }

    @Test("Hidden time of many samples in one call equals a count of instants, on every level")
    func many() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 79)
        for round in 0..<60 {
            let span = [400, 4_000, 40_000][round % 3]
            let cover = samples(&g, g.below(700), span, [3, 60, 900][round / 3 % 3])
            let others = samples(&g, 100 + g.below(900), span, [900, 3, 60][round / 5 % 3])
            // The number of covered instants before each instant.
            var before = [0]
            var isCovered = [Bool](repeating: false, count: span + 2_000)
            for one in cover { for at in one.start..<one.end { isCovered[Int(at) + 50] = true } }
            for covers in isCovered { before.append(before[before.count - 1] + (covers ? 1 : 0)) }
            let points = Set(cover.filter { $0.start == $0.end }.map(\.start))
            let wanted = others.map { one -> UInt64 in
                let (from, to) = (Int(one.start) + 50, Int(one.end) + 50)
                if from == to { return isCovered[from] || points.contains(one.start) ? 1 : 0 }
                return UInt64(before[to] - before[from])
            }
            for level in 0...Kernel.highestLevel {
                Kernel.force(level: level)
                var covered = CoveredTime()
                covered.add(starts: cover.map(\.start), ends: cover.map(\.end), 0..<cover.count)
                var hidden = [UInt64](repeating: 7, count: others.count)
                let any = covered.hide(
                    starts: others.map(\.start), ends: others.map(\.end), 0..<others.count, into: &hidden)
                #expect(hidden == wanted && any == wanted.contains { $0 > 0 }, "round \(round) level \(level)")
            }
        }
    }

    @Test("Visible parts of samples equal plain arithmetic, with the same bits on every level")
    func visible() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 78)
        for round in 0..<300 {
            let all = samples(&g, 1 + g.below(70), 5_000, 400)
            let hidden = all.map { one -> UInt64 in
                let length = UInt64(one.end - one.start)
                return g.oneIn(3) ? 0 : g.oneIn(3) ? max(1, length) : UInt64(g.below(Int(length) + 1))
            }
            let left = all.indices.filter { hidden[$0] < max(1, UInt64(all[$0].end - all[$0].start)) }
            let wanted = BucketTests.naive(left.map { all[$0] })
            let given = left.reduce(0.0) { sum, i in
                hidden[i] == 0 ? sum : sum + all[i].value * Double(hidden[i]) / Double(all[i].end - all[i].start)
            }
            var bits = Set<[UInt64]>()
            for level in 0...Kernel.highestLevel {
                Kernel.force(level: level)
                let found = Kernel.visible(
                    starts: all.map(\.start), ends: all.map(\.end), values: all.map(\.value), hidden: hidden,
                    range: 0..<all.count)
                BucketTests.expectEqual(found.row, wanted, "round \(round) level \(level)")
                #expect(abs(found.hidden.value - given) <= 1e-11 * max(1, abs(given)), "round \(round)")
                bits.insert(
                    [found.row.sum.hi, found.row.sum.lo, found.hidden.hi, found.hidden.lo].map(\.bitPattern))
            }
            #expect(bits.count == 1, "round \(round): levels differ")
        }
    }

    @Test("A third of a sum is accurate to about 100 bits, and no part of a huge value is lost")
    func exact() {
        let found = Kernel.visible(
            starts: [0, 0, 0], ends: [3, 3, 4], values: [1, 0x1p1023, -0x1p-1000], hidden: [1, 3, 1], range: 0..<3)
        #expect(found.row.count == 2)
        #expect(found.hidden.hi == 1 / 3.0)
        #expect(abs(found.hidden.lo - 0x1.5555555555555p-56) < 0x1p-100)
        let huge = Kernel.visible(
            starts: [0], ends: [1 << 60], values: [0x1p1023], hidden: [1 << 59], range: 0..<1)
        #expect(huge.hidden.value == 0x1p1022)
    }
}
