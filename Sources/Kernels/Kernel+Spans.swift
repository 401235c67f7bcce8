// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// The checks of whole columns, where they are being filled.
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

/// Copies to where nobody will look soon.
extension Kernel {
    /// Copies the first `to.count` numbers past the cache: for results that are larger than it. Call `fenceCopies`
    /// before another thread may read them.
    package static func copyPastCache(_ from: [Int64], to: inout MutableSpan<Int64>) {
        precondition(to.count <= from.count, "more numbers than there are")
        unsafe to.withUnsafeMutableBytes { to in
            unsafe from.withUnsafeBytes { from in unsafe copyWords(from, to) }
        }
    }

    /// The same of doubles.
    package static func copyPastCache(_ from: [Double], to: inout MutableSpan<Double>) {
        precondition(to.count <= from.count, "more numbers than there are")
        unsafe to.withUnsafeMutableBytes { to in
            unsafe from.withUnsafeBytes { from in unsafe copyWords(from, to) }
        }
    }

    /// Waits until all that this thread copied past the cache can be seen by others.
    package static func fenceCopies() { ck_fence_copies() }

    private static func copyWords(_ from: UnsafeRawBufferPointer, _ to: UnsafeMutableRawBufferPointer) {
        guard let source = from.baseAddress, let target = to.baseAddress else { return }
        unsafe ck_copy_past_cache(
            target.assumingMemoryBound(to: UInt64.self), source.assumingMemoryBound(to: UInt64.self), to.count / 8)
    }
}
