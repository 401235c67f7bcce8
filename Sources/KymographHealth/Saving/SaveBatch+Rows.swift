// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Kymograph

/// The rows of the health layer's tables that a save inserts, determined inside the commit.
struct SaveRows {
    var sources: [SourceRow] = []
    var devices: [DeviceRow] = []
    var provenances: [ProvenanceRow] = []
    var metadata: [MetadataRow] = []
    /// New series: the index among the batch's additions, and the row.
    var series: [(place: Int, row: HealthSeriesRow)] = []
    var objects: [SavedObjectRow] = []
    var retired: [SavedObjectRow] = []
    var synced: [SyncRow] = []
    /// Workouts and the newer versions that replace them.
    var replaced: [(old: UUID, new: UUID)] = []
    /// Objects that may have attachments, and the newer versions that replace them.
    var succeeded: [(old: [UInt8], new: [UInt8])] = []
    /// The number of the batch's additions of samples so far.
    private(set) var additions = 0

    /// Adds samples to the batch, for the series of a type, source and unit. The commit creates the series if needed.
    ///
    /// - Parameter row: the description of the series; its number is ignored.
    mutating func add(
        _ samples: SampleRows, to row: HealthSeriesRow, isCumulative: Bool, _ tables: HealthSnapshot,
        _ batch: inout WriteBatch
    ) {
        defer { additions += 1 }
        let known = tables.series.first { $0.type == row.type && $0.source == row.source && $0.unit == row.unit }
        if let known {
            batch.add(samples, to: .stored(SeriesID(rawValue: known.series)))
            return
        }
        series.append((additions, row))
        var labels = ["source": String(row.source)]
        labels["unit"] = row.unit
        batch.add(samples, to: .named(row.type, labels: labels, kind: isCumulative ? .cumulative : .discrete))
    }

    func insert(_ transaction: CatalogTransaction, _ receipt: WriteReceipt) throws {
        try HealthCatalog.prepare(transaction)
        try HealthCatalog.insert(sources, transaction)
        try HealthCatalog.insert(devices, transaction)
        try HealthCatalog.insert(provenances, transaction)
        try HealthCatalog.insert(metadata, transaction)
        let meanings = series.map { place, row in
            var row = row
            row.series = receipt.series[place].rawValue
            return row
        }
        try HealthCatalog.insert(meanings, transaction)
        // Before the old versions are retired with their relations and attachments.
        for one in succeeded { try HealthCatalog.moveAttachments(of: one.old, to: one.new, transaction) }
        for one in replaced { try Self.moveRelations(of: one.old, to: one.new, transaction) }
        try HealthCatalog.retire(retired, transaction)
        try HealthCatalog.insert(objects, transaction)
        for row in synced { try HealthCatalog.set(row, transaction) }
    }
}

/// The numbers of a save's rows in the health layer's tables.
struct RowNumbers {
    let source: Int64
    /// By device; index 0 is for samples without a device.
    fileprivate let provenances: [Int64]
    /// By metadata set, from 1; index 0 is for samples without metadata.
    fileprivate let metadata: [Int64]

    /// Returns the number of the provenance with a device; -1 for no device.
    func provenance(device: Int32) -> Int64 { provenances[Int(device) + 1] }

    /// Returns the number of a metadata set's row.
    func metadata(_ set: Int32) -> Int64 { metadata[Int(set)] }
}

extension SaveBatch {
    /// Returns the write batch for the current state of the tables. It is empty if all objects are older than the
    /// stored ones.
    ///
    /// - Parameter tables: the health layer's tables as of an earlier commit.
    func decide(_ context: WriteContext, _ tables: HealthSnapshot) throws -> WriteBatch {
        var tables = tables
        try tables.update(context.transaction)
        try requireKept(from: HistoryLimit.stored(in: tables.settings))
        var interned = HealthInterning(tables)
        let source = interned.source(program.source.name, bundle: program.source.bundleIdentifier)
        var batch = WriteBatch()
        var rows = SaveRows()
        let own = interned.known(program: program.source.bundleIdentifier).union([source])
        let stale = try replace(own, tables, context, &batch, &rows)
        // Index 0 is for samples without a device, if there are any.
        let texts = [nil] + columns.devices.map { Optional($0) }
        let provenances = texts.map { text in
            text == nil && !columns.hasNoDevice
                ? 0
                : interned.provenance(
                    source: source, version: program.version, device: text.map { interned.device($0) },
                    product: program.product, system: program.system)
        }
        let metadata = try metadataRows(tables, context.transaction, &rows)
        let numbers = RowNumbers(source: source, provenances: provenances, metadata: metadata)
        for (place, slot) in columns.slots.enumerated() {
            var left = slot.rows(created, numbers)
            if let old = stale.rows[place] { left = left.rows((0..<left.count).filter { !old.contains($0) }) }
            if left.count == 0 { continue }
            let row = HealthSeriesRow(series: 0, type: slot.type, source: source, unit: slot.unit)
            rows.add(left, to: row, isCumulative: slot.isCumulative, tables, &batch)
        }
        try requireNew(but: stale, tables, context)
        addCorrelations(tables, but: stale.correlations, numbers, &rows)
        try addSeries(tables, stale, numbers, context, &batch, &rows)
        rows.sources = interned.newSources
        rows.devices = interned.newDevices
        rows.provenances = interned.newProvenances
        if rows.additions == 0, rows.objects.isEmpty, alongside == nil { return WriteBatch() }
        let (found, alongside) = (rows, alongside)
        batch.inCommit = { transaction, receipt in
            try found.insert(transaction, receipt)
            try alongside?(transaction)
        }
        return batch
    }

    /// Returns the row of each metadata set by its number, from 1; number 0 has row 0.
    private func metadataRows(
        _ tables: HealthSnapshot, _ transaction: CatalogTransaction, _ rows: inout SaveRows
    ) throws -> [Int64] {
        var numbers: [Int64] = [0]
        if columns.metadata.isEmpty { return numbers }
        var last = tables.lastMetadata
        let known =
            tables.isPrepared
            ? try HealthCatalog.metadataIDs(bodies: columns.metadata, transaction)
            : columns.metadata.map { _ in nil }
        for (body, row) in zip(columns.metadata, known) {
            if let row {
                numbers.append(row)
                continue
            }
            last += 1
            rows.metadata.append(MetadataRow(id: last, body: body))
            numbers.append(last)
        }
        return numbers
    }

    /// Throws if an object is saved already. The engine detects duplicate samples.
    ///
    /// Samples are checked against the saved objects as well, because a query returns a series of one quantity as a
    /// sample.
    private func requireNew(but stale: Stale, _ tables: HealthSnapshot, _ context: WriteContext) throws {
        if tables.lastSavedObject == 0 { return }
        // Ignored objects may be stored already.
        let new =
            correlations.enumerated().filter { !stale.correlations.contains($0.offset) }.map(\.element.identity.bytes)
            + series.enumerated().filter { !stale.series.contains($0.offset) }.map(\.element.identity.bytes)
        try refuse(HealthCatalog.savedObjects(uuids: new, context.transaction))
        let count = columns.slots.reduce(0) { $0 + $1.count }
        if count == 0 { return }
        // Row numbers start at 1 and increase, so the last one is an upper bound for the number of objects.
        if tables.lastSavedObject > Int64(count) {
            for slot in columns.slots {
                let identities = (0..<slot.count).map { SampleIdentity(high: slot.high[$0], low: slot.low[$0]) }
                try refuse(HealthCatalog.savedObjects(uuids: identities.map(\.bytes), context.transaction))
            }
            return
        }
        let stored = Set(try HealthCatalog.liveSavedObjects(context.transaction).map { SampleIdentity($0) })
        for slot in columns.slots {
            for row in 0..<slot.count {
                let identity = SampleIdentity(high: slot.high[row], low: slot.low[row])
                if stored.contains(identity) { throw HKError.duplicate(identity, of: slot.type) }
            }
        }
    }

    private func refuse(_ stored: [SavedObjectRow?]) throws(HKError) {
        guard let twin = stored.lazy.compactMap({ $0 }).first else { return }
        throw HKError.duplicate(SampleIdentity(twin.uuid), of: twin.type)
    }

    private func addCorrelations(
        _ tables: HealthSnapshot, but stale: Set<Int>, _ numbers: RowNumbers, _ rows: inout SaveRows
    ) {
        for (number, one) in correlations.enumerated() where !stale.contains(number) {
            rows.objects.append(
                SavedObjectRow(
                    id: tables.lastSavedObject + 1 + Int64(rows.objects.count), uuid: one.identity.bytes,
                    kind: SavedObjectKind.correlation.rawValue, type: one.type,
                    provenance: numbers.provenance(device: one.device), metadata: numbers.metadata(one.metadata),
                    start: one.start, end: one.end, created: created, body: one.body))
        }
    }
}

extension ObjectColumns.Slot {
    /// Returns the rows in the form of the engine, with the tables' numbers.
    fileprivate func rows(_ created: Int64, _ numbers: RowNumbers) -> SampleRows {
        var rows = SampleRows()
        rows.starts = starts
        if ends != starts { rows.ends = ends }
        rows.values = values
        rows.setCreated(created)
        rows.setOrigin(
            provenance: devices.map { numbers.provenance(device: $0) }, metadata: metadata.map { numbers.metadata($0) })
        rows.identify(high: high, low: low)
        return rows
    }
}
