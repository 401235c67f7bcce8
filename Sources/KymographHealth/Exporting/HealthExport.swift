// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// The contents of a store as of one commit, record by record, in the form of an export.
///
/// Holds only the current samples in memory; of elements, their numbers with 8 bytes each, and while correlations are
/// read some 40 bytes per member and correlation. Not thread-safe.
package final class HealthExport {
    let store: HealthStore
    let view: HealthView
    /// The elements of correlations with a deleted member.
    private(set) lazy var outdated = Result {
        try store.outdatedElements(in: view.snapshot) { type in
            (view.tables.byType[type] ?? []).map { SeriesID(rawValue: $0.series) }
        }
    }

    /// Takes the newest state of a store.
    ///
    /// - Throws: `engine(.closed)`, `engine(.inputOutput)`, `corrupt`.
    package init(_ store: HealthStore) throws(HealthStoreError) {
        self.store = store
        view = try store.currentView()
    }

    /// The person's characteristics by HealthKit's identifier.
    package var characteristics: [String: String] { view.tables.rows.characteristics }

    /// The types with samples, in the order of their first storage.
    package var types: [HealthType] {
        var seen: Set<String> = []
        return view.tables.rows.series.compactMap { row in
            row.holdsObjects && view.snapshot.count(of: SeriesID(rawValue: row.series)) > 0
                && seen.insert(row.type).inserted
                ? HealthTypes.type(for: row.type) : nil
        }
    }

    /// Calls `body` with the samples of a type, sorted by start. A series of quantities is one sample, with its sum or
    /// average.
    ///
    /// Values are in the stored unit, including the few categories with a unit.
    /// - Parameters:
    ///   - range: the range of the samples' starts.
    ///   - body: receives a sample, and returns whether to continue.
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`, and the errors of `body`.
    /// - Complexity: O(samples), including those of series; memory of one block per source and unit.
    package func records(
        _ type: HealthType, range: TimeRange = .all, _ body: (HealthSample) throws -> Bool
    ) throws {
        if range.isEmpty { return }
        let parts = try view.parts(of: type.identifier).parts
        let reader = HealthSampleReader(store, view, type, nil, asRecords: true)
        var series = SeriesRecords(self, type, range)
        var wantsMore = true
        var failure: (any Error)?
        func take(_ samples: [HealthSample]) throws {
            for sample in samples {
                while wantsMore, let next = try series.next(before: sample.start) { wantsMore = try body(next) }
                if !wantsMore { return }
                wantsMore = try body(sample)
            }
        }
        if !parts.isEmpty {
            try inEngine { () throws(StoreError) in
                try view.snapshot.scan(parts.map(\.id), over: range, columns: .all) { batch throws(StoreError) in
                    do {
                        try take(try reader.samples(batch))
                    } catch {
                        failure = error
                        wantsMore = false
                    }
                    return wantsMore
                }
            }
        }
        if let failure { throw failure }
        while wantsMore, let next = try series.next(before: .max) { wantsMore = try body(next) }
    }

    /// Calls `body` with the imported elements of a kind, byte for byte, sorted by start; elements without a start come
    /// first.
    ///
    /// Elements of correlations with a deleted member are omitted: `correlations` reports these correlations.
    /// - Parameters:
    ///   - range: the range of the elements' starts; `.all` includes elements without a start.
    ///   - body: receives the XML of an element, and returns whether to continue.
    package func elements(
        _ kind: ImportedElementKind, range: TimeRange = .all, _ body: ([UInt8]) throws -> Bool
    ) throws {
        let bounds = range == .all ? nil : range.start..<range.end
        var ids = try store.catalog([Int64]()) { transaction in
            var ids = [Int64]()
            try HealthCatalog.eachElement(
                kind: kind.rawValue, start: bounds, asOf: self.view.snapshot.sequence, transaction
            ) { ids.append($0.id) }
            return ids
        }
        if kind == .correlation, !ids.isEmpty {
            let outdated = try outdated.get()
            ids.removeAll { outdated.contains($0) }
        }
        for at in stride(from: 0, to: ids.count, by: 16) {
            let some = Array(ids[at..<min(at + 16, ids.count)])
            for row in try store.catalog([ElementRow](), { try HealthCatalog.objects(ids: some, $0) }) {
                if try !body(try ObjectExpander.decode(row.body)) { return }
            }
        }
    }
}

/// The series of quantities of a type as samples, sorted by start, read page by page.
private struct SeriesRecords {
    private let export: HealthExport
    private let type: HealthType
    private let range: ClosedRange<Int64>
    private var waiting: ArraySlice<SavedObjectRow> = []
    private var last: SavedObjectRow?
    private var isOver: Bool
    private static let page = 256

    init(_ export: HealthExport, _ type: HealthType, _ range: TimeRange) {
        self.export = export
        self.type = type
        self.range = range.start...max(range.start, range.end == .max ? .max : range.end - 1)
        isOver = export.view.tables.rows.lastSavedObject == 0
    }

    /// Returns the next series if it starts at or before an instant.
    mutating func next(before instant: Int64) throws(HealthStoreError) -> HealthSample? {
        while waiting.isEmpty, !isOver {
            let request = SavedObjectRequest(type: type.identifier, start: range, after: last, limit: Self.page)
            let seq = export.view.snapshot.sequence
            let rows = try export.store.catalog([SavedObjectRow]()) {
                try HealthCatalog.savedObjects(request, asOf: seq, $0)
            }
            isOver = rows.count < Self.page
            self.last = rows.last
            waiting = rows.filter { $0.kind == SavedObjectKind.quantitySeries.rawValue }[...]
        }
        guard let first = waiting.first, first.start <= instant else { return nil }
        waiting.removeFirst()
        return try export.record(first, type)
    }
}

extension HealthExport {
    /// Returns a series of quantities as one sample.
    fileprivate func record(_ row: SavedObjectRow, _ type: HealthType) throws(HealthStoreError) -> HealthSample {
        let record = try QuantitySeriesRecord(row.body)
        let origin = try origin(row)
        return HealthSample(
            type: type, start: row.start, end: row.end,
            value: type.isCumulative ? record.summary.sum : record.summary.average, unit: record.unit, valueName: nil,
            source: origin.source, version: origin.version, device: origin.device, created: row.created,
            metadata: try metadata(of: row), uuid: SampleIdentity(row.uuid).uuid)
    }

    /// Returns the source, version and device of a saved object.
    func origin(
        _ row: SavedObjectRow
    ) throws(HealthStoreError) -> (source: String, version: String?, device: String?) {
        let provenance = try view.tables.provenance(row.provenance)
        return (
            provenance.flatMap { view.tables.sources[$0.source]?.name } ?? "", provenance?.version,
            provenance?.device.flatMap { view.tables.devices[$0] }
        )
    }

    /// Returns the metadata of a saved object.
    func metadata(of row: SavedObjectRow) throws(HealthStoreError) -> HealthMetadata {
        guard row.metadata > 0 else { return HealthMetadata() }
        guard let found = try store.metadata([row.metadata])[row.metadata] else {
            throw HealthStoreError(
                .corrupt, "metadata set \(row.metadata) of health object \(row.id) is missing")
        }
        return found
    }
}
