// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel
public import Kymograph

extension HealthStore {
    /// Merges the store's files, and removes the bytes of what was deleted: of samples, and of correlations, series and
    /// electrocardiograms, of which identity, type and time stay, so that feeds can tell that they went.
    ///
    /// Without it they go when they are `StoreOptions.erasureAge` old. What snapshots that are held now still see stays
    /// until the next compaction or the age; see ``TimeSeriesStore/compact(progress:)``, which merges.
    /// - Parameter progress: called now and then; returns whether to go on.
    /// - Throws: what `TimeSeriesStore.compact` throws; `corrupt`.
    /// - Complexity: that of the merges, O(deleted objects), and a look at all imported correlations and the identities
    ///   of their members' types.
    @discardableResult
    public func compact(
        progress: ((CompactionProgress) -> Bool)? = nil
    ) throws(HealthStoreError) -> CompactionReport {
        try eraseNow()
        return try inEngine { () throws(StoreError) in try engine.compact(progress: progress) }
    }

    /// Objects that are erased in one commit.
    private static var page: Int { 512 }

    /// Empties what died, and removes the elements that died with it.
    ///
    /// - Parameters:
    ///   - seq: the last commit whose dead are meant.
    ///   - first: the commit before the first one.
    func eraseObjects(upTo seq: Int64, after first: Int64) throws(HealthStoreError) {
        var last: Int64 = 0
        while true {
            let after = last
            let rows = try catalog([SavedObjectRow]()) {
                try HealthCatalog.deadSavedObjects(after: first, upTo: seq, from: after, limit: Self.page, $0)
            }
            guard let end = rows.last else { break }
            last = end.id
            var erased: [(id: Int64, body: [UInt8])] = []
            var newest: Int64 = 0
            for row in rows {
                guard let body = try row.erasedBody, body != row.body || row.metadata != 0 else { continue }
                erased.append((row.id, body))
                newest = max(newest, row.died ?? 0)
            }
            let bodies = erased
            if bodies.isEmpty { continue }
            try commit(horizon: newest) { transaction in
                for one in bodies {
                    try HealthCatalog.rewrite(savedObject: one.id, body: one.body, metadata: 0, transaction)
                }
            }
        }
        guard try catalog(false, { try HealthCatalog.hasDeadObjects(upTo: seq, $0) }) else { return }
        try commit { _ = try HealthCatalog.removeElements(diedUpTo: seq, $0) }
    }

    /// Removes the elements of correlations of which a member was deleted: they say what the member said. The
    /// correlation stays, and knows by the element's digest what it was.
    func eraseElements() throws(HealthStoreError) {
        let view = try view()
        let outdated = try outdatedElements(in: view.snapshot) { type in
            (view.tables.byType[type] ?? []).map { SeriesID(rawValue: $0.series) }
        }
        if outdated.subtracting([CorrelationBody.Element.erased]).isEmpty { return }
        // What came since may have brought a deleted member back.
        let seq = view.snapshot.sequence
        try commit { transaction in
            var rewritten: [(row: SavedObjectRow, body: CorrelationBody, object: Int64)] = []
            let kind = SavedObjectKind.correlation.rawValue
            try HealthCatalog.eachSavedObject(kind: kind, transaction) { row in
                let body = try CorrelationBody(row.body)
                guard row.born <= seq, row.died == nil, let element = body.element,
                    element.object != CorrelationBody.Element.erased, outdated.contains(element.object)
                else { return }
                let left = CorrelationBody.Element(object: CorrelationBody.Element.erased, digest: element.digest)
                rewritten.append((row, CorrelationBody(members: body.members, element: left), element.object))
            }
            for one in rewritten {
                try HealthCatalog.rewrite(
                    savedObject: one.row.id, body: one.body.bytes, metadata: one.row.metadata, transaction)
            }
            try HealthCatalog.remove(objects: rewritten.map(\.object), transaction)
        }
    }

    /// Commits what erases.
    ///
    /// - Parameter horizon: the newest commit of those whose dead are erased.
    func commit(
        horizon: Int64 = 0, _ body: @escaping @Sendable (CatalogTransaction) throws -> Void
    ) throws(HealthStoreError) {
        do {
            try engine.write { _ in
                var batch = WriteBatch()
                batch.horizon = horizon
                batch.makesRoom = true
                batch.inCommit = { transaction, _ in try body(transaction) }
                return batch
            }
        } catch let error as HealthStoreError {
            throw error
        } catch let error as StoreError {
            throw HealthStoreError(error)
        } catch {
            throw HealthStoreError(.corrupt, "\(error)")
        }
    }
}

extension SavedObjectRow {
    /// What stays of an object that is erased: bytes of its kind that say nothing. Nil for a kind that nobody knows.
    fileprivate var erasedBody: [UInt8]? {
        get throws(HealthStoreError) {
            switch SavedObjectKind(rawValue: kind) {
            case .correlation: return CorrelationBody(members: []).bytes
            case .quantitySeries:
                // How many they were, and the identities, tell a feed which quantities went with it.
                let record = try QuantitySeriesRecord(body)
                var summary = record.summary
                for number: WritableKeyPath<QuantitySeriesSummary, Double> in [
                    \.sum, \.minimum, \.maximum, \.average, \.mostRecent,
                ] { summary[keyPath: number] = .nan }
                return QuantitySeriesRecord(
                    unit: record.unit, summary: summary, firstIdentity: record.firstIdentity
                ).body
            case .heartbeatSeries: return HeartbeatRecord([HeartbeatRecord.Beat]()).body
            case .electrocardiogram:
                let head = ElectrocardiogramRecord.Head(
                    count: 0, frequency: 1, classification: .notSet, symptoms: .notSet, averageHeartRate: nil)
                return ElectrocardiogramRecord(head, []).body
            case nil: return nil
            }
        }
    }
}
