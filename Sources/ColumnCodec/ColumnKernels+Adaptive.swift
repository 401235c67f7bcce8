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

/// The sums of the search for a prediction.
extension ColumnKernels {
    /// The number of zeros before the numbers that are predicted.
    static let predictionLead = 4

    /// Sets the magnitudes of the errors of a prediction, and returns their sum.
    ///
    /// - Requires: `numbers` begins with `predictionLead` zeros, and has `n` numbers after them.
    static func predictionErrors(
        _ numbers: [Double], _ n: Int, _ factors: SIMD4<Double>, into errors: inout [Double]
    ) -> Double {
        check(n >= 0 && numbers.count >= n + predictionLead && errors.count >= n)
        return unsafe ck_prediction_errors(numbers, n, [factors[0], factors[1], factors[2], factors[3]], &errors)
    }

    /// Returns the sums of the weighted products of the four numbers before each number with each other, in rows, and
    /// with the number. The last number comes first.
    ///
    /// - Requires: as in `predictionErrors`.
    /// - Parameter scale: the error whose weight is half the greatest weight; 0 for equal weights.
    static func predictionSums(
        _ numbers: [Double], _ errors: [Double], _ n: Int, scale: Double
    ) -> (rows: [SIMD4<Double>], targets: SIMD4<Double>) {
        check(n >= 0 && numbers.count >= n + predictionLead && errors.count >= n)
        var sums = [Double](repeating: 0, count: 20)
        unsafe ck_prediction_sums(numbers, errors, n, scale, &sums)
        let rows = stride(from: 0, to: 20, by: 4).map { SIMD4(sums[$0], sums[$0 + 1], sums[$0 + 2], sums[$0 + 3]) }
        return (Array(rows[..<4]), rows[4])
    }
}
