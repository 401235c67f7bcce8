// SPDX-License-Identifier: Apache-2.0

package import Kernels
import Synchronization

/// An index page in memory, column by column, so that a query can aggregate many entries at once.
package final class IndexNode: Sendable {
    /// 0 if the entries are blocks.
    package let level: UInt8
    package let count: Int
    /// The columns of `EntryColumn`, then those of `Rest`, `EntryColumn.stride` words each.
    package let words: [Int64]
    /// The child pages in memory; empty for a leaf.
    private let children: Mutex<[IndexNode?]>
    /// Whether a query used the page since the cache last checked.
    private let wasUsed = Atomic(false)

    /// The columns that bucket statistics do not need.
    private enum Rest: Int, CaseIterable {
        case maxEndExceptLast, offset, length, squaresHigh, squaresLow, integralHigh, integralLow, durationLow,
            durationHigh, minBorn, maxBorn

        var place: Int { (EntryColumn.total + rawValue) * EntryColumn.stride }
    }

    /// Size of a page in memory in bytes, independent of its content.
    package static let bytes = (EntryColumn.allCases.count + Rest.allCases.count) * EntryColumn.stride * 8 + 128

    /// Creates the columns of a decoded page.
    package init(_ page: IndexPage) {
        level = page.level
        count = min(page.entries.count, EntryColumn.stride)
        let size = (EntryColumn.allCases.count + Rest.allCases.count) * EntryColumn.stride
        var words = [Int64](repeating: 0, count: size)
        for i in 0..<count {
            let entry = page.entries[i]
            let s = entry.summary
            func set(_ column: EntryColumn, _ value: Int64) { words[column.rawValue * EntryColumn.stride + i] = value }
            func set(_ column: EntryColumn, _ value: Double) { set(column, Int64(bitPattern: value.bitPattern)) }
            func set(_ column: Rest, _ value: Int64) { words[column.place + i] = value }
            func set(_ column: Rest, _ value: Double) { set(column, Int64(bitPattern: value.bitPattern)) }
            set(.count, s.count)
            set(.sumHigh, s.sum.hi)
            set(.sumLow, s.sum.lo)
            set(.min, s.min)
            set(.max, s.max)
            set(.firstStart, s.firstStart)
            set(.firstEnd, s.firstEnd)
            set(.firstValue, s.firstValue)
            set(.lastStart, s.lastStart)
            set(.lastEnd, s.lastEnd)
            set(.lastValue, s.lastValue)
            set(.maxEnd, s.maxEnd)
            set(.maxEndExceptLast, s.maxEndExceptLast)
            set(.offset, Int64(bitPattern: entry.offset))
            set(.length, Int64(entry.length))
            set(.squaresHigh, s.sumOfSquares.hi)
            set(.squaresLow, s.sumOfSquares.lo)
            set(.integralHigh, s.integral.hi)
            set(.integralLow, s.integral.lo)
            set(.durationLow, Int64(truncatingIfNeeded: s.durationSum))
            set(.durationHigh, Int64(truncatingIfNeeded: s.durationSum >> 64))
            set(.minBorn, s.minBorn)
            set(.maxBorn, s.maxBorn)
        }
        self.words = words
        children = Mutex(page.level == 0 ? [] : [IndexNode?](repeating: nil, count: count))
    }

    /// Returns one field of an entry.
    ///
    /// - Requires: `i` is in `0 ..< count`.
    @inline(__always)
    private func at(_ column: EntryColumn, _ i: Int) -> Int64 { words[column.rawValue &* EntryColumn.stride &+ i] }

    @inline(__always)
    private func at(_ column: Rest, _ i: Int) -> Int64 { words[column.place &+ i] }

    private func real(_ column: EntryColumn, _ i: Int) -> Double {
        Double(bitPattern: UInt64(bitPattern: at(column, i)))
    }

    private func real(_ column: Rest, _ i: Int) -> Double {
        Double(bitPattern: UInt64(bitPattern: at(column, i)))
    }

    /// The offset and length of a block or child page.
    package func offset(_ i: Int) -> UInt64 { UInt64(bitPattern: at(.offset, i)) }
    package func length(_ i: Int) -> UInt32 { UInt32(truncatingIfNeeded: at(.length, i)) }
    package func maxEndExceptLast(_ i: Int) -> Int64 { at(.maxEndExceptLast, i) }

    package func firstStart(_ i: Int) -> Int64 { at(.firstStart, i) }
    package func lastStart(_ i: Int) -> Int64 { at(.lastStart, i) }
    package func lastEnd(_ i: Int) -> Int64 { at(.lastEnd, i) }
    package func lastValue(_ i: Int) -> Double { real(.lastValue, i) }
    package func maxEnd(_ i: Int) -> Int64 { at(.maxEnd, i) }
    package func minBorn(_ i: Int) -> Int64 { at(.minBorn, i) }
    package func maxBorn(_ i: Int) -> Int64 { at(.maxBorn, i) }
    package func samples(_ i: Int) -> Int64 { at(.count, i) }

    /// Returns the first entry from `low` on whose last sample starts at or after an instant; else `count`. O(log
    /// entries).
    package func firstEntry(startingAtOrAfter instant: Int64, from low: Int) -> Int {
        let column = EntryColumn.lastStart.rawValue * EntryColumn.stride
        // Usually it is one of the next entries.
        var i = low
        while i < count, i < low + 3 {
            if words[column + i] >= instant { return i }
            i += 1
        }
        return Kernel.lowerBound(words, column + i..<column + count, instant) - column
    }

    /// Returns the first entry from `low` on whose first sample starts at or after an instant; else `count`. O(log
    /// entries).
    package func firstEntry(withFirstStartAtOrAfter instant: Int64, from low: Int) -> Int {
        let column = EntryColumn.firstStart.rawValue * EntryColumn.stride
        // Usually the whole page is inside the range.
        if count == 0 || words[column + count - 1] < instant { return count }
        return Kernel.lowerBound(words, column + low..<column + count, instant) - column
    }

    /// Returns the complete summary of an entry.
    package func summary(_ i: Int) -> Summary {
        var s = Summary()
        s.count = at(.count, i)
        s.sum = DoubleDouble(hi: real(.sumHigh, i), lo: real(.sumLow, i))
        s.sumOfSquares = DoubleDouble(hi: real(.squaresHigh, i), lo: real(.squaresLow, i))
        s.min = real(.min, i)
        s.max = real(.max, i)
        s.firstStart = at(.firstStart, i)
        s.firstEnd = at(.firstEnd, i)
        s.firstValue = real(.firstValue, i)
        s.lastStart = at(.lastStart, i)
        s.lastEnd = at(.lastEnd, i)
        s.lastValue = real(.lastValue, i)
        s.maxEnd = at(.maxEnd, i)
        s.maxEndExceptLast = at(.maxEndExceptLast, i)
        s.integral = DoubleDouble(hi: real(.integralHigh, i), lo: real(.integralLow, i))
        s.durationSum = Int128(at(.durationHigh, i)) << 64 | Int128(UInt64(bitPattern: at(.durationLow, i)))
        s.minBorn = at(.minBorn, i)
        s.maxBorn = at(.maxBorn, i)
        return s
    }

    /// Returns the child pages in memory, at the indexes of their entries.
    package func childrenInMemory() -> [IndexNode?] { children.withLock { $0 } }

    /// Stores the child page of an entry.
    func setChild(_ i: Int, _ child: IndexNode) {
        children.withLock { if i < $0.count { $0[i] = child } }
    }

    /// Removes the child page of an entry, unless another thread has replaced it.
    func forget(_ child: IndexNode, at i: Int) {
        children.withLock { if i < $0.count, $0[i] === child { $0[i] = nil } }
    }

    /// Records that a query used the page.
    @inline(__always)
    package func touch() {
        if !wasUsed.load(ordering: .relaxed) { wasUsed.store(true, ordering: .relaxed) }
    }

    /// Returns whether a query used the page since the last call, and clears the mark.
    func takeUsed() -> Bool { wasUsed.exchange(false, ordering: .relaxed) }
}
