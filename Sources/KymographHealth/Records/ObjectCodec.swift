// SPDX-License-Identifier: Apache-2.0

import Bytes
import CZlib

/// The stored forms of an object or a document: plain or compressed.
///
/// The first byte is the form, then a varint is the plain length, and the rest is the plain bytes or a raw deflate
/// stream.
enum StoredCoding {
    static let plain: UInt8 = 1
    static let deflate: UInt8 = 2
    /// Compressed with the preset dictionary `ObjectDictionary.first`.
    static let deflateAfterFirst: UInt8 = 3
    /// The maximum plain length accepted by the decoder.
    static let limit = 1 << 30

    /// Returns the stored form of a raw deflate stream of `count` plain bytes.
    static func deflated(_ stream: [UInt8], count: Int) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(stream.count + 11)
        out.append(deflate)
        out.put(varint: UInt64(count))
        out.append(contentsOf: stream)
        return out
    }
}

/// A compressor of many byte strings, one after the other.
@safe
package final class ObjectCompressor {
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool
    private let dictionary: [UInt8]
    /// The space for a compressed form, reused for all byte strings.
    private var room: [UInt8] = []

    /// - Parameters:
    ///   - level: from 1, fast, to 9, small.
    ///   - dictionary: whether to use typical text of an export as a preset dictionary, which improves short objects.
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

    /// Returns the stored form of uncompressed bytes.
    package static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [StoredCoding.plain]
        out.put(varint: UInt64(bytes.count))
        return out + bytes
    }

    /// Returns the stored form of `bytes`: compressed if that is shorter, otherwise plain.
    package func encode(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [dictionary.isEmpty ? StoredCoding.deflate : StoredCoding.deflateAfterFirst]
        out.put(varint: UInt64(bytes.count))
        if room.count < bytes.count { room = [UInt8](repeating: 0, count: bytes.count) }
        if let length = deflate(bytes), length < bytes.count {
            out.append(contentsOf: room[..<length])
        } else {
            out[0] = StoredCoding.plain
            out.append(contentsOf: bytes)
        }
        return out
    }

    /// Writes the stream to `room` and returns its length, or nil if it is longer than the bytes.
    private func deflate(_ bytes: [UInt8]) -> Int? {
        guard isReady, bytes.count < StoredCoding.limit, unsafe deflateReset(stream) == Z_OK else { return nil }
        let size = UInt32(bytes.count)
        if !dictionary.isEmpty {
            let result = unsafe dictionary.withUnsafeBufferPointer { text in
                unsafe deflateSetDictionary(stream, text.baseAddress, UInt32(text.count))
            }
            guard result == Z_OK else { return nil }
        }
        let result = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe room.withUnsafeMutableBufferPointer { output in
                // zlib declares this pointer mutable but does not write through it.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = size
                return unsafe CZlib.deflate(stream, Z_FINISH)
            }
        }
        return result == Z_STREAM_END ? Int(size) - Int(unsafe stream.pointee.avail_out) : nil
    }
}

/// The decoder for `ObjectCompressor`.
package enum ObjectExpander {
    /// Returns the plain bytes of a stored form. Never allocates more than a deflate stream of this length can hold.
    package static func decode(_ stored: [UInt8]) throws(HealthStoreError) -> [UInt8] {
        var reader = ByteReader(stored)
        let coding: UInt8
        let length: UInt64
        do throws(ByteError) {
            coding = try reader.u8()
            length = try reader.varint()
        } catch {
            throw damaged("its bytes are truncated")
        }
        switch coding {
        case StoredCoding.plain:
            guard length == UInt64(reader.remaining) else { throw damaged("its length does not match") }
            return Array(stored[reader.offset...])
        case StoredCoding.deflate, StoredCoding.deflateAfterFirst:
            guard length <= UInt64(StoredCoding.limit), length <= UInt64(reader.remaining) * 1_032 + 64 else {
                throw damaged("its length is impossible")
            }
            let text = coding == StoredCoding.deflate ? [] : ObjectDictionary.first
            return try inflate(stored, from: reader.offset, count: Int(length), text)
        default:
            throw HealthStoreError(.newerFormat, "an object has an unknown stored form; update the library")
        }
    }

    private static func inflate(
        _ stored: [UInt8], from: Int, count: Int, _ dictionary: [UInt8]
    ) throws(HealthStoreError) -> [UInt8] {
        // zlib keeps a pointer to its stream, so the stream must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        guard unsafe cz_inflate_raw_init(stream) == Z_OK else { throw damaged("zlib cannot be initialised") }
        defer { unsafe inflateEnd(stream) }
        if !dictionary.isEmpty {
            _ = unsafe dictionary.withUnsafeBufferPointer { text in
                unsafe inflateSetDictionary(stream, text.baseAddress, UInt32(text.count))
            }
        }
        // One extra byte detects a stream that is too long.
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
            throw damaged("its compressed bytes cannot be decompressed")
        }
        plain.removeLast()
        return plain
    }

    private static func damaged(_ what: String) -> HealthStoreError {
        HealthStoreError(.corrupt, "an object or document is damaged: \(what); verify the store and restore a backup")
    }
}
