// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A secret that opens an encrypted store: a passphrase, or a key of 32 bytes.
///
/// The bytes are in locked memory and are wiped at the end. A secret has no description and is never encoded.
public final class StoreSecret: Sendable {
    /// The maximum size of a passphrase in bytes.
    public static let maximumPassphraseBytes = 1024

    let bytes: SecretBytes
    /// Whether the secret is a passphrase.
    public let isPassphrase: Bool
    /// The keys that scrypt derived from the passphrase, so that opening a store again costs nothing.
    private let derived = Mutex<[Derived]>([])

    /// The key of a passphrase for one slot.
    private struct Derived {
        let salt: [UInt8]
        let cost: ScryptCost
        let key: SecretBytes
    }

    private init(_ bytes: SecretBytes, isPassphrase: Bool) {
        self.bytes = bytes
        self.isPassphrase = isPassphrase
    }

    /// Creates a secret from a passphrase, and wipes the array. The bytes count as they are, without normalisation.
    ///
    /// - Throws: `invalidArgument` for an empty passphrase and for more than 1,024 bytes.
    public convenience init(passphrase: inout [UInt8]) throws(CipherError) {
        defer { SecretBytes.wipe(&passphrase) }
        guard 1...Self.maximumPassphraseBytes ~= passphrase.count else {
            throw CipherError(.invalidArgument, "a passphrase has 1 to 1,024 bytes, not \(passphrase.count)")
        }
        self.init(try SecretBytes(wiping: &passphrase), isPassphrase: true)
    }

    /// Creates a secret from a key.
    ///
    /// - Throws: `invalidArgument` unless the key has 32 bytes.
    package convenience init(key: SecretBytes) throws(CipherError) {
        guard key.count == MessageCipher.keyBytes else {
            throw CipherError(.invalidArgument, "a key has 32 bytes, not \(key.count)")
        }
        self.init(key, isPassphrase: false)
    }

    /// Creates a secret from what a file, a credential or a program holds: the line of a key file, a recovery key, or a
    /// passphrase, whose last line feed does not count.
    ///
    /// - Throws: `invalidArgument` for nothing, for more than 1,024 bytes, and for a damaged line of a key file.
    package convenience init(content: SecretBytes) throws(CipherError) {
        var bytes = try content.copy()
        defer { SecretBytes.wipe(&bytes) }
        var key = try KeyText.key(file: bytes)
        if key == nil { key = try KeyText.key(recovery: bytes) }
        if let key {
            self.init(key, isPassphrase: false)
            return
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        try self.init(passphrase: &bytes)
    }

    /// Creates a secret from a key of 32 bytes, and wipes the array.
    ///
    /// - Throws: `invalidArgument` unless the key has 32 bytes.
    public convenience init(key: inout [UInt8]) throws(CipherError) {
        defer { SecretBytes.wipe(&key) }
        guard key.count == MessageCipher.keyBytes else {
            throw CipherError(.invalidArgument, "a key has 32 bytes, not \(key.count)")
        }
        try self.init(key: SecretBytes(wiping: &key))
    }

    /// Creates a secret from a line that a closure writes into locked memory: a passphrase or a recovery key.
    ///
    /// - Returns: nil for an empty line.
    package static func read(
        _ line: (UnsafeMutableRawBufferPointer) throws(CipherError) -> Int
    ) throws(CipherError) -> StoreSecret? {
        let bytes = try unsafe SecretBytes(room: maximumPassphraseBytes, line)
        return bytes.count == 0 ? nil : try StoreSecret(content: bytes)
    }

    /// Whether two secrets are equal.
    package func equals(_ other: StoreSecret) throws(CipherError) -> Bool {
        var copy = try other.bytes.copy()
        defer { SecretBytes.wipe(&copy) }
        let isEqual = try bytes.equals(copy)
        return isEqual && isPassphrase == other.isPassphrase
    }

    /// Creates a random key.
    ///
    /// - Throws: `failed` if the system has no random bytes.
    public static func random() throws(CipherError) -> StoreSecret { try random(from: .system) }

    package static func random(from source: RandomSource) throws(CipherError) -> StoreSecret {
        try StoreSecret(key: SecretBytes(random: MessageCipher.keyBytes, from: source))
    }

    /// The key as a recovery key, 13 groups of four letters for paper; nil for a passphrase.
    ///
    /// The text is an ordinary string in memory that may be swapped out: print it, and let it go.
    public func recoveryText() throws(CipherError) -> String? { try key.map(KeyText.recovery) }

    /// The bytes of a key; nil for a passphrase.
    package var key: SecretBytes? { isPassphrase ? nil : bytes }

    /// Returns the key that scrypt derives from the passphrase for a slot.
    /// Later calls for a slot are immediate.
    package func derivedKey(salt: [UInt8], _ cost: ScryptCost) throws(CipherError) -> SecretBytes {
        let known = derived.withLock { list in list.first { $0.salt == salt && $0.cost == cost }?.key }
        if let known { return known }
        let key = try Derivation.scrypt(bytes, salt: salt, cost)
        derived.withLock { list in
            if list.count >= KeysImage.maximumSlots { list.removeFirst() }
            list.append(Derived(salt: salt, cost: cost, key: key))
        }
        return key
    }

    /// Whether a slot of a kind may belong to the secret.
    func fits(_ kind: KeySlot.Kind) -> Bool { isPassphrase == (kind == .passphrase) }

    /// The secret's name in messages.
    var word: String { isPassphrase ? "passphrase" : "key" }
    var noun: String { "a " + word }
}
