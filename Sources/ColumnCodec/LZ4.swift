// SPDX-License-Identifier: Apache-2.0

internal import CLZ4

/// LZ4 block compression over arrays.
enum LZ4 {
    /// Room that `compress` needs for `count` bytes.
    static func bound(_ count: Int) -> Int { count + count / 255 + 16 }

    /// Compresses the first `count` bytes into `out`, if at most `limit` bytes come of it; nil otherwise.
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

    /// Decompresses `bytes[range]` to exactly `count` bytes at the start of `out`; false when they are not that.
    static func decompress(_ bytes: [UInt8], _ range: Range<Int>, into out: inout [UInt8], count: Int) -> Bool {
        precondition(range.upperBound <= bytes.count && count <= out.count, "scratch is too small")
        let written = unsafe bytes.withUnsafeBytes { from in
            unsafe out.withUnsafeMutableBytes { to in
                guard let from = from.baseAddress, let to = to.baseAddress else { return Int32(-1) }
                return unsafe LZ4_decompress_safe(
                    from + range.lowerBound, to, Int32(range.count), Int32(count))
            }
        }
        return written == Int32(count)
    }
}
