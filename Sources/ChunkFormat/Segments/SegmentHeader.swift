// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

/// The first 64 bytes of a segment file.
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
    /// Size of the header in bytes.
    package static let size = 64

    /// The store's id, 16 bytes.
    package var store: [UInt8]
    /// The segment's id, 16 bytes.
    package var segment: [UInt8]
    /// The newest commit that the writer knew when it began the file.
    package var commit: UInt64
    /// The stored checksum, set by encoding or decoding.
    package private(set) var checksum: UInt32 = 0

    package init(store: [UInt8], segment: [UInt8], commit: UInt64) {
        self.store = store
        self.segment = segment
        self.commit = commit
    }

    /// Appends the header to an empty writer and records its checksum.
    mutating func encode(into writer: inout ByteWriter) throws(FormatError) {
        guard store.count == SegmentFormat.idBytes, segment.count == SegmentFormat.idBytes else { throw Seal.wrongIds }
        let start = writer.count
        writer.put(bytes: SegmentFormat.magic)
        writer.put(SegmentFormat.version)
        writer.put(UInt16(0))
        writer.put(UInt32(Self.size))
        writer.put(bytes: store)
        writer.put(bytes: segment)
        writer.put(commit)
        writer.put(UInt32(0))
        checksum = Kernel.crc32c(writer.bytes, start..<writer.count)
        writer.put(checksum)
    }

    /// Decodes the header from the first bytes of a file. Checks magic, checksum, version and the rest, in this order,
    /// so that the error names the actual cause.
    package static func decode(_ bytes: [UInt8]) throws(FormatError) -> SegmentHeader {
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
        guard version <= SegmentFormat.version, features == 0 else {
            throw FormatError(.newerVersion, at: 8, "segment version \(version), features \(features)")
        }
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
}
