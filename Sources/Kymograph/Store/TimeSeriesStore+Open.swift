// SPDX-License-Identifier: Apache-2.0

import Catalog
import CivilTime
import FileSystem

extension TimeSeriesStore {
    /// The version of the directory's layout and of the catalog's tables.
    static let formatVersion = 2

    /// Creates a store in a directory that does not exist or is empty, and opens it for writing.
    ///
    /// - Throws: `alreadyExists`, `invalidArgument` (unknown home zone), `needsKey` (`options.key` finds no key),
    ///   `diskFull`, `inputOutput`.
    public static func create(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> TimeSeriesStore {
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        guard CivilZone(identifier: options.homeZone) != nil else {
            throw StoreError(
                .invalidArgument, "there is no time zone \"\(options.homeZone)\"; use a name such as Europe/Zurich")
        }
        var options = options
        options.keys = try StoreCreation(layout: layout, options: options).run()
        return try open(layout, .readWrite, options)
    }

    /// Opens an existing store.
    ///
    /// - Throws: `notAStore`, `isBackup`, `newerFormat`, `locked` (another opening writes), `needsKey`, `wrongKey`,
    ///   `notEncrypted`, `forged`, `rolledBack` (acknowledged
    ///   commits are missing, see `StoreOptions.acceptsLostCommits`), `readOnly` (a writer must settle the log first),
    ///   `corrupt`, `inputOutput`.
    /// - Complexity: O(catalog); reads no segment.
    public static func open(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> TimeSeriesStore {
        let (layout, options) = try withKeys(of: path, options)
        return try open(layout, mode, options)
    }

    /// Opens an existing store for writing. The lock stays held when the store is closed.
    ///
    /// - Throws: as `open`.
    static func openLocked(
        at path: String, options: StoreOptions
    ) throws(StoreError) -> (store: TimeSeriesStore, lock: any DiskLock) {
        let (layout, options) = try withKeys(of: path, options)
        let lock = try writerLock(layout, options)
        do throws(StoreError) {
            // The keys may have changed while the provider was asked.
            try options.keys?.refresh()
            return (try open(layout, .readWrite, options, isLocked: true), lock)
        } catch {
            lock.release()
            throw error
        }
    }

    /// Takes the writer lock of an existing store.
    ///
    /// - Throws: `locked`, `inputOutput`.
    static func writerLock(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> any DiskLock {
        try StoreOpening(layout, options).takeLock()
    }

    /// Returns the options with the keys of an existing store.
    private static func withKeys(
        of path: String, _ given: StoreOptions
    ) throws(StoreError) -> (StoreLayout, StoreOptions) {
        let layout = StoreLayout(root: path, catalog: given.catalogPath)
        guard try isStore(layout, given) else {
            throw StoreError(.notAStore, "there is no store here; create one, or import something", path: path)
        }
        var options = given
        options.keys = try StoreKeys.open(layout, options)
        return (layout, options)
    }

    /// Opens an existing store with its keys.
    ///
    /// - Parameter isLocked: whether the caller holds the writer lock and keeps it.
    static func open(
        _ layout: StoreLayout, _ mode: OpenMode, _ given: StoreOptions, isLocked: Bool = false
    ) throws(StoreError) -> TimeSeriesStore {
        let path = layout.root
        try requireDescriptors(path)
        let watch = Stopwatch()
        var options = given
        options.telemetry = Telemetry(path, options.observer)
        options.segments = OpenedDirectory(layout.segments, options.disk)
        let store = try StoreOpening(layout, options, isLocked: isLocked).open(mode)
        store.context.telemetry.noteOpening(mode, sequence: store.snapshot().sequence, took: watch.elapsed)
        return store
    }

    /// Opens a copy of a store that no program writes, such as a backup, for reading; makes no file beside it.
    static func openCopy(
        _ catalog: CatalogDatabase, _ image: CatalogImage, _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) -> TimeSeriesStore {
        try StoreOpening(layout, options).openCopy(catalog, image)
    }

    /// Maximum descriptors of an opening, including the timers of this process: the system's timer library ends a
    /// process that has no descriptor left.
    private static let mostDescriptors = 12

    /// Refuses a call for which the process has too few descriptors.
    ///
    /// - Parameter openings: concurrent openings; the other files of a call need fewer descriptors than one opening.
    /// - Throws: `inputOutput`.
    static func requireDescriptors(_ path: String, openings: Int = 1) throws(StoreError) {
        let count = openings * mostDescriptors
        do throws(DiskError) {
            try Machine.requireDescriptors(count)
        } catch {
            throw StoreError(
                .inputOutput, "this needs \(count) descriptors: \(StoreError(error).message)", path: path,
                isRefusal: true)
        }
    }

    /// Opens the store of a directory, and creates it first if there is none.
    ///
    /// - Throws: as `create` and `open`.
    public static func openOrCreate(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> TimeSeriesStore {
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        let end = ContinuousClock.now + options.writerWait
        while !(try isStore(layout, options)) {
            do throws(StoreError) {
                let store = try create(at: path, options: options)
                if mode == .readWrite { return store }
                store.close()
            } catch {
                // Another process may have created the store, or be creating it; a shared opening waits for that.
                let isBeingMade = mode != .readWrite && error.kind == .locked
                guard error.kind == .alreadyExists || isBeingMade else { throw error }
                if try isStore(layout, options) { break }
                guard isBeingMade, ContinuousClock.now < end else { throw error }
                SystemClock.sleep(milliseconds: 1)
            }
        }
        return try open(at: path, mode: mode, options: options)
    }

    /// Returns whether the directory holds a store.
    ///
    /// - Throws: `corrupt` if only the catalog of a store is missing; the error of a backup, or of an unfinished repair
    ///   or restoration.
    static func isStore(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> Bool {
        let disk = options.disk
        if options.catalogPath != nil { return try onDisk { () throws(DiskError) in try disk.exists(layout.lock) } }
        if try onDisk({ () throws(DiskError) in try disk.exists(layout.catalog) }) { return true }
        try BackupManifest.refuse(layout.root, disk)
        try DraftDirectory.refuse(layout.root, disk)
        let hasSegments = try onDisk { () throws(DiskError) in
            guard try disk.exists(layout.segments) else { return false }
            return try !disk.list(layout.segments).isEmpty
        }
        if hasSegments {
            throw StoreError(
                .corrupt, "the store's catalog is missing while its segments are there; restore it from a backup",
                path: layout.catalog)
        }
        if let seq = try Witness.statement(layout, options).lastCommit, seq > 0 {
            throw StoreError(
                .corrupt, "the store's catalog is missing, and it had \(seq) commits; restore it from a backup",
                path: layout.catalog)
        }
        try StoreReplacement.refuseGap(layout.root, disk)
        return false
    }
}
