// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// ColumnKernels whose result goes straight to where a reader wants it: they write the first `n` elements of a span and nothing
/// else.
extension ColumnKernels {
    /// What becomes of the integers of a sequence.
    enum Meaning {
        case integers
        /// Doubles: integers divided by this.
        case quotients(Double)
        /// Doubles by their ordered patterns.
        case ordered
    }

    /// Fills from the stream of a packed or delta sequence, of windows or not, at `bytes[at..<end]`. Returns the
    /// offset after it, and whether the integers are known to ascend.
    static func decodeSequence<T: BitwiseCopyable>(
        _ bytes: [UInt8], at: Int, end: Int, _ n: Int, form: UInt8, base: Int64, unit: UInt64, _ meaning: Meaning,
        into out: inout MutableSpan<T>
    ) throws(CodecError) -> (next: Int, ascends: Bool) {
        check(at >= 0 && at <= end && bytes.count - end >= Encoding.spare)
        check(n >= 0 && n <= out.count && MemoryLayout<T>.stride == 8)
        let kind = Encoding.base(form)
        var sequence = ck_sequence(
            base: base, unit: unit, is_delta: kind == Encoding.delta, has_windows: kind != form,
            kind: Int32(CK_AS_INTEGERS), divisor: 1)
        switch meaning {
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

    /// Reads doubles from their bytes.
    static func doubles(_ bytes: [UInt8], at: Int, _ n: Int, into out: inout MutableSpan<Double>) {
        check(at >= 0 && n >= 0 && n <= out.count && bytes.count - at >= 8 * n)
        unsafe out.withUnsafeMutableBufferPointer { unsafe ck_from_bytes(bytes, at, n, $0.baseAddress) }
    }

    /// Nanoseconds of ticks after a second, in place.
    static func fromTicks(_ out: inout MutableSpan<Int64>, _ n: Int, second: Int64) {
        check(n >= 0 && n <= out.count)
        unsafe out.withUnsafeMutableBufferPointer { unsafe ck_from_ticks($0.baseAddress, n, second) }
    }

    /// Copies the first values of an array.
    static func copy<T: BitwiseCopyable>(_ values: [T], _ n: Int, into out: inout MutableSpan<T>) {
        check(n >= 0 && n <= values.count && n <= out.count)
        unsafe out.withUnsafeMutableBufferPointer { to in
            unsafe to.baseAddress?.update(from: values, count: n)
        }
    }
}
