// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import Synchronization

/// Samples of one series to be stored: columns of equal length, sorted by start, then end.
package struct HealthRows: Sendable {
    /// Nanoseconds since 1970-01-01 UTC.
    package var starts: [Int64] = []
    package var ends: [Int64] = []
    /// Values in the series' unit.
    package var values: [Double] = []
    /// `HealthRows.noDate` if unknown.
    package var created: [Int64] = []
    /// Rows of the provenance table.
    package var provenance: [Int64] = []
    /// Rows of the metadata table; 0 for none.
    package var metadata: [Int64] = []

    /// The value of an unknown creation date.
    package static let noDate = Int64.min

    package init() {}

    package var count: Int { starts.count }
}

/// A loader that stores any number of samples and objects in one commit, and skips duplicates of stored ones.
///
/// `HealthStore.load` creates it. Sources, devices, provenances and metadata are interned against the stored tables, so
/// that rows are compared as numbers. Not thread-safe.
package final class HealthLoader {
    /// A series that receives samples.
    struct Slot {
        var id: SeriesID
        var type: String
        var isStored: Bool
        /// Whether its samples may be members of correlations.
        var mayBeCorrelated: Bool
        var added = 0
        var unchanged = 0
    }

    let store: HealthStore
    /// The store before the load.
    let baseline: Snapshot
    /// The health layer's tables before the load.
    let tables: HealthSnapshot
    let bulk: BulkLoader
    var interned: HealthInterning
    var metadata = MetadataTable()
    /// The highest metadata row before the load.
    let storedMetadata: Int64
    var nextMetadata: Int64
    private var slots: [Slot] = []
    private var slotsByKey: [SlotKey: Int] = [:]
    private var newSeries: [HealthSeriesRow] = []
    /// The stored rows that are matched already, as a bitmap per block.
    var met: [BlockPlace: [UInt64]] = [:]

    let bodies: PendingBodies
    var objects: PendingObjects
    var correlations: PendingCorrelations
    var documents: PendingDocuments
    var electrocardiograms = PendingElectrocardiograms()
    var routes = PendingRoutes()
    var workouts = PendingWorkouts()
    var samples = PendingSamples()
    var routeFiles = PendingRouteFiles()
    var attachments = PendingAttachments()
    var sync = PendingSync()
    /// The highest saved object before the load; 0 if there is none.
    let storedObjects: Int64
    let storedCharacteristics: [String: String]
    var characteristics: [String: String] = [:]
    /// The entry for the import log, set by the caller.
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
        tables = view.tables.rows
        interned = HealthInterning(view.tables.rows)
        storedMetadata = view.tables.rows.lastMetadata
        nextMetadata = storedMetadata + 1
        storedCharacteristics = view.tables.rows.characteristics
        bodies = PendingBodies(store.path + "/" + PendingBodies.name) { [engine = store.engine] () throws(StoreError) in
            try engine.createTemporaryFile(PendingBodies.name)
        }
        objects = PendingObjects(last: view.tables.rows.lastObject)
        correlations = PendingCorrelations(last: view.tables.rows.lastSavedObject)
        documents = PendingDocuments(last: view.tables.rows.lastDocument)
        storedObjects = view.tables.rows.lastSavedObject
        for row in view.tables.rows.series {
            let slot = Slot(
                id: SeriesID(rawValue: row.series), type: row.type, isStored: true,
                mayBeCorrelated: LoadedCorrelation.mayHold(row.type))
            slotsByKey[SlotKey(type: row.type, source: row.source, unit: row.unit)] = slots.count
            slots.append(slot)
        }
    }

    /// Returns the slot of a type, source and stored unit. The commit creates the series if it does not exist.
    ///
    /// - Returns: the slot's number, for `write`.
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

    /// Returns whether `series` would create a series.
    package func isNew(type: String, source name: String, unit: String?) -> Bool {
        guard let source = interned.known(source: name) else { return true }
        return slotsByKey[SlotKey(type: type, source: source, unit: unit)] == nil
    }

    /// Returns whether the store has a series of a type, source and stored unit, before the load or since.
    func hasSeries(type: String, source: Int64, unit: String?) -> Bool {
        slotsByKey[SlotKey(type: type, source: source, unit: unit)] != nil
    }

    /// Returns a row number for an element that is stored as it is.
    func nextElement() -> Int64 { objects.next() }

    /// Writes rows with identities of another store to a series.
    ///
    /// - Requires: no sample of the store or of the load has one of the identities.
    func write(received rows: SampleRows, to index: Int) throws(HealthStoreError) {
        let id = slots[index].id
        slots[index].added += rows.count
        try inEngine { () throws(StoreError) in try bulk.write(rows, to: id) }
    }

    /// The number of series that the commit creates.
    package var newSeriesCount: Int { newSeries.count }

    /// Returns whether slot `a` should be written before slot `b`: ascending by series.
    package func isBefore(_ a: Int, _ b: Int) -> Bool { slots[a].id < slots[b].id }

    /// Writes sorted rows to a series, and skips rows that are stored already or are older than the kept history.
    ///
    /// - Returns: the number of new rows.
    @discardableResult
    package func write(_ rows: consuming HealthRows, to index: Int) throws(HealthStoreError) -> Int {
        let total = rows.count
        guard total > 0 else { return 0 }
        if let begin = historyBegin { rows.removeAll(endingBefore: begin) }
        if slots[index].isStored { try removeStored(&rows, slots[index].id) }
        let added = rows.count
        if added > 0 {
            let id = slots[index].id
            // Correlations refer to the samples of these types by identity, so identities are assigned here.
            let first = slots[index].mayBeCorrelated ? bulk.newIdentities(added) : nil
            if let first { correlations.written.add(rows, of: id, from: first) }
            var samples = SampleRows(rows)
            if let first { samples.identify(from: first) }
            try inEngine { () throws(StoreError) in try bulk.write(samples, to: id) }
        }
        slots[index].added += added
        slots[index].unchanged += total - added
        return added
    }

    /// Returns the stored series of a type.
    func storedSeries(_ type: String) -> [SeriesID] {
        slots.lazy.filter { $0.isStored && $0.type == type }.map(\.id)
    }

    /// Returns a row number for a saved object.
    func nextSavedObject() -> Int64 {
        correlations.last += 1
        return correlations.last
    }

    /// Returns the series of a slot.
    func id(of index: Int) -> SeriesID { slots[index].id }

    /// Returns the type of a slot, and whether its samples may be members of correlations.
    func member(_ index: Int) -> (type: String, mayBeCorrelated: Bool) {
        (slots[index].type, slots[index].mayBeCorrelated)
    }

    /// The numbers of new and of unchanged samples, by type.
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
            || !routes.isEmpty
            || !workouts.rows.isEmpty || workouts.converted != nil || samples.hasNews || !attachments.files.isEmpty
            || sync.peer != nil
    }

    /// Returns the deletions of the load.
    func batch(_ context: WriteContext) throws -> WriteBatch {
        sync.peer == nil ? WriteBatch() : try sync.batch(tables, context.snapshot)
    }

    /// Writes everything except the samples, inside the commit's transaction.
    func commit(_ transaction: CatalogTransaction, _ receipt: WriteReceipt) throws {
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
        try insertRoutes(transaction)
        try insertElectrocardiograms(transaction)
        try insertWorkouts(transaction)
        try insertSamples(transaction)
        try insertAttachments(transaction)
        for (key, value) in characteristics { try HealthCatalog.set(characteristic: key, to: value, transaction) }
        if let log { try HealthCatalog.append(ImportRow(log), transaction) }
        let types = Dictionary(slots.map { ($0.id, $0.type) }) { first, _ in first }
        try sync.commit(transaction, receipt, store: store.identity) { types[$0] ?? "" }
        // Documents fill the cache of pages. A change of a page that left the cache makes SQLite sum all later pages of
        // the commit again, so the documents are the last rows.
        for (row, place) in documents.rows {
            try HealthCatalog.insert(row, body: try bodies.bytes(place), transaction)
        }
    }
}

extension SampleRows {
    init(_ rows: consuming HealthRows) {
        self.init()
        starts = rows.starts
        if rows.ends != starts { ends = rows.ends }
        values = rows.values
        setCreated(rows.created)
        setOrigin(provenance: rows.provenance, metadata: rows.metadata)
    }
}

extension HealthStore {
    /// Runs one load: when this returns, everything that `body` adds is committed; when this throws, nothing is.
    ///
    /// One load runs at a time; other callers wait. If nothing is new, nothing is committed.
    /// - Returns: whether there was a commit.
    package func load(_ body: (HealthLoader) throws -> Void) throws -> Bool {
        // A forked child would wait forever at the gate for threads that it does not have.
        try inEngine { () throws(StoreError) in try engine.requireOwnProcess() }
        return try gate.load {
            // The stored data must not change before the commit, not even by another process.
            let work = try inEngine { () throws(StoreError) in try engine.beginWork() }
            defer { work.end() }
            let view = try view()
            var loader: HealthLoader?
            do {
                try engine.write { bulk in
                    let made = HealthLoader(self, view, bulk)
                    loader = made
                    try body(made)
                    try made.settleRoutes()
                    try made.settleSamples()
                    try made.settleAttachments()
                    return made.hasNews
                } _: { context in
                    var batch = try loader?.batch(context) ?? WriteBatch()
                    batch.inCommit = { transaction, receipt in try loader?.commit(transaction, receipt) }
                    return batch
                }
                loader?.attachments.release()
            } catch {
                let error = (error as? StoreError).map { HealthStoreError($0) } ?? error
                let isUnknown = (error as? HealthStoreError)?.kind == .engine(.outcomeUnknown)
                // The next opening for writing removes the files if the commit did not happen.
                if isUnknown { loader?.attachments.release() } else { loader?.attachments.abandon() }
                throw error
            }
            return loader?.hasNews ?? false
        }
    }
}
