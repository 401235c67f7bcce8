// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// The changes since a position.
struct FeedPage {
    var added: [HKSample] = []
    var deleted: [HKDeletedObject] = []
    var position: FeedPosition
    /// Whether there are no more changes.
    var isComplete = false

    var count: Int { added.count + deleted.count }
}

extension HealthStore {
    /// Returns the changes of some types since a position: existing samples that match the predicates, and the
    /// identities of deleted samples, which are reported for any predicate.
    ///
    /// - Parameters:
    ///   - position: the end of the previous page; nil to start with all samples.
    ///   - limit: the maximum number of samples and deleted objects in the page.
    ///   - lifecycle: the query's lifecycle; reading stops when it is stopped.
    /// - Throws: `errorInvalidArgument` for a position that is no longer valid.
    /// - Complexity: O(runs + deletions + blocks with new samples).
    func feed(
        _ parts: [SampleSearch.Part], since position: FeedPosition?, limit: Int = .max, _ lifecycle: QueryLifecycle
    ) throws -> FeedPage {
        let view = try currentView()
        let access = try access(view.tables)
        if access != nil || position?.isByType ?? false {
            return try LimitedFeed(store: self, access: access, view: view, lifecycle: lifecycle)
                .page(parts, since: position, limit)
        }
        return try feed(parts, since: position, limit, lifecycle, view)
    }

    /// Returns the changes of one state of the store. See `feed(_:since:limit:_:)`.
    func feed(
        _ parts: [SampleSearch.Part], since position: FeedPosition?, _ limit: Int, _ lifecycle: QueryLifecycle,
        _ view: HealthView
    ) throws -> FeedPage {
        let run = try FeedRun(self, view, parts, position ?? FeedPosition(), limit, lifecycle)
        do {
            // Validates the position before any result, even if the page has no room for samples.
            if let anchor = position?.samples {
                _ = try engine.deletions(in: run.view.snapshot, of: [], since: anchor)
            }
            return try run.run()
        } catch let error as StoreError {
            throw HKError.anchor(error)
        }
    }

    /// Returns the position after all changes so far.
    func feedPosition() throws -> FeedPosition {
        if mode != .readWrite { try refresh() }
        return endPosition(engine.snapshot())
    }

    /// Returns whether there is no change since a position, in any process. False does not imply a change.
    ///
    /// - Complexity: a few microseconds, except for waiting on other readers of the catalog.
    func isCurrent(_ position: FeedPosition) throws(HealthStoreError) -> Bool {
        // A client with limits needs a check of its access.
        if client != nil {
            let setting = try view().tables.rows.settings[HealthCatalog.authorizationKey]
            if AuthorizationState(setting).mode != .open { return false }
        }
        let hasNews = try inEngine { () throws(StoreError) in try engine.hasNews() }
        return !hasNews && position == endPosition(engine.snapshot())
    }

    /// Returns the position after all changes up to a snapshot.
    func endPosition(_ snapshot: Snapshot) -> FeedPosition {
        var position = FeedPosition()
        position.samples = engine.anchor(at: snapshot)
        position.added = .after(snapshot.sequence)
        position.died = .after(snapshot.sequence)
        return position
    }
}

extension HKError {
    /// The place in errors about an anchor.
    static let anchorPlace = "HKQueryAnchor"

    /// Converts the error of an anchor that is no longer valid.
    static func anchor(_ error: StoreError) -> HKError {
        switch error.kind {
        case .anchorExpired, .notRetained, .invalidArgument:
            HKError(
                .errorInvalidArgument, reason: error.message, place: anchorPlace,
                advice: "query without an anchor, and replace all objects with the results")
        default: HKError(any: error)
        }
    }
}

private struct Arrival {
    let sample: HKSample
    let series: Int64
    let start: Int64
    let identity: SampleIdentity
}

/// The computation of one page.
private final class FeedRun {
    private let store: HealthStore
    let view: HealthView
    private let parts: [String: SamplePredicate]
    private let limit: Int
    private let lifecycle: QueryLifecycle
    private let reader: ObjectReader
    private var series: [Int64: HealthSeriesRow] = [:]
    private var page: FeedPage
    /// The number of samples to read at once, after a read that found only quantities of series, which are not
    /// reported.
    private var reach = 0
    private static let longestReach = 65_536
    /// The minimum number of samples created at once, even if the page has less room.
    private static let leastMade = 64
    private let isFirst: Bool
    /// The deleted series per commit and type, as a cache.
    private var dead: [DeadKey: DeadRows] = [:]

    private struct DeadKey: Hashable {
        let commit: Int64
        let type: String
    }

    init(
        _ store: HealthStore, _ view: HealthView, _ parts: [SampleSearch.Part], _ position: FeedPosition, _ limit: Int,
        _ lifecycle: QueryLifecycle
    ) throws {
        self.store = store
        self.view = view
        self.limit = limit
        self.lifecycle = lifecycle
        reader = try ObjectReader(store, view.tables)
        page = FeedPage(position: position)
        // A page that ends among the saved objects has a position without samples.
        isFirst = position.isStart && position.died.commit < 0
        let merged = try SampleSearch(parts).replacingMembers(store, view).parts
        self.parts = Dictionary(merged.map { ($0.type.identifier, $0.predicate) }) { first, _ in first }
        for part in merged {
            // The tables may contain a series that is newer than the snapshot.
            for row in view.tables.byType[part.type.identifier] ?? []
            where view.snapshot.has(SeriesID(rawValue: row.series))
                && part.predicate.mayMatch(view.tables.sources[row.source])
            {
                series[row.series] = row
            }
        }
        if merged.contains(where: { $0.predicate.asksForCorrelations }) {
            try store.readCorrelated(reader)
        }
    }

    private var left: Int { limit - page.count }

    func run() throws -> FeedPage {
        if try objects(), try samples() { page.isComplete = true }
        return page
    }

    // MARK: - Saved objects

    /// Adds deleted and new saved objects to the page; returns whether these are all.
    private func objects() throws -> Bool {
        let last = view.snapshot.sequence
        if view.tables.rows.lastSavedObject == 0 || page.position.added == .after(last) {
            (page.position.added, page.position.died) = (.after(last), .after(last))
            return true
        }
        let types = Set(parts.keys)
        // A first query does not report earlier deletions.
        if isFirst { page.position.died = .after(last) }
        while page.position.died != .after(last) {
            let (place, wanted) = (page.position.died, min(left, 512))
            if wanted <= 0 || lifecycle.isStopped { return false }
            let rows = try store.catalog([SavedObjectRow]()) {
                try HealthCatalog.savedObjects(
                    types: types, diedAfter: (place.commit, place.id), upTo: last, limit: wanted, $0)
            }
            for row in rows {
                let source = try view.tables.provenance(row.provenance).flatMap { view.tables.sources[$0.source] }
                if !row.isPruned, parts[row.type]?.mayMatch(source) ?? false, try reader.mayRead(row) {
                    page.deleted.append(HKDeletedObject(uuid: SampleIdentity(row.uuid).uuid, metadata: nil))
                }
                page.position.died = FeedPosition.Place(commit: row.died ?? last, id: row.id)
            }
            if rows.count < wanted { page.position.died = .after(last) }
        }
        while page.position.added != .after(last) {
            let (place, wanted) = (page.position.added, min(left, 512))
            if wanted <= 0 || lifecycle.isStopped { return false }
            let rows = try store.catalog([SavedObjectRow]()) {
                try HealthCatalog.savedObjects(
                    types: types, bornAfter: (place.commit, place.id), upTo: last, limit: wanted, $0)
            }
            for row in rows {
                page.position.added = FeedPosition.Place(commit: row.born, id: row.id)
                if try !reader.mayRead(row) { continue }
                let outline = try reader.outline(row)
                guard parts[row.type]?.matches(outline) ?? false else { continue }
                page.added.append(try reader.whole(outline, row, view))
            }
            if rows.count < wanted { page.position.added = .after(last) }
        }
        return true
    }

    // MARK: - Samples

    /// Adds deleted and new samples to the page; returns whether these are all.
    private func samples() throws -> Bool {
        let ids = series.keys.sorted().map { SeriesID(rawValue: $0) }
        while true {
            let begun = page.position.samples
            if let begun, !begun.isInside {
                guard try deletions(ids, since: begun) else { return false }
                if begun.sequence == view.snapshot.sequence { return true }
            }
            if left <= 0 || lifecycle.isStopped { return false }
            if try samples(ids, since: begun) { return true }
            if lifecycle.isStopped { return false }
        }
    }

    /// Adds deletions to the page; returns whether these are all.
    private func deletions(_ ids: [SeriesID], since anchor: ChangeAnchor) throws -> Bool {
        var place = 0
        for deletion in try store.engine.deletions(in: view.snapshot, of: ids, since: anchor) {
            if left <= 0 || lifecycle.isStopped { return false }
            for identity in try identities(deletion) {
                defer { place += 1 }
                if place < page.position.deletions { continue }
                if left <= 0 { return false }
                page.deleted.append(HKDeletedObject(uuid: identity.uuid, metadata: nil))
                page.position.deletions += 1
            }
        }
        return true
    }

    /// Returns the identities of a deletion, without quantities of series, which are not objects of their own. A
    /// deletion of a time range has no list; its identities are read from the state before the deletion.
    ///
    /// Under a limited history deletions of samples before the limit are left out: their client never saw the samples.
    /// If the earlier state is erased, the starts decide in place of the ends.
    private func identities(_ deletion: ChangedDeletion) throws -> [SampleIdentity] {
        let dead = try deadRows(deletion)
        let limit = limit(of: deletion.series.rawValue)
        let listed = deletion.samples.map { dead.isEmpty ? $0 : $0.filter { !dead.has($0) } }
        if let listed, limit == nil || listed.isEmpty { return listed }
        let wanted = listed.map { Set($0) }
        // A series without other samples in its range was deleted by range.
        let isSeries = dead.ranges.contains(deletion.range)
        var found = [SampleIdentity]()
        do throws(StoreError) {
            let before = try store.engine.snapshot(view.snapshot, asOf: deletion.commit - 1)
            try before.scan([deletion.series], over: deletion.range, columns: [.starts, .ends, .identity, .metadata]) {
                batch throws(StoreError) in
                for place in 0..<batch.count where batch.metadata[place] >= 0 {
                    if let limit, batch.end(at: place) < limit { continue }
                    guard let identity = batch.identity(at: place) else { continue }
                    if wanted?.contains(identity) ?? true { found.append(identity) }
                }
                return true
            }
        } catch {
            if let listed, let limit, error.kind == .notRetained {
                if deletion.range.end <= limit { return [] }
                if deletion.range.start >= limit { return listed }
            }
            if !isSeries { throw error }
        }
        return found
    }

    /// Returns the earliest end of readable samples of a series; nil without a limit.
    private func limit(of series: Int64) -> Int64? {
        guard let access = reader.access, let row = view.tables.bySeries[series],
            !SamplePredicate.sources([access.client]).mayMatch(view.tables.sources[row.source]),
            case .since(let first) = access.readingSamples(HKObjectType.type(for: row.type))
        else { return nil }
        return StoredTime.nanoseconds(first) ?? (first.timeIntervalSinceReferenceDate < 0 ? .min : .max)
    }

    /// Returns the quantities of series that a commit deleted, for the type of one of its deletions.
    private func deadRows(_ deletion: ChangedDeletion) throws -> DeadRows {
        guard view.tables.rows.lastSavedObject > 0, let row = view.tables.bySeries[deletion.series.rawValue] else {
            return DeadRows()
        }
        let key = DeadKey(commit: deletion.commit, type: row.type)
        if let known = dead[key] { return known }
        let rows = try store.catalog([SavedObjectRow]()) {
            try HealthCatalog.savedObjects(
                types: [row.type], diedAfter: (deletion.commit - 1, .max), upTo: deletion.commit, limit: .max, $0)
        }
        var found = DeadRows()
        for row in rows where row.kind == SavedObjectKind.quantitySeries.rawValue {
            found.add(row.rowRange, try QuantitySeriesRecord(row.body))
        }
        found.sort()
        dead[key] = found
        return found
    }

    /// Adds new samples to the page, up to the limit; returns whether these are all.
    private func samples(_ ids: [SeriesID], since begun: ChangeAnchor?) throws -> Bool {
        let room = left
        var returned = Set(page.position.returned)
        var found = [Arrival]()
        var readers: [Int64: SampleReader] = [:]
        let request = ChangeRequest(of: ids, limit: max(room, reach), columns: .all)
        let next = try store.engine.changes(request, since: begun, in: view.snapshot, onDeletions: { _ in }) { batch in
            guard let row = series[batch.series.rawValue] else { return true }
            let sampleReader = readers[row.series] ?? reader.samples(of: row)
            readers[row.series] = sampleReader
            var next = 0
            // Samples beyond the page are not created: with many equal starts, each page would create all of them.
            while next < batch.count, found.count <= room {
                let most = max(Self.leastMade, room - found.count)
                let places = Self.unreturned(batch, next, most, &returned)
                next = places.upperBound
                if places.isEmpty { continue }
                let made = try sampleReader.samples(batch.part(places), .min)
                for (sample, start) in zip(made.samples, made.starts) where parts[row.type]?.matches(sample) ?? false {
                    let identity = SampleIdentity(sample.uuid)
                    found.append(Arrival(sample: sample, series: row.series, start: start, identity: identity))
                }
            }
            return !lifecycle.isStopped
        }
        reach = found.isEmpty ? min(Self.longestReach, 4 * max(reach, min(room, Self.longestReach))) : 0
        if found.count <= room {
            page.added += found.map(\.sample)
            page.position.samples = next.anchor
            page.position.returned = []
            page.position.deletions = 0
            return next.isComplete
        }
        // Samples with the same start exceed the page: the next page starts with them, and its position lists the
        // reported ones.
        let (place, start) = (found[room].series, found[room].start)
        let given = found[..<room]
        page.added += given.map(\.sample)
        let before = given.filter { $0.series == place && $0.start == start }.map(\.identity)
        let rewound = next.anchor.rewound(from: begun, before: start, of: SeriesID(rawValue: place))
        // An earlier page may have ended among samples with the same start.
        page.position.returned = rewound == begun ? page.position.returned + before : before
        page.position.samples = rewound
        page.position.deletions = 0
        return false
    }

    /// Returns the next range of a batch without reported samples, of at most `most` places; skips reported samples at
    /// its start.
    private static func unreturned(
        _ batch: SampleBatch, _ begin: Int, _ most: Int, _ returned: inout Set<SampleIdentity>
    ) -> Range<Int> {
        func wasReturned(_ place: Int) -> Bool { batch.identity(at: place).map(returned.contains) ?? false }
        var first = begin
        if !returned.isEmpty {
            while first < batch.count, let identity = batch.identity(at: first), returned.remove(identity) != nil {
                first += 1
            }
        }
        let end = first + min(most, batch.count - first)
        if returned.isEmpty { return first..<end }
        return first..<((first..<end).first(where: wasReturned) ?? end)
    }
}
