// SPDX-License-Identifier: Apache-2.0

package import Catalog
import FileSystem

/// What the layers above need to bring their tables over.
package struct RepairContext {
    /// The old catalog; nil if it is lost.
    package let catalog: CatalogSalvage?
    /// The series of the new store.
    package let series: [SeriesRow]
    /// The greatest number of a metadata set that a sample has.
    package let highestMetadata: Int64
    /// The numbers of provenances that samples have, each with a series whose samples have it.
    package let provenances: [Int64: Int64]
}

extension TimeSeriesStore {
    /// Makes a new store of everything that is sound in another one, which may be damaged in any way and is not
    /// changed.
    ///
    /// Sound segments are copied byte for byte. Of a damaged one the sound blocks are kept, with the identities and
    /// side columns of their samples. What the catalog can still give of names, labels and the tail is kept. What was
    /// deleted stays deleted, as far as the catalog can still tell. The new store has the id, the home zone and the
    /// commit number of the old one, and is sound: `verify` finds nothing.
    ///
    /// - Parameters:
    ///   - path: the damaged store, which nobody should be writing.
    ///   - target: a directory that is empty or not there, or what an interrupted repair left. It is no store before
    ///     the repair is complete; after an error it is as it was.
    ///   - options: `homeZone` counts only where the old store's is lost.
    /// - Returns: what was kept, and every range of time of every series that was lost.
    /// - Throws: `notAStore` (nothing is left that could be a store), `isBackup`, `alreadyExists`, `newerFormat`,
    ///   `diskFull`, `inputOutput`, `invalidArgument` (the new directory lies inside the damaged store).
    /// - Complexity: O(bytes of the store); memory of one segment, and of the tail.
    @discardableResult
    public static func repair(
        from path: String, to target: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> RepairReport {
        try repair(from: path, to: target, options: options, extra: nil)
    }

    /// What the layers above do with the new store before anybody else can have it: whether nothing was lost so far,
    /// and what opens it for writing. Where it throws, there is no new store.
    package typealias RepairCompletion = (
        _ isComplete: Bool, _ open: () throws(StoreError) -> TimeSeriesStore
    ) throws(StoreError) -> Void

    /// As `repair`; `extra` brings over the tables of the layers above, in the transaction that fills the new catalog,
    /// and `complete` comes last.
    package static func repair(
        from path: String, to target: String, options: StoreOptions,
        complete: RepairCompletion? = nil, extra: ((RepairContext, CatalogTransaction) throws -> Void)?
    ) throws(StoreError) -> RepairReport {
        guard !options.disk.leads(target, into: path) else {
            throw StoreError(
                .invalidArgument, "a repair cannot lie inside the store that it reads; choose another place",
                path: target)
        }
        try BackupManifest.refuse(path, options.disk)
        try requireDescriptors(path, openings: 2)
        let salvage = try StoreSalvage(StoreLayout(root: path, catalog: options.catalogPath), options)
        var writer = try RepairWriter(target, options, salvage)
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
        let context = RepairContext(
            catalog: salvage.catalog, series: series, highestMetadata: salvage.highestMetadata,
            provenances: salvage.provenances)
        try writer.finish(tail: tail, deletions: deletions.finish(salvage)) { transaction in
            try extra?(context, transaction)
        } completing: { (open) throws(StoreError) in
            try complete?(salvage.isComplete, open)
        }
    }

    /// Reads everything: the catalog's own integrity, every checksum, every decoded block against its summary, the
    /// index against the blocks, the catalog against the index and the files, and the tail anew from the disk.
    ///
    /// Damage is reported, not thrown; the rest is still checked. Files that cannot be read for another reason are
    /// reported as ``VerifyReport/unread``. Memory does not grow with the store, except for the tail.
    /// - Throws: `closed`; `inputOutput` where the catalog cannot be read at all.
    public func verify() throws(StoreError) -> VerifyReport { try verify(isCopy: false) }

    /// Reads everything as `verify` does.
    ///
    /// - Parameter isCopy: whether the store is the copy of a backup: it has no witness, an interrupted later backup
    ///   may have left files that no commit names, and the check of the backup checks who may write.
    package func verify(isCopy: Bool) throws(StoreError) -> VerifyReport {
        try StoreCheck(context, access).run(isCopy: isCopy)
    }

    /// Checks a store in whatever state it is, also one that cannot be opened: then what a repair would have to say.
    /// A backup is checked as `verifyBackup` does.
    ///
    /// - Throws: `notAStore`, `newerFormat`; `inputOutput` (its files may not be read), `readOnly` and `diskFull` (it
    ///   cannot be opened where it is), `locked`; of a backup as `verifyBackup`.
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

    /// What is wrong with a store that cannot be opened.
    package static func examine(
        _ path: String, _ options: StoreOptions, _ error: StoreError
    ) throws(StoreError) -> VerifyReport {
        var report = VerifyReport()
        report.problems.append(
            .init(path: error.path ?? path, offset: error.offset, message: "cannot be opened: \(error.message)"))
        try requireDescriptors(path)
        let salvage = try StoreSalvage(StoreLayout(root: path, catalog: options.catalogPath), options)
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
