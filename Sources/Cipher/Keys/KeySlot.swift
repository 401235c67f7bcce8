// SPDX-License-Identifier: Apache-2.0

/// A place in the keys of an encrypted store for one secret. Each slot opens the whole store.
public struct KeySlot: Sendable, Equatable {
    /// The kinds of secrets.
    public enum Kind: String, Sendable, CaseIterable {
        /// A passphrase, through scrypt.
        case passphrase
        /// A key of 32 bytes in a file.
        case file
        /// A key of 32 bytes that a person keeps on paper.
        case recovery
    }

    /// The size of a salt in bytes.
    static let saltBytes = 32
    /// The size of the value that recognises the secret, in bytes.
    static let checkBytes = 16

    /// The kind of the secret.
    public package(set) var kind: Kind
    /// The name that a person gave the slot, 1 to 64 bytes of UTF-8; no two slots of a store have the same.
    public package(set) var label: String
    /// The cost of a passphrase's derivation; nil for other kinds.
    package var cost: ScryptCost?
    package var salt: [UInt8]
    /// Recognises the secret, and reveals nothing about it.
    package var check: [UInt8]
    /// The encrypted root key, 32 bytes, and its tag, 16 bytes.
    package var wrapped: [UInt8]

    /// The part of the line that is authenticated together with the root key.
    var prefix: String {
        let scrypt = cost.map { "scrypt \($0.logN) \($0.r) \($0.p) " } ?? ""
        return "slot \(kind.rawValue) \"\(label)\" \(scrypt)\(KeyText.base64(salt)) \(KeyText.base64(check)) "
    }

    /// Whether a text may be a label: 1 to 64 bytes of UTF-8 without quotation marks, backslashes, control characters
    /// and line separators.
    package static func isLabel(_ text: some StringProtocol) -> Bool {
        guard 1...64 ~= text.utf8.count else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x22, 0x5C, 0x7F..<0xA0, 0x2028, 0x2029: false
            default: true
            }
        }
    }
}
