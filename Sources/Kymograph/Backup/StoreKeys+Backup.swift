// SPDX-License-Identifier: Apache-2.0

import Bytes
import Cipher
import FileSystem

extension StoreKeys {
    /// Opens the keys of a backup with the secret of `StoreOptions.key`. One sound copy in the backup suffices.
    ///
    /// - Parameters:
    ///   - manifest: the manifest of the backup; without one, all keys in the directory are tried.
    ///   - exported: the file of exported keys, for a backup without keys.
    /// - Returns: nil if the backup is that of a plain store.
    /// - Throws: as `open(_:_:)`; `invalidArgument` for exported keys of another store, or for a backup with keys.
    static func open(
        _ manifest: BackupManifest?, in root: String, _ exported: String?, _ options: StoreOptions
    ) throws(StoreError) -> StoreKeys? {
        if let exported {
            return try open(exported, for: manifest, in: root, options)
        }
        if let manifest, manifest.isEncrypted, manifest.keys.isEmpty {
            throw StoreError(
                .needsKey,
                "the backup was made without the store's keys; name the exported ones, as in "
                    + "`kymo restore BACKUP STORE --keys FILE`", path: root)
        }
        var names = manifest?.keys.map(\.name) ?? []
        if manifest == nil {
            let all = try onDisk { () throws(DiskError) in try options.disk.list(root) }
            names = all.filter { BackupManifest.isKeys($0[...]) }.sorted()
        }
        if names.isEmpty {
            if options.key != nil, !options.isKeyOptional { throw notEncrypted(root) }
            return nil
        }
        var failure: StoreError?
        for name in names {
            do throws(StoreError) {
                return try open(try image(root + "/" + name, options.disk), StoreLayout(root: root), options)
            } catch {
                guard error.kind == .corrupt || error.kind == .inputOutput, !error.isRefusal else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? notEncrypted(root)
    }

    /// Opens exported keys for a backup without keys.
    private static func open(
        _ exported: String, for manifest: BackupManifest?, in root: String, _ options: StoreOptions
    ) throws(StoreError) -> StoreKeys {
        if let manifest, !manifest.isEncrypted { throw notEncrypted(root) }
        if let manifest, !manifest.keys.isEmpty {
            throw StoreError(.invalidArgument, "the backup has its own keys; leave the exported ones out", path: root)
        }
        let image = try image(exported, options.disk, "the exported keys")
        if let manifest, StoreLayout.name(image.store.bytes) != manifest.store {
            throw StoreError(
                .invalidArgument, "these are the keys of another store, not of this backup", path: exported)
        }
        return try open(image, StoreLayout(root: root), options)
    }

    /// Refuses to update a backup whose files need other keys than the store has: a backup has one file of keys, and
    /// its files must stay until the new ones are complete.
    ///
    /// - Throws: `alreadyExists`.
    static func requireSame(
        _ manifest: BackupManifest, in root: String, _ options: StoreOptions
    ) throws(StoreError) {
        let disk = options.disk
        // Another process may have added keys, and made the backup.
        try options.keys?.refresh()
        if manifest.isEncrypted, manifest.keys.isEmpty, let keys = options.keys {
            do throws(StoreError) { return try manifest.verify(keys, path: root) } catch {
                guard error.kind == .forged else { throw error }
                throw needsOtherKeys(root)
            }
        }
        // Damaged keys are replaced.
        var image: KeysImage?
        for file in manifest.keys where image == nil { image = try? Self.image(root + "/" + file.name, disk) }
        let isSame: Bool
        if let image, let ring = options.keys?.ring {
            isSame = (try? ring.reading(image)) != nil && image.generations.allSatisfy(ring.image.generations.contains)
        } else {
            isSame = manifest.isEncrypted == (options.keys != nil)
        }
        guard isSame else { throw needsOtherKeys(root) }
    }

    private static func needsOtherKeys(_ root: String) -> StoreError {
        StoreError(
            .alreadyExists,
            "this backup was made before the store was encrypted, decrypted or encrypted anew, and needs other "
                + "keys; choose another path, and remove this backup when it is not needed", path: root)
    }

    private static func image(
        _ path: String, _ disk: any Disk, _ what: String = "the keys of the backup"
    ) throws(StoreError) -> KeysImage {
        let bytes: [UInt8]
        do throws(DiskError) { bytes = try disk.contents(of: path, limit: KeysImage.maximumBytes) } catch {
            guard error.isMissing || error.errno == DiskError.fileTooLarge else { throw StoreError(error) }
            throw StoreError(.corrupt, "\(what) are missing or too long", path: path)
        }
        return try inCipher { () throws(CipherError) in try KeysImage.decode(bytes, path: path) }
    }
}
