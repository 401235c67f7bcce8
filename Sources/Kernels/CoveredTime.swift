// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// The time that some samples cover, as ascending half-open intervals with gaps between them.
package struct CoveredTime: Sendable {
    private var starts: [Int64] = []
    private var ends: [Int64] = []
    /// The total length of all earlier intervals, modulo 2^64.
    private var before: [UInt64] = []
    /// The instants of points, which have no duration; ascending.
    private var instants: [Int64] = []
    /// Number of intervals; the arrays are longer.
    private var count = 0
    /// All intervals before this one end before the last query.
    private var cursor = 0
    private var firstInstant = 0

    /// Elements after the last interval that a loop may read, set to the greatest instant.
    private static let spare = Int(CK_COVER_SPARE)

    /// Creates an empty set: nothing is covered.
    package init() {}

    /// Removes all intervals; keeps the memory.
    package mutating func removeAll() {
        count = 0
        cursor = 0
        for i in 0..<min(Self.spare, starts.count) {
            starts[i] = .max
            ends[i] = .max
        }
        instants.removeAll(keepingCapacity: true)
        firstInstant = 0
    }

    /// Removes intervals that end at or before an instant.
    ///
    /// - Requires: later queries concern only times at or after the instant.
    package mutating func forget(endingBy instant: Int64) {
        // The last interval may still grow.
        while cursor + 1 < count, ends[cursor] <= instant { cursor += 1 }
        if cursor > 1_024, cursor > count / 2 {
            // Including the spare elements after the last interval.
            for i in cursor..<count + Self.spare {
                starts[i - cursor] = starts[i]
                ends[i - cursor] = ends[i]
            }
            for i in cursor..<count { before[i - cursor] = before[i] }
            count -= cursor
            cursor = 0
        }
        while firstInstant < instants.count, instants[firstInstant] < instant { firstInstant += 1 }
        if firstInstant > 1_024, firstInstant > instants.count / 2 {
            instants.removeFirst(firstInstant)
            firstInstant = 0
        }
    }

    /// Adds the time of samples. O(samples).
    ///
    /// - Requires: ascending starts, none before those added earlier.
    package mutating func add(starts newStarts: [Int64], ends newEnds: [Int64], _ range: Range<Int>) {
        makeRoom(count + range.count + Self.spare)
        let (room, before0) = (starts.count, count)
        precondition(ends.count >= room && before.count >= room, "columns of different lengths")
        let found = unsafe Kernel.span(newStarts, range) { s in
            unsafe Kernel.span(newEnds, range) { e in
                unsafe starts.withUnsafeMutableBufferPointer { starts in
                    unsafe ends.withUnsafeMutableBufferPointer { ends in
                        unsafe before.withUnsafeMutableBufferPointer { before in
                            unsafe ck_cover(
                                s, e, range.count, starts.baseAddress, ends.baseAddress, before.baseAddress, before0)
                        }
                    }
                }
            }
        }
        count = found
        for i in range where newEnds[i] <= newStarts[i] { instants.append(newStarts[i]) }
    }

    private mutating func makeRoom(_ room: Int) {
        if starts.count >= room { return }
        let more = max(room, 2 * starts.count, 4_096) - starts.count
        starts += repeatElement(.max, count: more)
        ends += repeatElement(.max, count: more)
        before += repeatElement(0, count: more)
    }

    /// Computes the covered time of each sample; for a point, 1 if it is covered. O(samples + intervals passed).
    ///
    /// - Requires: ascending starts, none before the instant of the last `forget`.
    /// - Parameters:
    ///   - range: the samples.
    ///   - hidden: receives the results in the same range.
    /// - Returns: whether any sample is covered at least partly.
    package mutating func hide(
        starts newStarts: [Int64], ends newEnds: [Int64], _ range: Range<Int>, into hidden: inout [UInt64]
    ) -> Bool {
        precondition(range.upperBound <= hidden.count, "no room for the answers")
        makeRoom(count + Self.spare)
        let count = count
        var any = unsafe Kernel.span(newStarts, range) { s in
            unsafe Kernel.span(newEnds, range) { e in
                unsafe hidden.withUnsafeMutableBufferPointer { hidden in
                    unsafe Kernel.span(starts, 0..<count + Self.spare) { starts in
                        unsafe Kernel.span(ends, 0..<count + Self.spare) { ends in
                            unsafe before.withUnsafeBufferPointer { before in
                                guard let hidden = hidden.baseAddress else { return false }
                                return unsafe ck_hidden(
                                    s, e, range.count, starts, ends, before.baseAddress, count, &cursor,
                                    hidden + range.lowerBound) != 0
                            }
                        }
                    }
                }
            }
        }
        if firstInstant < instants.count {
            for i in range where newEnds[i] <= newStarts[i] && hidden[i] == 0 {
                let at = Kernel.lowerBound(instants, firstInstant..<instants.count, newStarts[i])
                if at < instants.count, instants[at] == newStarts[i] {
                    hidden[i] = 1
                    any = true
                }
            }
        }
        return any
    }

    /// Returns the covered time between two instants, the second excluded. O(log intervals).
    ///
    /// - Requires: `start` is not before the instant of the last `forget`.
    package func time(from start: Int64, to end: Int64) -> UInt64 {
        if end <= start { return 0 }
        // The first interval that ends after the start, and the first that starts at the end or later.
        let low = start == .max ? count : Kernel.lowerBound(ends, 0..<count, start + 1)
        let high = Kernel.lowerBound(starts, low..<max(low, count), end)
        if low >= high { return 0 }
        func length(_ from: Int64, _ to: Int64) -> UInt64 { UInt64(bitPattern: to &- from) }
        let passed = start > starts[low] ? length(starts[low], start) : 0
        return before[high - 1] &- before[low] &+ length(starts[high - 1], min(end, ends[high - 1])) &- passed
    }
}

extension Kernel {
    /// Returns the visible part of the samples of one bucket, some of which are hidden in whole or in part.
    ///
    /// - Requires: at least one sample.
    /// - Parameter hidden: the hidden time of each sample; for a point, 1 if it is hidden.
    /// - Returns: the samples that are not entirely hidden, with their full values; and a sum to subtract: for each
    ///   partly hidden sample, its value times hidden time divided by its length.
    package static func visible(
        starts: [Int64], ends: [Int64], values: [Double], hidden: [UInt64], range: Range<Int>
    ) -> (row: BucketRow, hidden: DoubleDouble) {
        precondition(!range.isEmpty, "no samples")
        var row = BucketRow()
        var sum = ck_dd()
        unsafe span(starts, range) { starts in
            unsafe span(ends, range) { ends in
                unsafe span(values, range) { values in
                    unsafe span(hidden, range) { hidden in
                        unsafe withUnsafeMutableBytes(of: &row) { row in
                            // It has the layout of `ck_bucket`; a test verifies this.
                            guard let row = row.baseAddress else { return }
                            unsafe ck_bucket_visible(
                                starts, ends, values, hidden, range.count,
                                row.assumingMemoryBound(to: ck_bucket.self), &sum)
                        }
                    }
                }
            }
        }
        return (row, DoubleDouble(sum))
    }
}
