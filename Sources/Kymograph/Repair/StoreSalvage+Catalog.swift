// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import FileSystem

// What the catalog and the witness of a damaged store still tell.
extension StoreSalvage {
    private static let deletionTables: Set = ["tombstone", "retention"]
    private static let historyTables: Set = ["horizon", "epoch", "feed_horizon"]

    static func readCatalog(
        _ layout: StoreLayout, _ options: StoreOptions, _ report: inout RepairReport
    ) throws(StoreError) -> (CatalogSalvage?, SalvagedCatalog) {
        let isDenied = try inCatalog { () throws(CatalogError) in
            try CatalogDatabase.isDenied(at: layout.catalog, vfs: options.catalogVFS)
        }
        if isDenied { throw StoreError(DiskError("open", layout.catalog, DiskError.denied)) }
        let salvage: CatalogSalvage
        do throws(CatalogError) {
            salvage = try CatalogSalvage(
                at: layout.catalog, vfs: options.catalogVFS, keys: options.keys?.pages)
        } catch {
            if case .newerFormat = error.kind { throw StoreError(error) }
            // A temporary failure to read is not a loss, and with the current keys more can be read.
            if error.isRefusal || error.kind == .needsKey { throw StoreError(error) }
            report.lose(
                layout.catalog,
                "the catalog cannot be read (\(error.message)): the names of all series, the tail, "
                    + "deletions and all data other than samples are lost")
            return (nil, SalvagedCatalog())
        }
        if salvage.hasLogCopy {
            report.lose(
                layout.catalog + "-wal",
                "an interrupted writer left a copy of the log, with commits that the log lacks; open the "
                    + "store for writing to restore them")
        }
        if salvage.isOlderThanLog {
            report.lose(
                layout.catalog,
                "the file is older than its write-ahead log, so an earlier copy has replaced it: the content of "
                    + "the log, and all commits between the copy and the log, are lost, except for segments")
        }
        let rows = salvage.engineRows()
        if let problem = salvage.problem {
            report.remarks.append("the catalog cannot be opened (\(problem.message)); it was read page by page")
        }
        if rows.meta == nil {
            report.remarks.append("the catalog's own row is lost; the store's id was taken from its other files")
        }
        for gap in rows.gaps where deletionTables.contains(gap.table) {
            report.lose(
                layout.catalog,
                "the rows of \(gap.text) are lost: \(gap.message); deleted samples may be visible again")
            report.losses[report.losses.count - 1].concernsSamples = false
        }
        let otherTables = deletionTables.union(historyTables).union(["meta", "segment", "attached_file"])
        for gap in rows.gaps where !otherTables.contains(gap.table) {
            if gap.table == "tail" {
                report.loseTail(gap, of: rows, seq: lastCommit(rows, layout, options), layout.catalog)
                continue
            }
            report.lose(layout.catalog, "the names in the rows of \(gap.text) are lost: \(gap.message)")
            report.losses[report.losses.count - 1].concernsSamples = false
        }
        for gap in rows.gaps where historyTables.contains(gap.table) {
            report.remarks.append(
                "the rows of \(gap.text) are lost (\(gap.message)); the new store cannot show earlier commits")
        }
        for gap in rows.gaps where gap.table == "attached_file" {
            report.remarks.append(
                "rows of \(gap.text) are lost (\(gap.message)); the attached files were searched instead")
        }
        for gap in rows.gaps where gap.table == "segment" {
            report.remarks.append(
                "rows of \(gap.text) are lost (\(gap.message)); the segment files were searched instead")
        }
        return (salvage, rows)
    }

    /// Returns the last commit in the catalog or the witness.
    private static func lastCommit(
        _ rows: SalvagedCatalog, _ layout: StoreLayout, _ options: StoreOptions
    ) -> Int64 {
        let known = max(rows.meta?.seq ?? 0, rows.tail.map(\.seq).max() ?? 0)
        guard let store = rows.meta?.store, case .commit(let seq, _)? = testimony(layout, options, store) else {
            return known
        }
        return max(known, seq)
    }

    /// Returns true if the directory has a catalog or a witness.
    static func wasStore(_ layout: StoreLayout, _ disk: any Disk) -> Bool {
        let traces = [layout.catalog, layout.witness].map { (try? disk.exists($0)) ?? true }
        return traces.contains(true)
    }

    /// Returns the store's id on which most of its files agree.
    static func identify(
        _ rows: SalvagedCatalog, _ files: [[UInt8]], _ layout: StoreLayout, _ options: StoreOptions,
        _ report: inout RepairReport
    ) -> [UInt8] {
        // Only files of this store open with its keys.
        if let keys = options.keys { return keys.ring.image.store.bytes }
        var votes: [[UInt8]: Int] = [:]
        for uuid in files {
            guard let header = SegmentHeader.read(layout.segment(uuid), options.disk), header.segment == uuid else {
                continue
            }
            votes[header.store, default: 0] += 1
        }
        if let store = rows.meta?.store {
            // Trust the catalog if no segment has an id, or if some segments agree.
            if votes.isEmpty || votes[store] != nil { return store }
            report.remarks.append("the catalog's id of the store is damaged; the id was taken from the segments")
        }
        let witness = rows.meta == nil ? (try? Witness.statement(layout, options))?.store : nil
        if let witness, votes.isEmpty || votes[witness] != nil { return witness }
        // If two ids are equally frequent, the smaller one is chosen, so that every repair has the same result.
        let most = votes.max { a, b in
            a.value != b.value ? a.value < b.value : b.key.lexicographicallyPrecedes(a.key)
        }
        return most?.key ?? rows.meta?.store ?? [UInt8](repeating: 0, count: SegmentFormat.idBytes)
    }

    static func testimony(
        _ layout: StoreLayout, _ options: StoreOptions, _ store: [UInt8]
    ) -> Witness.Testimony? {
        let said = (try? Witness.statement(layout, options))?.testimony(for: store)
        // A commit number that no store can reach is not authentic.
        if case .commit(let seq, _)? = said, seq > SegmentSalvage.mostNumber { return .unreadable }
        return said
    }

    /// Returns true if the witness has later commits than the catalog.
    static func witness(
        _ layout: StoreLayout, _ options: StoreOptions, _ store: [UInt8], _ rows: SalvagedCatalog,
        _ report: inout RepairReport
    ) -> Bool {
        let last = max(rows.meta?.seq ?? 0, rows.tail.map(\.seq).max() ?? 0)
        switch testimony(layout, options, store) {
        case .commit(let seq, _)? where seq > last:
            if rows.meta == nil { return true }
            report.lose(
                layout.catalog,
                "commits \(last + 1) to \(seq) were acknowledged but are missing in the catalog: their data is "
                    + "lost, except for segments; its series and times are unknown")
            return true
        case .unreadable?, .forged?, nil: report.remarks.append("the witness cannot be read; a repair makes a new one")
        default: break
        }
        return false
    }

    /// Returns true if segments without a row were started after the catalog's last commit.
    ///
    /// - Parameters:
    ///   - last: the last commit of the catalog.
    ///   - later: the number of these segments.
    ///   - isReported: whether the loss is in the report already.
    static func isOld(
        _ rows: SalvagedCatalog, _ last: Int64, _ later: Int, isReported: Bool, _ catalog: String,
        _ report: inout RepairReport
    ) -> Bool {
        let mayLackLast = rows.gaps.contains { ["meta", "tail", "segment"].contains($0.table) }
        guard rows.meta != nil, !mayLackLast, later > 0 else { return false }
        if !isReported {
            report.lose(
                catalog,
                "the catalog ends with commit \(last), but \(later) segments were started after later ones: "
                    + "it is an older copy, and later commits are lost, except for segments")
        }
        return true
    }
}
