// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// A correlation as exported: one saved by a program, or an imported one with a deleted member.
package struct ExportedCorrelation: Sendable {
    package let type: String
    /// Nanoseconds since 1970-01-01 UTC.
    package let start: Int64
    package let end: Int64
    package let created: Int64?
    package let source: String
    package let version: String?
    package let device: String?
    package let metadata: HealthMetadata
    /// The remaining members, by start.
    package let members: [HealthSample]
}

extension HealthExport {
    /// Calls `body` with the correlations that no exported element describes, sorted by start: correlations saved by
    /// programs, and imported ones with a deleted member.
    ///
    /// - Parameters:
    ///   - range: the range of the correlations' starts.
    ///   - body: receives a correlation, and returns whether to continue.
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`, and the errors of `body`.
    /// - Complexity: O(correlations), and a search for each member; memory of some bytes per correlation.
    package func correlations(range: TimeRange = .all, _ body: (ExportedCorrelation) throws -> Bool) throws {
        let (seq, outdated) = (view.snapshot.sequence, try outdated.get())
        let found = try store.catalog([(start: Int64, id: Int64)]()) { transaction in
            let kept = try HealthCatalog.allElementIDs(
                kind: ImportedElementKind.correlation.rawValue, asOf: seq, transaction)
            let elements = Set(kept).subtracting(outdated)
            var found = [(start: Int64, id: Int64)]()
            let kind = SavedObjectKind.correlation.rawValue
            try HealthCatalog.eachSavedObject(kind: kind, transaction) { row in
                guard row.born <= seq, row.died.map({ $0 > seq }) ?? true, range.contains(row.start) else { return }
                if let element = try CorrelationBody(row.body).element, elements.contains(element.object) { return }
                found.append((row.start, row.id))
            }
            return found.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
        }
        var readers: [String: HealthSampleReader] = [:]
        for one in found {
            let rows = try store.catalog([SavedObjectRow]()) { try HealthCatalog.savedObjects(ids: [one.id], $0) }
            guard let row = rows.first else { continue }
            let origin = try origin(row)
            let correlation = ExportedCorrelation(
                type: row.type, start: row.start, end: row.end, created: row.created, source: origin.source,
                version: origin.version, device: origin.device, metadata: try metadata(of: row),
                members: try CorrelationBody(row.body).members.compactMap { member throws(HealthStoreError) in
                    try record(member, &readers)
                })
            if try !body(correlation) { return }
        }
    }

    /// Returns a member as a record; nil if it was deleted.
    ///
    /// - Parameter readers: a cache, by type.
    private func record(
        _ member: CorrelationRecord.Member, _ readers: inout [String: HealthSampleReader]
    ) throws(HealthStoreError) -> HealthSample? {
        let reader =
            readers[member.type]
            ?? HealthSampleReader(store, view, HealthTypes.type(for: member.type), nil, asRecords: true)
        readers[member.type] = reader
        for part in try view.parts(of: member.type).parts where part.count > 0 {
            var found: HealthSample?
            var failure: HealthStoreError?
            try inEngine { () throws(StoreError) in
                try view.snapshot.scan(
                    [part.id], over: TimeRange(member.start, member.start &+ 1), columns: .all
                ) { batch throws(StoreError) in
                    if batch.position(of: member.identity) == nil { return true }
                    do throws(HealthStoreError) {
                        found = try reader.samples(batch).first { SampleIdentity($0.uuid) == member.identity }
                    } catch {
                        failure = error
                    }
                    return false
                }
            }
            if let failure { throw failure }
            if let found { return found }
        }
        return nil
    }
}
