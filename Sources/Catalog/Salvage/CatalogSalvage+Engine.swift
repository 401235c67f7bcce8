// SPDX-License-Identifier: Apache-2.0

/// What could be read of the engine's tables.
package struct SalvagedCatalog: Sendable {
    /// The store's id, the home zone and the last commit that was more than a tail row; nil where they are lost.
    package var meta: (store: [UInt8], zone: String, seq: Int64)?
    package var series: SeriesRows = []
    /// Without the runs that could not be read; the retired ones included.
    package var segments: [SegmentRow] = []
    package var tail: [TailRow] = []
    package var deletions = CatalogDeletions()
    package var history = CatalogHistory()
    /// Rows that are missing.
    package var gaps: [CatalogGap] = []

    package init() {}
}

extension CatalogSalvage {
    /// Everything of the engine's tables that can be read and is within its limits.
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
                throw CatalogError(.corrupt, "series \(id) has a name that cannot be", path: path)
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
        // A run that cannot be read is told by its segment.
        for i in found.segments.indices { found.segments[i].runs = runs(of: found.segments[i].id) }
        found.gaps += rows(of: "tail", key: "seq", columns: "body") { row in
            found.tail.append(
                TailRow(seq: try row.int(0, in: 1...Int64.max / 2, "a sequence"), body: try row.blob(1)))
        }
        found.gaps += deletions(&found.deletions)
        found.gaps += history(&found.history)
        return found
    }

    /// What was deleted; nothing where the tables are not there.
    private func deletions(_ found: inout CatalogDeletions) -> [CatalogGap] {
        let path = self.path
        guard let names = tables(among: ["tombstone", "retention", CatalogDatabase.timesTable]) else {
            return [CatalogGap(table: "tombstone", after: 0, before: nil, message: "no list of tables can be read")]
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
            // What is lost of it counts anew.
            _ = rows(of: CatalogDatabase.timesTable, key: "born", columns: "at") { row in
                found.times.append(
                    DeletionTime(commit: try row.int(0, in: 1...Int64.max / 2, "a commit"), at: try row.int(1)))
            }
        }
        return gaps
    }

    /// How far back the store can be looked at; nothing where the tables are not there.
    private func history(_ found: inout CatalogHistory) -> [CatalogGap] {
        let path = self.path
        guard let names = tables(among: ["horizon", "epoch", CatalogDatabase.feedHorizonsTable]) else {
            return [CatalogGap(table: "horizon", after: 0, before: nil, message: "no list of tables can be read")]
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

    /// The runs of a segment: all of them, or none.
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
