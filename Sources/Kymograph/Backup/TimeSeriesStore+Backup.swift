// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization
import TimeIndex

/// The result of a backup or a restoration.
public struct BackupReport: Hashable, Sendable {
    /// The commit of the backup.
    public var sequence: Int64
    /// Segments in the backup.
    public var segments: Int
    /// Segments that were copied. An earlier backup in the same directory already held the others.
    public var segmentsCopied: Int
    /// Attached files in the backup.
    public var attachedFiles = 0
    /// Bytes of the backup.
    public var bytes: UInt64
    /// Bytes that were copied.
    public var bytesCopied: UInt64
}

extension TimeSeriesStore {
    /// Backs up one commit of the store into a directory.
    ///
    /// The directory may be missing, be empty, or hold an earlier backup of this store. An earlier backup is replaced,
    /// and only new segments are copied. A complete earlier backup that still stands beside the directory as `.partial`
    /// is renamed first.
    ///
    /// The store may be open for reading or writing, and this or another process may write meanwhile. Every checksum of
    /// copied data is verified; damage ends the backup. After a failure or a power loss the directory holds the earlier
    /// backup, or no backup, or, if only the last sync failed, the new one. The next backup removes leftovers.
    /// - Parameters:
    ///   - path: the backup's directory.
    ///   - includesKeys: false leaves the keys of an encrypted store out of the backup. The backup can then be
    ///     read only with `exportKeys`' file, exported after the last change of the keys; without that file it is lost.
    ///   - progress: called about once per MiB; returns false to cancel.
    /// - Throws: `alreadyExists` (the directory holds something else, or a backup that needs other keys), `locked`
    ///   (another backup writes there), `corrupt`, `diskFull`, `cancelled`, `inputOutput`, `closed`, `invalidArgument`
    ///   (the directory lies inside the store), `notEncrypted` (a plain store has no keys to leave out).
    /// - Complexity: reads all copied data twice, and the catalog.
    @discardableResult
    public func backup(
        to path: String, includesKeys: Bool = true, progress: ((BackupProgress) -> Bool)? = nil
    ) throws(StoreError) -> BackupReport {
        // A closed store holds no commit: its segments could be removed meanwhile.
        try requireOpen()
        let path = StoreLayout.plain(path)
        guard !disk.leads(path, into: self.path) else {
            throw StoreError(.invalidArgument, "a backup cannot lie inside its store; choose another place", path: path)
        }
        let watch = Stopwatch()
        do throws(StoreError) {
            let report = try makeBackup(path, includesKeys, progress)
            context.telemetry.post(.backedUp(report, took: watch.elapsed))
            return report
        } catch {
            context.telemetry.note(error)
            context.telemetry.post(.backupFailed(error))
            throw error
        }
    }

    private func makeBackup(
        _ path: String, _ includesKeys: Bool, _ progress: ((BackupProgress) -> Bool)?
    ) throws(StoreError) -> BackupReport {
        try Self.requireDescriptors(path)
        var run = try BackupRun(self, path, includesKeys: includesKeys, progress)
        defer { run.draft.release() }
        do throws(StoreError) {
            return try run.make()
        } catch {
            run.abandon()
            throw error
        }
    }

    /// Verifies a backup: its list of files, every file against the list, and the content as `verify` does for a store:
    /// every checksum, every decoded block, index, catalog and tail. Changes nothing, and needs no restoration.
    ///
    /// Damage is reported, not thrown; the rest is still verified.
    /// - Parameters:
    ///   - path: the backup's directory.
    ///   - keys: the file of `exportKeys`, for a backup that was made without the keys.
    /// - Throws: `notAStore` (there is no backup), `isBackup` (it was never completed), `newerFormat`, `locked` (a
    ///   backup is being made here), `inputOutput`, `needsKey`, `wrongKey`, `notEncrypted`, `invalidArgument` (exported
    ///   keys of another store, or for a backup with keys).
    /// - Complexity: reads the backup twice.
    public static func verifyBackup(
        at path: String, keys: String? = nil, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> VerifyReport {
        guard var check = try BackupCheck(path, options) else {
            throw StoreError(.notAStore, "there is no backup here; name another one", path: path)
        }
        guard let copy = try check.open(keys: keys) else { return try check.finish(nil) }
        defer { copy.close() }
        return try check.finish(copy.verify(isCopy: true))
    }

    /// Restores a store from a backup: copies all files, verifies them, and renames the result to its path.
    ///
    /// The store has the id of the original, and the state of the backup's commit.
    /// - Parameters:
    ///   - backup: the backup's directory, which is only read.
    ///   - path: the path of the new store: a directory that does not exist or is empty. Until all is done, the store
    ///     is created beside it, under the same name with `.partial` after it. Leftovers of an interrupted restoration
    ///     there are removed; anything else is left alone and refused.
    ///   - keys: the file of `exportKeys`, for a backup that was made without the keys.
    ///   - progress: called about once per MiB; returns false to cancel.
    /// - Throws: `notAStore` (there is no complete backup), `alreadyExists`, `locked` (another restoration to the same
    ///   place is under way), `corrupt`, `newerFormat`, `diskFull`, `cancelled`, `inputOutput`, `needsKey`, `wrongKey`,
    ///   `notEncrypted`, `invalidArgument` (the store's path lies inside the backup, or the backup where the store
    ///   would be created; exported keys of another store, or for a backup with keys). Nothing is left then, unless the
    ///   error says that all files are complete: a power loss may then undo the rename, until the store is opened for
    ///   writing.
    /// - Complexity: reads the backup once and the catalog twice.
    @discardableResult
    public static func restore(
        from backup: String, to path: String, keys: String? = nil, options: StoreOptions = StoreOptions(),
        progress: ((BackupProgress) -> Bool)? = nil
    ) throws(StoreError) -> BackupReport {
        let disk = options.disk
        let (backup, path) = (StoreLayout.plain(backup), StoreLayout.plain(path))
        guard !path.isEmpty else { throw StoreError(.invalidArgument, "the new store needs a name", path: path) }
        guard !disk.leads(path, into: backup) else {
            throw StoreError(
                .invalidArgument, "a store cannot lie inside its backup; choose another place",
                path: path)
        }
        guard !disk.leads(backup, into: RestoreDraft.root(for: path)) else {
            throw StoreError(
                .invalidArgument,
                "the restoration needs this path for the incomplete store, but the backup is here: rename the backup, "
                    + "or choose another place for the store", path: RestoreDraft.root(for: path))
        }
        guard let manifest = try BackupManifest.read(backup, disk) else {
            throw StoreError(
                .notAStore, "there is no complete backup here; name another one", path: backup)
        }
        try requireDescriptors(path)
        let watch = Stopwatch()
        var run = try RestoreRun(manifest, backup, path, options, keys: keys, progress)
        defer { run.draft.release() }
        do throws(StoreError) {
            let report = try run.make()
            let telemetry = Telemetry(path, options.observer)
            telemetry.post(.restored(report, took: watch.elapsed))
            telemetry.drain()
            return report
        } catch {
            run.draft.abandon()
            throw error
        }
    }
}
