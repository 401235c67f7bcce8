// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import Cipher
import FileSystem
import Synchronization

/// The decrypted keys of an encrypted store. All parts of an opening share them.
final class StoreKeys: Sendable {
    /// The keys of the catalog's pages.
    let pages: PageKeys
    /// Decrypted blocks of segments that were read lately.
    let blocks: OpenedBlocks
    private let files: KeysFiles
    private let path: String
    private let current: Mutex<KeyRing>

    init(_ ring: KeyRing, _ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) {
        let disk = options.disk
        blocks = OpenedBlocks(bytes: options.openedBlockBytes)
        files = KeysFiles(disk, layout.root)
        path = layout.keys
        pages = try inCatalog { () throws(CatalogError) in try PageKeys(storeID: ring.image.store.bytes) }
        current = Mutex(ring)
        try addPageKeys(of: ring)
    }

    /// The keys as they were last read.
    var ring: KeyRing { current.withLock { $0 } }

    private func addPageKeys(of ring: KeyRing) throws(StoreError) {
        for generation in ring.image.generations {
            let key = try inCipher { () throws(CipherError) in try ring.pageKey(generation: generation.number) }
            var failure: CatalogError?
            try inCipher { () throws(CipherError) in
                try unsafe key.withBytes { bytes in
                    do throws(CatalogError) {
                        try unsafe pages.add(generation: generation.number, key: bytes)
                    } catch { failure = error }
                }
            }
            if let failure { throw StoreError(failure) }
        }
    }

    /// Writes the keys of an opened store into another directory, durably.
    func write(into directory: String, _ disk: any Disk) throws(StoreError) {
        let image = ring.image
        try inCipher { () throws(CipherError) in try KeysFiles(disk, directory).copy(image) }
    }

    /// Opens the same keys for the store of another directory, which holds a copy of the files of keys.
    func copy(for layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> StoreKeys {
        try StoreKeys(ring, layout, options)
    }

    // MARK: Changes

    /// Reads the files of keys again, after another process may have changed them.
    ///
    /// - Returns: whether they had changed.
    /// - Throws: `forged`, `corrupt`, `inputOutput`.
    @discardableResult
    func refresh() throws(StoreError) -> Bool {
        let old = ring
        let fresh = try inCipher { () throws(CipherError) in
            guard let found = try files.read() else { return old }
            return try old.reading(found.image)
        }
        if fresh.image == old.image { return false }
        try adopt(fresh)
        return true
    }

    private func adopt(_ fresh: KeyRing) throws(StoreError) {
        try addPageKeys(of: fresh)
        current.withLock { if fresh.image.number > $0.image.number { $0 = fresh } }
    }

    /// Writes a copy that is missing, damaged or outdated again. A failure leaves one sound copy.
    ///
    /// - Requires: the writer lock.
    func mend() {
        guard let found = try? files.read(), !found.outdated.isEmpty, (try? refresh()) != nil, found.image == ring.image
        else { return }
        try? files.mend(found)
    }

    /// Changes the keys durably.
    ///
    /// - Requires: the writer lock.
    func change(_ body: (KeyRing) throws(CipherError) -> KeyRing) throws(StoreError) {
        try refresh()
        let old = ring
        let fresh = try inCipher { () throws(CipherError) in
            let fresh = try body(old)
            try files.write(fresh.image)
            return fresh
        }
        try adopt(fresh)
    }

    // MARK: Keys of files

    /// Returns the key of a segment. Reads the files of keys again if its generation is unknown.
    ///
    /// - Throws: `forged` for a plain segment, `needsKey`, `cipher`.
    func key(of header: SegmentHeader) throws(FormatError) -> SegmentKey? {
        try withGeneration { (ring) throws(FormatError) in try SegmentKey.of(header, keys: ring) }
    }

    /// Calls a closure with the keys; again with the keys in the files if it finds no key of a generation.
    func withGeneration<R>(_ body: (KeyRing) throws(FormatError) -> R) throws(FormatError) -> R {
        do throws(FormatError) { return try body(ring) } catch {
            guard error.kind == .needsKey, (try? refresh()) == true else { throw error }
        }
        return try body(ring)
    }
}

extension Optional<StoreKeys> {
    /// Returns the key of a segment; nil for a plain segment of a plain store.
    ///
    /// - Throws: `needsKey` for an encrypted segment of a plain store, and the errors of `StoreKeys.key(of:)`.
    func key(of header: SegmentHeader) throws(FormatError) -> SegmentKey? {
        guard let keys = self else { return try SegmentKey.of(header, keys: nil) }
        return try keys.key(of: header)
    }

    /// Runs a call to the catalog; again after a page whose key another process has added.
    func retrying<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        guard let keys = self else { return try body() }
        do throws(StoreError) { return try body() } catch {
            guard error.kind == .needsKey, try keys.refresh() else { throw error }
        }
        return try body()
    }
}
