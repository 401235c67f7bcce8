// SPDX-License-Identifier: Apache-2.0

/// The rows of the engine's tables that could be read.
package struct SalvagedCatalog: Sendable {
    /// The store's id, the home zone and the last commit that changed `meta`; nil if the row is lost.
    package var meta: (store: [UInt8], zone: String, seq: Int64)?
    package var series: SeriesRows = []
    /// All segments, including retired ones. Runs that could not be read are missing.
    package var segments: [SegmentRow] = []
    package var tail: [TailRow] = []
    package var deletions = CatalogDeletions()
    package var history = CatalogHistory()
    /// Attached files, including retired ones.
    package var attachedFiles: [AttachedFileRow] = []
    /// The missing rows.
    package var gaps: [CatalogGap] = []

    package init() {}
}

extension CatalogSalvage {
    /// Reads all rows of the engine's tables that are readable and valid.
    package func engineRows() -> SalvagedCatalog {
        var found = SalvagedCatalog()
        let path = self.path
        found.gaps += rows(of: "meta", key: "id", columns: "store,zone,commit_seq") { row in
            let seq = try row.int(3, in: 0...Int64.max / 2, "the last commit")
            found.meta = (try row.blob(1, count: 16, "the store's id"), try row.text(2), seq)
        }
        var known: Set<String> = []
        found.gaps += rows(of: "series", key: "id", columns: "name,labels,kind") { row in
            let id = try row.int(0, in: 1...Int64.max / 2, "a series id")
            let text = try row.text(2)
            guard let labels = Labels.decode(text) else {
                throw CatalogError(.corrupt, "the labels of series \(id) cannot be read", path: path)
            }
            let name = try row.text(1)
            guard known.insert(name + "\0" + text).inserted, !name.utf8.contains(0) else {
                throw CatalogError(.corrupt, "series \(id) has a duplicate or invalid name", path: path)
            }
            let kind = try row.int(3, in: 0...255, "the kind of series \(id)")
            found.series.append(SeriesRow(id: id, name: name, labels: labels, kind: UInt8(kind)))
        }
        found.gaps += rows(of: "segment", key: "id", columns: "uuid,bytes,checksum,born,died") { row in
            let id = try row.int(0, in: 1...Int64.max / 2, "a segment id")
            let born = try row.int(4, in: 0...Int64.max / 2, "the birth of segment \(id)")
            let died = try row.isNull(5) ? nil : row.int(5, in: born...Int64.max / 2, "the death of segment \(id)")
            let checksum = try row.int(3, in: 0...Int64(UInt32.max), "the checksum of segment \(id)")
            found.segments.append(
                SegmentRow(
                    id: id, uuid: try row.blob(1, count: 16, "the uuid of segment \(id)"),
                    bytes: try row.int(2, in: CatalogSchema.segmentBytes, "the length of segment \(id)"),
                    checksum: UInt32(truncatingIfNeeded: checksum), born: born, died: died, runs: []))
        }
        // A missing run is not a gap here: the salvage of its segment reports it.
        for i in found.segments.indices { found.segments[i].runs = runs(of: found.segments[i].id) }
        found.gaps += rows(of: "tail", key: "seq", columns: "body") { row in
            found.tail.append(
                TailRow(seq: try row.int(0, in: 1...Int64.max / 2, "a sequence"), body: try row.blob(1)))
        }
        found.gaps += deletions(&found.deletions)
        found.gaps += history(&found.history)
        if tables(among: [CatalogDatabase.attachedFilesTable]) != [] {
            found.gaps += rows(of: "attached_file", key: "id", columns: AttachedFileRow.columns) { row in
                found.attachedFiles.append(try AttachedFileRow(row))
            }
        }
        return found
    }

    /// Reads the deletions; returns no gap if their tables do not exist.
    private func deletions(_ found: inout CatalogDeletions) -> [CatalogGap] {
        let path = self.path
        guard let names = tables(among: ["tombstone", "retention", CatalogDatabase.timesTable]) else {
            return [CatalogGap(table: "tombstone", after: 0, before: nil, message: "the list of tables is unreadable")]
        }
        var gaps: [CatalogGap] = []
        if names.contains("tombstone") {
            gaps += rows(of: "tombstone", key: "id", columns: TombstoneRow.columns) { row in
                found.tombstones.append(try TombstoneRow(row, lastCommit: Int64.max / 2, path: path))
            }
        }
        if names.contains("retention") {
            gaps += rows(of: "retention", key: "id", columns: "now") { row in found.now = try row.int(1) }
        }
        if names.contains(CatalogDatabase.timesTable) {
            // A lost time is not a gap: erasure then counts from a later time.
            _ = rows(of: CatalogDatabase.timesTable, key: "born", columns: "at") { row in
                found.times.append(
                    DeletionTime(commit: try row.int(0, in: 1...Int64.max / 2, "a commit"), at: try row.int(1)))
            }
        }
        return gaps
    }

    /// Reads the limits of the history; returns no gap if their tables do not exist.
    private func history(_ found: inout CatalogHistory) -> [CatalogGap] {
        let path = self.path
        guard let names = tables(among: ["horizon", "epoch", CatalogDatabase.feedHorizonsTable]) else {
            return [CatalogGap(table: "horizon", after: 0, before: nil, message: "the list of tables is unreadable")]
        }
        var gaps: [CatalogGap] = []
        if names.contains("horizon") {
            gaps += rows(of: "horizon", key: "id", columns: "born") { row in
                found.horizon = try row.int(1, in: 0...Int64.max / 2, "the horizon")
            }
        }
        if names.contains("epoch") {
            gaps += rows(of: "epoch", key: "id", columns: EpochRow.columns) { row in
                found.epochs.append(try EpochRow(row, lastCommit: Int64.max / 2, path: path))
            }
        }
        if names.contains(CatalogDatabase.feedHorizonsTable) {
            gaps += rows(of: CatalogDatabase.feedHorizonsTable, key: "series", columns: "born") { row in
                let series = try row.int(0, in: 1...Int64.max / 2, "a series")
                found.feedHorizons[series] = try row.int(1, in: 1...Int64.max / 2, "a horizon of changes")
            }
        }
        return gaps
    }

    /// Returns the runs of a segment: all of them, or none.
    private func runs(of segment: Int64) -> RunRows {
        var found = RunRows()
        let sql = """
            SELECT series,root_offset,root_length,levels,blocks,summary FROM run WHERE segment=\(segment) \
            ORDER BY series
            """
        func take(_ row: RowReader) throws {
            _ = try row.int(0, in: 1...Int64.max / 2, "a series")
            try row.run(from: 0, to: &found)
        }
        if all(sql, take) == nil { return found }
        found = []
        return mended(sql, of: "run", take) == nil ? found : []
    }
}
