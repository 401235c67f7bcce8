// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

/// The kernel level is global to the process, so tests that force it run serially.
@Suite("E-9 E-8 buckets filled from index entries and from samples", .serialized)
struct BucketTests {
    @Test("The Swift layout of a bucket equals the C layout")
    func layout() { #expect(BucketRow.hasExpectedLayout) }

    /// Computes a bucket by plain loops, with an exact sum.
    static func naive(_ samples: [(start: Int64, end: Int64, value: Double)]) -> BucketRow {
        var row = BucketRow()
        var sum = ExactSum()
        for one in samples {
            sum.add(one.value)
            if row.count == 0 {
                (row.min, row.max) = (one.value, one.value)
                (row.firstStart, row.firstEnd, row.firstValue) = one
            }
            row.count += 1
            row.min = min(row.min, one.value)
            row.max = max(row.max, one.value)
            (row.lastStart, row.lastEnd, row.lastValue) = one
        }
        row.sum = DoubleDouble(hi: sum.value, lo: 0)
        return row
    }

    static func expectEqual(_ found: BucketRow, _ wanted: BucketRow, _ note: String) {
        var same = found
        same.sum = wanted.sum
        // An empty bucket has no other fields to compare.
        #expect(found.count == 0 && wanted.count == 0 || same == wanted, "\(note)")
        #expect(abs(found.sum.value - wanted.sum.value) <= wanted.sum.value.ulp, "\(note): sum")
    }

    @Test("Buckets of samples equal those of plain loops, with the same bits on every level", arguments: [true, false])
    func samples(points: Bool) {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 0xb0c4)
        for round in 0..<300 {
            let n = 1 + g.below(300)
            let step = [1, 3, 40][round % 3]
            var at = Int64(g.below(1_000)) - 500
            var all: [(start: Int64, end: Int64, value: Double)] = []
            for _ in 0..<n {
                at += Int64(g.below(step + 1))
                all.append((at, points ? at : at + Int64(g.below(90)), Double(g.below(4_001) - 2_000) / 100))
            }
            // The order of samples in a run: by start, then by end.
            all.sort { ($0.start, $0.end) < ($1.start, $1.end) }
            // Edges around all samples: some buckets are empty, some hold one sample, some hold all.
            let width = 1 + g.below([5, 60, 2_000][(round / 3) % 3])
            var edges = [all[0].start - Int64(g.below(3))]
            while edges[edges.count - 1] <= at { edges.append(edges[edges.count - 1] + Int64(1 + g.below(width))) }
            let wanted = (0..<edges.count - 1).map { b in
                Self.naive(all.filter { $0.start >= edges[b] && $0.start < edges[b + 1] })
            }
            var bits: [[BucketRow]] = []
            for level in 0...Kernel.highestLevel {
                Kernel.force(level: level)
                var rows = [BucketRow](repeating: BucketRow(), count: edges.count - 1)
                var cursor = 0
                // Two calls, as for two blocks of a run.
                let cut = g.below(n + 1)
                for range in [0..<cut, cut..<n] {
                    rows.add(
                        starts: all.map(\.start), ends: points ? nil : all.map(\.end), values: all.map(\.value),
                        range: range, edges: edges, cursor: &cursor)
                }
                for (i, (a, b)) in zip(rows, wanted).enumerated() {
                    Self.expectEqual(a, b, "round \(round) level \(level) bucket \(i)")
                }
                if cut == 0 || cut == n { bits.append(rows) }
            }
            for other in bits.dropFirst() { #expect(other == bits[0], "round \(round): levels differ") }
        }
    }

    @Test("Buckets of page entries equal those of plain loops, with the same bits on every level")
    func entries() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 0xe272)
        let stride = EntryColumn.stride
        for round in 0..<300 {
            let n = 1 + g.below(stride)
            var page = [Int64](repeating: 0, count: EntryColumn.allCases.count * stride)
            var blocks: [[(start: Int64, end: Int64, value: Double)]] = []
            var at: Int64 = 0
            for i in 0..<n {
                let block = (0..<1 + g.below(9)).map { _ in
                    at += Int64(g.below(10))
                    return (start: at, end: at + 1, value: Double(g.below(2_000)) / 7 - 100)
                }
                blocks.append(block)
                let row = Self.naive(block)
                func set(_ column: EntryColumn, _ x: Int64) { page[column.rawValue * stride + i] = x }
                func set(_ column: EntryColumn, _ x: Double) { set(column, Int64(bitPattern: x.bitPattern)) }
                let sums = Kernel.sums(block.map(\.value), 0..<block.count)
                set(.count, row.count)
                set(.sumHigh, sums.sum.hi)
                set(.sumLow, sums.sum.lo)
                set(.min, row.min)
                set(.max, row.max)
                set(.firstStart, row.firstStart)
                set(.firstEnd, row.firstEnd)
                set(.firstValue, row.firstValue)
                set(.lastStart, row.lastStart)
                set(.lastEnd, row.lastEnd)
                set(.lastValue, row.lastValue)
            }
            let low = g.below(n + 1)
            let high = low + g.below(n - low + 1)
            var found: [BucketRow] = []
            for level in 0...Kernel.highestLevel {
                Kernel.force(level: level)
                var row = BucketRow()
                Kernel.add(entries: low..<high, of: page, to: &row)
                found.append(row)
                Self.expectEqual(row, Self.naive(Array(blocks[low..<high].joined())), "round \(round) level \(level)")
            }
            for other in found.dropFirst() { #expect(other == found[0], "round \(round): levels differ") }
        }
    }

    @Test("Merging keeps the first of equal earliest samples and the last of equal latest samples")
    func merging() {
        func row(_ start: Int64, _ end: Int64, _ value: Double) -> BucketRow {
            Self.naive([(start: start, end: end, value: value)])
        }
        var a = row(10, 20, 1)
        a.merge(row(10, 20, 2))
        #expect(a.count == 2 && a.sum.value == 3 && a.firstValue == 1 && a.lastValue == 2)
        a.merge(row(10, 19, 3))
        #expect(a.firstValue == 3 && a.lastValue == 2)
        a.merge(row(5, 99, -4))
        #expect(a.firstValue == -4 && a.lastValue == 2 && a.min == -4 && a.max == 3)
        a.merge(BucketRow())
        #expect(a.count == 4)
        var empty = BucketRow()
        empty.merge(row(1, 2, 3))
        #expect(empty == row(1, 2, 3))
        var huge = row(0, 0, .greatestFiniteMagnitude)
        huge.merge(row(0, 0, .greatestFiniteMagnitude))
        #expect(huge.sum.value == .infinity)
    }
}
