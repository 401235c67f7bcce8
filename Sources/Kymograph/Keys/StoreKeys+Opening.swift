// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import Cipher
import CivilTime
import FileSystem

extension StoreKeys {
    /// Opens the keys of a store with the secret of `StoreOptions.key`.
    ///
    /// - Returns: nil if the store has no keys, so it is not encrypted.
    /// - Throws: `needsKey`, `wrongKey`, `notEncrypted`, `corrupt`, `forged`, `newerFormat`, `inputOutput`.
    static func open(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> StoreKeys? {
        let files = KeysFiles(options.disk, layout.root)
        guard let found = try inCipher({ () throws(CipherError) in try files.read() }) else {
            if options.key != nil, !options.isKeyOptional { throw try unencrypted(layout, options) }
            return nil
        }
        return try open(found.image, layout, options)
    }

    static func open(
        _ image: KeysImage, _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) -> StoreKeys {
        let ring = try inCipher { () throws(CipherError) in
            try KeyRing.open(image, path: layout.root, provider: options.key)
        }
        return try StoreKeys(ring, layout, options)
    }

    /// Returns the error of a store without keys for which a key was given.
    private static func unencrypted(
        _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) -> StoreError {
        try hasEncryptedFiles(layout, options) ? missingKeys(layout) : notEncrypted(layout.root)
    }

    static func notEncrypted(_ path: String) -> StoreError {
        StoreError(
            .notEncrypted,
            "a key was given, but the store is not encrypted. Leave the key out, or encrypt the store. If it was "
                + "encrypted before, another store has replaced it", path: path)
    }

    /// Whether the first page of the catalog is encrypted. False for a file that cannot be read.
    static func isCatalogEncrypted(_ layout: StoreLayout, _ options: StoreOptions) -> Bool {
        CatalogDatabase.isEncrypted(at: layout.catalog, vfs: options.catalogVFS)
    }

    /// Whether the first page of the catalog, or the header of a segment, is that of an encrypted store. So a store is
    /// known to be encrypted even if its keys are missing.
    static func hasEncryptedFiles(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> Bool {
        if isCatalogEncrypted(layout, options) { return true }
        return try !encryptedSegments(layout, options).isEmpty
    }

    /// Returns the encrypted segments of a store with readable headers.
    private static func encryptedSegments(
        _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) -> [(path: String, store: [UInt8], generation: UInt8)] {
        let disk = options.disk
        let names = try onDisk { () throws(DiskError) in
            try disk.kind(of: layout.segments) == .directory ? disk.list(layout.segments) : []
        }
        return names.filter { $0.hasSuffix(".kseg") }.sorted().compactMap { name in
            let path = layout.segments + "/" + name
            guard let header = SegmentHeader.read(path, disk), let encryption = header.encryption else { return nil }
            return (path, header.store, encryption.generation)
        }
    }

    /// Throws unless the keys have the generations of all readable segments of their store.
    ///
    /// - Throws: `needsKey`.
    func requireGenerations(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) {
        let image = ring.image
        let known = Set(image.generations.map(\.number))
        for segment in try Self.encryptedSegments(layout, options)
        where segment.store == image.store.bytes && !known.contains(segment.generation) {
            throw StoreError(
                .needsKey,
                "this segment needs generation \(segment.generation) of the keys, which these keys lack; restore the "
                    + "current KEYS. If no copy exists, move the segment to another directory: its samples are lost",
                path: segment.path)
        }
    }

    /// Opens the keys of a store whose files may be damaged or missing.
    ///
    /// - Throws: as `open`; `corrupt` if the store is encrypted and its keys are missing.
    static func openDamaged(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> StoreKeys? {
        if let keys = try open(layout, options) { return keys }
        if try hasEncryptedFiles(layout, options) { throw missingKeys(layout) }
        return nil
    }

    /// Throws unless page 1 of the catalog is encrypted with these keys, or the witness was written with them. The id
    /// of the store does not suffice: a store that is encrypted anew keeps it.
    ///
    /// - Throws: `invalidArgument` for other keys, `corrupt` if both files are damaged.
    func requireOwner(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) {
        if CatalogDatabase.isEncrypted(at: layout.catalog, with: pages, vfs: options.catalogVFS) { return }
        let disk = options.disk
        let codec = try WitnessCodec(self)
        let witness = try onDisk { () throws(DiskError) in try Witness.read(layout.witness, disk: disk, codec) }
        switch witness.testimony(for: ring.image.store.bytes) {
        case .commit: return
        case .forged:
            throw StoreError(
                .invalidArgument, "these are the keys of another store, or of this one before it was encrypted anew",
                path: layout.root)
        case .none, .unreadable:
            // Without a check of the codes, which other keys made.
            let named = try onDisk { () throws(DiskError) in try Witness.read(layout.witness, disk: disk).store }
            if let named, named != ring.image.store.bytes {
                throw StoreError(.invalidArgument, "these are the keys of another store", path: layout.root)
            }
            throw StoreError(
                .corrupt,
                "page 1 of the catalog does not open with these keys, and WITNESS is damaged or missing, so nothing "
                    + "shows that they belong to this store; copy them to KEYS by hand", path: layout.catalog)
        }
    }

    static func missingKeys(_ layout: StoreLayout) -> StoreError {
        StoreError(
            .corrupt,
            "the store is encrypted, but KEYS and KEYS.2 are missing; without them nothing can be read: restore an "
                + "exported copy, or KEYS of a backup", path: layout.keys)
    }

    /// Creates the keys of a new store in its directory, durably, with one slot for the secret of `StoreOptions.key`.
    ///
    /// - Parameter store: the id of the store, 16 bytes.
    /// - Returns: nil for a store that is not to be encrypted.
    /// - Throws: `needsKey` if the provider has no secret, `invalidArgument`, `diskFull`, `inputOutput`.
    static func create(
        _ layout: StoreLayout, _ options: StoreOptions, store: [UInt8]
    ) throws(StoreError) -> StoreKeys? {
        guard let provider = options.key, options.encryptsNewStores else { return nil }
        let id = UUIDBytes(store)
        let ring = try inCipher { () throws(CipherError) in
            guard let secret = try provider.answer(to: KeyRequest(store: id, path: layout.root)) else {
                throw CipherError(.needsKey, "a new encrypted store needs a key, and none was given", path: layout.root)
            }
            let slot = KeyRing.NewSlot(secret, cost: options.keyCost)
            return try KeyRing.create(store: id, slot: slot, day: Self.today(options))
        }
        try inCipher { () throws(CipherError) in try KeysFiles(options.disk, layout.root).write(ring.image) }
        return try StoreKeys(ring, layout, options)
    }

    /// The day in UTC, as `2026-11-24`.
    static func today(_ options: StoreOptions) -> String { Civil.formatDate(options.wallClock(), zone: .utc) }
}
