// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import Kernels

/// The encoding of summaries: one in a fixed layout, or many as columns.
package enum SummaryCodec {
    /// Size of one summary in the fixed layout, in bytes.
    package static let length = 168

    /// Appends a summary in the fixed layout: every field in the order of `Docs/Format/Columns.md`, little-endian.
    package static func encode(_ s: Summary, into w: inout ByteWriter) {
        w.put(s.count)
        put(s.sum, into: &w)
        put(s.sumOfSquares, into: &w)
        w.put(double: s.min)
        w.put(double: s.max)
        w.put(s.firstStart)
        w.put(s.firstEnd)
        w.put(double: s.firstValue)
        w.put(s.lastStart)
        w.put(s.lastEnd)
        w.put(double: s.lastValue)
        w.put(s.maxEnd)
        w.put(s.maxEndExceptLast)
        put(s.integral, into: &w)
        w.put(UInt64(truncatingIfNeeded: s.durationSum))
        w.put(Int64(truncatingIfNeeded: s.durationSum >> 64))
        w.put(s.minBorn)
        w.put(s.maxBorn)
    }

    /// Decodes the fixed layout. Any 168 bytes yield a summary; the caller checks its fields.
    package static func decode(_ reader: inout ByteReader) throws(ByteError) -> Summary {
        var s = Summary()
        s.count = try reader.i64()
        s.sum = try sum(&reader)
        s.sumOfSquares = try sum(&reader)
        s.min = try reader.double()
        s.max = try reader.double()
        s.firstStart = try reader.i64()
        s.firstEnd = try reader.i64()
        s.firstValue = try reader.double()
        s.lastStart = try reader.i64()
        s.lastEnd = try reader.i64()
        s.lastValue = try reader.double()
        s.maxEnd = try reader.i64()
        s.maxEndExceptLast = try reader.i64()
        s.integral = try sum(&reader)
        let low = try reader.u64()
        s.durationSum = Int128(try reader.i64()) << 64 | Int128(low)
        s.minBorn = try reader.i64()
        s.maxBorn = try reader.i64()
        return s
    }

    private static func put(_ sum: DoubleDouble, into w: inout ByteWriter) {
        w.put(double: sum.hi)
        w.put(double: sum.lo)
    }

    private static func sum(_ reader: inout ByteReader) throws(ByteError) -> DoubleDouble {
        DoubleDouble(hi: try reader.double(), lo: try reader.double())
    }
}
