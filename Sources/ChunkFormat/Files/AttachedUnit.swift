// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import Cipher

/// Encodes and verifies the units of one attached file. `Docs/Format/AttachedFile.md` describes the bytes; a test
/// compares its field tables with the fields here.
///
/// The checksum of a unit includes the store, the file and the number of the unit, so that misplaced units are refused.
package struct AttachedUnit {
    /// The size of the trailer after the content, in bytes.
    package static let trailerBytes = 36
    /// The size of the trailer of an encrypted unit, in bytes.
    package static let encryptedTrailerBytes = trailerBytes + MessageCipher.tagBytes

    static let file = Field("file", at: 0, size: 16)
    static let number = Field("number", at: 16, size: 8)
    static let length = Field("length", at: 24, size: 4)
    static let last = Field("last", at: 28, size: 4)
    static let checksum = Field("checksum", at: 32, size: 4)
    static let tag = Field("tag", at: 32, size: 16)
    static let encryptedChecksum = Field("checksum", at: 48, size: 4)
    /// The fields of the trailer.
    package static let fields = [file, number, length, last, checksum]
    /// The fields of the trailer of an encrypted unit.
    package static let encryptedFields = [file, number, length, last, tag, encryptedChecksum]

    private let store: [UInt8]
    private let file: [UInt8]
    /// The cipher of an encrypted file.
    private let cipher: MessageCipher?
    private var unitChecksum = UnitChecksum()
    /// The lowest number that may still be encrypted: a second message with a number would reveal both.
    private var next: UInt64 = 0

    /// - Parameters:
    ///   - store: the store's id, 16 bytes.
    ///   - file: the file's identity, 16 bytes.
    ///   - cipher: the cipher of an encrypted file, for this codec only.
    package init(store: [UInt8], file: [UInt8], cipher: MessageCipher? = nil) {
        self.store = store
        self.file = file
        self.cipher = cipher
    }

    private func identity(_ number: UInt64) -> BlockIdentity {
        BlockIdentity(store: store, segment: file, series: 0, position: number)
    }

    /// Appends the trailer of the unit whose content starts at `start` of the writer, and encrypts the content of an
    /// encrypted file.
    ///
    /// - Throws: `misuse` for a number that is not greater than the former ones of an encrypted file; `cipher`. The
    ///   content is removed then.
    package mutating func close(
        _ writer: inout ByteWriter, from start: Int, number: UInt64, isLast: Bool
    ) throws(FormatError) {
        let content = start..<writer.count
        writer.put(bytes: file)
        writer.put(number)
        writer.put(UInt32(truncatingIfNeeded: content.count))
        writer.put(UInt32(isLast ? 1 : 0))
        if let cipher {
            do throws(FormatError) {
                try encrypt(&writer, content, number, cipher)
            } catch {
                // The writer must not keep plain text, which a caller might still write to the file.
                writer.bytes.removeSubrange(start...)
                throw error
            }
        }
        try unitChecksum.close(&writer, from: start, of: identity(number))
    }

    private mutating func encrypt(
        _ writer: inout ByteWriter, _ content: Range<Int>, _ number: UInt64, _ cipher: MessageCipher
    ) throws(FormatError) {
        guard number >= next, number < .max else {
            throw FormatError(.misuse, at: number, "a unit of an attached file that was encrypted before")
        }
        next = number + 1
        let associated = Array(writer.bytes[content.upperBound...])
        do throws(CipherError) {
            let tag = try cipher.encrypt(
                &writer.bytes, content, nonce: NumberNonce(number).bytes, associated: associated)
            writer.put(bytes: tag)
        } catch { throw FormatError(.cipher, at: number, error.message) }
    }

    /// Verifies the unit `bytes[range]`, and decrypts the content of an encrypted file in place.
    ///
    /// - Requires: the range lies inside `bytes`, and is not shorter than a trailer.
    /// - Returns: the range of the content.
    /// - Throws: `checksum`, `malformed`, `forged`, `cipher`; no decrypted content is in the array then.
    package mutating func open(
        _ bytes: inout [UInt8], _ range: Range<Int>, number: UInt64, isLast: Bool
    ) throws(FormatError) -> Range<Int> {
        let size = cipher == nil ? Self.trailerBytes : Self.encryptedTrailerBytes
        let content = try verify(bytes, range, size, number, isLast)
        if let cipher { try decrypt(&bytes, content, number, cipher) }
        return content
    }

    /// Verifies the checksum and the trailer of a unit. Returns the range of the content.
    private mutating func verify(
        _ bytes: [UInt8], _ range: Range<Int>, _ size: Int, _ number: UInt64, _ isLast: Bool
    ) throws(FormatError) -> Range<Int> {
        try unitChecksum.verify(
            bytes, at: range.lowerBound, length: range.count, of: identity(number), "unit of an attached file")
        let trailer = range.upperBound - size
        func word(_ field: Field) -> UInt32 { load32(bytes, trailer + field.offset) }
        let isConsistent =
            trailer >= range.lowerBound && bytes[Self.file.range(from: trailer)] == file[...]
            && word(Self.number) == UInt32(truncatingIfNeeded: number)
            && Int(word(Self.length)) == range.count - size && word(Self.last) == (isLast ? 1 : 0)
        guard isConsistent else {
            throw FormatError(.malformed, at: UInt64(range.lowerBound), "the trailer of unit \(number) is inconsistent")
        }
        return range.lowerBound..<trailer
    }

    /// Verifies the checksum and the trailer of an encrypted unit, without its key.
    ///
    /// - Requires: the range lies inside `bytes`, and is not shorter than a trailer.
    package mutating func verifyEncrypted(
        _ bytes: [UInt8], _ range: Range<Int>, number: UInt64, isLast: Bool
    ) throws(FormatError) {
        _ = try verify(bytes, range, Self.encryptedTrailerBytes, number, isLast)
    }

    private func decrypt(
        _ bytes: inout [UInt8], _ content: Range<Int>, _ number: UInt64, _ cipher: MessageCipher
    ) throws(FormatError) {
        let tag = content.upperBound + Self.tag.offset
        let associated = Array(bytes[content.upperBound..<tag])
        do throws(CipherError) {
            try cipher.decrypt(
                &bytes, content, nonce: NumberNonce(number).bytes, associated: associated,
                tag: Array(bytes[tag..<tag + Self.tag.size]))
        } catch {
            guard error.kind == .forged else {
                throw FormatError(.cipher, at: UInt64(content.lowerBound), error.message)
            }
            throw FormatError(
                .forged, at: UInt64(content.lowerBound),
                "unit \(number) has the right checksum, but was not encrypted for this place with the store's key")
        }
    }
}
