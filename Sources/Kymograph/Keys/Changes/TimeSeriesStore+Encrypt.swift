// SPDX-License-Identifier: Apache-2.0

package import Catalog
public import Cipher
import FileSystem

extension TimeSeriesStore {
    /// Makes an encrypted copy of a store, or a copy of an encrypted store in which all data has new keys. The copy has
    /// the id, the commits and all samples of the store, and is compared with it before it becomes visible.
    ///
    /// The old store stays as it is. On a flash disk its bytes may be readable even after its files are deleted.
    ///
    /// - Parameters:
    ///   - path: the store; no other program may write it meanwhile.
    ///   - target: a directory that is empty or does not exist.
    ///   - key: finds the secret of the first slot of the copy.
    ///   - options: options of the old store.
    /// - Throws: `corrupt` or `forged` if the store is damaged: repair it first; `locked`, `alreadyExists`, `needsKey`,
    ///   `diskFull`, `inputOutput`, and the errors of opening the store.
    /// - Complexity: O(samples); memory of one segment, and of the tail.
    public static func encrypt(
        from path: String, to target: String, key: any KeyProvider, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        try copy(from: path, to: .directory(target), options: options, keys: .new(key), complete: nil, extra: nil)
    }

    /// Encrypts a store in its place, or gives all data of an encrypted store new keys. A copy is made in the directory
    /// `PATH.partial` and compared with the store; then the store gets the name `former`, and the copy gets the name of
    /// the store. Other programs may read until then; writers wait. Openings from before must be closed, and opened
    /// again with the key: they see no later commit, may miss files, and cannot commit.
    ///
    /// Remove the former store when the result is in use. On a flash disk its bytes may be readable even then.
    ///
    /// - Parameters:
    ///   - path: the store.
    ///   - former: the new path of the former store, in the same file system; it must not exist.
    ///   - key: finds the secret of the first slot.
    ///   - options: options of the store as it is.
    /// - Throws: `alreadyExists` if `former` exists, or if `PATH.partial` exists and is not an unfinished copy, and the
    ///   errors of `encrypt(from:to:key:options:)`. After an error the store is as it was and has its name, or the
    ///   error says where both stores are.
    /// - Complexity: O(samples); memory of one segment, and of the tail.
    public static func encrypt(
        at path: String, keepingFormerAt former: String, key: any KeyProvider, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        try copy(from: path, to: .place(former: former), options: options, keys: .new(key), complete: nil, extra: nil)
    }

    /// Encrypts all data of an encrypted store by a new generation of keys, and forgets the older generations. The
    /// slots stay. Works as `encrypt(at:keepingFormerAt:key:options:)`; `StoreKeyring.rotate` begins a new generation
    /// for later data only.
    ///
    /// - Parameters:
    ///   - path: the store.
    ///   - former: the new path of the former store, in the same file system; it must not exist.
    ///   - options: options with the key of the store.
    /// - Throws: `notEncrypted`, and the errors of `encrypt(at:keepingFormerAt:key:options:)`.
    /// - Complexity: O(samples); memory of one segment, and of the tail.
    public static func rotateKeys(
        at path: String, keepingFormerAt former: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        guard try hasKeys(path, options) else {
            throw StoreError(.notEncrypted, "the store is not encrypted", path: path)
        }
        try copy(from: path, to: .place(former: former), options: options, keys: .rotated, complete: nil, extra: nil)
    }

    /// Makes a copy of an encrypted store that is not encrypted. See `encrypt(from:to:key:options:)`.
    ///
    /// - Parameters:
    ///   - path: the encrypted store; no other program may write it meanwhile.
    ///   - target: a directory that is empty or does not exist.
    ///   - options: options with the key of the store.
    /// - Throws: as `encrypt`; `notEncrypted`.
    public static func decrypt(
        from path: String, to target: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        guard try hasKeys(path, options) else {
            throw StoreError(.notEncrypted, "the store is not encrypted", path: path)
        }
        try copy(from: path, to: .directory(target), options: options, keys: .none, complete: nil, extra: nil)
    }

    /// Whether the store of a directory has the files of an encrypted store.
    package static func hasKeys(_ path: String, _ options: StoreOptions) throws(StoreError) -> Bool {
        try inCipher { () throws(CipherError) in try KeysFiles(options.disk, path).read() } != nil
    }

    /// Where a copy with other keys is made.
    package enum CopyTarget: Sendable {
        /// An empty or missing directory.
        case directory(String)
        /// The place of the store, which gets the name `former`.
        case place(former: String)
    }

    /// Copies a whole store with other keys, with tables of the layers above.
    ///
    package static func copy(
        from path: String, to target: CopyTarget, options: StoreOptions, keys: RepairKeys,
        complete: RepairCompletion?, extra: ((RepairContext, CatalogTransaction) throws -> Void)?
    ) throws(StoreError) {
        let (replacement, draft): (StoreReplacement?, String)
        switch target {
        case .directory(let directory): (replacement, draft) = (nil, directory)
        case .place(let former):
            let found = try StoreReplacement(path, former: former, options.disk)
            (replacement, draft) = (found, found.draft)
        }
        var options = options
        options.compacts = false
        // Settles the log. The lock excludes writers until the names have changed.
        let (store, lock) = try openLocked(at: path, options: options)
        defer { lock.release() }
        options.keys = store.context.options.keys
        do throws(StoreError) {
            try copy(store, to: draft, (options, keys), complete, extra)
        } catch {
            store.close()
            throw error
        }
        // Ordering: before the names change. SQLite removes its files by their paths.
        store.close()
        try replacement?.run()
    }

    private static func copy(
        _ store: TimeSeriesStore, to target: String, _ settings: (options: StoreOptions, keys: RepairKeys),
        _ complete: RepairCompletion?, _ extra: ((RepairContext, CatalogTransaction) throws -> Void)?
    ) throws(StoreError) {
        let path = store.path
        _ = try repair(from: path, to: target, settings) { (isComplete, open) throws(StoreError) in
            guard isComplete else {
                throw StoreError(
                    .corrupt, "the store is damaged, and no copy was made: repair it first", path: path)
            }
            try complete?(isComplete, open)
            let copy = try open()
            try StoreComparison(store.snapshot(), copy.snapshot()).run(path: target)
        } extra: { context, transaction in
            try extra?(context, transaction)
        }
    }
}
