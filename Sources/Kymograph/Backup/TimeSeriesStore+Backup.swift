// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization
import TimeIndex

/// What a backup or a restoration did.
public struct BackupReport: Hashable, Sendable {
    /// The commit that the backup shows.
    public var sequence: Int64
    /// Segments of the backup.
    public var segments: Int
    /// Segments that had to be copied: an earlier backup in the same place had the others.
    public var segmentsCopied: Int
    /// Bytes of the backup.
    public var bytes: UInt64
    /// Bytes that were copied.
    public var bytesCopied: UInt64
}

extension TimeSeriesStore {
    /// Makes a backup of the store as it is after one commit, in a directory that does not exist, is empty, or holds an
    /// earlier backup of this store, which then becomes this one: only new segments are copied. An earlier one that was
    /// complete and did not get its name, and stands beside as `.partial`, gets it first.
    ///
    /// The store may be open for reading or writing, and may be written meanwhile, by this process or another. Every
    /// checksum of what is copied is verified; damage ends the backup. Whatever ends it, the power included, leaves the
    /// earlier backup as it was, or none, or, if its very last sync failed, the new one; what is left over is cleaned
    /// up by the next one.
    /// - Parameter progress: called about once per MiB; returns whether to go on.
    /// - Throws: `alreadyExists` (the directory holds something else), `locked` (another backup writes there),
    ///   `corrupt`, `diskFull`, `cancelled`, `inputOutput`, `closed`, `invalidArgument` (the directory lies inside the
    ///   store).
    /// - Complexity: reads everything that is copied twice, and the catalog.
    @discardableResult
    public func backup(
        to path: String, progress: ((BackupProgress) -> Bool)? = nil
    ) throws(StoreError) -> BackupReport {
        // A store that was closed holds no commit: its segments could go meanwhile.
        try requireOpen()
        let path = StoreLayout.plain(path)
        guard !disk.leads(path, into: self.path) else {
            throw StoreError(.invalidArgument, "a backup cannot lie inside its store; choose another place", path: path)
        }
        let watch = Stopwatch()
        do throws(StoreError) {
            let report = try makeBackup(path, progress)
            context.telemetry.post(.backedUp(report, took: watch.elapsed))
            return report
        } catch {
            context.telemetry.note(error)
            context.telemetry.post(.backupFailed(error))
            throw error
        }
    }

    private func makeBackup(
        _ path: String, _ progress: ((BackupProgress) -> Bool)?
    ) throws(StoreError) -> BackupReport {
        try Self.requireDescriptors(path)
        var run = try BackupRun(self, path, progress)
        defer { run.lock.release() }
        do throws(StoreError) {
            return try run.make()
        } catch {
            run.abandon()
            throw error
        }
    }
}

extension TimeSeriesStore {
    /// Checks a backup: its list of files, every file against it, and what they hold as `verify` does of a store: every
    /// checksum, every decoded block, index, catalog and tail. Nothing is changed, and nothing has to be restored.
    ///
    /// Damage is reported, not thrown; the rest is still checked.
    /// - Throws: `notAStore` (there is no backup), `isBackup` (it was never completed), `newerFormat`, `locked` (a
    ///   backup is being made here), `inputOutput`.
    /// - Complexity: reads the backup twice.
    public static func verifyBackup(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> VerifyReport {
        guard var check = try BackupCheck(path, options) else {
            throw StoreError(.notAStore, "there is no backup here; name another one", path: path)
        }
        guard let copy = try check.open() else { return try check.finish(nil) }
        defer { copy.close() }
        return try check.finish(copy.verify(isCopy: true))
    }

    /// Makes a store of a backup: everything is copied, checked, and only then gets its name.
    ///
    /// The store is the one that was backed up, its id included, as of the backup's commit.
    /// - Parameters:
    ///   - backup: the backup's directory, which is only read.
    ///   - path: where the store is to be: a directory that does not exist or is empty. Until all is done, the store is
    ///     made beside it, under the same name with `.partial` after it; what an interrupted restoration left there
    ///     goes, and anything else is left alone and refused.
    ///   - progress: called about once per MiB; returns whether to go on.
    /// - Throws: `notAStore` (there is no complete backup), `alreadyExists`, `locked` (another restoration to the same
    ///   place is under way), `corrupt`, `newerFormat`, `diskFull`, `cancelled`, `inputOutput`, `invalidArgument` (the
    ///   store's place lies inside the backup, or the backup where the store would be made). Nothing is left then,
    ///   unless the error says that all is there and whole: a power cut may then take its name, until it is opened for
    ///   writing.
    /// - Complexity: reads the backup once and the catalog twice.
    @discardableResult
    public static func restore(
        from backup: String, to path: String, options: StoreOptions = StoreOptions(),
        progress: ((BackupProgress) -> Bool)? = nil
    ) throws(StoreError) -> BackupReport {
        let disk = options.disk
        let (backup, path) = (StoreLayout.plain(backup), StoreLayout.plain(path))
        guard !path.isEmpty else { throw StoreError(.invalidArgument, "the new store needs a name", path: path) }
        guard !disk.leads(path, into: backup) else {
            throw StoreError(
                .invalidArgument, "a store cannot lie inside the backup that it is made of; choose another place",
                path: path)
        }
        guard !disk.leads(backup, into: RestoreDraft.root(for: path)) else {
            throw StoreError(
                .invalidArgument,
                "the store would be made here first, and the backup stands here: give it another name, or choose "
                    + "another place for the store", path: RestoreDraft.root(for: path))
        }
        guard let manifest = try BackupManifest.read(backup, disk) else {
            throw StoreError(
                .notAStore, "there is no backup here, or one that was never completed; name another one", path: backup)
        }
        try requireDescriptors(path)
        let watch = Stopwatch()
        var run = try RestoreRun(manifest, backup, path, options, progress)
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
