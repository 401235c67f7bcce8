// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// Checks of columns in spans.
extension Kernel {
    /// Whether none of the first `n` values is NaN or infinite.
    package static func allFinite(_ v: Span<Double>, _ n: Int) -> Bool {
        precondition(n >= 0 && n <= v.count, "range outside of the span")
        return unsafe v.withUnsafeBufferPointer { unsafe ck_all_finite($0.baseAddress, n) }
    }

    /// Whether each of the first `n` numbers is at least its predecessor.
    package static func isAscending(_ a: Span<Int64>, _ n: Int) -> Bool {
        precondition(n >= 0 && n <= a.count, "range outside of the span")
        return unsafe a.withUnsafeBufferPointer { unsafe ck_is_ascending($0.baseAddress, n) }
    }
}

/// Copies into spans.
extension Kernel {
    /// Copies a range of a column to the beginning of a span.
    ///
    /// - Requires: the span is at least as long as the range.
    package static func copy<T: BitwiseCopyable>(_ column: [T], _ range: Range<Int>, to target: inout MutableSpan<T>) {
        precondition(range.count <= target.count, "the span is too short")
        unsafe target.withUnsafeMutableBufferPointer { to in
            unsafe span(column, range) { from in
                if let from = unsafe from { unsafe to.baseAddress?.update(from: from, count: range.count) }
            }
        }
    }
}
