// SPDX-License-Identifier: Apache-2.0

internal import CKernels

/// Stretches of time that some samples cover: they ascend, are half-open and do not touch each other.
package struct CoveredTime: Sendable {
    private var starts: [Int64] = []
    private var ends: [Int64] = []
    /// The length of all stretches before one, modulo 2^64.
    private var before: [UInt64] = []
    /// The instants of points, which cover nothing else; ascending.
    private var instants: [Int64] = []
    /// Stretches in the arrays, which are longer.
    private var count = 0
    /// No stretch before this one ends after what was asked last.
    private var cursor = 0
    private var firstInstant = 0

    /// Elements behind the last stretch that a loop may read, at the last instant.
    private static let spare = Int(CK_COVER_SPARE)

    /// Nothing is covered.
    package init() {}

    /// Forgets everything; the memory stays.
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

    /// Forgets what ends by an instant; a later question is about times from there on.
    package mutating func forget(endingBy instant: Int64) {
        // The last stretch may still grow.
        while cursor + 1 < count, ends[cursor] <= instant { cursor += 1 }
        if cursor > 1_024, cursor > count / 2 {
            // With what stands behind the last stretch.
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

    /// Adds the time of samples, whose starts ascend and are not before those that were added earlier. O(samples).
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

    /// How much of the time of each sample is covered; of a point, 1 if it is. O(samples + stretches they pass).
    ///
    /// - Parameters:
    ///   - range: starts ascend, and are not before the instant of the last `forget`.
    ///   - hidden: gets the answers in the same range.
    /// - Returns: whether anything is covered.
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

    /// How much of the time from an instant, not before that of the last `forget`, until before another is covered.
    /// O(log stretches).
    package func time(from start: Int64, to end: Int64) -> UInt64 {
        if end <= start { return 0 }
        // The first stretch that ends after the start, the first that starts at the end or later.
        let low = start == .max ? count : Kernel.lowerBound(ends, 0..<count, start + 1)
        let high = Kernel.lowerBound(starts, low..<max(low, count), end)
        if low >= high { return 0 }
        func length(_ from: Int64, _ to: Int64) -> UInt64 { UInt64(bitPattern: to &- from) }
        let passed = start > starts[low] ? length(starts[low], start) : 0
        return before[high - 1] &- before[low] &+ length(starts[high - 1], min(end, ends[high - 1])) &- passed
    }
}

extension Kernel {
    /// What is left of samples of one bucket, at least one, of which some time is hidden.
    ///
    /// - Parameter hidden: how much of each one's time; of a point, 1 if it is hidden.
    /// - Returns: the samples that are not hidden whole, with their whole values; and the sum, to be taken from it, of
    ///   value times hidden time by length of those of which a part is hidden.
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
                            // It has the layout of `ck_bucket`, which a test asserts.
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
