// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CKernels

/// Kernels that decode directly into a caller's span. They write the first `n` elements of the span and nothing else.
extension ColumnKernels {
    /// The conversion of a sequence's integers.
    enum Meaning {
        case integers
        /// Doubles: each integer divided by this number.
        case quotients(Double)
        /// Doubles, decoded from their ordered bit patterns.
        case ordered
    }

    /// A packed or delta sequence before its stream, and the conversion of its integers. An integer is `base` plus
    /// `unit` times a number of the stream, or times the sum of the numbers so far.
    struct IntegerSequence {
        /// The encoding, with or without windows.
        let form: UInt8
        let base: Int64
        let unit: UInt64
        let meaning: Meaning
    }

    /// Decodes the stream of a sequence of `n` integers from `bytes[at..<end]`.
    ///
    /// - Returns: the offset after the stream, and whether the integers are known to ascend.
    static func decode<T: BitwiseCopyable>(
        _ integers: IntegerSequence, _ bytes: [UInt8], at: Int, end: Int, _ n: Int, into out: inout MutableSpan<T>
    ) throws(ByteError) -> (next: Int, ascends: Bool) {
        check(at >= 0 && at <= end && bytes.count - end >= Encoding.spare)
        check(n >= 0 && n <= out.count && MemoryLayout<T>.stride == 8)
        let kind = Encoding.base(integers.form)
        var sequence = ck_sequence(
            base: integers.base, unit: integers.unit, is_delta: kind == Encoding.delta,
            has_windows: kind != integers.form, kind: Int32(CK_AS_INTEGERS), divisor: 1)
        switch integers.meaning {
        case .integers: break
        case .quotients(1): sequence.kind = Int32(CK_AS_WHOLE)
        case .quotients(let divisor):
            sequence.kind = Int32(CK_AS_SCALED)
            sequence.divisor = divisor
        case .ordered: sequence.kind = Int32(CK_AS_ORDERED)
        }
        let result = unsafe out.withUnsafeMutableBufferPointer { to in
            unsafe ck_decode_sequence(bytes, at, end, n, &sequence, to.baseAddress)
        }
        guard result.error == CK_FINE else { throw streamError(result.error, at: at + result.used) }
        return (at + result.used, result.is_ascending)
    }

    /// Decodes doubles from their bytes.
    static func doubles(_ bytes: [UInt8], at: Int, _ n: Int, into out: inout MutableSpan<Double>) {
        check(at >= 0 && n >= 0 && n <= out.count && bytes.count - at >= 8 * n)
        unsafe out.withUnsafeMutableBufferPointer { unsafe ck_from_bytes(bytes, at, n, $0.baseAddress) }
    }

    /// Converts ticks after a second to nanoseconds, in place.
    static func fromTicks(_ out: inout MutableSpan<Int64>, _ n: Int, second: Int64) {
        check(n >= 0 && n <= out.count)
        unsafe out.withUnsafeMutableBufferPointer { unsafe ck_from_ticks($0.baseAddress, n, second) }
    }

    /// Copies the first `n` values of an array.
    static func copy<T: BitwiseCopyable>(_ values: [T], _ n: Int, into out: inout MutableSpan<T>) {
        check(n >= 0 && n <= values.count && n <= out.count)
        unsafe out.withUnsafeMutableBufferPointer { to in
            unsafe to.baseAddress?.update(from: values, count: n)
        }
    }
}
