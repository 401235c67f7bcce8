// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-15 compaction: the choice of the next merge")
struct CompactionPlanTests {
    private let plan = CompactionPlan(limits: CompactionLimits())

    private func items(
        _ count: Int, _ bytes: Int64, in partitions: ClosedRange<Int> = 5...5, from id: Int64 = 1
    )
        -> [CompactionPlan.Item]
    {
        (0..<Int64(count)).map { CompactionPlan.Item(id: id + $0, bytes: bytes, partitions: partitions) }
    }

    @Test("Nothing is due in an empty store, with one segment, or below the count of a tier")
    func nothing() {
        #expect(plan.next([], .due) == [] && plan.next([], .everything) == [])
        #expect(plan.next(items(1, 1_000), .everything) == [])
        #expect(plan.next(items(15, 1_000), .due) == [])
        #expect(plan.next(items(15, 1_000) + items(15, 1_000, in: 6...6, from: 90), .due) != [])
    }

    @Test("Sixteen small segments of one partition are merged, without those of other partitions")
    func tier() {
        let mine = items(16, 50_000, in: 7...7, from: 40)
        let others = items(3, 50_000, in: 8...8) + items(15, 50_000, in: 3...9, from: 100)
        #expect(plan.next(mine + others, .due) == Array(40..<56))
        // A large segment of the partition is not included.
        let large = items(1, 30 << 20, in: 7...7, from: 200)
        #expect(plan.next(mine + others + large, .due) == Array(40..<56))
    }

    @Test("Segments that span several partitions are merged with each other")
    func mixed() {
        #expect(plan.next(items(16, 50_000, in: 3...9), .due) == Array(1...16))
        // Loads that are already large are not included.
        #expect(plan.next(items(3, 40 << 20, in: 3...9), .everything) == [])
    }

    @Test("A partition without new writes becomes one segment after growing by a quarter")
    func fold() {
        let latest = items(1, 1_000, in: 9...9, from: 90)
        let large = items(1, 10 << 20)
        #expect(plan.next(large + items(4, 1 << 20, from: 10) + latest, .due) == [1, 10, 11, 12, 13])
        // Two large segments are the samples in order and the late ones.
        #expect(plan.next(items(2, 10 << 20) + items(2, 1 << 20, from: 10) + latest, .due) == [])
        #expect(plan.next(large + items(3, 100_000, from: 10) + latest, .due) == [])
        // The latest partition may grow.
        #expect(plan.next(large + items(4, 1 << 20, from: 10), .due) == [])
    }

    @Test("A step reads at most its bound, smallest segments first")
    func bound() {
        var all = items(40, 3 << 20)
        all += items(1, 60 << 20, from: 100)
        let found = plan.next(all, .everything)
        #expect(found == Array(1...21))
        #expect(plan.next(items(100, 10), .everything).count == 64)
        // Three segments that exceed the bound together are not merged, nor are two segments.
        #expect(plan.next(items(3, 30 << 20), .everything) == [])
        #expect(plan.next(items(2, 1_000), .everything) == [] && plan.next(items(3, 1_000), .everything) == [1, 2, 3])
    }

    @Test("Segments with deleted samples are rewritten first, small ones together and a large one alone")
    func shedding() {
        var all = items(4, 1_000)
        all[1].mustShed = true
        #expect(plan.next(all, .due) == [2])
        all[3].mustShed = true
        #expect(plan.next(all, .due) == [2, 4])
        var large = items(2, 300 << 20, in: 1...9)
        large[1].mustShed = true
        #expect(plan.next(large, .due) == [2] && plan.next(large, .everything) == [2])
    }

    @Test("Merging everything terminates, and due merges write each byte a bounded number of times", arguments: 1...20)
    func ends(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var all = [CompactionPlan.Item]()
        var next: Int64 = 1
        var (written, brought): (Int64, Int64) = (0, 0)
        func merge(_ aim: CompactionPlan.Aim) -> Bool {
            let chosen = Set(plan.next(all, aim))
            if chosen.isEmpty { return false }
            let inputs = all.filter { chosen.contains($0.id) }
            #expect(inputs.count == chosen.count && (chosen.count > 1 || inputs[0].mustShed))
            all.removeAll { chosen.contains($0.id) }
            let low = inputs.map(\.partitions.lowerBound).min() ?? 0
            let high = inputs.map(\.partitions.upperBound).max() ?? 0
            let bytes = inputs.reduce(0) { $0 + $1.bytes }
            #expect(inputs.count == 1 || bytes <= plan.limits.stepBytes)
            all.append(CompactionPlan.Item(id: next, bytes: bytes, partitions: low...high))
            next += 1
            written += bytes
            return true
        }
        for month in 0..<6 {
            for _ in 0..<300 {
                let bytes = Int64(20_000 + random.below(60_000))
                let first = random.chance(0.05) ? random.below(month + 1) : month
                all.append(CompactionPlan.Item(id: next, bytes: bytes, partitions: first...first))
                next += 1
                brought += bytes
                while merge(.due) {}
            }
        }
        #expect(written <= 3 * brought, "\(Double(written) / Double(brought))")
        #expect(all.count < 6 * 60)
        all[random.below(all.count)].mustShed = true
        var steps = 0
        while merge(.everything) { steps += 1 }
        #expect(steps > 0 && all.count <= 12)
    }

    @Test("A partition gets its own segment if it is large enough")
    func own() {
        let samples = [3: 1_000_000, 4: 10, 5: 100_000, 9: 40_000]
        #expect(plan.ownPartitions(samples: samples, bytes: 2_000_000) == [3, 5, 9])
        #expect(plan.ownPartitions(samples: samples, bytes: 1_000_000) == [3, 5])
        #expect(plan.ownPartitions(samples: [:], bytes: 0) == [])
    }

    @Test("Partitions are the UTC months, without a gap, over the whole range of times")
    func partitions() {
        let january = 1_970 * 12
        #expect(CompactionPartition.of(0) == january && CompactionPartition.of(-1) == january - 1)
        #expect(CompactionPartition.start(january) == 0 && CompactionPartition.start(january + 1) == 31 * day)
        var random = SeededGenerator(seed: 4)
        let ends = [TimeLimits.earliest, TimeLimits.latest]
        for instant in ends + (0..<2_000).map({ _ in random.number(in: TimeLimits.earliest...TimeLimits.latest) }) {
            #expect(CompactionPartition.range(CompactionPartition.of(instant)).contains(instant))
        }
    }
}
