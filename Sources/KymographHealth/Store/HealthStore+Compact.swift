// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel
public import Kymograph

extension HealthStore {
    /// Merges the store's files, and removes the bytes of deleted samples, correlations, series and electrocardiograms.
    /// Identity, type and time of deleted objects remain for change feeds.
    ///
    /// Without compaction, the bytes are removed once they are `StoreOptions.erasureAge` old. Data that a current
    /// snapshot still sees remains until the next compaction or until that age. `TimeSeriesStore.compact(progress:)`
    /// does the merge.
    /// - Parameter progress: called repeatedly; returns false to cancel.
    /// - Throws: the errors of `TimeSeriesStore.compact`; `corrupt`.
    /// - Complexity: that of the merges, O(deleted objects), and a scan of all imported correlations and of the
    ///   identities of their members' types.
    @discardableResult
    public func compact(
        progress: ((CompactionProgress) -> Bool)? = nil
    ) throws(HealthStoreError) -> CompactionReport {
        try eraseNow()
        return try inEngine { () throws(StoreError) in try engine.compact(progress: progress) }
    }

    /// The number of objects that one commit erases.
    private static var page: Int { 512 }

    /// Erases the bodies of deleted objects, and removes the elements deleted with them.
    ///
    /// - Parameters:
    ///   - seq: the last commit whose deletions are erased.
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
            for row in rows where !row.isPruned {
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

    /// Removes the elements of correlations with a deleted member, because the elements contain the member's values.
    /// The correlation remains, with the digest of its element.
    func eraseElements() throws(HealthStoreError) {
        let view = try view()
        let outdated = try outdatedElements(in: view.snapshot) { type in
            (view.tables.byType[type] ?? []).map { SeriesID(rawValue: $0.series) }
        }
        if outdated.subtracting([CorrelationBody.Element.erased]).isEmpty { return }
        // Later commits may have restored a deleted member.
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

    /// Commits an erasure.
    ///
    /// - Parameter horizon: the newest commit whose deletions are erased.
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
        } catch {
            throw HealthStoreError(any: error)
        }
    }
}

extension SavedObjectRow {
    /// The body of an erased object: an empty body of its kind. Nil for an unknown kind.
    fileprivate var erasedBody: [UInt8]? {
        get throws(HealthStoreError) {
            switch SavedObjectKind(rawValue: kind) {
            case .correlation: return CorrelationBody(members: []).bytes
            case .quantitySeries:
                // The change feed derives the deleted quantities from the count and the identities.
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
            case .workout: return WorkoutRecord(WorkoutContent.erased).body
            case .workoutRoute: return RouteRecord.erased.body
            case .effort: return EffortRecord.erased.body
            case .fields:
                let known = try FieldsRecord(body).fields
                return FieldsRecord(.erased(HKObjectType.type(for: type), from: known)).body
            case nil: return nil
            }
        }
    }
}
