// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import Kernels

/// Encodes summaries as columns, one page after the other; each column first tries the plan of the previous page.
///
/// Between pages it keeps only the plans, a few kilobytes, and no buffers: every open run has an encoder.
package struct SummaryColumnsEncoder: Sendable {
    private var integers = [IntegerColumnEncoder.State](
        repeating: IntegerColumnEncoder.State(), count: SummaryCodec.integers.count)
    private var reals = [RealColumnEncoder.State](
        repeating: RealColumnEncoder.State(), count: SummaryCodec.reals.count)

    package init() {}

    /// Appends up to 6,144 summaries as columns; fields that neighbours share cost little.
    package mutating func encode(_ all: [Summary], into w: inout ByteWriter) {
        var integer = IntegerColumnEncoder()
        var integerValues = [Int64](repeating: 0, count: all.count)
        for (index, column) in SummaryCodec.integers.enumerated() {
            for (row, summary) in all.enumerated() { integerValues[row] = column.get(summary) }
            integer.state = integers[index]
            _ = integer.encode(integerValues, integerValues.indices, into: &w)
            integers[index] = integer.state
        }
        var real = RealColumnEncoder()
        var realValues = [Double](repeating: 0, count: all.count)
        for (index, column) in SummaryCodec.reals.enumerated() {
            for (row, summary) in all.enumerated() { realValues[row] = column.get(summary) }
            real.state = reals[index]
            _ = real.encode(realValues, realValues.indices, into: &w)
            reals[index] = real.state
        }
    }
}

extension SummaryCodec {
    /// Decodes `count` summaries and returns the offset after them. Any bytes yield summaries or an error, never a
    /// trap.
    package static func decode(
        columns bytes: [UInt8], at: Int, end: Int, count: Int
    ) throws(ByteError) -> (summaries: [Summary], next: Int) {
        guard count >= 0, count <= Encoding.maximumCount else {
            throw ByteError(offset: at, what: "\(count) summaries exceed the limit of a page")
        }
        var all = [Summary](repeating: Summary(), count: count)
        var decoder = ColumnDecoder()
        var next = at
        var numbers = [Int64](repeating: 0, count: count + Encoding.spare)
        for column in Self.integers {
            next = try decoder.integers(bytes, at: next, end: end, count: count, into: &numbers)
            for index in 0..<count { column.set(&all[index], numbers[index]) }
        }
        var doubles = [Double](repeating: 0, count: count + Encoding.spare)
        for column in Self.reals {
            next = try decoder.reals(bytes, at: next, end: end, count: count, into: &doubles)
            for index in 0..<count { column.set(&all[index], doubles[index]) }
        }
        return (all, next)
    }

    /// Access to a field. Integer fields may be stored relative to earlier fields in the list, with wrapping
    /// arithmetic.
    struct Column<Value>: Sendable {
        let get: @Sendable (Summary) -> Value
        let set: @Sendable (inout Summary, Value) -> Void
    }

    static let integers: [Column<Int64>] = [
        Column(get: { $0.count }, set: { $0.count = $1 }),
        Column(get: { $0.firstStart }, set: { $0.firstStart = $1 }),
        Column(get: { $0.firstEnd &- $0.firstStart }, set: { $0.firstEnd = $0.firstStart &+ $1 }),
        Column(get: { $0.lastStart &- $0.firstStart }, set: { $0.lastStart = $0.firstStart &+ $1 }),
        Column(get: { $0.lastEnd &- $0.lastStart }, set: { $0.lastEnd = $0.lastStart &+ $1 }),
        Column(get: { $0.maxEnd &- $0.lastEnd }, set: { $0.maxEnd = $0.lastEnd &+ $1 }),
        Column(get: { $0.maxEndExceptLast &- $0.lastStart }, set: { $0.maxEndExceptLast = $0.lastStart &+ $1 }),
        Column(
            get: { Int64(truncatingIfNeeded: $0.durationSum) },
            set: { $0.durationSum = Int128(UInt64(bitPattern: $1)) }),
        Column(
            get: { Int64(truncatingIfNeeded: $0.durationSum >> 64) },
            set: { $0.durationSum |= Int128($1) << 64 }),
        Column(get: { $0.minBorn }, set: { $0.minBorn = $1 }),
        Column(get: { $0.maxBorn &- $0.minBorn }, set: { $0.maxBorn = $0.minBorn &+ $1 }),
    ]

    static let reals: [Column<Double>] = [
        Column(get: { $0.sum.hi }, set: { $0.sum.hi = $1 }),
        Column(get: { $0.sum.lo }, set: { $0.sum.lo = $1 }),
        Column(get: { $0.sumOfSquares.hi }, set: { $0.sumOfSquares.hi = $1 }),
        Column(get: { $0.sumOfSquares.lo }, set: { $0.sumOfSquares.lo = $1 }),
        Column(get: { $0.min }, set: { $0.min = $1 }),
        Column(get: { $0.max }, set: { $0.max = $1 }),
        Column(get: { $0.firstValue }, set: { $0.firstValue = $1 }),
        Column(get: { $0.lastValue }, set: { $0.lastValue = $1 }),
        Column(get: { $0.integral.hi }, set: { $0.integral.hi = $1 }),
        Column(get: { $0.integral.lo }, set: { $0.integral.lo = $1 }),
    ]
}
