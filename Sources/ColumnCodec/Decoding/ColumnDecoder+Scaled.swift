// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension ColumnDecoder {
    /// Divisor and offset, the whole numbers of steps and the corrections as sequences.
    mutating func scaled(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ count: Int, into out: inout [Double]
    ) throws(CodecError) {
        let start = reader.offset
        let divisor = try Self.double(&reader)
        let offset = try Self.double(&reader)
        guard divisor.isFinite, divisor != 0, offset.isFinite else {
            throw CodecError(offset: start, what: "unknown divisor \(divisor)")
        }
        Self.reserve(&integers, count, 0)
        Self.reserve(&entries, count, 0)
        try Self.nested(bytes, &reader, count, into: &integers)
        try Self.nested(bytes, &reader, count, into: &entries)
        Loops.fromSteps(integers, entries, count, divisor: divisor, offset: offset, into: &out)
    }
}
