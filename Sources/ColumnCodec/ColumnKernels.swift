// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CKernels

/// Safe wrappers of the C loops: each checks its arrays against the count once, before it creates a pointer.
enum ColumnKernels {
    static func check(_ condition: Bool) {
        precondition(condition, "scratch is too small")
    }

    // MARK: Streams

    static func streamCost(_ v: [Int64], _ n: Int, wholeBytes: Bool) -> Int {
        check(n <= v.count && n <= Encoding.maximumCount)
        return unsafe ck_stream_cost(v, n, wholeBytes)
    }

    static func streamBound(_ n: Int) -> Int { ck_stream_bound(n) + Encoding.spare }

    /// Encodes a stream at `offset` and returns the number of bytes written.
    ///
    /// - Requires: `streamBound(n)` bytes after `offset`.
    static func encodeStream(_ v: [Int64], _ n: Int, wholeBytes: Bool, into out: inout [UInt8], at offset: Int) -> Int {
        check(n <= v.count && n <= Encoding.maximumCount && out.count - offset >= streamBound(n))
        return unsafe out.withUnsafeMutableBufferPointer { buffer in
            unsafe ck_stream_encode(v, n, wholeBytes, buffer.baseAddress! + offset)
        }
    }

    /// Decodes `n` values from `bytes[at..<end]` and returns the offset after them.
    static func decodeStream(
        _ bytes: [UInt8], at: Int, end: Int, _ n: Int, into out: inout [Int64]
    ) throws(ByteError) -> Int {
        check(at <= end && bytes.count - end >= Encoding.spare && out.count - n >= Encoding.spare)
        let result = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe ck_stream_decode(buffer.baseAddress! + at, end - at, n, &out)
        }
        return try finish(result, at)
    }

    private static func finish(_ result: ck_decoded, _ at: Int) throws(ByteError) -> Int {
        guard result.error == 0 else { throw streamError(result.error, at: at + result.used) }
        return at + result.used
    }

    /// Returns the error of a stream decoder's error code.
    static func streamError(_ error: Int32, at offset: Int) -> ByteError {
        let what = streamErrors.indices.contains(Int(error)) ? streamErrors[Int(error)] : "damaged"
        return ByteError(offset: offset, what: what)
    }

    // MARK: Windows

    /// Encodes a stream of windows at `offset` and returns the number of bytes written.
    ///
    /// - Requires: `windowsBound(n)` bytes after `offset`.
    /// - Parameter group: the binary logarithm of the group size; 0 selects the cheapest and is replaced by it.
    static func encodeWindows(
        _ v: [Int64], _ n: Int, group: inout UInt8, into out: inout [UInt8], at offset: Int
    ) -> Int {
        check(n <= v.count && n <= Encoding.maximumCount && group <= CK_MOST_GROUP)
        check(out.count - offset >= windowsBound(n))
        return unsafe ck_windows_encode(v, n, &group, &out, offset)
    }

    static func windowsBound(_ n: Int) -> Int { ck_windows_bound(n) + Encoding.spare }

    /// Like `decodeStream`, for a stream of windows.
    static func decodeWindows(
        _ bytes: [UInt8], at: Int, end: Int, _ n: Int, into out: inout [Int64]
    ) throws(ByteError) -> Int {
        check(at <= end && bytes.count - end >= Encoding.spare && out.count - n >= Encoding.spare)
        let result = unsafe ck_windows_decode(bytes, at, end, n, &out)
        return try finish(result, at)
    }

    /// Messages by error code, as numbered in `CKernels.h`.
    private static let streamErrors = [
        "", "too many values", "mini-block headers run past the end", "width above 64",
        "too many exceptions", "frame is not a varint", "bits run past the end",
        "exceptions run past the end", "exception out of place", "exception is not a varint", "exception too wide",
        "unknown groups", "wrong number of escapes",
    ]

    /// Packs codes of `width` bits; returns the number of bytes written.
    static func pack(_ v: [UInt64], _ n: Int, width: Int, into out: inout [UInt8], at offset: Int) -> Int {
        check(n <= v.count && out.count - offset >= n * 8 + Encoding.spare)
        return unsafe out.withUnsafeMutableBufferPointer { buffer in
            unsafe ck_pack(v, n, UInt32(width), buffer.baseAddress! + offset)
        }
    }

    static func unpack(_ bytes: [UInt8], at: Int, _ n: Int, width: Int, into out: inout [UInt64]) {
        check(bytes.count - at >= (n * width + 7) / 8 + Encoding.spare && out.count - n >= Encoding.spare)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe ck_unpack(buffer.baseAddress! + at, n, UInt32(width), &out)
        }
    }

    // MARK: Integers

    /// Copies `v[r]` to the start of `out`.
    static func load<T: BitwiseCopyable>(_ v: [T], _ r: Range<Int>, into out: inout [T]) {
        check(r.lowerBound >= 0 && r.upperBound <= v.count && r.count <= out.count)
        out.replaceSubrange(0..<r.count, with: v[r])
    }

    static func delta(_ v: [Int64], _ n: Int, into d: inout [Int64]) {
        check(n <= v.count && n <= d.count)
        unsafe ck_delta(v, n, &d)
    }

    static func accumulate(_ v: inout [Int64], _ n: Int, unit: UInt64, base: Int64) {
        check(v.count - n >= Encoding.spare)
        unsafe ck_accumulate(&v, n, unit, base)
    }

    static func scale(_ v: inout [Int64], _ n: Int, unit: UInt64, base: Int64) {
        check(v.count - n >= Encoding.spare)
        unsafe ck_scale(&v, n, unit, base)
    }

    /// Whether `unit` divides all of `d`; if so, `q` holds the quotients.
    static func divideExactly(_ d: [Int64], _ n: Int, unit: UInt64, into q: inout [Int64]) -> Bool {
        check(n <= d.count && n <= q.count && unit > 0)
        return unsafe ck_divide_exactly(d, n, unit, &q) == n
    }

    static func gcd(_ d: [Int64], _ n: Int, scratch: inout [Int64]) -> UInt64 {
        check(n <= d.count && n <= scratch.count)
        return unsafe ck_gcd(d, n, &scratch)
    }

    static func countNonzero(_ d: [Int64], _ n: Int) -> Int {
        check(n <= d.count)
        return unsafe ck_count_nonzero(d, n)
    }

    /// Whether all values are whole ticks of 2^-23 s after `second`; if so, `ticks` holds them.
    static func toTicks(_ v: [Int64], _ n: Int, second: Int64, into ticks: inout [Int64]) -> Bool {
        check(n <= v.count && n <= ticks.count)
        return unsafe ck_to_ticks(v, n, second, &ticks) == n
    }

    static func fromTicks(_ v: inout [Int64], _ n: Int, second: Int64) {
        check(n <= v.count)
        unsafe ck_from_ticks(&v, n, second)
    }

    /// Returns the number of values that differ from their predecessors.
    static func countChanges(_ v: [Int64], _ n: Int) -> Int {
        check(n <= v.count)
        return unsafe ck_count_changes(v, n)
    }

    static func lookUp(_ codes: [UInt64], _ n: Int, table: [Int64], into out: inout [Int64]) {
        check(n <= codes.count && n <= out.count && table.count >= Encoding.maximumDictionary)
        unsafe ck_look_up(codes, n, table, &out)
    }

    /// Collects the distinct values in order of appearance and each value's code; returns 0 for more than 256 values.
    static func distinct(_ v: [Int64], _ n: Int, table: inout [Int64], codes: inout [UInt64]) -> Int {
        check(n <= v.count && n <= codes.count && table.count >= Encoding.maximumDictionary)
        return unsafe ck_distinct(v, n, Encoding.maximumDictionary, &table, &codes)
    }

    // MARK: Reals

    static func toScaled(
        _ v: [Double], _ n: Int, divisor: Double, into k: inout [Int64], exceptions: inout [UInt16]
    ) -> Int {
        check(n <= v.count && n <= k.count && n < exceptions.count)
        return unsafe ck_to_scaled(v, n, divisor, &k, &exceptions)
    }

    static func fromScaled(_ k: [Int64], _ n: Int, divisor: Double, into v: inout [Double]) {
        check(k.count - n >= Encoding.spare && v.count - n >= Encoding.spare)
        unsafe ck_from_scaled(k, n, divisor, &v)
    }

    static func toFloat32(_ v: [Double], _ n: Int, into k: inout [Int64], exceptions: inout [UInt16]) -> Int {
        check(n <= v.count && n <= k.count && n < exceptions.count)
        return unsafe ck_to_float32(v, n, &k, &exceptions)
    }

    static func fromFloat32(_ k: [Int64], _ n: Int, into v: inout [Double]) {
        check(k.count - n >= Encoding.spare && v.count - n >= Encoding.spare)
        unsafe ck_from_float32(k, n, &v)
    }

    static func toOrdered(_ v: [Double], _ n: Int, into k: inout [Int64]) {
        check(n <= v.count && n <= k.count)
        unsafe ck_to_ordered(v, n, &k)
    }

    static func fromOrdered(_ k: [Int64], _ n: Int, into v: inout [Double]) {
        check(k.count - n >= Encoding.spare && v.count - n >= Encoding.spare)
        unsafe ck_from_ordered(k, n, &v)
    }

    /// Writes the byte planes that are not zero; returns their mask and the number of bytes written.
    static func shuffle(
        _ v: [Double], _ n: Int, withPrevious: Bool, into out: inout [UInt8], at offset: Int
    ) -> (mask: UInt8, used: Int) {
        check(n <= v.count && out.count - offset >= n * 8 + Encoding.spare)
        var mask: UInt8 = 0
        let used = unsafe out.withUnsafeMutableBufferPointer { buffer in
            unsafe ck_shuffle(v, n, withPrevious, &mask, buffer.baseAddress! + offset)
        }
        return (mask, used)
    }

    static func unshuffle(
        _ bytes: [UInt8], at: Int, _ n: Int, previous: UInt64?, mask: UInt8, into v: inout [Double]
    ) {
        check(bytes.count - at >= mask.nonzeroBitCount * n && v.count - n >= Encoding.spare)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe ck_unshuffle(buffer.baseAddress! + at, n, previous != nil, previous ?? 0, mask, &v)
        }
    }
}

/// Kernels for scaled reals.
extension ColumnKernels {
    /// Computes each value's number of steps and its correction; returns the number of nonzero corrections.
    static func toSteps(
        _ v: [Double], _ n: Int, _ scale: ScalarEncoder.Scale, into k: inout [Int64], corrections c: inout [Int64]
    ) -> Int {
        check(n <= v.count && n <= k.count && n <= c.count)
        return unsafe ck_to_steps(v, n, scale.divisor, scale.offset, &k, &c)
    }

    static func fromSteps(
        _ k: [Int64], _ c: [Int64], _ n: Int, divisor: Double, offset: Double, into v: inout [Double]
    ) {
        check(n <= k.count && n <= c.count && n <= v.count)
        unsafe ck_from_steps(k, c, n, divisor, offset, &v)
    }

    /// Returns the step that divides all differences of ascending numbers within the noise; 0 if there is none.
    static func commonStep(_ v: [Double], noise: Double) -> Double {
        unsafe ck_common_step(v, v.count, noise)
    }
}
