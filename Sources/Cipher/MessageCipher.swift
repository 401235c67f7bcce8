// SPDX-License-Identifier: Apache-2.0

internal import CCipher

/// The nonce of a message with AES-256-GCM whose key encrypts one message for each number: the number, and zeros.
package struct NumberNonce: Sendable, Equatable {
    /// The number, for example the offset of a unit in its file.
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    /// The 12 bytes of the nonce: the number (little-endian), four zeros.
    package var bytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) } + [0, 0, 0, 0]
    }
}

/// A prepared key: encrypts and decrypts messages in place. Not thread-safe; each thread has its own.
///
/// A message is a sequence of ranges of an array. Its tag is stored apart from the ranges.
@safe
package final class MessageCipher {
    /// Known constructions. The numbers are stored in files.
    package enum Algorithm: UInt8, Sendable, CaseIterable {
        /// AES-256-GCM, with a nonce of 12 bytes that must not repeat under a key.
        case aes256GCM = 1
        /// XAES-256-GCM of C2SP, with a nonce of 24 bytes that may be random.
        case xaes256GCM = 2

        /// The size of a nonce in bytes.
        package var nonceBytes: Int { self == .aes256GCM ? 12 : 24 }
    }

    /// The size of a key in bytes.
    package static let keyBytes = KC_KEY_BYTES
    /// The size of a tag in bytes.
    package static let tagBytes = KC_TAG_BYTES

    package let algorithm: Algorithm
    private let cipher: OpaquePointer

    /// Prepares a key.
    ///
    /// - Parameter key: 32 bytes.
    /// - Throws: `unavailable`, `invalidArgument`, `failed`, `forked`.
    package init(_ algorithm: Algorithm, key: SecretBytes) throws(CipherError) {
        guard key.count == Self.keyBytes else { throw Self.wrongKeySize(key.count) }
        self.algorithm = algorithm
        var made: OpaquePointer?
        let code = try unsafe key.withBytes { bytes in
            unsafe kc_cipher_new(kc_algorithm(UInt32(algorithm.rawValue)), bytes.baseAddress, &made)
        }
        try CipherError.check(code, "prepare a key")
        guard let made = unsafe made else { throw CipherError(.failed, "prepare a key: no memory") }
        unsafe cipher = made
    }

    deinit { unsafe kc_cipher_free(cipher) }

    /// Replaces the key. Costs less than a new cipher.
    package func setKey(_ key: SecretBytes) throws(CipherError) {
        guard key.count == Self.keyBytes else { throw Self.wrongKeySize(key.count) }
        let code = try unsafe key.withBytes { unsafe kc_cipher_set_key(cipher, $0.baseAddress) }
        try CipherError.check(code, "prepare a key")
    }

    private static func wrongKeySize(_ count: Int) -> CipherError {
        CipherError(.invalidArgument, "a key of \(count) bytes; \(keyBytes) are required")
    }

    /// Encrypts a range of an array in place and returns the tag.
    ///
    /// - Requires: the range lies inside the array, and the nonce was not used with this key.
    /// - Throws: `failed`, `forked`: the range then holds zeros; `invalidArgument` for a nonce of the wrong size,
    ///   before any change.
    package func encrypt(
        _ bytes: inout [UInt8], _ range: Range<Int>, nonce: [UInt8], associated: [UInt8] = []
    ) throws(CipherError) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range outside of its array")
        guard nonce.count == algorithm.nonceBytes else { throw wrongNonceSize(nonce.count) }
        var tag = [UInt8](repeating: 0, count: Self.tagBytes)
        let code = unsafe bytes.withUnsafeMutableBufferPointer { memory in
            var piece = unsafe kc_piece(
                bytes: memory.baseAddress.map { unsafe $0 + range.lowerBound }, count: range.count)
            return unsafe kc_encrypt(cipher, nonce, associated, associated.count, &piece, 1, &tag)
        }
        try CipherError.check(code, "encrypt")
        return tag
    }

    /// Decrypts a range of an array in place.
    ///
    /// - Requires: the range lies inside the array.
    /// - Throws: `forged` if the tag does not belong to the message, `failed`, `forked`: the range then holds zeros;
    ///   `invalidArgument` for a nonce or a tag of the wrong size, before any change.
    package func decrypt(
        _ bytes: inout [UInt8], _ range: Range<Int>, nonce: [UInt8], associated: [UInt8] = [], tag: [UInt8]
    ) throws(CipherError) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range outside of its array")
        guard nonce.count == algorithm.nonceBytes else { throw wrongNonceSize(nonce.count) }
        guard tag.count == Self.tagBytes else { throw CipherError(.invalidArgument, "a tag of \(tag.count) bytes") }
        let code = unsafe bytes.withUnsafeMutableBufferPointer { memory in
            var piece = unsafe kc_piece(
                bytes: memory.baseAddress.map { unsafe $0 + range.lowerBound }, count: range.count)
            return unsafe kc_decrypt(cipher, nonce, associated, associated.count, &piece, 1, tag)
        }
        try CipherError.check(code, "decrypt")
    }

    private func wrongNonceSize(_ count: Int) -> CipherError {
        CipherError(.invalidArgument, "a nonce of \(count) bytes; \(algorithm.nonceBytes) are required")
    }

    /// Encrypts two ranges of an array as one message, in place, and writes the tag after the second range. Allocates
    /// nothing.
    ///
    /// - Parameter associated: eight bytes that are authenticated, as a little-endian number.
    /// - Requires: AES-256-GCM; the ranges and the tag lie inside the array; the nonce was not used with this key.
    package func encrypt(
        _ bytes: inout [UInt8], _ first: Range<Int>, _ second: Range<Int>, nonce: NumberNonce, associated: UInt64
    ) throws(CipherError) {
        let code = unsafe message(&bytes, first, second, nonce, associated) { nonce, associated, pieces, tag in
            unsafe kc_encrypt(cipher, nonce, associated, 8, pieces, 2, tag)
        }
        try CipherError.check(code, "encrypt")
    }

    /// Decrypts two ranges of an array as one message, in place, with the tag after the second range. Allocates
    /// nothing.
    ///
    /// - Requires: AES-256-GCM; the ranges and the tag lie inside the array.
    /// - Throws: `forged`, `failed`, `forked`; the ranges then hold zeros.
    package func decrypt(
        _ bytes: inout [UInt8], _ first: Range<Int>, _ second: Range<Int>, nonce: NumberNonce, associated: UInt64
    ) throws(CipherError) {
        let code = unsafe message(&bytes, first, second, nonce, associated) { nonce, associated, pieces, tag in
            unsafe kc_decrypt(cipher, nonce, associated, 8, pieces, 2, tag)
        }
        try CipherError.check(code, "decrypt")
    }

    private typealias Call = (
        _ nonce: UnsafePointer<UInt8>, _ associated: UnsafePointer<UInt8>, _ pieces: UnsafePointer<kc_piece>,
        _ tag: UnsafeMutablePointer<UInt8>
    ) -> Int32

    /// Calls a function with the parts of a message in an array.
    @inline(__always)
    private func message(
        _ bytes: inout [UInt8], _ first: Range<Int>, _ second: Range<Int>, _ nonce: NumberNonce, _ associated: UInt64,
        _ call: Call
    ) -> Int32 {
        precondition(algorithm == .aes256GCM, "a nonce of 12 bytes")
        precondition(
            first.lowerBound >= 0 && first.upperBound <= second.lowerBound
                && second.upperBound <= bytes.count - Self.tagBytes, "a message outside of its array")
        let parts = (nonce.number.littleEndian, UInt64(0), associated.littleEndian)
        return unsafe bytes.withUnsafeMutableBufferPointer { memory in
            guard let base = memory.baseAddress else { return Int32(KC_ARGUMENT) }
            let pieces = unsafe (
                kc_piece(bytes: base + first.lowerBound, count: first.count),
                kc_piece(bytes: base + second.lowerBound, count: second.count)
            )
            return unsafe withUnsafeBytes(of: parts) { fixed in
                unsafe withUnsafeBytes(of: pieces) { list in
                    guard let numbers = unsafe fixed.assumingMemoryBound(to: UInt8.self).baseAddress,
                        let start = unsafe list.assumingMemoryBound(to: kc_piece.self).baseAddress
                    else { return Int32(KC_ARGUMENT) }
                    return unsafe call(numbers, numbers + 16, start, base + second.upperBound)
                }
            }
        }
    }
}
