// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Cipher
import Synchronization

/// The key of one encrypted segment, for any number of threads.
package final class SegmentKey: Sendable {
    private static let count = Atomic<UInt64>(0)

    /// Differs from the numbers of all other keys of the process.
    let number: UInt64
    let bytes: SecretBytes

    private init(_ bytes: SecretBytes) {
        self.bytes = bytes
        number = Self.count.add(1, ordering: .relaxed).newValue
    }

    /// Returns the key of a segment; nil if segment and store are not encrypted. Takes two microseconds.
    ///
    /// - Parameters:
    ///   - header: the header of the segment.
    ///   - keys: the keys of the store; nil if the store is not encrypted.
    /// - Throws: `needsKey` for an encrypted segment without keys, or with keys that lack its generation; `forged` for
    ///   a plain segment of an encrypted store.
    package static func of(_ header: SegmentHeader, keys: KeyRing?) throws(FormatError) -> SegmentKey? {
        guard let keys else {
            guard header.encryption == nil else { throw FormatError(.needsKey, at: 8, "the segment is encrypted") }
            return nil
        }
        guard let encryption = header.encryption else {
            throw FormatError(.forged, at: 8, "a plain segment in an encrypted store")
        }
        do throws(CipherError) {
            return SegmentKey(
                try keys.segmentKey(
                    generation: encryption.generation, salt: encryption.salt, header: header.bytesBeforeChecksum))
        } catch {
            if error.kind == .corrupt { throw FormatError(.needsKey, at: 56, error.message) }
            throw FormatError(.cipher, at: 56, error.message)
        }
    }
}

/// The differences of an encrypted unit from a plain one. `Docs/Format/Segment.md` describes both.
enum EncryptedUnit {
    /// Bytes of the tag before the checksum.
    static let tagBytes = MessageCipher.tagBytes
    /// The bytes of a header that stay in clear: kind and length.
    static let lengthOffset = 4
    static let headBytes = 8
    /// The size of the smallest unit in bytes.
    static let minimumBytes = headBytes + tagBytes + SegmentFormat.trailerBytes

    /// Returns the associated data of a unit: its kind, three zeros and its length.
    static func associated(_ bytes: [UInt8], at: Int) -> UInt64 {
        UInt64(bytes[at]) | UInt64(load32(bytes, at + lengthOffset)) << 32
    }

    /// The ranges that are encrypted in a unit whose tag begins at `tag`.
    @inline(__always)
    static func ranges(at: Int, tag: Int) -> (Range<Int>, Range<Int>) {
        (at + 1..<at + lengthOffset, at + headBytes..<tag)
    }

    /// Returns the identity for the checksum: without the series, which a reader without a key does not know.
    static func checked(_ identity: BlockIdentity) -> BlockIdentity {
        var identity = identity
        identity.series = 0
        return identity
    }

    /// Appends free bytes for the tag and the checksum of a unit.
    @inline(__always)
    static func reserve(_ writer: inout ByteWriter) {
        writer.put(UInt64(0))
        writer.put(UInt64(0))
        writer.put(UInt32(0))
    }

    static func setLength(_ length: UInt32, _ bytes: inout [UInt8], at: Int) {
        for index in 0..<4 {
            bytes[at + lengthOffset + index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index))
        }
    }
}
