// SPDX-License-Identifier: Apache-2.0

import Cipher
import Kernels

/// Verifies units in a private copy of their bytes, and decrypts units of encrypted segments in place. The result is a
/// plain unit without a valid checksum: decode it with a decoder that does not verify.
///
/// An opener keeps the key of the last segment. Not thread-safe; each thread has its own.
package struct UnitOpener {
    private var unitChecksum = UnitChecksum()
    private var cipher: MessageCipher?
    private var number: UInt64 = 0

    package init() {}

    /// Opens the unit `bytes[at..<at + length]`.
    ///
    /// - Parameters:
    ///   - identity: of the unit; its position is the offset of the unit in the file.
    ///   - key: the key of the segment; nil for a plain segment.
    ///   - unit: the name of the unit in errors.
    /// - Requires: the unit lies inside `bytes`.
    /// - Returns: the length of the plain unit.
    /// - Throws: `checksum` if the bytes have changed; `forged` if their checksum is right, but the writer of this
    ///   segment did not encrypt them at this position; `truncated`, `cipher`. After an error the array has no
    ///   decrypted byte.
    package mutating func open(
        _ bytes: inout [UInt8], at: Int, length: Int, of identity: BlockIdentity, key: SegmentKey?,
        _ unit: StaticString = "unit"
    ) throws(FormatError) -> Int {
        guard at >= 0, length >= SegmentFormat.trailerBytes, at <= bytes.count, length <= bytes.count - at else {
            throw FormatError(.truncated, at: identity.position, "a \(unit) of \(length) bytes is incomplete")
        }
        do throws(FormatError) {
            guard let key else {
                try unitChecksum.verify(bytes, at: at, length: length, of: identity, unit)
                return length
            }
            return try decrypt(&bytes, at, length, identity, key, unit)
        } catch {
            throw error.moved(by: identity.position &- UInt64(at))
        }
    }

    private mutating func decrypt(
        _ bytes: inout [UInt8], _ at: Int, _ length: Int, _ identity: BlockIdentity, _ key: SegmentKey,
        _ unit: StaticString
    ) throws(FormatError) -> Int {
        let here = UInt64(at)
        guard length >= EncryptedUnit.minimumBytes else {
            throw FormatError(.truncated, at: here, "a \(unit) of \(length) bytes")
        }
        try unitChecksum.verify(bytes, at: at, length: length, of: EncryptedUnit.checked(identity), unit)
        guard Int(load32(bytes, at + EncryptedUnit.lengthOffset)) == length else {
            throw FormatError(.forged, at: here, "a \(unit) of another length")
        }
        let tag = at + length - SegmentFormat.trailerBytes - EncryptedUnit.tagBytes
        let ranges = EncryptedUnit.ranges(at: at, tag: tag)
        do throws(CipherError) {
            try prepared(key).decrypt(
                &bytes, ranges.0, ranges.1, nonce: NumberNonce(identity.position),
                associated: EncryptedUnit.associated(bytes, at: at))
        } catch {
            guard error.kind == .forged else { throw FormatError(.cipher, at: here, error.message) }
            throw FormatError(
                .forged, at: here,
                "the \(unit) has the right checksum, but was not encrypted for this place with the store's key")
        }
        let plain = length - EncryptedUnit.tagBytes
        EncryptedUnit.setLength(UInt32(truncatingIfNeeded: plain), &bytes, at: at)
        return plain
    }

    /// Returns the cipher with a segment's key.
    private mutating func prepared(_ key: SegmentKey) throws(CipherError) -> MessageCipher {
        if number == key.number, let cipher { return cipher }
        number = 0
        let prepared: MessageCipher
        if let cipher {
            prepared = cipher
            try prepared.setKey(key.bytes)
        } else {
            prepared = try MessageCipher(.aes256GCM, key: key.bytes)
        }
        (cipher, number) = (prepared, key.number)
        return prepared
    }
}
