// SPDX-License-Identifier: Apache-2.0

/// Loops over whole columns, with arithmetic modulo 2^64.
///
/// Each function checks the array lengths once and then works without further checks; this is the module's only unsafe
/// code besides `SampleSink`. For arrays that are too short it does less or returns false; it never traps.
enum ColumnLoop {
    /// Computes `target[i] += base[i]` for the first `count` elements.
    static func add(_ base: [Int64], to target: inout [Int64], count: Int) {
        let count = min(count, base.count, target.count)
        unsafe base.withUnsafeBufferPointer { base in
            unsafe target.withUnsafeMutableBufferPointer { target in
                for index in 0..<count { unsafe target[index] &+= base[index] }
            }
        }
    }

    /// Computes `target[i] += starts[i + 1]` for the first `count` elements.
    static func addNext(_ starts: [Int64], to target: inout [Int64], count: Int) {
        let count = min(count, starts.count - 1, target.count)
        guard count > 0 else { return }
        unsafe starts.withUnsafeBufferPointer { starts in
            unsafe target.withUnsafeMutableBufferPointer { target in
                for index in 0..<count { unsafe target[index] &+= starts[index + 1] }
            }
        }
    }

    /// Computes `target[i] = a[i] - b[i]`; extends `target` if it is too short.
    static func subtract(_ a: [Int64], _ b: [Int64], into target: inout [Int64], count: Int) {
        let count = min(count, a.count, b.count)
        if target.count < count { target = [Int64](repeating: 0, count: BlockBuffer.length(for: count)) }
        let reach = min(count, target.count)
        unsafe a.withUnsafeBufferPointer { a in
            unsafe b.withUnsafeBufferPointer { b in
                unsafe target.withUnsafeMutableBufferPointer { target in
                    for index in 0..<reach { unsafe target[index] = a[index] &- b[index] }
                }
            }
        }
    }

    /// Computes `target[i] = ends[i] - starts[i + 1]` for all but the last of `count` samples.
    static func gaps(_ ends: [Int64], _ starts: [Int64], into target: inout [Int64], count: Int) {
        let count = min(count - 1, ends.count, starts.count - 1)
        guard count > 0 else { return }
        if target.count < count { target = [Int64](repeating: 0, count: BlockBuffer.length(for: count)) }
        let reach = min(count, target.count)
        unsafe ends.withUnsafeBufferPointer { ends in
            unsafe starts.withUnsafeBufferPointer { starts in
                unsafe target.withUnsafeMutableBufferPointer { target in
                    for index in 0..<reach { unsafe target[index] = ends[index] &- starts[index + 1] }
                }
            }
        }
    }

    /// Fills the first `count` elements with `first`, `first + step`, and so on.
    static func fill(_ target: inout MutableSpan<Int64>, count: Int, first: Int64, step: Int64) {
        let count = min(count, target.count)
        unsafe target.withUnsafeMutableBufferPointer { target in
            var value = first
            for index in 0..<count {
                unsafe target[index] = value
                value &+= step
            }
        }
    }

    /// Whether no end lies before its start. True for a count of 0.
    static func neverBefore(_ ends: [Int64], _ starts: [Int64], count: Int) -> Bool {
        guard count <= ends.count, count <= starts.count else { return false }
        return unsafe ends.withUnsafeBufferPointer { ends in
            unsafe starts.withUnsafeBufferPointer { starts in
                // Without an early exit and a comparison, the loop vectorises on every processor; nearly every block
                // is in order. The sign bit of `wrong` collects the sign of each difference, corrected for overflow.
                var wrong: Int64 = 0
                for index in 0..<count {
                    let (end, start) = unsafe (ends[index], starts[index])
                    let length = end &- start
                    wrong |= length ^ ((end ^ start) & (length ^ end))
                }
                return wrong >= 0
            }
        }
    }
}
