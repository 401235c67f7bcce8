// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

struct SampleSearch: Sendable {
    /// A type, and a predicate for its samples.
    struct Part: Sendable {
        let type: HKSampleType
        let predicate: SamplePredicate
    }

    /// The parts, one per type.
    private(set) var parts: [Part] = []
    /// Whether the order is descending by start.
    var backward = false
    var limit = Int.max
    /// The range of the samples' starts.
    var range = TimeRange.all
    /// How much of documents is returned.
    var documents = DocumentPart.none

    init(type: HKSampleType, predicate: SamplePredicate, backward: Bool = false, limit: Int = .max) {
        parts = [Part(type: type, predicate: predicate)]
        self.backward = backward
        self.limit = limit
    }

    /// - Parameter parts: parts of the same type are alternatives.
    init(_ parts: [Part], backward: Bool = false, limit: Int = .max) {
        for part in parts {
            if let at = self.parts.firstIndex(where: { $0.type.identifier == part.type.identifier }) {
                let both = SamplePredicate.or([self.parts[at].predicate, part.predicate])
                self.parts[at] = Part(type: part.type, predicate: both)
            } else {
                self.parts.append(part)
            }
        }
        self.backward = backward
        self.limit = limit
    }

    /// Returns the parts of a descriptor's predicates.
    ///
    /// - Throws: `errorInvalidArgument` for an unreadable predicate.
    static func parts<Sample: HKSample>(_ predicates: [HKSamplePredicate<Sample>]) throws(HKError) -> [Part] {
        try predicates.map { one throws(HKError) in
            Part(type: one.sampleType, predicate: try one.condition.get())
        }
    }

    /// Returns the search with the samples of workouts as identities.
    func replacingMembers(_ store: HealthStore, _ view: HealthView) throws -> SampleSearch {
        var search = self
        search.parts = try parts.map {
            Part(type: $0.type, predicate: try store.resolved($0.predicate, for: $0.type, in: view))
        }
        return search
    }

    /// The time window of possible results.
    var window: SearchWindow {
        var window = SearchWindow(.or(parts.map(\.predicate)))
        window.range = TimeRange(max(window.range.start, range.start), min(window.range.end, range.end))
        return window
    }
}

/// Some samples, sorted by start.
struct FoundSamples {
    var samples: [HKSample] = []
    /// The starts in nanoseconds since 1970-01-01 UTC.
    var starts: [Int64] = []
}

extension HealthStore {
    /// Calls `body` with the samples of a search, sorted by start, batch by batch.
    ///
    /// - Parameters:
    ///   - view: the state to search; nil for the newest.
    ///   - body: receives samples, and returns whether to continue.
    /// - Complexity: reads the blocks in the time range, sources and units of the predicate.
    func search(
        _ search: SampleSearch, in view: HealthView? = nil, explain explanation: QueryExplanation? = nil,
        _ body: (FoundSamples) throws -> Bool
    ) throws {
        if search.limit <= 0 { return }
        try SearchRun(self, view ?? currentView(), search, explanation).run(body)
    }
}

private final class SearchRun {
    private let search: SampleSearch
    private let view: HealthView
    private let window: SearchWindow
    private let reader: ObjectReader
    private let explanation: QueryExplanation?
    private var objects: ObjectPages
    private var readers: [Int64: (sampleReader: SampleReader, predicate: SamplePredicate)] = [:]
    private var left: Int

    init(
        _ store: HealthStore, _ view: HealthView, _ search: SampleSearch, _ explanation: QueryExplanation?
    ) throws {
        let search = try search.replacingMembers(store, view)
        self.search = search
        self.view = view
        self.explanation = explanation
        window = search.window
        left = search.limit
        reader = try ObjectReader(store, view.tables)
        reader.documents = search.documents
        if search.parts.contains(where: { $0.predicate.asksForCorrelations }) {
            try store.readCorrelated(reader)
        }
        objects = try ObjectPages(store, view, reader, search)
    }

    func run(_ body: (FoundSamples) throws -> Bool) throws {
        if window.range.isEmpty { return }
        for part in search.parts {
            // The tables may contain a series that is newer than the snapshot.
            for row in view.tables.byType[part.type.identifier] ?? []
            where view.snapshot.count(of: SeriesID(rawValue: row.series)) > 0
                && part.predicate.mayMatch(view.tables.sources[row.source])
            {
                readers[row.series] = (reader.samples(of: row), part.predicate)
            }
        }
        var failure: (any Error)?
        var wantsMore = true
        let ids = readers.keys.sorted().map { SeriesID(rawValue: $0) }
        if !ids.isEmpty {
            var wanted = RunScan(window.range, .all, explanation)
            wanted.instant = window.lastingTo
            wanted.order = search.backward ? .backward : .forward
            try view.snapshot.scan(ids, wanted) { batch throws(StoreError) in
                do {
                    wantsMore = try give(try found(batch), body)
                } catch {
                    failure = error
                    wantsMore = false
                }
                return wantsMore
            }
        }
        if let failure { throw failure }
        while wantsMore {
            let rest = try objects.rest()
            if rest.samples.isEmpty { return }
            wantsMore = try give(rest, body)
        }
    }

    /// Returns the matching samples of a batch, and the objects before its end.
    private func found(_ batch: SampleBatch) throws -> FoundSamples {
        guard let (sampleReader, predicate) = readers[batch.series.rawValue] else { return FoundSamples() }
        var found = try sampleReader.samples(batch, window.lastingTo)
        if predicate != .always(true) { found.keep { predicate.matches($0) } }
        return try objects.merge(found, upTo: batch.start(at: batch.count - 1))
    }

    /// Calls `body` with samples up to the limit; returns whether there may be more.
    private func give(_ found: FoundSamples, _ body: (FoundSamples) throws -> Bool) throws -> Bool {
        if found.samples.isEmpty { return true }
        var found = found
        found.cut(to: left)
        left -= found.samples.count
        return try body(found) && left > 0
    }
}

extension FoundSamples {
    /// Keeps the samples that pass a test.
    mutating func keep(_ isWanted: (HKSample) -> Bool) {
        var kept = FoundSamples()
        kept.samples.reserveCapacity(samples.count)
        kept.starts.reserveCapacity(samples.count)
        for (sample, start) in zip(samples, starts) where isWanted(sample) { kept.append(sample, start) }
        self = kept
    }

    mutating func append(_ sample: HKSample, _ start: Int64) {
        samples.append(sample)
        starts.append(start)
    }

    /// Keeps the first samples.
    mutating func cut(to count: Int) {
        if samples.count <= count { return }
        samples.removeLast(samples.count - count)
        starts.removeLast(starts.count - count)
    }
}

extension SamplePredicate {
    /// Whether the predicate tests for members of correlations.
    var asksForCorrelations: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains { $0.asksForCorrelations }
        case .not(let part): part.asksForCorrelations
        case .withoutCorrelation: true
        default: false
        }
    }

    /// Returns whether an object of a source may match; false only if none can.
    func mayMatch(_ source: SourceRow?) -> Bool {
        switch self {
        case .always(let all): all
        case .and(let parts): parts.allSatisfy { $0.mayMatch(source) }
        case .or(let parts): parts.contains { $0.mayMatch(source) }
        case .sources(let sources): sources.contains(Self.source(source))
        case .revisions(let revisions): revisions.contains { $0.source == Self.source(source) }
        default: true
        }
    }

    private static func source(_ row: SourceRow?) -> HKSource {
        let name = row?.name ?? ""
        return HKSource(name: name, bundleIdentifier: row?.bundle ?? name)
    }
}
