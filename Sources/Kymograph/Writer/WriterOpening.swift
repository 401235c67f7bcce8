// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import TimeIndex

/// A writer, with the version from which it begins.
struct OpenedWriter: ~Copyable {
    var writer: Writer
    /// The version, without a hold.
    let version: Version
    let storeID: [UInt8]
    let homeZone: String

    consuming func takeWriter() -> Writer { writer }
}

/// Opens the catalog for writing: settles the log, refuses lost commits, and removes segments that no commit names.
struct WriterOpening {
    private let layout: StoreLayout
    private let options: StoreOptions
    private let slots: ReaderSlots
    private let loader: VersionLoader
    private var disk: any Disk { options.disk }

    init(_ layout: StoreLayout, _ options: StoreOptions, _ slots: ReaderSlots, _ cache: IndexCache) {
        self.layout = layout
        self.options = options
        self.slots = slots
        loader = VersionLoader(layout, options, cache)
    }

    /// Opens the catalog.
    ///
    /// - Parameters:
    ///   - lock: the writer's lock, which the writer owns afterwards; after an error the caller still owns it.
    ///   - known: a version whose loaded segments are reused.
    /// - Throws: `rolledBack`, `newerFormat`, `corrupt`, `diskFull`, `outcomeUnknown`, `inputOutput`. The catalog is
    ///   closed then.
    func open(_ lock: any DiskLock, known: Version?) throws(StoreError) -> sending OpenedWriter {
        options.keys?.mend()
        let witnessed = try Witness.statement(layout, options)
        let (catalog, image) = try loader.catalog(readOnly: false)
        do throws(StoreError) {
            return try finish(catalog, image, witnessed, lock, known: known)
        } catch {
            // Ordering: before the caller releases the lock.
            catalog.abandon()
            throw error
        }
    }

    private func finish(
        _ catalog: CatalogDatabase, _ loaded: CatalogImage, _ witnessed: Witness.Statement, _ lock: any DiskLock,
        known: Version?
    ) throws(StoreError) -> sending OpenedWriter {
        var image = loaded
        // A log that lost its end is not changed: settling it would remove data that may be recoverable.
        try witnessed.requireAcknowledged(by: image, layout, options)
        let orphans = try OrphanedSegments(layout, image, options)
        let mark = UnknownOutcomeMark(layout, store: image.storeID, disk: disk)
        let isOutcomeUnknown = try onDisk { () throws(DiskError) in try mark.isNoted() }
        try settle(mark) { () throws(CatalogError) in try catalog.settle(rewritingLog: isOutcomeUnknown) }
        if isOutcomeUnknown { mark.clear() }
        if witnessed.isAhead(of: image) || !orphans.isEmpty {
            // A reader may have seen the lost commits, whose numbers the next commits get.
            let number = try CommitHistory.newEpoch()
            try settle(mark) { () throws(CatalogError) in try catalog.beginEpoch(number) }
            image = try inCatalog { () throws(CatalogError) in try catalog.load() }
        }
        try requireNumbers(image)
        _ = try loader.homeZone(of: image)
        let version = try loader.version(of: image, known: known)
        // The creation or restoration may have failed, or been interrupted, between the rename and its sync.
        if image.seq == 0 || witnessed.bytes == nil { try StoreCreation.syncNames(layout, disk) }
        var recovery = StoreEvent.Recovery()
        recovery.settledUnknownOutcome = isOutcomeUnknown
        let witness = try openWitness(witnessed, image, catalog, hasOrphans: !orphans.isEmpty, &recovery)
        RepairDraft.settle(layout, disk)
        if recovery != StoreEvent.Recovery() { options.telemetry?.post(.recovered(recovery)) }
        let parts = Writer.Parts(
            catalog: catalog, lock: lock, witness: witness, outcomeMark: mark, orphans: orphans)
        return OpenedWriter(
            writer: Writer(parts, image, layout, options), version: version, storeID: image.storeID,
            homeZone: image.homeZone)
    }

    /// Runs a commit before there is a writer. After a failed sync the log may not be on the device, so the mark is
    /// set.
    private func settle(
        _ mark: UnknownOutcomeMark, _ body: () throws(CatalogError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try inCatalog(body)
        } catch {
            if [.inputOutput, .outcomeUnknown, .writerFailed].contains(error.kind) { mark.note() }
            throw error
        }
    }

    /// Refuses a catalog whose numbers leave no room for new ones. Numbers count up from 1.
    private func requireNumbers(_ image: CatalogImage) throws(StoreError) {
        let highest = max(
            image.seq, image.segments.last?.id ?? 0, image.series.ids.last ?? 0,
            image.deletions.tombstones.last?.id ?? 0)
        guard highest < Int64.max / 2 else {
            throw StoreError(
                .corrupt,
                "the catalog holds the number \(highest), which no store reaches; restore it from a backup",
                path: layout.catalog)
        }
    }

    /// Opens the witness, and removes segments and attached files that no commit names.
    ///
    /// - Parameter hasOrphans: whether there are segments of lost commits, which must stay until the next commit.
    private func openWitness(
        _ witnessed: Witness.Statement, _ image: CatalogImage, _ catalog: CatalogDatabase, hasOrphans: Bool,
        _ recovery: inout StoreEvent.Recovery
    ) throws(StoreError) -> Witness {
        // Without an intact witness the catalog may be an old copy, and segments that it does not name may be data;
        // likewise after an accepted loss.
        let testimony = witnessed.testimony(for: image.storeID)
        let (keepsAll, isSound) =
            switch testimony {
            case .none: (false, false)
            case .unreadable, .forged: (true, false)
            case .commit(let seq, let isWhole): (seq > image.seq, isWhole || seq > image.seq)
            }
        if case .commit(let seq, _) = testimony { recovery.commitsLost = max(0, seq - image.seq) }
        recovery.renewedWitness = !isSound && image.seq > 0
        if !keepsAll, !hasOrphans {
            recovery.segmentsRemoved = try removeUnnamed(image)
            try removeUnnamedFiles(catalog)
        }
        let witness = try Witness(layout.witness, store: image.storeID, disk: disk, keys: options.keys)
        // A witness that cannot be written costs a later warning, never data.
        if !isSound { try? witness.note(image.seq) }
        return witness
    }

    /// Removes attached files that no committed row names, and retired ones that no snapshot needs.
    private func removeUnnamedFiles(_ catalog: CatalogDatabase) throws(StoreError) {
        let files = AttachedFiles(layout, FileAccess(options))
        if try files.names().isEmpty { return }
        let rows = try inCatalog { () throws(CatalogError) in try catalog.read { try $0.attachedFiles() } }
        let hasRetired = rows.contains { $0.died != nil }
        try files.removeUnnamed(rows, oldest: (hasRetired ? try slots.oldest() : nil) ?? .max)
    }

    /// Removes segments that no committed row names, which a crash between writing and committing left, and retired
    /// segments that no snapshot needs.
    ///
    /// - Returns: the number of segments that no row named.
    private func removeUnnamed(_ image: CatalogImage) throws(StoreError) -> Int {
        let (disk, segments) = (disk, layout.segments)
        let hasRetired = image.segments.contains { $0.died != nil }
        let oldest = (hasRetired ? try slots.oldest() : nil) ?? .max
        let kept = image.segments.filter { row in row.died.map { oldest < $0 } ?? true }
        let named = Set(kept.map { StoreLayout.name($0.uuid) + ".kseg" })
        let known = Set(image.segments.map { StoreLayout.name($0.uuid) + ".kseg" })
        let names = try onDisk { () throws(DiskError) in try disk.list(segments) }
        let left = names.filter { $0.hasSuffix(".kseg") && !named.contains($0) }
        for name in left { try OrphanedSegments.remove(segments + "/" + name, disk) }
        return left.count { !known.contains($0) }
    }
}
