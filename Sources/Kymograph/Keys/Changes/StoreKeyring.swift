// SPDX-License-Identifier: Apache-2.0

public import Cipher
import FileSystem

/// The slots and generations of an encrypted store's keys. Changes are durable when the call returns, and reach the
/// other openings of the store by themselves.
public struct StoreKeyring: Sendable {
    private let keys: StoreKeys
    private let access: CatalogAccess
    private let options: StoreOptions

    fileprivate init(_ keys: StoreKeys, _ access: CatalogAccess, _ options: StoreOptions) {
        self.keys = keys
        self.access = access
        self.options = options
    }

    /// The slots as they were last read, in the order of their creation.
    public var slots: [KeySlot] { keys.ring.image.slots }

    /// The numbers of the generations of data keys, ascending. The last one encrypts new data.
    public var generations: [Int] { keys.ring.image.generations.map { Int($0.number) } }

    /// Adds a slot, so that another secret opens the store, too.
    ///
    /// - Parameters:
    ///   - secret: the secret of the slot.
    ///   - label: its name, 1 to 64 bytes of UTF-8 without quotation marks, backslashes and control characters.
    ///   - isRecovery: whether a key is a recovery key, which a person keeps on paper.
    /// - Throws: `invalidArgument` for a label that is taken or not allowed, for more than 32 slots, and for a
    ///   passphrase as a recovery key; `readOnly`, `locked`, `closed`, `diskFull`, `inputOutput`.
    /// - Complexity: a passphrase costs about a second.
    public func add(_ secret: StoreSecret, label: String, isRecovery: Bool = false) throws(StoreError) {
        let slot = slot(secret, label, isRecovery ? .recovery : nil)
        try change { (ring) throws(CipherError) in try ring.adding(slot) }
    }

    /// Replaces the secret of a slot. A copy of the files of keys from before still opens with the old secret.
    ///
    /// - Parameters:
    ///   - label: the label of the slot.
    ///   - secret: the new secret, of the same kind.
    /// - Throws: `invalidArgument` for an unknown label or another kind, and the errors of `add`.
    public func replace(_ label: String, with secret: StoreSecret) throws(StoreError) {
        let kind = slots.first { $0.label == label }?.kind
        let slot = slot(secret, label, kind)
        try change { (ring) throws(CipherError) in try ring.replacing(slot) }
    }

    /// Removes a slot. A copy of the files of keys from before still opens with its secret.
    ///
    /// - Parameter label: the label of the slot.
    /// - Throws: `invalidArgument` for an unknown label and for the last slot, and the errors of `add`.
    public func remove(_ label: String) throws(StoreError) {
        try change { (ring) throws(CipherError) in try ring.removing(label) }
    }

    /// Begins a new generation: data that is written from now on is encrypted by a new key. Older data keeps its key.
    ///
    /// - Throws: `invalidArgument` after 255 generations, and the errors of `add`.
    public func rotate() throws(StoreError) {
        let day = StoreKeys.today(options)
        try change { (ring) throws(CipherError) in try ring.addingGeneration(day: day) }
    }

    private func slot(_ secret: StoreSecret, _ label: String, _ kind: KeySlot.Kind?) -> KeyRing.NewSlot {
        KeyRing.NewSlot(
            secret, kind: kind ?? (secret.isPassphrase ? .passphrase : .file), label: label, cost: options.keyCost)
    }

    private func change(_ body: (KeyRing) throws(CipherError) -> KeyRing) throws(StoreError) {
        let keys = keys
        try access.withWriter { _ throws(StoreError) in try keys.change(body) }
    }
}

extension TimeSeriesStore {
    /// The keys of an encrypted store; nil for a store that is not encrypted.
    public var keys: StoreKeyring? {
        context.options.keys.map { StoreKeyring($0, access, context.options) }
    }

    /// Throws unless a program with these options could open this store by itself. For stores that several parts of a
    /// program share.
    ///
    /// - Throws: `needsKey`, `wrongKey`, `notEncrypted`.
    /// - Complexity: a passphrase costs about a second.
    package func requireKey(_ options: StoreOptions) throws(StoreError) {
        let path = path
        guard let keys = context.options.keys else {
            if options.key != nil, !options.isKeyOptional { throw StoreKeys.notEncrypted(path) }
            return
        }
        let image = keys.ring.image
        try inCipher { () throws(CipherError) in
            _ = try KeyRing.open(image, path: path, provider: options.key)
        }
    }

    /// Copies the keys of a store, which are encrypted, into a new file for a safe place. Needs no secret.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - file: a path that does not exist.
    /// - Throws: `notEncrypted`, `corrupt` if both copies in the store are damaged, `inputOutput`.
    public static func exportKeys(
        of path: String, to file: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        let disk = options.disk
        let found = try inCipher { () throws(CipherError) in try KeysFiles(disk, path).read() }
        guard let found else {
            throw StoreError(.notEncrypted, "the store has no keys; it is not encrypted", path: path)
        }
        try onDisk { () throws(DiskError) in
            try disk.createFile(file, found.image.encoded())
            try disk.syncDirectory(StoreCreation.parent(of: file))
        }
    }

    /// Puts exported keys back into a store whose own copies are lost or older. Needs a secret of `options.key`, which
    /// shows that the keys are authentic.
    ///
    /// - Parameters:
    ///   - path: the directory of the store, which no program may have open.
    ///   - file: the exported keys, or KEYS of a backup.
    /// - Throws: `needsKey`, also if a segment needs a generation that the exported keys lack; `wrongKey`, `forged`;
    ///   `notEncrypted` if no file of the store is encrypted;
    ///   `invalidArgument` if the keys are those of another store, or the store has newer ones; `locked`,
    ///   `newerFormat`; `corrupt` if the exported keys are damaged, or nothing shows to which store they belong;
    ///   `inputOutput`.
    public static func restoreKeys(
        of path: String, from file: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        guard try isStore(layout, options) else {
            throw StoreError(.notAStore, "there is no store here; name the directory of a store", path: path)
        }
        guard try StoreKeys.hasEncryptedFiles(layout, options) else {
            throw StoreError(.notEncrypted, "the store is not encrypted; it needs no keys", path: path)
        }
        let lock = try writerLock(layout, options)
        defer { lock.release() }
        let (disk, files) = (options.disk, KeysFiles(options.disk, path))
        let bytes = try onDisk { () throws(DiskError) in try disk.contents(of: file, limit: KeysImage.maximumBytes) }
        let ring = try inCipher { () throws(CipherError) in
            try KeyRing.open(try KeysImage.decode(bytes, path: file), path: path, provider: options.key)
        }
        let keys = try StoreKeys(ring, layout, options)
        try keys.requireOwner(layout, options)
        try keys.requireGenerations(layout, options)
        try inCipher { () throws(CipherError) in
            let own = try Self.readable(files)
            if let own, own.number > ring.image.number {
                throw CipherError(.invalidArgument, "the store has newer keys; they stay", path: path)
            }
            if let own, (try? ring.reading(own)) == nil {
                throw CipherError(.invalidArgument, "the store was encrypted anew, and has other keys", path: path)
            }
            try files.copy(ring.image)
        }
    }

    /// Returns the keys in a store; nil if they are missing, or both copies are damaged.
    private static func readable(_ files: KeysFiles) throws(CipherError) -> KeysImage? {
        do throws(CipherError) { return try files.read()?.image } catch {
            guard error.kind == .corrupt else { throw error }
            return nil
        }
    }
}
