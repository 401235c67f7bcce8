// SPDX-License-Identifier: Apache-2.0

import Kernels
import TestSupport
import TimeIndex

/// A tree of generated blocks, and the plain list that it must agree with.
struct TestTree {
    static let store = [UInt8](1...16)
    static let segment = [UInt8](21...36)
    static let identity = IndexIdentity(store: store, segment: segment, series: 5)
    /// The offset of the pages in the generated file.
    static let place: UInt64 = 1 << 32

    let list: [IndexEntry]
    let tree: IndexBuilder.Tree

    init(count: Int, random: inout TestRandom) throws {
        list = Self.entries(count, &random)
        var builder = IndexBuilder(store: Self.store, segment: Self.segment, series: 5)
        for entry in list { try builder.add(entry) }
        tree = try builder.finish(at: Self.place)
    }

    var root: IndexRoot { IndexRoot(offset: tree.rootOffset, length: tree.rootLength, levels: tree.levels) }
    var source: Source { Source(bytes: tree.bytes) }

    /// Returns blocks in time order with plausible summaries, some with gaps between their bytes.
    static func entries(_ count: Int, _ random: inout TestRandom) -> [IndexEntry] {
        var offset: UInt64 = 64
        var now: Int64 = random.oneIn(5) ? .min : 1_700_000_000_000_000_000
        return (0..<count).map { _ in
            let summary = summary(&random, from: &now)
            if random.oneIn(30) { offset += UInt64(random.below(1000)) }
            let length = UInt32(random.within(30...9000))
            defer { offset += UInt64(length) }
            return IndexEntry(offset: offset, length: length, summary: summary)
        }
    }

    static func summary(_ random: inout TestRandom, from now: inout Int64) -> Summary {
        let count = random.within(1...8)
        var starts: [Int64] = []
        var ends: [Int64] = []
        var values: [Double] = []
        for _ in 0..<count {
            starts.append(now)
            ends.append(now + Int64(random.oneIn(40) ? random.below(1 << 44) : random.below(1 << 31)))
            values.append(Double(random.within(-5000...5000)) / 100)
            if !random.oneIn(9) { now += Int64(random.below(1 << 34)) }
        }
        let born = Int64(random.below(1_000_000))
        return Kernel.summarize(
            starts: starts, ends: ends, values: values, range: 0..<count, minBorn: born,
            maxBorn: born + Int64(random.below(9)))
    }

    /// Decodes pages directly from the bytes.
    struct Source {
        let bytes: [UInt8]
        var identity = TestTree.identity

        func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
            guard offset >= TestTree.place, let at = Int(exactly: offset - TestTree.place) else {
                throw IndexError(.unreadable, at: offset, "outside of the file")
            }
            return try IndexPage.decode(
                bytes, at: at, length: Int(length), identity: identity, position: offset, level: level)
        }
    }
}

/// All bits of a summary.
func bits(_ s: Summary) -> [UInt64] {
    let doubles = [
        s.sum.hi, s.sum.lo, s.sumOfSquares.hi, s.sumOfSquares.lo, s.min, s.max, s.firstValue, s.lastValue,
        s.integral.hi, s.integral.lo,
    ]
    let numbers = [
        s.count, s.firstStart, s.firstEnd, s.lastStart, s.lastEnd, s.maxEnd, s.maxEndExceptLast, s.minBorn, s.maxBorn,
        Int64(truncatingIfNeeded: s.durationSum), Int64(truncatingIfNeeded: s.durationSum >> 64),
    ]
    return doubles.map(\.bitPattern) + numbers.map { UInt64(bitPattern: $0) }
}
