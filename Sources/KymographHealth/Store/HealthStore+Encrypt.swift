// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

extension HealthStore {
    /// Makes an encrypted copy of a store, or a copy of an encrypted store in which all data has new keys. See
    /// `TimeSeriesStore.encrypt(from:to:key:options:)`; sources, objects, metadata, documents and attachments are
    /// copied, too.
    ///
    /// - Parameters:
    ///   - path: the store; no other program may write it meanwhile.
    ///   - target: a directory that is empty or does not exist.
    ///   - key: finds the secret of the first slot of the copy.
    ///   - options: options of the old store.
    /// - Throws: the errors of `TimeSeriesStore.encrypt`; `corrupt` if an object of the store is damaged.
    public static func encrypt(
        from path: String, to target: String, key: any KeyProvider, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) {
        try copy(from: path, to: .directory(target), .new(key), options)
    }

    /// Encrypts a store, or gives all data of an encrypted store new keys, such that the result has the name of the
    /// store. See `TimeSeriesStore.encrypt(at:keepingFormerAt:key:options:)`.
    ///
    /// - Parameters:
    ///   - path: the store.
    ///   - former: the new path of the former store, in the same file system; it must not exist.
    ///   - key: finds the secret of the first slot.
    ///   - options: options of the store as it is.
    /// - Throws: the errors of `TimeSeriesStore.encrypt(at:keepingFormerAt:key:options:)`; `corrupt` if an object of
    ///   the store is damaged.
    public static func encrypt(
        at path: String, keepingFormerAt former: String, key: any KeyProvider, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) {
        try copy(from: path, to: .place(former: former), .new(key), options)
    }

    /// Encrypts all data of an encrypted store by a new generation of keys. See
    /// `TimeSeriesStore.rotateKeys(at:keepingFormerAt:options:)`.
    ///
    /// - Parameters:
    ///   - path: the store.
    ///   - former: the new path of the former store, in the same file system; it must not exist.
    ///   - options: options with the key of the store.
    /// - Throws: `engine(.notEncrypted)`, and the errors of `encrypt(at:keepingFormerAt:key:options:)`.
    public static func rotateKeys(
        at path: String, keepingFormerAt former: String, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) {
        guard try inEngine({ () throws(StoreError) in try TimeSeriesStore.hasKeys(path, options) }) else {
            throw HealthStoreError(.engine(.notEncrypted), "the store is not encrypted", path: path)
        }
        try copy(from: path, to: .place(former: former), .rotated, options)
    }

    /// Makes a copy of an encrypted store that is not encrypted. See `encrypt(from:to:key:options:)`.
    ///
    /// - Parameters:
    ///   - path: the encrypted store; no other program may write it meanwhile.
    ///   - target: a directory that is empty or does not exist.
    ///   - options: options with the key of the store.
    /// - Throws: as `encrypt`; `engine(.notEncrypted)`.
    public static func decrypt(
        from path: String, to target: String, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) {
        guard try inEngine({ () throws(StoreError) in try TimeSeriesStore.hasKeys(path, options) }) else {
            throw HealthStoreError(.engine(.notEncrypted), "the store is not encrypted", path: path)
        }
        try copy(from: path, to: .directory(target), .none, options)
    }

    /// Verifies all checksums of an encrypted store or backup without its key. See
    /// `TimeSeriesStore.verifyWithoutKey(at:options:)`.
    ///
    /// - Parameters:
    ///   - path: the directory of the store or the backup.
    ///   - options: options without a key; a key is not used.
    /// - Throws: the errors of `TimeSeriesStore.verifyWithoutKey`.
    public static func verifyWithoutKey(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthVerifyReport {
        HealthVerifyReport(
            engine: try inEngine { () throws(StoreError) in
                try TimeSeriesStore.verifyWithoutKey(at: path, options: options)
            })
    }

    private static func copy(
        from path: String, to target: TimeSeriesStore.CopyTarget, _ keys: RepairKeys, _ options: StoreOptions
    ) throws(HealthStoreError) {
        var found = SalvagedHealth()
        try inEngine { () throws(StoreError) in
            try TimeSeriesStore.copy(from: path, to: target, options: options, keys: keys) {
                (_, _) throws(StoreError) in
                guard found.losses.isEmpty, found.remarks.isEmpty else {
                    throw StoreError(
                        .corrupt, "objects of the store are damaged, and no copy was made: repair it first", path: path)
                }
            } extra: { old, new in
                found = try salvagedTables(old, new)
            }
        }
    }
}
