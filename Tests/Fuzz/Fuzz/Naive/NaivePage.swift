// SPDX-License-Identifier: Apache-2.0

import Kernels
import TimeIndex

/// The entries of an index page as defined by `Docs/Format/TimeIndex.md`, as plain numbers: offset, length, and the
/// fields of the summary in the order of the table of columns.
struct NaivePage {
    /// The entries; nil if a column is in LZ4 that the naive decoder refuses.
    let entries: [[UInt64]]?

    init(_ bytes: [UInt8]) throws {
        var header = NaiveReader(bytes, at: 2, end: bytes.count - 4)
        let count = Int(try header.number(2))
        guard (1...64).contains(count), bytes.count <= 65_536 else { throw Refused("\(count) entries") }
        header.at = 16
        var offset = try header.number(8)
        var columns: [[UInt64]] = []
        for index in 0..<23 {
            let frame = try NaiveColumn.frame(bytes, at: header.at, end: header.end, count: count)
            guard var payload = NaiveColumn.payload(bytes, frame) else {
                entries = nil
                return
            }
            columns.append(
                index < 13
                    ? try NaiveColumn.integers(frame.encoding, &payload, count).map { UInt64(bitPattern: $0) }
                    : try NaiveColumn.reals(frame.encoding, &payload, count))
            guard payload.left == 0 else { throw Refused("bytes left over") }
            header.at = frame.payload.upperBound
        }
        guard header.left == 0 else { throw Refused("bytes after the last column") }
        entries = (0..<count).map { row in
            var fields = columns.map { $0[row] }
            offset &+= fields[0]
            fields[0] = offset
            offset &+= fields[1]
            // firstEnd, lastStart, lastEnd, maxEnd, maxEndExceptLast and maxBorn are stored as differences.
            for (field, origin) in [(4, 3), (5, 3), (6, 5), (7, 6), (8, 5), (12, 11)] {
                fields[field] &+= fields[origin]
            }
            return fields
        }
    }

    static func fields(_ entry: IndexEntry) -> [UInt64] { [entry.offset, UInt64(entry.length)] + bits(entry.summary) }

    /// Returns the fields of a summary in the order of the columns.
    static func bits(_ s: Summary) -> [UInt64] {
        let numbers = [
            s.count, s.firstStart, s.firstEnd, s.lastStart, s.lastEnd, s.maxEnd, s.maxEndExceptLast,
            Int64(truncatingIfNeeded: s.durationSum), Int64(truncatingIfNeeded: s.durationSum >> 64), s.minBorn,
            s.maxBorn,
        ]
        let reals = [
            s.sum.hi, s.sum.lo, s.sumOfSquares.hi, s.sumOfSquares.lo, s.min, s.max, s.firstValue, s.lastValue,
            s.integral.hi, s.integral.lo,
        ]
        return numbers.map { UInt64(bitPattern: $0) } + reals.map(\.bitPattern)
    }
}
