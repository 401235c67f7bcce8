// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// What a pruning removes, decided inside its commit: samples, objects and elements that ended before the kept history
/// and that another store has.
struct HistoryPruning {
    /// By series, the instant before which all samples are pruned. A series without such samples has no entry.
    private(set) var ends: [SeriesID: Int64] = [:]
    private(set) var objects: [SavedObjectRow] = []
    private(set) var elements: [Int64] = []
    /// The number of pruned samples, with the rows of objects.
    private(set) var samples = 0
    /// All samples that start before this instant are pruned.
    private(set) var limit: Int64

    private let tables: HealthSnapshot
    private let snapshot: Snapshot

    /// - Parameters:
    ///   - begin: the beginning of the kept history.
    ///   - known: the commits that another store has.
    ///   - tables: the health layer's tables as of the transaction.
    init(
        before begin: Int64, _ known: KnownCommits, _ tables: HealthSnapshot, _ context: WriteContext
    ) throws {
        (self.tables, snapshot, limit) = (tables, context.snapshot, begin)
        var (limit, objects) = (begin, [SavedObjectRow]())
        let changes = try HealthCatalog.laterChanges(context.transaction)
        try HealthCatalog.eachSavedObject(startingBefore: begin, context.transaction) { row in
            guard HistoryLimit.limits(row.type) else { return }
            let isKnown = ([row.born] + (changes[row.uuid] ?? [])).allSatisfy(known.contains)
            if row.end < begin, isKnown {
                objects.append(row)
            } else if row.hasSamples {
                // The samples of a kept workout are kept as well.
                limit = min(limit, row.start)
            }
        }
        for row in tables.series where snapshot.has(SeriesID(rawValue: row.series)) {
            let id = SeriesID(rawValue: row.series)
            let kept = try snapshot.firstKept(of: id, endingFrom: begin, startingBefore: limit, besides: known)
            ends[id] = kept ?? limit
        }
        (self.limit, self.objects) = (limit, objects)
        try keepWholeObjects()
        elements = try HealthCatalog.elements(endedBefore: begin, context.transaction)
            .filter { known.contains($0.born) }.map(\.id)
        for (id, end) in ends {
            let count = try snapshot.aggregate(of: id, over: TimeRange(.min, end)).count
            samples += count
            if count == 0 { ends[id] = nil }
            self.limit = min(self.limit, end)
        }
    }

    /// Whether nothing is pruned.
    var isEmpty: Bool { ends.isEmpty && objects.isEmpty && elements.isEmpty }

    /// Keeps every object with a kept row, and its other rows: rows never exist without their object.
    private mutating func keepWholeObjects() throws {
        var isStable = false
        while !isStable {
            isStable = true
            var left = [SavedObjectRow]()
            for row in objects {
                let own = try series(of: row)
                guard try own.contains(where: { try hasKeptRow(of: row, in: $0) }) else {
                    left.append(row)
                    continue
                }
                isStable = false
                for id in own { ends[id] = min(ends[id] ?? limit, row.start) }
            }
            objects = left
        }
    }

    /// Returns the series with rows of an object.
    private func series(of object: SavedObjectRow) throws -> [SeriesID] {
        let source = tables.provenances.first { $0.id == object.provenance }?.source
        return try object.rowTypes.flatMap { type, unit in
            tables.series.filter { $0.type == type && $0.unit == unit && $0.source == source }
                .map { SeriesID(rawValue: $0.series) }.filter { ends[$0] != nil }
        }
    }

    private func hasKeptRow(of object: SavedObjectRow, in id: SeriesID) throws -> Bool {
        let range = TimeRange(max(ends[id] ?? .min, object.start), object.rowRange.end)
        if range.isEmpty { return false }
        let mark = QuantitySeriesRecord.mark(of: object.id)
        var isFound = false
        try snapshot.scan([id], over: range, columns: [.starts, .metadata]) { batch throws(StoreError) in
            isFound = (0..<batch.count).contains { batch.metadata[$0] == mark }
            return !isFound
        }
        return isFound
    }

    /// Adds the pruning of the samples to a batch.
    func prune(in batch: inout WriteBatch) {
        for (id, end) in ends.sorted(by: { $0.key < $1.key }) { batch.delete(.history(before: end), from: id) }
    }

    /// Retires the objects and elements, inside the commit's transaction.
    func prune(_ transaction: CatalogTransaction) throws {
        try HealthCatalog.prune(savedObjects: objects.map(\.id), transaction)
        try HealthCatalog.retire(objects: elements, transaction)
        try HealthCatalog.pruneIdentifiers(before: limit, transaction)
    }
}

extension SavedObjectRow {
    /// Whether samples belong to objects of this kind, as rows or as members.
    fileprivate var hasSamples: Bool {
        switch SavedObjectKind(rawValue: kind) {
        case .correlation, .quantitySeries, .workout, .workoutRoute: true
        case .heartbeatSeries, .electrocardiogram, .effort, .fields, nil: false
        }
    }
}
