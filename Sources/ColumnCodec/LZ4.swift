// SPDX-License-Identifier: Apache-2.0

internal import CLZ4

/// LZ4 block compression over arrays.
enum LZ4 {
    /// Returns the output size that `compress` may need for `count` bytes.
    static func bound(_ count: Int) -> Int { count + count / 255 + 16 }

    /// Compresses the first `count` bytes into `out`; returns nil if the result exceeds `limit` bytes.
    static func compress(_ bytes: [UInt8], _ count: Int, into out: inout [UInt8], limit: Int) -> Int? {
        precondition(count <= bytes.count && limit <= out.count, "scratch is too small")
        let written = unsafe bytes.withUnsafeBytes { from in
            unsafe out.withUnsafeMutableBytes { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return Int32(0) }
                return unsafe LZ4_compress_default(from, to, Int32(count), Int32(limit))
            }
        }
        return written > 0 ? Int(written) : nil
    }

    /// Decompresses `bytes[range]` to the start of `out`; returns false unless it yields exactly `count` bytes.
    static func decompress(_ bytes: [UInt8], _ range: Range<Int>, into out: inout [UInt8], count: Int) -> Bool {
        precondition(range.upperBound <= bytes.count && count <= out.count, "scratch is too small")
        let written = unsafe bytes.withUnsafeBytes { from in
            unsafe out.withUnsafeMutableBytes { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return Int32(-1) }
                return unsafe LZ4_decompress_safe(
                    from + range.lowerBound, to, Int32(range.count), Int32(count))
            }
        }
        return written == Int32(count) && hasOnlyRealMatches(bytes, range)
    }

    /// Whether no match has a distance of 0. The format forbids such a match, but the library accepts it and leaves the
    /// previous content of `out` in place.
    private static func hasOnlyRealMatches(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        let end = range.upperBound
        var at = range.lowerBound
        while at < end {
            let token = bytes[at]
            at += 1
            let literals = length(token >> 4, bytes, &at, end)
            at += literals
            if end - at < 2 { return true }
            if bytes[at] | bytes[at + 1] == 0 { return false }
            at += 2
            _ = length(token & 15, bytes, &at, end)
        }
        return true
    }

    /// Returns a length of four bits, extended by following bytes if all four bits are set.
    private static func length(_ nibble: UInt8, _ bytes: [UInt8], _ at: inout Int, _ end: Int) -> Int {
        var length = Int(nibble)
        if nibble < 15 { return length }
        while at < end {
            let more = bytes[at]
            at += 1
            length += Int(more)
            if more < 255 { break }
        }
        return length
    }
}
