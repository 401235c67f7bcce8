// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// Properties of samples that are checked before the samples are accepted.
@frozen
@usableFromInline
package struct SampleFaults: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A sample follows a later one: by start, then by end.
    package static let unordered = SampleFaults(rawValue: UInt32(CK_UNORDERED))
    /// A value is NaN or infinite.
    package static let notFinite = SampleFaults(rawValue: UInt32(CK_NOT_FINITE))
    /// A start is before the first allowed time, or an end after the last one.
    package static let outside = SampleFaults(rawValue: UInt32(CK_OUTSIDE))
    /// A sample ends before it starts.
    package static let backwards = SampleFaults(rawValue: UInt32(CK_BACKWARDS))
    /// A sample has a duration: not a fault, but not all samples are points.
    package static let lasting = SampleFaults(rawValue: UInt32(CK_LASTING))
    /// The faults of samples that no store accepts.
    package static let invalid: SampleFaults = [.notFinite, .outside, .backwards]
}

extension Kernel {
    /// Checks samples against the allowed `times`; without ends, the samples are points.
    ///
    /// - Requires: columns of equal length.
    package static func examine(
        starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>, times: ClosedRange<Int64>
    ) -> SampleFaults {
        let n = starts.count
        precondition(values.count == n && (ends.isEmpty || ends.count == n), "columns of different lengths")
        let found = unsafe starts.withUnsafeBufferPointer { s in
            unsafe values.withUnsafeBufferPointer { v in
                unsafe ends.withUnsafeBufferPointer { e in
                    unsafe e.isEmpty
                        ? ck_examine_points(s.baseAddress, v.baseAddress, n, times.lowerBound, times.upperBound)
                        : ck_examine(
                            s.baseAddress, e.baseAddress, v.baseAddress, n, times.lowerBound, times.upperBound)
                }
            }
        }
        return SampleFaults(rawValue: found)
    }

    /// Copies a range of a column to the beginning of an array.
    ///
    /// - Requires: the array is at least as long as the range.
    package static func copy(_ column: Span<Int64>, _ range: Range<Int>, into array: inout [Int64]) {
        overwrite(&array, column.extracting(range))
    }

    /// Copies a range of a column to the beginning of an array.
    ///
    /// - Requires: the array is at least as long as the range.
    package static func copy(_ column: Span<Double>, _ range: Range<Int>, into array: inout [Double]) {
        overwrite(&array, column.extracting(range))
    }

    package static func append(_ column: Span<Int64>, _ range: Range<Int>, to array: inout [Int64]) {
        extend(&array, column.extracting(range))
    }

    package static func append(_ column: Span<Double>, _ range: Range<Int>, to array: inout [Double]) {
        extend(&array, column.extracting(range))
    }

    private static func overwrite<T: BitwiseCopyable>(_ array: inout [T], _ column: Span<T>) {
        precondition(column.count <= array.count, "the array is too short")
        unsafe column.withUnsafeBufferPointer { from in
            unsafe array.withUnsafeMutableBufferPointer { to in _ = unsafe to.update(fromContentsOf: from) }
        }
    }

    private static func extend<T: BitwiseCopyable>(_ array: inout [T], _ column: Span<T>) {
        unsafe column.withUnsafeBufferPointer { unsafe array.append(contentsOf: $0) }
    }
}
