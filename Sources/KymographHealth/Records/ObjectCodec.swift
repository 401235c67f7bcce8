// SPDX-License-Identifier: Apache-2.0

import Bytes
import CZlib

/// How the bytes of an object or a document are kept: as they are, or compressed.
///
/// One byte says how, a varint how long the plain bytes are, the rest is a raw deflate stream or the bytes themselves.
enum StoredCoding {
    static let plain: UInt8 = 1
    static let deflate: UInt8 = 2
    /// Deflated after `ObjectDictionary.first`.
    static let deflateAfterFirst: UInt8 = 3
    /// The longest plain bytes that are read back.
    static let limit = 1 << 30
}

/// Compresses many byte strings, one after the other.
@safe
package final class ObjectCompressor {
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool
    private let dictionary: [UInt8]

    /// - Parameter level: From 1, fast, to 9, small.
    /// - Parameter dictionary: Whether typical text of an export helps, as it does with short objects.
    package init(level: Int32, dictionary: Bool) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe isReady = cz_deflate_raw_init(stream, level) == Z_OK
        self.dictionary = dictionary ? ObjectDictionary.first : []
    }

    deinit {
        if isReady { unsafe deflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// The stored form of bytes that are not compressed.
    package static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [StoredCoding.plain]
        out.put(varint: UInt64(bytes.count))
        return out + bytes
    }

    /// The stored form of `bytes`; what does not get shorter stays as it is.
    package func encode(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [dictionary.isEmpty ? StoredCoding.deflate : StoredCoding.deflateAfterFirst]
        out.put(varint: UInt64(bytes.count))
        let head = out.count
        out.append(contentsOf: repeatElement(0, count: bytes.count))
        if let length = deflate(bytes, into: &out, from: head), length < bytes.count {
            out.removeLast(bytes.count - length)
            return out
        }
        out[0] = StoredCoding.plain
        out.replaceSubrange(head..., with: bytes)
        return out
    }

    /// The length of the stream, if it fits behind `from`.
    private func deflate(_ bytes: [UInt8], into out: inout [UInt8], from: Int) -> Int? {
        guard isReady, bytes.count < StoredCoding.limit, unsafe deflateReset(stream) == Z_OK else { return nil }
        let size = UInt32(out.count - from)
        if !dictionary.isEmpty {
            let result = unsafe dictionary.withUnsafeBufferPointer { text in
                unsafe deflateSetDictionary(stream, text.baseAddress, UInt32(text.count))
            }
            guard result == Z_OK else { return nil }
        }
        let result = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe out.withUnsafeMutableBufferPointer { output in
                // zlib does not write through the pointer that it wants to be mutable.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = output.baseAddress.map { unsafe $0 + from }
                unsafe stream.pointee.avail_out = size
                return unsafe CZlib.deflate(stream, Z_FINISH)
            }
        }
        return result == Z_STREAM_END ? Int(size) - Int(unsafe stream.pointee.avail_out) : nil
    }
}

/// Gives back what `ObjectCompressor` took.
package enum ObjectExpander {
    /// The plain bytes of a stored form. Allocates no more than a deflate stream of its length can hold.
    package static func decode(_ stored: [UInt8]) throws(HealthStoreError) -> [UInt8] {
        var reader = ByteReader(stored)
        let coding: UInt8
        let length: UInt64
        do throws(ByteError) {
            coding = try reader.u8()
            length = try reader.varint()
        } catch {
            throw damaged("it ends too early")
        }
        switch coding {
        case StoredCoding.plain:
            guard length == UInt64(reader.remaining) else { throw damaged("its length is wrong") }
            return Array(stored[reader.offset...])
        case StoredCoding.deflate, StoredCoding.deflateAfterFirst:
            guard length <= UInt64(StoredCoding.limit), length <= UInt64(reader.remaining) * 1_032 + 64 else {
                throw damaged("its length cannot be")
            }
            let text = coding == StoredCoding.deflate ? [] : ObjectDictionary.first
            return try inflate(stored, from: reader.offset, count: Int(length), text)
        default:
            throw HealthStoreError(.newerFormat, "an object is stored in a way that this version does not know")
        }
    }

    private static func inflate(
        _ stored: [UInt8], from: Int, count: Int, _ dictionary: [UInt8]
    ) throws(HealthStoreError) -> [UInt8] {
        // zlib remembers where its stream is, so it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        guard unsafe cz_inflate_raw_init(stream) == Z_OK else { throw damaged("zlib does not start") }
        defer { unsafe inflateEnd(stream) }
        if !dictionary.isEmpty {
            _ = unsafe dictionary.withUnsafeBufferPointer { text in
                unsafe inflateSetDictionary(stream, text.baseAddress, UInt32(text.count))
            }
        }
        // One byte more than there should be shows a stream that is too long.
        var plain = [UInt8](repeating: 0, count: count + 1)
        let result = unsafe stored.withUnsafeBufferPointer { input in
            unsafe plain.withUnsafeMutableBufferPointer { output in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress.map { unsafe $0 + from })
                unsafe stream.pointee.avail_in = UInt32(input.count - from)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(output.count)
                return unsafe CZlib.inflate(stream, Z_FINISH)
            }
        }
        let left = unsafe (stream.pointee.avail_in, stream.pointee.avail_out)
        guard result == Z_STREAM_END, left == (0, 1) else {
            throw damaged("its compressed bytes do not unpack")
        }
        plain.removeLast()
        return plain
    }

    private static func damaged(_ what: String) -> HealthStoreError {
        HealthStoreError(.corrupt, "an object or document is damaged: \(what); verify the store and restore a backup")
    }
}
