// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel
import Kymograph

/// The quantities of samples, page by page, all of one state of the store. Between pages only that state is held.
struct SeriesPager: Sendable {
    private let view: HealthView
    private let request: SeriesRequest
    private let series: MatchingSeries
    /// The range of the remaining quantities, in order of their starts.
    private var range: TimeRange
    /// The samples, if quantities are sorted sample by sample.
    private var samples: SamplePager?
    private var waiting: ArraySlice<HKSample> = []
    /// The start of the next quantity of the first waiting sample.
    private var resume = Int64.min
    private var isOver = false
    /// The size of the next page. The first page is small, so that it comes soon.
    private var size = 256
    private static let fullSize = 8_192

    init(_ store: HealthStore, _ request: SeriesRequest) throws {
        if store.mode != .readWrite { try store.refresh() }
        view = try store.view()
        var request = request
        request.predicate = try store.resolved(request.predicate, for: request.type, in: view)
        self.request = request
        series = try MatchingSeries(request, view, store)
        range = series.range
        if request.isBySample {
            samples = SamplePager(view, SampleSearch(type: request.type, predicate: request.predicate))
        }
    }

    /// Creates a pager of the quantities of one sample.
    init(_ store: HealthStore, of sample: HKQuantitySample) throws {
        if store.mode != .readWrite { try store.refresh() }
        view = try store.view()
        request = SeriesRequest(
            type: sample.quantityType, predicate: .uuids([sample.uuid]), includesSample: false, isBySample: true)
        series = try MatchingSeries(sample, view, store)
        range = .all
        if sample.count > 1, series.byIdentity.isEmpty {
            throw HKError(
                .errorInvalidArgument, reason: "the series is not in the store", place: "\(sample)",
                advice: "use a sample that a query of this store returned")
        }
        waiting = [sample]
    }

    /// Returns the next quantities; nil at the end.
    mutating func next(_ store: HealthStore) throws -> [SeriesQuantity]? {
        if isOver { return nil }
        let page = request.isBySample ? try nextBySample(store) : try nextByStart(store)
        size = Self.fullSize
        return page.isEmpty ? nil : page
    }

    // MARK: - By the start of quantities

    /// Returns the next page by start. Quantities with the same start are never in two pages.
    private mutating func nextByStart(_ store: HealthStore) throws -> [SeriesQuantity] {
        let reader = try ObjectReader(store, view.tables)
        if request.predicate.asksForCorrelations {
            try store.readCorrelated(reader)
        }
        let rows = (view.tables.byType[request.type.identifier] ?? []).filter {
            request.predicate.mayMatch(view.tables.sources[$0.source])
        }
        let readers = Dictionary(rows.map { ($0.series, reader.samples(of: $0)) }) { first, _ in first }
        let needsSample = request.includesSample || request.predicate != .always(true)
        var page = [SeriesQuantity]()
        var isFull = false
        let size = size
        try scan(rows, range, series.lastingTo, needsSample ? .all : Self.columns) { batch in
            guard let sampleReader = readers[batch.series.rawValue] else { return true }
            if needsSample { try reader.prepare(metadata: (0..<batch.count).lazy.map { batch.metadata[$0] }) }
            for place in 0..<batch.count {
                let one = batch[place]
                if page.count >= size, page.last?.start != one.start {
                    isFull = true
                    return false
                }
                if let found = try quantity(batch, place, sampleReader, needsSample) { page.append(found) }
            }
            return true
        }
        isOver = !isFull
        if let last = page.last?.start { range.start = last + 1 }
        return page
    }

    /// Returns the quantity of a row, if it matches the request.
    private func quantity(
        _ batch: SampleBatch, _ place: Int, _ sampleReader: SampleReader, _ needsSample: Bool
    ) throws -> SeriesQuantity? {
        let mark = batch.metadata[place]
        if mark < 0 {
            guard let object = series.byMark[mark] else { return nil }
            return SeriesQuantity(batch[place], sampleReader.unit, request.includesSample ? object : nil)
        }
        if !needsSample { return SeriesQuantity(batch[place], sampleReader.unit, nil) }
        let own = try sampleReader.sample(
            batch[place], batch.identities[place], provenance: batch.provenance[place], metadata: mark)
        guard request.predicate.matches(own) else { return nil }
        return SeriesQuantity(batch[place], sampleReader.unit, request.includesSample ? own as? HKQuantitySample : nil)
    }

    // MARK: - Sample by sample

    private mutating func nextBySample(_ store: HealthStore) throws -> [SeriesQuantity] {
        var page = [SeriesQuantity]()
        while page.count < size {
            if waiting.isEmpty {
                waiting = try samples?.next(store)?[...] ?? []
                if waiting.isEmpty {
                    isOver = true
                    return page
                }
            }
            guard let sample = waiting.first as? HKQuantitySample else {
                waiting.removeFirst()
                continue
            }
            guard let object = series.byIdentity[SampleIdentity(sample.uuid)] else {
                waiting.removeFirst()
                if let only = SeriesQuantity(sample, includesSample: request.includesSample) { page.append(only) }
                continue
            }
            try addRows(of: object, request.includesSample ? sample : nil, to: &page)
        }
        return page
    }

    /// Adds quantities of a series until the page is full; at their end, continues with the next sample.
    private mutating func addRows(
        of object: SavedObjectRow, _ sample: HKQuantitySample?, to page: inout [SeriesQuantity]
    ) throws {
        let record = try QuantitySeriesRecord(object.body)
        let source = try view.tables.provenance(object.provenance)?.source
        let mark = QuantitySeriesRecord.mark(of: object.id)
        let rows = (view.tables.byType[object.type] ?? []).filter { $0.unit == record.unit && $0.source == source }
        let unit = HKUnit.stored(record.unit)
        let range = TimeRange(max(resume, object.rowRange.start), object.rowRange.end)
        var (found, isFull) = (page, false)
        let size = size
        page = []
        try scan(rows, range, .min, Self.columns) { batch in
            for place in 0..<batch.count where batch.metadata[place] == mark {
                if found.count >= size {
                    isFull = true
                    return false
                }
                found.append(SeriesQuantity(batch[place], unit, sample))
            }
            return true
        }
        page = found
        if isFull, let last = page.last {
            // Starts are unique within a series.
            resume = last.start + 1
        } else {
            resume = .min
            waiting.removeFirst()
        }
    }

    private static let columns: SampleColumns = [.starts, .ends, .values, .metadata]

    /// Scans series in order of time.
    private func scan(
        _ series: [HealthSeriesRow], _ range: TimeRange, _ lastingTo: Int64, _ columns: SampleColumns,
        _ body: (SampleBatch) throws -> Bool
    ) throws {
        // The tables may contain a series that is newer than the snapshot.
        let ids = series.map { SeriesID(rawValue: $0.series) }.filter { view.snapshot.count(of: $0) > 0 }
        if ids.isEmpty || range.isEmpty { return }
        var failure: (any Error)?
        var wanted = RunScan(range, columns)
        wanted.instant = lastingTo
        try view.snapshot.scan(ids, wanted) { batch throws(StoreError) in
            do {
                return try body(batch)
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}

/// The series objects that match a request.
private struct MatchingSeries: Sendable {
    /// By the mark in their rows' metadata column.
    private(set) var byMark: [Int64: HKQuantitySample] = [:]
    private(set) var byIdentity: [SampleIdentity: SavedObjectRow] = [:]
    /// The range of the starts of matching samples, and of quantities of matching series.
    private(set) var range = TimeRange.all
    /// The instant up to which samples must extend: a sample that starts before it and ends at or before it does not
    /// match.
    private(set) var lastingTo = Int64.min
    private static let page = 512

    init(_ request: SeriesRequest, _ view: HealthView, _ store: HealthStore) throws {
        let window = SearchWindow(request.predicate)
        range = window.range
        lastingTo = window.lastingTo
        if view.tables.rows.lastSavedObject == 0 || range.isEmpty { return }
        let reader = try ObjectReader(store, view.tables)
        if request.predicate.asksForCorrelations {
            try store.readCorrelated(reader)
        }
        var wanted = SavedObjectRequest(
            type: request.type.identifier, start: window.range.start...window.range.end - 1,
            lastingTo: window.lastingTo, limit: Self.page)
        while true {
            let rows = try store.catalog([SavedObjectRow]()) { [wanted] in
                try HealthCatalog.savedObjects(wanted, asOf: view.snapshot.sequence, $0)
            }
            for row in rows where row.kind == SavedObjectKind.quantitySeries.rawValue {
                guard let sample = try reader.outline(row) as? HKQuantitySample, request.predicate.matches(sample)
                else { continue }
                add(row, sample, isBySample: request.isBySample)
            }
            if rows.count < Self.page { return }
            wanted.after = rows.last
        }
    }

    private mutating func add(_ row: SavedObjectRow, _ sample: HKQuantitySample, isBySample: Bool) {
        if isBySample {
            byIdentity[SampleIdentity(row.uuid)] = row
            return
        }
        byMark[QuantitySeriesRecord.mark(of: row.id)] = sample
        range = TimeRange(min(range.start, row.rowRange.start), max(range.end, row.rowRange.end))
        lastingTo = min(lastingTo, row.start)
    }

    /// Finds the series of one sample.
    init(_ sample: HKQuantitySample, _ view: HealthView, _ store: HealthStore) throws {
        let identity = SampleIdentity(sample.uuid)
        let found = try store.catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [identity.bytes], asOf: view.snapshot.sequence, $0)
        }
        if let row = found.first.flatMap({ $0 }), row.kind == SavedObjectKind.quantitySeries.rawValue {
            byIdentity[identity] = row
        }
    }
}
