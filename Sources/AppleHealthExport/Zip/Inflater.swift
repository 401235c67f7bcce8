// SPDX-License-Identifier: Apache-2.0

import CZlib
import Kernels

/// A decompressor of a raw deflate stream, by zlib.
///
/// It is a class, because zlib keeps a pointer to its stream.
@safe
final class Inflater {
    enum Status: Equatable {
        /// The input is consumed, or the output is full.
        case running
        case ended
        case damaged(String)
    }

    private let stream: UnsafeMutablePointer<z_stream>

    /// Creates a stream; nil if there is no memory for its 32 KiB window.
    init?() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe cz_inflate_raw_init(stream) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Decompresses `input[taken]` into `output[room]`, and removes the consumed and the written part from the ranges.
    func unpack(
        _ input: [UInt8], _ taken: inout Range<Int>, into output: inout [UInt8], _ room: inout Range<Int>
    ) -> Status {
        guard taken.upperBound <= input.count, room.upperBound <= output.count,
            taken.count <= Int(UInt32.max), room.count <= Int(UInt32.max)
        else { return .damaged("range outside of its buffer") }
        let code = unsafe input.withUnsafeBufferPointer { from in
            unsafe output.withUnsafeMutableBufferPointer { to in
                guard let first = from.baseAddress, let target = to.baseAddress else { return Z_BUF_ERROR }
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: first + taken.lowerBound)
                unsafe stream.pointee.avail_in = UInt32(taken.count)
                unsafe stream.pointee.next_out = target + room.lowerBound
                unsafe stream.pointee.avail_out = UInt32(room.count)
                return unsafe inflate(stream, Z_NO_FLUSH)
            }
        }
        unsafe taken = (taken.upperBound - Int(stream.pointee.avail_in))..<taken.upperBound
        unsafe room = (room.upperBound - Int(stream.pointee.avail_out))..<room.upperBound
        switch code {
        case Z_OK, Z_BUF_ERROR: return .running
        case Z_STREAM_END: return .ended
        default:
            let text = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
            return .damaged(text ?? "zlib error \(code)")
        }
    }
}

/// The CRC-32 of zip archives.
enum CRC32 {
    /// Returns the checksum of the bytes with checksum `seed` followed by `bytes`; the first seed is 0.
    static func update(_ seed: UInt32, _ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count, range.count <= Int(UInt32.max) else {
            return seed
        }
        var start = seed
        let rest = range.dropFirst(Kernel.crc32(bytes, range, continuing: &start))
        return unsafe bytes.withUnsafeBufferPointer { all in
            guard let first = all.baseAddress else { return start }
            return unsafe UInt32(truncatingIfNeeded: crc32(UInt(start), first + rest.lowerBound, UInt32(rest.count)))
        }
    }
}
