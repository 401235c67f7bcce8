// SPDX-License-Identifier: Apache-2.0

import Bytes
import Cipher
import Kernels

/// The first 64 bytes of a segment file, or 128 of an encrypted one.
package struct SegmentHeader: Sendable, Equatable {
    static let magic = Field("magic", at: 0, size: 8)
    static let version = Field("version", at: 8, size: 2)
    static let features = Field("features", at: 10, size: 2)
    static let headerLength = Field("headerLength", at: 12, size: 4)
    static let store = Field("store", at: 16, size: 16)
    static let segment = Field("segment", at: 32, size: 16)
    static let commit = Field("commit", at: 48, size: 8)
    static let reserved = Field("reserved", at: 56, size: 4)
    static let headerCRC = Field("headerCRC", at: 60, size: 4)

    /// The fields in order.
    package static let fields = [
        magic, version, features, headerLength, store, segment, commit, reserved, headerCRC,
    ]
    /// Size of the header of a plain segment in bytes.
    package static let size = 64

    static let generation = Field("generation", at: 56, size: 1)
    static let cipher = Field("cipher", at: 57, size: 1)
    static let keyClass = Field("class", at: 58, size: 1)
    static let reserved59 = Field("reserved", at: 59, size: 1)
    static let firstCRC = Field("firstCRC", at: 60, size: 4)
    static let salt = Field("salt", at: 64, size: 32)
    static let reserved96 = Field("reserved2", at: 96, size: 28)
    static let encryptedCRC = Field("headerCRC", at: 124, size: 4)

    /// The fields of the header of an encrypted segment, in order.
    package static let encryptedFields = [
        magic, version, features, headerLength, store, segment, commit, generation, cipher, keyClass, reserved59,
        firstCRC, salt, reserved96, encryptedCRC,
    ]
    /// Size of the header of an encrypted segment in bytes.
    package static let encryptedSize = 128

    /// How an encrypted segment finds its key.
    package struct Encryption: Sendable, Equatable {
        /// The generation of the store's keys.
        package var generation: UInt8
        /// Makes the key of this segment unique, 32 bytes.
        package var salt: [UInt8]

        package init(generation: UInt8, salt: [UInt8]) {
            self.generation = generation
            self.salt = salt
        }
    }

    /// The store's id, 16 bytes.
    package var store: [UInt8]
    /// The segment's id, 16 bytes.
    package var segment: [UInt8]
    /// The newest commit that the writer knew when it began the file.
    package var commit: UInt64
    /// Nil for a plain segment.
    package let encryption: Encryption?
    /// The stored checksum, set by encoding or decoding.
    package private(set) var checksum: UInt32 = 0

    package init(store: [UInt8], segment: [UInt8], commit: UInt64, encryption: Encryption? = nil) {
        self.store = store
        self.segment = segment
        self.commit = commit
        self.encryption = encryption
    }

    /// Size of the header in bytes.
    package var length: Int { encryption == nil ? Self.size : Self.encryptedSize }
    /// Size of the footer of the segment in bytes.
    package var footerLength: Int { encryption == nil ? SegmentFooter.size : SegmentFooter.encryptedSize }
    /// The version of the segment.
    var formatVersion: UInt16 { encryption == nil ? SegmentFormat.version : SegmentFormat.encryptedVersion }

    /// The fields that both versions have.
    private func encodeCommon(into writer: inout ByteWriter) {
        writer.put(bytes: SegmentFormat.magic)
        writer.put(formatVersion)
        writer.put(encryption == nil ? UInt16(0) : SegmentFormat.encryptedFeature)
        writer.put(UInt32(length))
        writer.put(bytes: store)
        writer.put(bytes: segment)
        writer.put(commit)
    }

    /// Appends the header to an empty writer and records its checksum.
    mutating func encode(into writer: inout ByteWriter) throws(FormatError) {
        guard store.count == SegmentFormat.idBytes, segment.count == SegmentFormat.idBytes else {
            throw UnitChecksum.wrongIds
        }
        let start = writer.count
        if encryption == nil {
            encodeCommon(into: &writer)
            writer.put(UInt32(0))
        } else {
            writer.put(bytes: bytesBeforeChecksum)
        }
        checksum = Kernel.crc32c(writer.bytes, start..<writer.count)
        writer.put(checksum)
    }

    /// The header of an encrypted segment before its checksum. The key of the segment follows from these bytes.
    var bytesBeforeChecksum: [UInt8] {
        var writer = ByteWriter(capacity: Self.encryptedSize)
        encodeCommon(into: &writer)
        writer.put(encryption?.generation ?? 0)
        writer.put(MessageCipher.Algorithm.aes256GCM.rawValue)
        writer.put(UInt16(0))
        // Readers of version 1 check this one first, and can then report a newer version.
        writer.put(Kernel.crc32c(writer.bytes, 0..<Self.firstCRC.offset))
        writer.put(bytes: encryption?.salt ?? [])
        for _ in 0..<Self.reserved96.size { writer.put(UInt8(0)) }
        return writer.bytes
    }

    /// Decodes the header from the first bytes of a file. Checks magic, checksum, version and the rest, in this order,
    /// so that the error names the actual cause.
    ///
    /// - Parameters:
    ///   - bytes: the first 128 bytes, or the whole file if it is shorter; 64 suffice for a plain segment.
    ///   - latest: the latest version that the caller can read.
    package static func decode(
        _ bytes: [UInt8], latest: UInt16 = SegmentFormat.version
    ) throws(FormatError) -> SegmentHeader {
        guard bytes.count >= magic.size, bytes[0..<magic.size].elementsEqual(SegmentFormat.magic) else {
            throw FormatError(.notASegment, at: 0, "it does not begin with KYMOKSEG")
        }
        guard bytes.count >= size else {
            throw FormatError(.truncated, at: UInt64(bytes.count), "the header has \(size) bytes")
        }
        let computed = Kernel.crc32c(bytes, 0..<headerCRC.offset)
        let stored = load32(bytes, headerCRC.offset)
        let version = load16(bytes, Self.version.offset)
        let features = load16(bytes, Self.features.offset)
        guard computed == stored else {
            throw FormatError(.checksum, at: 0, "header: stored \(hex(stored)), computed \(hex(computed))")
        }
        let known = version < SegmentFormat.encryptedVersion ? 0 : SegmentFormat.encryptedFeature
        guard version <= latest, features & ~known == 0 else {
            throw FormatError(.newerVersion, at: 8, "segment version \(version), features \(features)")
        }
        if version == SegmentFormat.encryptedVersion { return try decodeEncrypted(bytes) }
        guard version >= 1, load32(bytes, headerLength.offset) == UInt32(size), load32(bytes, reserved.offset) == 0
        else {
            throw FormatError(.malformed, at: 8, "version \(version), header length or reserved bytes")
        }
        var header = SegmentHeader(
            store: Array(bytes[store.range(from: 0)]), segment: Array(bytes[segment.range(from: 0)]),
            commit: load64(bytes, commit.offset))
        header.checksum = stored
        return header
    }

    private static func decodeEncrypted(_ bytes: [UInt8]) throws(FormatError) -> SegmentHeader {
        guard bytes.count >= encryptedSize else {
            throw FormatError(.truncated, at: UInt64(bytes.count), "the header has \(encryptedSize) bytes")
        }
        let computed = Kernel.crc32c(bytes, 0..<encryptedCRC.offset)
        let stored = load32(bytes, encryptedCRC.offset)
        guard computed == stored else {
            throw FormatError(.checksum, at: 0, "header: stored \(hex(stored)), computed \(hex(computed))")
        }
        guard bytes[cipher.offset] <= MessageCipher.Algorithm.aes256GCM.rawValue, bytes[keyClass.offset] == 0 else {
            throw FormatError(
                .newerVersion, at: 57, "cipher \(bytes[cipher.offset]), class \(bytes[keyClass.offset])")
        }
        var header = SegmentHeader(
            store: Array(bytes[store.range(from: 0)]), segment: Array(bytes[segment.range(from: 0)]),
            commit: load64(bytes, commit.offset),
            encryption: Encryption(generation: bytes[generation.offset], salt: Array(bytes[salt.range(from: 0)])))
        // Only one form is valid for each content: this compares versions, lengths and reserved bytes.
        guard bytes[generation.offset] > 0, header.bytesBeforeChecksum == Array(bytes[..<encryptedCRC.offset]) else {
            throw FormatError(.malformed, at: 8, "header length, generation, cipher or reserved bytes")
        }
        header.checksum = stored
        return header
    }
}
