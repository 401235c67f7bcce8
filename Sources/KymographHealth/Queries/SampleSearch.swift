// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Foundation
import HealthCatalog
import HealthModel

/// What a predicate says about where to look: only what starts in a range and lasts to an instant can match.
struct SearchWindow: Equatable {
    /// Where matching samples start.
    var range = TimeRange.all
    /// Samples that start before it and end with it or before do not match.
    var lastingTo = Int64.min

    static let all = SearchWindow()
    static let none = SearchWindow(range: TimeRange(0, 0))

    init(range: TimeRange = .all, lastingTo: Int64 = .min) {
        self.range = range
        self.lastingTo = lastingTo
    }

    /// The window of a predicate; never narrower than what it matches.
    init(_ predicate: SamplePredicate) {
        switch predicate {
        case .always(let all): self = all ? .all : .none
        case .and(let parts):
            self = parts.map { SearchWindow($0) }.reduce(.all) {
                SearchWindow(
                    range: TimeRange(max($0.range.start, $1.range.start), min($0.range.end, $1.range.end)),
                    lastingTo: max($0.lastingTo, $1.lastingTo))
            }
        case .or(let parts):
            let windows = parts.map { SearchWindow($0) }.filter { !$0.range.isEmpty }
            guard let first = windows.first else {
                self = .none
                return
            }
            self = windows.dropFirst().reduce(first) {
                SearchWindow(
                    range: TimeRange(min($0.range.start, $1.range.start), max($0.range.end, $1.range.end)),
                    lastingTo: min($0.lastingTo, $1.lastingTo))
            }
        case .time(let start, let end, let options): self.init(start, end, options)
        default: self = .all
        }
    }

    /// Of a sample that overlaps a window of time, or whose start or end lies in it.
    private init(_ start: Date?, _ end: Date?, _ options: HKQueryOptions) {
        if let start, let end, end <= start {
            self = .none
            return
        }
        // Whatever is asked of the end, the start comes before it.
        if let end { range.end = Self.bound(end, up: true) }
        guard let start else { return }
        let first = Self.bound(start, up: false)
        if options.contains(.strictStartDate) { range.start = first }
        // One that ends at the very start may be meant.
        // An end that is open lasts to any time.
        if first >= StoredTime.openEnd { return }
        lastingTo = options.contains(.strictEndDate) ? max(first, .min + 1) - 1 : first
    }

    /// Nanoseconds that a stored time may be away from its date: half of what a date tells apart in the year 2262.
    private static let margin: Int64 = 1_000

    /// The range of what starts between two times, or is read as a date that does.
    static func around(_ first: Int64, _ last: Int64) -> TimeRange {
        TimeRange(max(first, .min + margin) - margin, min(last, .max - margin - 1) + margin + 1)
    }

    /// A nanosecond that surely does not come after, or before, a date.
    private static func bound(_ date: Date, up: Bool) -> Int64 {
        if let exact = StoredTime.nanoseconds(date) { return up ? exact + margin : exact - margin }
        return date.timeIntervalSinceReferenceDate < 0 ? .min : .max
    }
}

/// Which samples of one type are looked for, and in which order.
struct SampleSearch: Sendable {
    let type: HKSampleType
    let predicate: SamplePredicate
    /// Descending by start.
    var backward = false
    /// The most samples.
    var limit = Int.max
}

extension HealthStore {
    /// Gives the samples of a search in order of their starts, batch by batch.
    ///
    /// - Parameter body: takes some samples and says whether it wants more.
    /// - Complexity: reads the blocks of the time, sources and units that the predicate leaves.
    func search(
        _ search: SampleSearch, explain explanation: QueryExplanation? = nil, _ body: ([HKSample]) throws -> Bool
    ) throws {
        if search.limit <= 0 { return }
        if mode != .readWrite { try refresh() }
        let view = try view()
        let window = SearchWindow(search.predicate)
        if window.range.isEmpty { return }
        let reader = ObjectReader(self, view.tables)
        if search.predicate.asksForCorrelations {
            reader.correlated = try catalog(Set<SampleIdentity>()) { try CorrelationRecord.allMembers($0) }
        }
        // The tables may know a series that is newer than the snapshot.
        let ids = (view.tables.byType[search.type.identifier] ?? []).filter { row in
            view.snapshot.count(of: SeriesID(rawValue: row.series)) > 0
                && search.predicate.mayMatch(view.tables.sources[row.source])
        }
        if ids.isEmpty { return }
        let makers = Dictionary(ids.map { ($0.series, reader.samples(of: $0)) }) { first, _ in first }
        var left = search.limit
        var failure: (any Error)?
        try view.snapshot.scan(
            ids.map { SeriesID(rawValue: $0.series) }, over: window.range, lastingTo: window.lastingTo, columns: .all,
            order: search.backward ? .backward : .forward, explain: explanation
        ) { batch throws(StoreError) in
            do {
                var found = try makers[batch.series.rawValue]?.samples(batch, window.lastingTo) ?? []
                if search.predicate != .always(true) { found.removeAll { !search.predicate.matches($0) } }
                if found.count > left { found.removeLast(found.count - left) }
                left -= found.count
                let wantsMore = found.isEmpty ? true : try body(found)
                return wantsMore && left > 0
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}

extension SamplePredicate {
    /// Whether it matters which samples are members of correlations.
    var asksForCorrelations: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains { $0.asksForCorrelations }
        case .not(let part): part.asksForCorrelations
        case .withoutCorrelation: true
        default: false
        }
    }

    /// Whether an object of a source may match; false only if none can.
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
