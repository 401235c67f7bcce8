// SPDX-License-Identifier: Apache-2.0

import Bytes
import TestSupport
import Testing

@testable import ColumnCodec

@Suite("An encoder remembers the plans of previous columns")
struct MemoryTests {
    /// Returns the number of columns until the next search.
    private func searches(_ memory: inout Memory<Int>, plan: Int) -> Int {
        var columns = 1
        while memory.recall(100) != nil, columns < 1000 { columns += 1 }
        memory.remember(plan, bytes: 50, count: 100)
        return columns
    }

    @Test("A confirmed plan is searched for at growing intervals; another plan resets the interval")
    func intervals() {
        var memory = Memory<Int>()
        #expect(searches(&memory, plan: 1) == 1)
        #expect((0..<6).map { _ in searches(&memory, plan: 1) } == [16, 32, 64, 128, 256, 256])
        #expect((0..<3).map { _ in searches(&memory, plan: 2) } == [256, 16, 32])
    }

    @Test("A longer column is searched at once, and raises the tolerance until the next search")
    func growth() {
        var memory = Memory<Int>()
        #expect(memory.recall(100) == nil)
        memory.remember(1, bytes: 100, count: 100)
        #expect(memory.recall(100) == 1 && memory.isGood(bytes: 108, count: 100))
        #expect(memory.recall(100) == 1 && !memory.isGood(bytes: 130, count: 100))
        memory.remember(2, bytes: 120, count: 100)
        #expect(memory.plan == 2 && memory.isGood(bytes: 128, count: 100))
        #expect(searches(&memory, plan: 2) == 14)
        #expect(!memory.isGood(bytes: 128, count: 100))
    }

    @Test("Short columns change nothing, and a plan found on a short column does not serve long ones")
    func short() {
        var memory = Memory<Int>()
        memory.remember(1, bytes: 20, count: 20)
        #expect(memory.recall(40) == 1)
        #expect(memory.recall(41) == nil)
        memory.remember(2, bytes: 500, count: 1000)
        #expect(memory.recall(300) == 2)
        memory.remember(3, bytes: 300, count: 300)
        #expect(memory.plan == 2)
        memory.remember(3, bytes: 300, count: 500)
        #expect(memory.plan == 3)
    }

    @Test("After forgetting, an encoder gives the bytes of a new one")
    func forgetting() {
        var random = TestRandom(seed: 31)
        for name in Shapes.realNames {
            var used = RealColumnEncoder()
            var w = ByteWriter()
            for _ in 0..<40 {
                let other = Shapes.reals(Shapes.realNames[random.below(Shapes.realNames.count)], 300, &random)
                _ = used.encode(other, other.indices, into: &w)
            }
            used.forget()
            var fresh = RealColumnEncoder()
            var bytes = (ByteWriter(), ByteWriter())
            for _ in 0..<4 {
                let values = Shapes.reals(name, 400, &random)
                _ = used.encode(values, values.indices, into: &bytes.0)
                _ = fresh.encode(values, values.indices, into: &bytes.1)
            }
            #expect(bytes.0.bytes == bytes.1.bytes, "\(name)")
        }
    }
}
