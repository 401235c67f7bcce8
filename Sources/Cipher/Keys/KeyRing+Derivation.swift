// SPDX-License-Identifier: Apache-2.0

import Bytes

extension KeyRing {
    /// The uses of keys. The names are part of the format.
    enum Purpose: String, CaseIterable {
        /// The key that encrypts the root key, and the check of a slot.
        case slot
        /// The key that encrypts the generations.
        case generations
        /// The key of the authentication code of KEYS.
        case keys
        /// The key from which salts and nonces are made.
        case salts
        /// The key of the authentication code of WITNESS.
        case witness
        /// The key of the authentication code of a backup's manifest.
        case manifest
        /// The key of a generation for the pages of the catalog.
        case page
        /// The key of one segment.
        case segment
        /// The key of one attached file.
        case attachment

        /// The version of the construction.
        var version: Int { self == .segment ? 2 : 1 }
    }

    /// Returns the text that distinguishes the results of derivations: the purpose, its version, a zero, and `rest`.
    static func info(_ purpose: Purpose, _ rest: [UInt8]) -> [UInt8] {
        Array("kymograph \(purpose.rawValue) \(purpose.version)".utf8) + [0] + rest
    }

    static func derived(
        _ key: SecretBytes, _ purpose: Purpose, _ store: UUIDBytes
    ) throws(CipherError) -> SecretBytes {
        try Derivation.hkdf(key, info: info(purpose, store.bytes))
    }

    /// Returns the authentication code of an image.
    static func mac(_ image: KeysImage, _ root: SecretBytes) throws(CipherError) -> [UInt8] {
        try Derivation.hmac(try derived(root, .keys, image.store), Array(image.body.utf8))
    }

    /// Returns the key and the check of a slot for a secret.
    static func slotKeys(
        _ slot: KeySlot, _ secret: StoreSecret, store: UUIDBytes
    ) throws(CipherError) -> (key: SecretBytes, check: SecretBytes) {
        var key = secret.bytes
        if let cost = slot.cost { key = try secret.derivedKey(salt: slot.salt, cost) }
        let all = try Derivation.hkdf(
            key, salt: slot.salt, info: info(.slot, store.bytes), count: MessageCipher.keyBytes + KeySlot.checkBytes)
        return (try all.part(0..<MessageCipher.keyBytes), try all.part(MessageCipher.keyBytes..<all.count))
    }

    /// Encrypts the root key for a new slot. The salt is new, so that the key of the slot encrypts one message.
    static func slot(
        _ new: NewSlot, root: SecretBytes, store: UUIDBytes, random: RandomSource
    ) throws(CipherError) -> KeySlot {
        guard KeySlot.isLabel(new.label) else {
            throw CipherError(
                .invalidArgument,
                "a label has 1 to 64 bytes, without quotation marks, backslashes and control characters")
        }
        guard new.secret.fits(new.kind) else {
            throw CipherError(.invalidArgument, "\(new.secret.noun) does not fit a slot of kind \(new.kind.rawValue)")
        }
        guard new.kind != .passphrase || new.cost.isAllowed else {
            throw CipherError(.invalidArgument, "scrypt with a cost of \(new.cost.logN) \(new.cost.r) \(new.cost.p)")
        }
        var slot = KeySlot(
            kind: new.kind, label: new.label, cost: new.kind == .passphrase ? new.cost : nil,
            salt: try random.salt(key: try derived(root, .salts, store)), check: [], wrapped: [])
        let keys = try slotKeys(slot, new.secret, store: store)
        slot.check = try keys.check.copy()
        slot.wrapped = try encrypted(
            root, by: keys.key, nonce: [UInt8](repeating: 0, count: 12), prefix: slot.prefix)
        return slot
    }

    /// Returns a key of 32 bytes, encrypted, and the tag.
    static func encrypted(
        _ key: SecretBytes, by other: SecretBytes, nonce: [UInt8], prefix: String
    ) throws(CipherError) -> [UInt8] {
        let cipher = try MessageCipher(.aes256GCM, key: other)
        var bytes = try key.copy()
        do throws(CipherError) {
            let tag = try cipher.encrypt(
                &bytes, 0..<bytes.count, nonce: nonce, associated: Array(prefix.utf8))
            return bytes + tag
        } catch {
            SecretBytes.wipe(&bytes)
            throw error
        }
    }

    /// Returns the key that `encrypted` made.
    static func decrypted(
        _ bytes: [UInt8], by other: SecretBytes, nonce: [UInt8], prefix: String
    ) throws(CipherError) -> SecretBytes {
        let tag = Array(bytes.suffix(MessageCipher.tagBytes))
        var key = Array(bytes.dropLast(MessageCipher.tagBytes))
        defer { SecretBytes.wipe(&key) }
        do throws(CipherError) {
            try MessageCipher(.aes256GCM, key: other).decrypt(
                &key, 0..<key.count, nonce: nonce, associated: Array(prefix.utf8), tag: tag)
        } catch {
            guard error.kind == .forged else { throw error }
            throw CipherError(.forged, "the keys have the right checksum, but a line was changed")
        }
        return try SecretBytes(wiping: &key)
    }

    // MARK: Keys of files

    /// Returns a salt of 32 bytes for a new file. It differs from all others of this machine even if the system's
    /// random numbers repeat.
    package func newSalt(random: RandomSource = .system) throws(CipherError) -> [UInt8] {
        try random.salt(key: try Self.derived(root, .salts, image.store))
    }

    /// Returns the key of a segment.
    ///
    /// - Parameters:
    ///   - salt: the salt in the header.
    ///   - header: the bytes of the header before its checksum. Another header gives another key.
    package func segmentKey(
        generation: UInt8, salt: [UInt8], header: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        try Derivation.hkdf(try self.generation(generation), salt: salt, info: Self.info(.segment, header))
    }

    /// Returns the key of an attached file.
    ///
    /// - Parameters:
    ///   - salt: the salt in the header.
    ///   - header: the store's id, the file's identity, and the bytes of the header before its checksum.
    package func attachmentKey(
        generation: UInt8, salt: [UInt8], header: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        try Derivation.hkdf(try self.generation(generation), salt: salt, info: Self.info(.attachment, header))
    }

    /// Returns the key of a generation for the pages of the catalog, for XAES-256-GCM.
    package func pageKey(generation: UInt8) throws(CipherError) -> SecretBytes {
        try Self.derived(try self.generation(generation), .page, image.store)
    }

    /// Returns the key of the authentication code of WITNESS.
    package func witnessKey() throws(CipherError) -> SecretBytes { try Self.derived(root, .witness, image.store) }

    /// Returns the key of the authentication code of a backup's manifest.
    package func manifestKey() throws(CipherError) -> SecretBytes { try Self.derived(root, .manifest, image.store) }
}
