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
        try copy(from: path, to: target, options: options, key: key, complete: nil, extra: nil)
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
        try copy(from: path, to: target, options: options, key: nil, complete: nil, extra: nil)
    }

    /// Whether the store of a directory has the files of an encrypted store.
    package static func hasKeys(_ path: String, _ options: StoreOptions) throws(StoreError) -> Bool {
        try inCipher { () throws(CipherError) in try KeysFiles(options.disk, path).read() } != nil
    }

    /// Copies a whole store with other keys, with tables of the layers above.
    ///
    /// - Parameter key: the key of the copy; nil for a copy that is not encrypted.
    package static func copy(
        from path: String, to target: String, options: StoreOptions, key: (any KeyProvider)?,
        complete: RepairCompletion?, extra: ((RepairContext, CatalogTransaction) throws -> Void)?
    ) throws(StoreError) {
        // Settles the log, and excludes writers until the end.
        var options = options
        options.compacts = false
        let store = try open(at: path, options: options)
        defer { store.close() }
        options.keys = store.context.options.keys
        let keys: RepairKeys = key.map { .new($0) } ?? .none
        try repair(from: path, to: target, (options, keys)) { (isComplete, open) throws(StoreError) in
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
