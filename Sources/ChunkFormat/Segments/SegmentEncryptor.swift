// SPDX-License-Identifier: Apache-2.0

import Bytes
import Cipher

/// Encrypts the units of one new segment, each position of the file at most once.
///
/// A second message at a position would reveal both messages. So the encryptor keeps the end of the last unit and
/// refuses every lower position, even if an error occurred.
final class SegmentEncryptor {
    private let cipher: MessageCipher
    /// The lowest position that may still be encrypted.
    private var end: UInt64
    private var unitChecksum = UnitChecksum()

    /// - Parameter position: the end of the header.
    init(_ key: SegmentKey, from position: UInt64) throws(FormatError) {
        do throws(CipherError) { cipher = try MessageCipher(.aes256GCM, key: key.bytes) } catch {
            throw FormatError(.cipher, at: 0, error.message)
        }
        end = position
    }

    /// Encrypts the unit `bytes[range]` in place. Its last 20 bytes are free for tag and checksum, and its length
    /// includes them.
    func encrypt(_ bytes: inout [UInt8], _ range: Range<Int>, of identity: BlockIdentity) throws(FormatError) {
        guard range.count >= EncryptedUnit.minimumBytes,
            Int(load32(bytes, range.lowerBound + EncryptedUnit.lengthOffset)) == range.count
        else { throw FormatError(.misuse, at: identity.position, "a unit of \(range.count) bytes") }
        let (next, overflow) = identity.position.addingReportingOverflow(UInt64(range.count))
        guard identity.position >= end, !overflow else {
            throw FormatError(.misuse, at: identity.position, "a position that was encrypted before")
        }
        end = next
        let checksum = range.upperBound - SegmentFormat.trailerBytes
        let ranges = EncryptedUnit.ranges(at: range.lowerBound, tag: checksum - EncryptedUnit.tagBytes)
        do throws(CipherError) {
            try cipher.encrypt(
                &bytes, ranges.0, ranges.1, nonce: NumberNonce(identity.position),
                associated: EncryptedUnit.associated(bytes, at: range.lowerBound))
        } catch {
            throw FormatError(.cipher, at: identity.position, error.message)
        }
        let checked = EncryptedUnit.checked(identity)
        guard let sum = unitChecksum.checksum(bytes, range.lowerBound..<checksum, of: checked) else {
            throw UnitChecksum.wrongIds
        }
        for index in 0..<4 { bytes[checksum + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    }
}

/// Ends the units of a new segment: by a checksum, or encrypted, by a tag and a checksum.
struct UnitCloser {
    private var unitChecksum = UnitChecksum()
    /// Nil for a plain segment.
    var encryptor: SegmentEncryptor?

    /// Bytes of a unit after its content, in addition to those of a plain unit.
    var additionalBytes: Int { encryptor == nil ? 0 : EncryptedUnit.tagBytes }

    /// Ends the unit that starts at `start` of the writer. Its length is that of a plain unit.
    mutating func close(
        _ writer: inout ByteWriter, from start: Int, of identity: BlockIdentity, limit: Int = .max
    ) throws(FormatError) {
        guard let encryptor else { return try unitChecksum.close(&writer, from: start, of: identity) }
        do throws(FormatError) { try encrypt(&writer, from: start, of: identity, limit, by: encryptor) } catch {
            // The writer must not keep plain text, which a caller might still write to the file.
            writer.bytes.removeSubrange(start...)
            throw error
        }
    }

    private func encrypt(
        _ writer: inout ByteWriter, from start: Int, of identity: BlockIdentity, _ limit: Int,
        by encryptor: SegmentEncryptor
    ) throws(FormatError) {
        EncryptedUnit.reserve(&writer)
        let length = writer.count - start
        guard length <= limit, let length = UInt32(exactly: length) else {
            throw FormatError(.misuse, at: identity.position, "a unit of \(length) bytes")
        }
        writer.patch(length, at: start + EncryptedUnit.lengthOffset)
        try encryptor.encrypt(&writer.bytes, start..<writer.count, of: identity)
    }
}
