// SPDX-License-Identifier: Apache-2.0

internal import CCipher

/// The cost of scrypt: memory of 128 * 2^logN * r bytes, time in proportion to 2^logN * r * p.
package struct ScryptCost: Sendable, Equatable {
    package var logN: Int
    package var r: Int
    package var p: Int

    package init(logN: Int, r: Int = 8, p: Int = 1) {
        self.logN = logN
        self.r = r
        self.p = p
    }

    /// The cost of new slots: 128 MiB of memory and about a second.
    package static let standard = ScryptCost(logN: 17)

    /// The least cost that is allowed, for tests.
    package static let least = ScryptCost(logN: 14)

    /// Whether the cost is within the limits of the files of keys: at most 1 GiB of memory, and not trivially low.
    package var isAllowed: Bool { 14...20 ~= logN && r == 8 && 1...4 ~= p }
}

/// Derivation of keys from keys and passphrases, and authentication codes.
package enum Derivation {
    /// Returns `count` bytes derived from a key by HKDF-SHA256.
    ///
    /// - Parameters:
    ///   - key: at least one byte of high entropy.
    ///   - info: the purpose of the result.
    ///   - count: 1 to 4,032.
    package static func hkdf(
        _ key: SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int = MessageCipher.keyBytes
    ) throws(CipherError) -> SecretBytes {
        try unsafe SecretBytes(count: count) { (memory) throws(CipherError) in
            let code = try unsafe key.withBytes { bytes in
                unsafe kc_hkdf(
                    bytes.baseAddress, bytes.count, salt, salt.count, info, info.count,
                    memory.assumingMemoryBound(to: UInt8.self).baseAddress, count)
            }
            try CipherError.check(code, "derive a key")
        }
    }

    /// Returns the HMAC-SHA256 of bytes, 32 bytes.
    package static func hmac(_ key: SecretBytes, _ bytes: [UInt8]) throws(CipherError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: KC_DIGEST_BYTES)
        let code = try unsafe key.withBytes { unsafe kc_hmac($0.baseAddress, $0.count, bytes, bytes.count, &result) }
        try CipherError.check(code, "compute an authentication code")
        return result
    }

    /// Returns `count` bytes derived from a passphrase by scrypt.
    ///
    /// - Throws: `invalidArgument` for costs above the limits of `kc_scrypt`, at once; `failed` without memory.
    package static func scrypt(
        _ passphrase: SecretBytes, salt: [UInt8], _ cost: ScryptCost, count: Int = MessageCipher.keyBytes
    ) throws(CipherError) -> SecretBytes {
        guard 1...20 ~= cost.logN, 1...8 ~= cost.r, 1...16 ~= cost.p else {
            throw CipherError(.invalidArgument, "scrypt with the cost \(cost.logN) \(cost.r) \(cost.p)")
        }
        return try unsafe SecretBytes(count: count) { (memory) throws(CipherError) in
            let code = try unsafe passphrase.withBytes { bytes in
                unsafe kc_scrypt(
                    bytes.baseAddress, bytes.count, salt, salt.count, UInt64(1) << UInt64(cost.logN), UInt32(cost.r),
                    UInt32(cost.p), memory.assumingMemoryBound(to: UInt8.self).baseAddress, count)
            }
            try CipherError.check(code, "derive a key from the passphrase")
        }
    }

    /// Whether two arrays are equal, in a time that depends on their counts only.
    package static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        unsafe a.count == b.count && kc_equal(a, b, a.count) == 1
    }
}
