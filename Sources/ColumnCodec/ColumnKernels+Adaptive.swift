// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CKernels

/// Adaptive streams; `Docs/Format/Columns.md` describes their bytes.
extension ColumnKernels {
    /// Returns the maximum length of an adaptive stream of `n` numbers, which is also the length of the scratch.
    static func adaptiveBound(_ n: Int) -> Int { ck_adaptive_bound(n) }

    /// Encodes an adaptive stream at `offset` and returns the number of bytes written.
    ///
    /// - Requires: `adaptiveBound(n)` bytes after `offset`, and in the scratch.
    static func encodeAdaptive(
        _ v: [Int64], _ n: Int, into out: inout [UInt8], at offset: Int, scratch: inout [UInt8]
    ) -> Int {
        let room = adaptiveBound(n)
        check(n <= v.count && n <= Encoding.maximumCount && out.count - offset >= room && scratch.count >= room)
        let used = unsafe ck_adaptive_encode(v, n, &out, offset, &scratch)
        check(used > 0)
        return used
    }

    /// Decodes an adaptive stream of `n` numbers at the reader's position into the first elements of an array.
    static func decodeAdaptive(
        _ bytes: [UInt8], _ reader: inout ByteReader, _ n: Int, into out: inout [Int64]
    ) throws(ByteError) {
        let offset = reader.offset
        let start = try reader.u8()
        let (choices, plain) = (try reader.varint(), try reader.varint())
        guard choices <= UInt64(reader.remaining), plain <= UInt64(reader.remaining) - choices else {
            throw ByteError(offset: offset, what: "choices run past the end")
        }
        let (at, count) = (reader.offset, Int(choices + plain))
        check(at >= 0 && n >= 0 && n <= out.count && bytes.count - at >= count)
        let isWhole = unsafe ck_adaptive_decode(bytes, at, Int(choices), Int(plain), start, n, &out)
        guard isWhole else { throw ByteError(offset: offset, what: "wrong number of choices") }
        reader.offset = at + count
    }
}
