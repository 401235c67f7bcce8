// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

extension LevelledTests {
    @Suite("Searching, checking and checksumming arrays") struct ArrayTests {}
}

extension LevelledTests.ArrayTests {
    @Test("The lower bound equals that of a linear search")
    func lowerBound() {
        var g = TestRandom(seed: 1)
        for _ in 0..<300 {
            let n = g.below(70)
            let a = (0..<n).map { _ in Int64(g.below(40)) }.sorted()
            let from = g.below(n + 1)
            let to = from + g.below(n - from + 1)
            for key in Int64(-1)...41 {
                let expected = (from..<to).first { a[$0] >= key } ?? to
                #expect(Kernel.lowerBound(a, from..<to, key) == expected)
            }
        }
        #expect(Kernel.lowerBound([], 0..<0, 5) == 0)
        #expect(Kernel.lowerBound([.min, .max], 0..<2, .max) == 1)
    }

    @Test("Copying a range of a column changes only the beginning of the span")
    func copies() {
        let column = (0..<50).map { Int64($0 * $0) }
        for range in [0..<0, 50..<50, 0..<50, 7..<8, 13..<49] {
            var target = [Int64](repeating: -1, count: range.count + 3)
            var span = target.mutableSpan
            Kernel.copy(column, range, to: &span)
            #expect(target == Array(column[range]) + [-1, -1, -1])
        }
        var none = [Double]()
        var span = none.mutableSpan
        Kernel.copy([1.5, 2.5], 1..<1, to: &span)
        #expect(none.isEmpty)
    }

    @Test("Checks for ascending and finite values find a fault at every position")
    func checks() {
        for n in 0..<40 {
            let up = (0..<n).map { Int64($0 / 2) }
            #expect(Kernel.isAscending(up, 0..<n))
            let fine = [Double](repeating: -.greatestFiniteMagnitude, count: n)
            #expect(Kernel.allFinite(fine, 0..<n))
            for place in 0..<n {
                if place > 0 {
                    var down = up
                    down[place] = down[place - 1] - 1
                    #expect(!Kernel.isAscending(down, 0..<n))
                    #expect(Kernel.isAscending(down, place..<n) || place + 1 < n)
                }
                for bad in [Double.infinity, -.infinity, .nan] {
                    var wrong = fine
                    wrong[place] = bad
                    #expect(!Kernel.allFinite(wrong, 0..<n))
                    #expect(Kernel.allFinite(wrong, (place + 1)..<n))
                }
            }
        }
    }

    /// Computes CRC-32C bit by bit, from the definition.
    static func slowCRC(_ bytes: some Sequence<UInt8>, seed: UInt32 = 0) -> UInt32 {
        var crc = ~seed
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0x82f6_3b78 : 0) }
        }
        return ~crc
    }

    @Test("CRC-32C: check value, and every length and split in both implementations", arguments: [0, 3])
    func crc(level: Int) {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        Kernel.force(level: level)
        #expect(Kernel.crc32c(Array("123456789".utf8), 0..<9) == 0xe306_9283)
        var g = TestRandom(seed: 2)
        let bytes = (0..<3000).map { _ in UInt8(truncatingIfNeeded: g.next()) }
        for n in Array(0..<260) + [383, 384, 385, 767, 768, 769, 1023, 1535, 1536, 2304, 2999] {
            let from = g.below(2)
            #expect(Kernel.crc32c(bytes, from..<(from + n)) == Self.slowCRC(bytes[from..<(from + n)]))
        }
        let whole = Kernel.crc32c(bytes, 0..<3000)
        for cut in [0, 1, 700, 1536, 2999, 3000] {
            let head = Kernel.crc32c(bytes, 0..<cut)
            #expect(Kernel.crc32c(bytes, cut..<3000, seed: head) == whole)
        }
    }

    @Test("A level that the processor lacks is replaced by a supported level")
    func levels() {
        Levels.hold()
        defer { Levels.release() }
        #expect(Kernel.force(level: 99) == Kernel.highestLevel)
        #expect(Kernel.force(level: 0) == 0 && Kernel.level == 0)
        #expect(Kernel.force(level: -1) == Kernel.highestLevel)
    }
}
