// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// The saved objects of a search, such as correlations, in the order of the search, read page by page.
struct ObjectPages {
    private let store: HealthStore
    private let view: HealthView
    private let reader: ObjectReader
    private let search: SampleSearch
    private let window: SearchWindow
    /// Objects that were read and not yet returned, the next one first.
    private var ready = FoundSamples()
    private var next = 0
    /// The types with possibly more objects, and the position of each.
    private var streams: [Stream]

    private struct Stream {
        let part: SampleSearch.Part
        var last: SavedObjectRow?
        /// The ids of the remaining possible results, if an index knows them.
        var candidates: ArraySlice<Int64>?
        var waiting: ArraySlice<(row: SavedObjectRow, sample: HKSample)> = []
        var isOver = false
    }

    private static let page = 512
    /// The number of candidates of an index to read at once. Most of them are results.
    private static let candidatePage = 64

    init(_ store: HealthStore, _ view: HealthView, _ reader: ObjectReader, _ search: SampleSearch) throws {
        self.store = store
        self.view = view
        self.reader = reader
        self.search = search
        window = search.window
        let mayHave = view.tables.rows.lastSavedObject > 0
        let window = window
        streams = try (mayHave ? search.parts : []).map { part in
            var stream = Stream(part: part)
            // The index knows values that the client may not read.
            let isHidden = reader.access?.mayHideValues(in: part.predicate) ?? false
            if !isHidden { stream.candidates = try store.workouts(part, window, backward: search.backward, view)?[...] }
            return stream
        }
    }

    /// Returns sorted samples merged with the objects up to an instant.
    mutating func merge(_ found: FoundSamples, upTo last: Int64) throws -> FoundSamples {
        if streams.isEmpty { return found }
        var all = FoundSamples()
        var place = 0
        while let (sample, start) = try peek(), search.backward ? start >= last : start <= last {
            while place < found.starts.count,
                search.backward ? found.starts[place] >= start : found.starts[place] <= start
            {
                all.append(found.samples[place], found.starts[place])
                place += 1
            }
            all.append(sample, start)
            take()
        }
        if all.samples.isEmpty { return found }
        all.samples += found.samples[place...]
        all.starts += found.starts[place...]
        return all
    }

    /// Returns some of the remaining objects; empty at the end.
    mutating func rest() throws -> FoundSamples {
        var all = FoundSamples()
        while all.samples.count < Self.page, let (sample, start) = try peek() {
            all.append(sample, start)
            take()
        }
        return all
    }

    /// The index of the stream with the next object.
    private var best: Int? {
        streams.indices.filter { !streams[$0].waiting.isEmpty }.min { a, b in
            guard let (one, other) = streams[a].waiting.first.flatMap({ a in streams[b].waiting.first.map { (a, $0) } })
            else { return false }
            let (x, y) = ((one.row.start, one.row.id), (other.row.start, other.row.id))
            return search.backward ? x > y : x < y
        }
    }

    private mutating func peek() throws -> (sample: HKSample, start: Int64)? {
        for at in streams.indices { try fill(at) }
        return best.flatMap { streams[$0].waiting.first }.map { ($0.sample, $0.row.start) }
    }

    private mutating func take() {
        if let best { streams[best].waiting.removeFirst() }
    }

    /// Reads the next page of a stream without waiting objects.
    private mutating func fill(_ at: Int) throws {
        while streams[at].waiting.isEmpty, !streams[at].isOver {
            let part = streams[at].part
            for row in try nextRows(&streams[at]) {
                guard part.predicate.mayMatch(try source(row)), try reader.mayRead(row) else { continue }
                let outline = try reader.outline(row)
                guard part.predicate.matches(outline) else { continue }
                streams[at].waiting.append((row, try reader.whole(outline, row, view)))
            }
        }
    }

    private func nextRows(_ stream: inout Stream) throws -> [SavedObjectRow] {
        let sequence = view.snapshot.sequence
        if let left = stream.candidates {
            let ids = Array(left.prefix(Self.candidatePage))
            stream.candidates = left.dropFirst(ids.count)
            stream.isOver = left.count == ids.count
            let rows = try store.catalog([SavedObjectRow]()) { try HealthCatalog.savedObjects(ids: ids, $0) }
            return rows.filter { $0.born <= sequence && ($0.died.map { $0 > sequence } ?? true) }
        }
        let request = SavedObjectRequest(
            type: stream.part.type.identifier,
            start: window.range.start...(window.range.end == .max ? .max : window.range.end - 1),
            lastingTo: window.lastingTo, backward: search.backward, after: stream.last, limit: Self.page)
        let rows = try store.catalog([SavedObjectRow]()) {
            try HealthCatalog.savedObjects(request, asOf: sequence, $0)
        }
        stream.isOver = rows.count < Self.page
        stream.last = rows.last
        return rows
    }

    private func source(_ row: SavedObjectRow) throws(HealthStoreError) -> SourceRow? {
        try view.tables.provenance(row.provenance).flatMap { view.tables.sources[$0.source] }
    }
}
