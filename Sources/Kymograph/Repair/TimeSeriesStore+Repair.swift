// SPDX-License-Identifier: Apache-2.0

package import Catalog
import FileSystem

/// The parts of a damaged store from which the layers above recover their tables.
package struct RepairContext {
    /// The old catalog; nil if it is lost.
    package let catalog: CatalogSalvage?
    /// The series of the new store.
    package let series: [SeriesRow]
    /// The greatest number of a metadata set that a sample refers to.
    package let highestMetadata: Int64
    /// The provenances that samples refer to, each with a series of such samples.
    package let provenances: [Int64: Int64]
    /// The sound attached files, by identity. Their copies stay only if the layer above inserts their rows.
    package let attachedFiles: [[UInt8]: AttachedFileRow]
}

extension TimeSeriesStore {
    /// Repairs a store: copies its intact data into a new store. The old store may be damaged in any way, and is not
    /// changed.
    ///
    /// Intact segments are copied byte for byte. Of a damaged segment the intact blocks are kept, with the identities
    /// and side columns of their samples. Names, labels, the tail and deletions are kept as far as the catalog can be
    /// read. The new store has the id, the home zone and the commit number of the old one, and `verify` finds no
    /// problems in it.
    ///
    /// - Parameters:
    ///   - path: the damaged store; no program may write it meanwhile.
    ///   - target: a directory that is empty or missing, or holds an interrupted repair. It is no store before the
    ///     repair is complete; after an error it is as before.
    ///   - options: `homeZone` is used only if the zone of the old store is lost.
    /// - Returns: a report of the kept data, and of every lost time range of every series.
    /// - Throws: `notAStore` (nothing is left that could be a store), `isBackup`, `alreadyExists`, `newerFormat`,
    ///   `diskFull`, `inputOutput`, `invalidArgument` (the new directory lies inside the damaged store).
    /// - Complexity: O(bytes of the store); memory of one segment, and of the tail.
    @discardableResult
    public static func repair(
        from path: String, to target: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> RepairReport {
        try repair(from: path, to: target, options: options, extra: nil)
    }

    /// The last step by the layers above, before any other process can open the new store. It receives whether nothing
    /// was lost so far, and a closure that opens the store for writing. If it throws, there is no new store.
    package typealias RepairCompletion = (
        _ isComplete: Bool, _ open: () throws(StoreError) -> TimeSeriesStore
    ) throws(StoreError) -> Void

    /// Repairs a store as the public `repair`. `extra` copies the tables of the layers above, in the transaction that
    /// fills the new catalog; `complete` runs last.
    package static func repair(
        from path: String, to target: String, options: StoreOptions,
        complete: RepairCompletion? = nil, extra: ((RepairContext, CatalogTransaction) throws -> Void)?
    ) throws(StoreError) -> RepairReport {
        try repair(from: path, to: target, (options, .same), complete: complete, extra: extra)
    }

    /// Repairs a store into one with the same or other keys.
    static func repair(
        from path: String, to target: String, _ settings: (options: StoreOptions, keys: RepairKeys),
        complete: RepairCompletion? = nil, extra: ((RepairContext, CatalogTransaction) throws -> Void)?
    ) throws(StoreError) -> RepairReport {
        var options = settings.options
        guard !options.disk.leads(target, into: path) else {
            throw StoreError(
                .invalidArgument, "the new store cannot lie inside the damaged store; choose another place",
                path: target)
        }
        try BackupManifest.refuse(path, options.disk)
        try requireDescriptors(path, openings: 2)
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        if options.keys == nil { options.keys = try StoreKeys.openDamaged(layout, options) }
        try options.keys?.requireGenerations(layout, options)
        let salvage = try StoreSalvage(layout, options)
        var writer = try RepairWriter(target, options, salvage, settings.keys)
        do throws(StoreError) {
            try fill(&writer, salvage, extra, complete)
        } catch {
            writer.abandon()
            throw error
        }
        var report = salvage.finish()
        report.segmentsCopied = writer.copied
        report.segmentsRewritten = writer.rewritten
        report.segmentsLost = writer.lost
        return report
    }

    private static func fill(
        _ writer: inout RepairWriter, _ salvage: StoreSalvage,
        _ extra: ((RepairContext, CatalogTransaction) throws -> Void)?, _ complete: RepairCompletion?
    ) throws(StoreError) {
        var deletions = DeletionSalvage(salvage)
        try salvage.forEachSegment { segment throws(StoreError) in
            try writer.add(segment)
            try deletions.count(segment)
        }
        let tail = salvage.tail()
        deletions.count(tail)
        writer.correct(births: try deletions.settle(salvage))
        let series = salvage.series.values.sorted { $0.id < $1.id }
        // Only rows of a layer above give the files a meaning.
        let files = extra == nil || salvage.catalog == nil ? [:] : try writer.addAttachedFiles()
        let context = RepairContext(
            catalog: salvage.catalog, series: series, highestMetadata: salvage.highestMetadata,
            provenances: salvage.provenances, attachedFiles: files)
        try writer.finish(tail: tail, deletions: deletions.finish(salvage)) { transaction in
            try extra?(context, transaction)
        } completing: { (open) throws(StoreError) in
            try complete?(salvage.isComplete, open)
        }
    }

    /// Verifies the store: the catalog's own integrity, every checksum, every decoded block against its summary, the
    /// index against the blocks, the catalog against the index and the files, and the tail, read again from the disk.
    ///
    /// Damage is reported, not thrown; the rest is still verified. Files that cannot be read for another reason are
    /// reported as ``VerifyReport/unread``. Memory does not grow with the store, except for the tail.
    /// - Throws: `closed`; `inputOutput` if the catalog cannot be read at all.
    public func verify() throws(StoreError) -> VerifyReport { try verify(isCopy: false) }

    /// Verifies the store as the public `verify`.
    ///
    /// - Parameter isCopy: whether the store is the copy in a backup. A copy has no witness, an interrupted later
    ///   backup may have left files that no commit names, and the verification of the backup checks the permissions.
    package func verify(isCopy: Bool) throws(StoreError) -> VerifyReport {
        try StoreCheck(context, access).run(isCopy: isCopy)
    }

    /// Verifies a store in any state. If it cannot be opened, the report says what a repair would lose. A backup is
    /// verified as by `verifyBackup`.
    ///
    /// - Throws: `notAStore`, `newerFormat`, `locked`; `inputOutput` (no permission to read its files); `readOnly` and
    ///   `diskFull` (it cannot be opened in its place); for a backup as `verifyBackup`.
    public static func verify(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> VerifyReport {
        do throws(StoreError) {
            let store = try open(at: path, mode: .readOnly, options: options)
            defer { store.close() }
            return try store.verify()
        } catch {
            if error.kind == .isBackup { return try verifyBackup(at: path, options: options) }
            guard error.mayBeDamage else { throw error }
            return try examine(path, options, error)
        }
    }

    /// Reports the damage of a store that cannot be opened.
    package static func examine(
        _ path: String, _ options: StoreOptions, _ cause: StoreError
    ) throws(StoreError) -> VerifyReport {
        var report = VerifyReport()
        report.problems.append(
            .init(path: cause.path ?? path, offset: cause.offset, message: "cannot be opened: \(cause.message)"))
        try requireDescriptors(path)
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        var options = options
        do throws(StoreError) { options.keys = try StoreKeys.openDamaged(layout, options) } catch {
            // Without keys nothing more can be read.
            if error.isDamage {
                if error.message != cause.message { report.note(error, path: layout.keys) }
                return report
            }
            throw error
        }
        let salvage = try StoreSalvage(layout, options)
        try salvage.forEachSegment { segment throws(StoreError) in
            report.segments += 1
            report.bytes += Int64(segment.bytes.count)
        }
        _ = salvage.tail()
        _ = DeletionSalvage(salvage)
        let found = salvage.finish()
        report.blocks = found.blocks
        report.samples = found.samples
        report.problems += found.losses.map(\.problem)
        report.remarks += found.remarks
        return report
    }
}
