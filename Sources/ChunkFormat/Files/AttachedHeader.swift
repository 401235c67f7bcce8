// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import Cipher
import Kernels

/// The first 64 bytes of an attached file of an encrypted store, from which its key follows.
package struct AttachedHeader: Sendable, Equatable {
    static let magic = Field("magic", at: 0, size: 8)
    static let version = Field("version", at: 8, size: 2)
    static let generation = Field("generation", at: 10, size: 1)
    static let cipher = Field("cipher", at: 11, size: 1)
    static let reserved = Field("reserved", at: 12, size: 4)
    static let salt = Field("salt", at: 16, size: 32)
    static let reserved48 = Field("reserved2", at: 48, size: 12)
    static let checksum = Field("checksum", at: 60, size: 4)
    /// The fields in order.
    package static let fields = [magic, version, generation, cipher, reserved, salt, reserved48, checksum]
    /// The size of the header in bytes.
    package static let size = 64
    private static let magicBytes: [UInt8] = Array("KYMOFILE".utf8)
    private static let formatVersion: UInt16 = 2

    /// The generation of the store's keys.
    package let generation: UInt8
    /// Makes the key of this file unique, 32 bytes.
    package let salt: [UInt8]

    /// Creates the header of a new file, with a new salt and the newest generation.
    package init(_ keys: KeyRing) throws(FormatError) {
        generation = keys.image.newest
        do throws(CipherError) { salt = try keys.newSalt() } catch { throw FormatError(.cipher, at: 0, error.message) }
    }

    /// Decodes a header.
    ///
    /// - Throws: `truncated`, `checksum`, `newerVersion`, `malformed`.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        guard bytes.count >= Self.size else { throw FormatError(.truncated, at: UInt64(bytes.count), "a header") }
        let computed = Kernel.crc32c(bytes, 0..<Self.checksum.offset)
        guard computed == load32(bytes, Self.checksum.offset) else {
            throw FormatError(.checksum, at: 0, "the header of an attached file")
        }
        guard load16(bytes, Self.version.offset) <= Self.formatVersion,
            bytes[Self.cipher.offset] <= MessageCipher.Algorithm.aes256GCM.rawValue
        else { throw FormatError(.newerVersion, at: 8, "version or cipher of an attached file") }
        generation = bytes[Self.generation.offset]
        salt = Array(bytes[Self.salt.range(from: 0)])
        // Only one form is valid for each content: this compares version, cipher and reserved bytes.
        guard generation > 0, bytesBeforeChecksum == Array(bytes[..<Self.checksum.offset]) else {
            throw FormatError(.malformed, at: 0, "the header of an attached file")
        }
    }

    private var bytesBeforeChecksum: [UInt8] {
        var writer = ByteWriter(capacity: Self.size)
        writer.put(bytes: Self.magicBytes)
        writer.put(Self.formatVersion)
        writer.put(generation)
        writer.put(MessageCipher.Algorithm.aes256GCM.rawValue)
        writer.put(UInt32(0))
        writer.put(bytes: salt)
        writer.put(bytes: [UInt8](repeating: 0, count: Self.reserved48.size))
        return writer.bytes
    }

    /// Appends the header.
    package func encode(into writer: inout ByteWriter) {
        let bytes = bytesBeforeChecksum
        writer.put(bytes: bytes)
        writer.put(Kernel.crc32c(bytes, 0..<bytes.count))
    }

    /// Returns the cipher with the key of the file.
    ///
    /// - Parameters:
    ///   - store: the store's id, 16 bytes.
    ///   - file: the file's identity, 16 bytes.
    /// - Throws: `needsKey` for a generation that the keys lack, `cipher`.
    package func cipher(_ keys: KeyRing, store: [UInt8], file: [UInt8]) throws(FormatError) -> MessageCipher {
        do throws(CipherError) {
            let key = try keys.attachmentKey(
                generation: generation, salt: salt, header: store + file + bytesBeforeChecksum)
            return try MessageCipher(.aes256GCM, key: key)
        } catch {
            if error.kind == .corrupt { throw FormatError(.needsKey, at: 10, error.message) }
            throw FormatError(.cipher, at: 10, error.message)
        }
    }
}
