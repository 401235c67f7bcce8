// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// The decrypted keys of a store. Immutable: a change returns another key ring, whose image the caller writes.
package final class KeyRing: Sendable {
    /// The content of the file from which the keys come.
    package let image: KeysImage
    let root: SecretBytes
    private let generations: [UInt8: SecretBytes]

    private init(_ image: KeysImage, root: SecretBytes, generations: [UInt8: SecretBytes]) {
        self.image = image
        self.root = root
        self.generations = generations
    }

    // MARK: Opening

    /// Decrypts the keys of an image with a secret.
    ///
    /// - Throws: `wrongKey` if no slot belongs to the secret; `forged` if the checksum of the image is correct, but its
    ///   content was changed; `failed`, `unavailable`.
    /// - Complexity: one derivation by scrypt for each slot of a passphrase, about a second each. The secret keeps the
    ///   results: opening the keys again with the same secret costs nothing.
    package static func open(_ image: KeysImage, with secret: StoreSecret) throws(CipherError) -> KeyRing {
        for slot in image.slots where secret.fits(slot.kind) {
            let keys = try slotKeys(slot, secret, store: image.store)
            guard try keys.check.equals(slot.check) else { continue }
            let root = try decrypted(
                slot.wrapped, by: keys.key, nonce: [UInt8](repeating: 0, count: 12), prefix: slot.prefix)
            return try KeyRing(image, root: root)
        }
        throw wrongKey(image, secret)
    }

    /// Checks the authentication code and decrypts the generations.
    private convenience init(_ image: KeysImage, root: SecretBytes) throws(CipherError) {
        guard Derivation.equal(try Self.mac(image, root), image.mac) else {
            throw CipherError(.forged, "the keys have the right checksum and the wrong authentication code")
        }
        let key = try Self.derived(root, .generations, image.store)
        var generations: [UInt8: SecretBytes] = [:]
        for entry in image.generations {
            generations[entry.number] = try Self.decrypted(
                entry.wrapped, by: key, nonce: entry.nonce, prefix: entry.prefix)
        }
        self.init(image, root: root, generations: generations)
    }

    private static func wrongKey(_ image: KeysImage, _ secret: StoreSecret) -> CipherError {
        let labels = image.slots.filter { secret.fits($0.kind) }.map(\.label)
        guard !labels.isEmpty else {
            let kinds = Set(image.slots.map(\.kind.rawValue)).sorted().joined(separator: ", ")
            return CipherError(.wrongKey, "the store has no slot for \(secret.noun), only slots of kind \(kinds)")
        }
        return CipherError(
            .wrongKey,
            "this \(secret.word) opens no slot of the store (\(labels.joined(separator: ", "))); nothing was read or "
                + "changed")
    }

    /// Returns the keys of another image of the same store, which another process has written.
    ///
    /// - Throws: `forged` for an image with another root key, and the errors of `open(_:with:)`.
    package func reading(_ other: KeysImage) throws(CipherError) -> KeyRing {
        other == image ? self : try KeyRing(other, root: root)
    }

    // MARK: Creating and changing

    /// Creates the keys of a new store: a root key, generation 1 and one slot.
    ///
    /// - Parameters:
    ///   - store: the store's id.
    ///   - slot: the first slot.
    ///   - day: today, as `2026-11-24`.
    package static func create(
        store: UUIDBytes, slot: NewSlot, day: String, random: RandomSource = .system
    ) throws(CipherError) -> KeyRing {
        let root = try SecretBytes(random: MessageCipher.keyBytes, from: random)
        let image = KeysImage(store: store, number: 1, generations: [], slots: [], mac: [])
        let empty = KeyRing(image, root: root, generations: [:])
        let first = try empty.withGeneration(day: day, random: random, number: 1)
        return try first.changed(number: 1, random) { (image) throws(CipherError) in
            image.slots = [try Self.slot(slot, root: root, store: store, random: random)]
        }
    }

    /// A slot to add.
    package struct NewSlot: Sendable {
        package var secret: StoreSecret
        package var kind: KeySlot.Kind
        package var label: String
        /// The cost for a passphrase.
        package var cost = ScryptCost.standard

        package init(_ secret: StoreSecret, kind: KeySlot.Kind, label: String, cost: ScryptCost = .standard) {
            self.secret = secret
            self.kind = kind
            self.label = label
            self.cost = cost
        }

        /// Creates a slot with the kind and a label that fit the secret.
        package init(_ secret: StoreSecret, cost: ScryptCost = .standard) {
            let isPassphrase = secret.isPassphrase
            self.init(
                secret, kind: isPassphrase ? .passphrase : .file, label: isPassphrase ? "passphrase" : "key file",
                cost: cost)
        }
    }

    /// Returns the keys with another slot.
    ///
    /// - Throws: `invalidArgument` for a label that is taken or not allowed, for more than 32 slots, and for a secret
    ///   that does not fit the kind.
    package func adding(_ slot: NewSlot, random: RandomSource = .system) throws(CipherError) -> KeyRing {
        guard image.slots.count < KeysImage.maximumSlots else {
            throw CipherError(.invalidArgument, "the store has \(image.slots.count) slots; remove one first")
        }
        guard !image.slots.contains(where: { $0.label == slot.label }) else {
            throw CipherError(.invalidArgument, "the store has a slot \"\(slot.label)\"; choose another label")
        }
        return try changed(random) { (image) throws(CipherError) in
            image.slots.append(try Self.slot(slot, root: root, store: image.store, random: random))
        }
    }

    /// Returns the keys without a slot.
    ///
    /// - Throws: `invalidArgument` for an unknown label and for the last slot.
    package func removing(_ label: String, random: RandomSource = .system) throws(CipherError) -> KeyRing {
        guard let place = image.slots.firstIndex(where: { $0.label == label }) else { throw unknown(label) }
        guard image.slots.count > 1 else {
            throw CipherError(
                .invalidArgument, "\"\(label)\" is the last slot; without it the store could never be opened again")
        }
        return try changed(random) { (image) throws(CipherError) in image.slots.remove(at: place) }
    }

    /// Returns the keys with another secret in a slot, which keeps its place.
    ///
    /// - Throws: `invalidArgument` if no slot has the label of the new slot, or the secret does not fit its kind.
    package func replacing(_ slot: NewSlot, random: RandomSource = .system) throws(CipherError) -> KeyRing {
        guard let place = image.slots.firstIndex(where: { $0.label == slot.label }) else { throw unknown(slot.label) }
        return try changed(random) { (image) throws(CipherError) in
            image.slots[place] = try Self.slot(slot, root: root, store: image.store, random: random)
        }
    }

    /// Returns the keys with a new generation, which encrypts new data.
    ///
    /// - Parameter day: today, as `2026-11-24`.
    /// - Ordering: a caller encrypts by the generation only after both files of keys are durable.
    package func addingGeneration(day: String, random: RandomSource = .system) throws(CipherError) -> KeyRing {
        try withGeneration(day: day, random: random, number: nil)
    }

    /// Returns the keys with a new generation alone, for a copy of the store in which it encrypts all data. The slots
    /// stay.
    ///
    /// - Parameter day: today, as `2026-11-24`.
    package func withNewGenerationAlone(day: String, random: RandomSource = .system) throws(CipherError) -> KeyRing {
        var ring = try addingGeneration(day: day, random: random)
        for old in ring.image.generations.dropLast() { ring = try ring.removingGeneration(old.number, random: random) }
        return ring
    }

    /// Returns the keys without a generation that no file uses any more.
    ///
    /// - Throws: `invalidArgument` for an unknown generation and for the newest.
    package func removingGeneration(
        _ number: UInt8, random: RandomSource = .system
    ) throws(CipherError) -> KeyRing {
        guard number < image.newest, let place = image.generations.firstIndex(where: { $0.number == number }) else {
            throw CipherError(.invalidArgument, "generation \(number) is the newest, or does not exist")
        }
        return try changed(random) { (image) throws(CipherError) in image.generations.remove(at: place) }
    }

    private func unknown(_ label: String) -> CipherError {
        let labels = image.slots.map(\.label).joined(separator: ", ")
        return CipherError(.invalidArgument, "the store has no slot \"\(label)\", only: \(labels)")
    }

    private func withGeneration(
        day: String, random: RandomSource, number: UInt64?
    ) throws(CipherError) -> KeyRing {
        guard Self.isDay(day) else {
            throw CipherError(.invalidArgument, "\"\(day)\" is not a day of the form 2026-11-24")
        }
        guard image.newest < KeysImage.maximumGenerations else {
            throw CipherError(
                .invalidArgument,
                "the store already has \(image.newest) generations of keys, the maximum; encrypt it anew")
        }
        let fresh = try SecretBytes(random: MessageCipher.keyBytes, from: random)
        var entry = KeysImage.Generation(
            number: image.newest + 1, day: day, nonce: Array(try newSalt(random: random).prefix(12)), wrapped: [])
        entry.wrapped = try Self.encrypted(
            fresh, by: try Self.derived(root, .generations, image.store), nonce: entry.nonce, prefix: entry.prefix)
        var all = generations
        all[entry.number] = fresh
        let larger = KeyRing(image, root: root, generations: all)
        return try larger.changed(number: number, random) { (image) throws(CipherError) in
            image.generations.append(entry)
        }
    }

    /// Returns the keys of a changed image, with the next number and a new authentication code.
    private func changed(
        number: UInt64? = nil, _ random: RandomSource, _ change: (inout KeysImage) throws(CipherError) -> Void
    ) throws(CipherError) -> KeyRing {
        var image = image
        try change(&image)
        guard image.number < .max else { throw CipherError(.invalidArgument, "the keys cannot be changed again") }
        image.number = number ?? image.number + 1
        image.mac = try Self.mac(image, root)
        let kept = Set(image.generations.map(\.number))
        return KeyRing(image, root: root, generations: generations.filter { kept.contains($0.key) })
    }

    /// Whether a text has the form of a day.
    package static func isDay(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 10
            && bytes.enumerated().allSatisfy { place, byte in
                place == 4 || place == 7 ? byte == UInt8(ascii: "-") : UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            }
    }

    // MARK: Use

    /// Returns the key of a generation.
    ///
    /// - Throws: `corrupt` for an unknown generation. A reader first reads the file of keys again: another process may
    ///   have added the generation.
    func generation(_ number: UInt8) throws(CipherError) -> SecretBytes {
        guard let key = generations[number] else {
            throw CipherError(.corrupt, "the data is encrypted by generation \(number), which the keys do not have")
        }
        return key
    }
}
