// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import HealthCatalog
import Synchronization

/// Samples of one series on their way into the store: columns of equal length, sorted by start, then end.
package struct HealthRows: Sendable {
    /// Nanoseconds since 1970-01-01 UTC.
    package var starts: [Int64] = []
    package var ends: [Int64] = []
    /// In the series' unit.
    package var values: [Double] = []
    /// `HealthRows.noDate` where nothing is known.
    package var created: [Int64] = []
    /// Rows of the provenance table.
    package var provenance: [Int64] = []
    /// Rows of the metadata table; 0 is none.
    package var metadata: [Int64] = []

    /// In the column of creation dates: none.
    package static let noDate = Int64.min

    package init() {}

    package var count: Int { starts.count }
}

/// Brings any number of samples and objects into a store in one commit, leaving out what is there already.
///
/// `HealthStore.load` makes one. Sources, devices, provenances and metadata are interned against what is stored, so
/// that rows are compared as numbers. Not for several threads at once.
package final class HealthLoader {
    /// A series that samples are brought into.
    struct Slot {
        var id: SeriesID
        var type: String
        var isStored: Bool
        /// Whether its samples may be parts of correlations.
        var mayBeCorrelated: Bool
        var added = 0
        var unchanged = 0
    }

    let store: HealthStore
    /// What was stored before.
    let baseline: Snapshot
    let bulk: BulkLoader
    var interned: HealthInterning
    var metadata = MetadataTable()
    /// The highest metadata row that was stored before.
    let storedMetadata: Int64
    var nextMetadata: Int64
    private var slots: [Slot] = []
    private var slotsByKey: [SlotKey: Int] = [:]
    private var newSeries: [HealthSeriesRow] = []
    /// Which stored rows were met already, of each block that any was.
    var met: [BlockPlace: [UInt64]] = [:]

    let bodies: PendingBodies
    var objects: PendingObjects
    var correlations: PendingCorrelations
    var documents: PendingDocuments
    var electrocardiograms = PendingElectrocardiograms()
    let storedCharacteristics: [String: String]
    var characteristics: [String: String] = [:]
    /// What the log will say, set by the caller.
    package var log: ImportLogEntry?

    private struct SlotKey: Hashable {
        var type: String
        var source: Int64
        var unit: String?
    }

    init(_ store: HealthStore, _ view: HealthView, _ bulk: BulkLoader) {
        self.store = store
        self.bulk = bulk
        baseline = view.snapshot
        interned = HealthInterning(view.tables.rows)
        storedMetadata = view.tables.rows.lastMetadata
        nextMetadata = storedMetadata + 1
        storedCharacteristics = view.tables.rows.characteristics
        bodies = PendingBodies(store.engine.disk, in: store.path)
        objects = PendingObjects(last: view.tables.rows.lastObject)
        correlations = PendingCorrelations(last: view.tables.rows.lastSavedObject)
        documents = PendingDocuments(last: view.tables.rows.lastDocument)
        for row in view.tables.rows.series {
            let slot = Slot(
                id: SeriesID(rawValue: row.series), type: row.type, isStored: true,
                mayBeCorrelated: LoadedCorrelation.mayHold(row.type))
            slotsByKey[SlotKey(type: row.type, source: row.source, unit: row.unit)] = slots.count
            slots.append(slot)
        }
    }

    /// The slot of a type, source and stored unit.
    ///
    /// - Returns: a number for `write`; a series that does not exist yet comes into being with the commit.
    package func series(type: String, source: Int64, unit: String?) throws(HealthStoreError) -> Int {
        let key = SlotKey(type: type, source: source, unit: unit)
        if let slot = slotsByKey[key] { return slot }
        var labels = ["source": String(source)]
        labels["unit"] = unit
        let kind: SeriesKind = HealthTypes.type(for: type).isCumulative ? .cumulative : .discrete
        let series = try inEngine { () throws(StoreError) in try bulk.series(type, labels: labels, kind: kind) }
        slotsByKey[key] = slots.count
        slots.append(
            Slot(
                id: series.id, type: type, isStored: false, mayBeCorrelated: LoadedCorrelation.mayHold(type)))
        newSeries.append(HealthSeriesRow(series: series.id.rawValue, type: type, source: source, unit: unit))
        return slots.count - 1
    }

    /// Whether `series` would have to make a series.
    package func isNew(type: String, source name: String, unit: String?) -> Bool {
        guard let source = interned.known(source: name) else { return true }
        return slotsByKey[SlotKey(type: type, source: source, unit: unit)] == nil
    }

    /// The series that the commit will make.
    package var newSeriesCount: Int { newSeries.count }

    /// The order in which slots are best written: ascending by series.
    package func isBefore(_ a: Int, _ b: Int) -> Bool { slots[a].id < slots[b].id }

    /// Brings sorted rows into a series, but for those that are stored already.
    ///
    /// - Returns: how many were new.
    @discardableResult
    package func write(_ rows: consuming HealthRows, to index: Int) throws(HealthStoreError) -> Int {
        let total = rows.count
        guard total > 0 else { return 0 }
        if slots[index].isStored { try removeStored(&rows, slots[index].id) }
        let added = rows.count
        if added > 0 {
            let id = slots[index].id
            // Where correlations may name them, identities have to be known when these come.
            let first = slots[index].mayBeCorrelated ? bulk.newIdentities(added) : nil
            if let first { correlations.written.add(rows, of: id, from: first) }
            var samples = SampleRows(rows)
            if let first {
                samples.identityHigh = .constant(first.high)
                samples.identityLow = .sequence(first: first.low)
            }
            try inEngine { () throws(StoreError) in try bulk.write(samples, to: id) }
        }
        slots[index].added += added
        slots[index].unchanged += total - added
        return added
    }

    /// The series of a type that are stored.
    func storedSeries(_ type: String) -> [SeriesID] {
        slots.lazy.filter { $0.isStored && $0.type == type }.map(\.id)
    }

    /// The series of a slot.
    func id(of index: Int) -> SeriesID { slots[index].id }

    /// The type of a slot, and whether its samples may be parts of correlations.
    func member(_ index: Int) -> (type: String, mayBeCorrelated: Bool) {
        (slots[index].type, slots[index].mayBeCorrelated)
    }

    /// Samples that were new and that were not, by type.
    package var counts: [String: (added: Int, unchanged: Int)] {
        var counts: [String: (added: Int, unchanged: Int)] = [:]
        for slot in slots where slot.added + slot.unchanged > 0 {
            let old = counts[slot.type] ?? (0, 0)
            counts[slot.type] = (old.added + slot.added, old.unchanged + slot.unchanged)
        }
        return counts
    }

    /// Whether a commit would change anything.
    var hasNews: Bool {
        slots.contains { $0.added > 0 } || !objects.rows.isEmpty || !correlations.rows.isEmpty
            || !documents.rows.isEmpty || !characteristics.isEmpty || !electrocardiograms.rows.isEmpty
    }

    /// Writes everything but the samples, inside the commit's transaction.
    func commit(_ transaction: CatalogTransaction) throws {
        try HealthCatalog.prepare(transaction)
        try HealthCatalog.insert(interned.newSources, transaction)
        try HealthCatalog.insert(interned.newDevices, transaction)
        try HealthCatalog.insert(interned.newProvenances, transaction)
        try HealthCatalog.insert(newSeries, transaction)
        for index in metadata.rows.indices where metadata.isNew[index] {
            let row = MetadataRow(id: metadata.rows[index], body: try metadata.body(index, bodies))
            try HealthCatalog.insert([row], transaction)
        }
        for (row, place) in objects.rows {
            var row = row
            row.body = try bodies.bytes(place)
            try HealthCatalog.insert([row], transaction)
        }
        try HealthCatalog.retire(savedObjects: correlations.replaced, transaction)
        try HealthCatalog.insert(correlations.rows, transaction)
        for (row, place) in documents.rows {
            try HealthCatalog.insert(row, body: try bodies.bytes(place), transaction)
        }
        try insertElectrocardiograms(transaction)
        for (key, value) in characteristics { try HealthCatalog.set(characteristic: key, to: value, transaction) }
        if let log { try HealthCatalog.append(ImportRow(log), transaction) }
    }
}

extension SampleRows {
    init(_ rows: consuming HealthRows) {
        self.init()
        starts = rows.starts
        if rows.ends != starts { ends = rows.ends }
        values = rows.values
        created = .values(rows.created)
        provenance = IntColumn.values(rows.provenance).simplified(count: starts.count)
        metadata = IntColumn.values(rows.metadata).simplified(count: starts.count)
        if case .constant(0) = metadata { metadata = .absent }
    }
}

extension HealthStore {
    /// Runs one load: everything that `body` brings in is committed when this returns, or nothing is.
    ///
    /// One load runs at a time; others wait. If nothing is new, nothing is committed.
    /// - Returns: whether there was a commit.
    package func load(_ body: (HealthLoader) throws -> Void) throws -> Bool {
        // A forked child would wait at the gate for threads that it does not have.
        try inEngine { () throws(StoreError) in try engine.requireOwnProcess() }
        return try gate.load {
            // What is stored must not change before the commit, by another process either.
            let work = try inEngine { () throws(StoreError) in try engine.beginWork() }
            defer { work.end() }
            let view = try view()
            var loader: HealthLoader?
            do {
                try engine.write { bulk in
                    let made = HealthLoader(self, view, bulk)
                    loader = made
                    try body(made)
                    return made.hasNews
                } _: { _ in
                    var batch = WriteBatch()
                    batch.inCommit = { transaction, _ in try loader?.commit(transaction) }
                    return batch
                }
            } catch let error as StoreError {
                throw HealthStoreError(error)
            }
            return loader?.hasNews ?? false
        }
    }
}
