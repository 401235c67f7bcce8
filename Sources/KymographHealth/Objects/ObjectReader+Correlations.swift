// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

extension ObjectReader {
    /// Returns an object with its parts: a correlation with its remaining members, a document as the reader returns it.
    ///
    /// - Complexity: a search by start for each member.
    func whole(_ outline: HKSample, _ row: SavedObjectRow, _ view: HealthView) throws -> HKSample {
        if let document = outline as? HKCDADocumentSample { return document.showing(documents) }
        guard let correlation = outline as? HKCorrelation else { return outline }
        var members: Set<HKSample> = []
        for member in try CorrelationRecord.members(row.body) {
            if let sample = try self.member(member, view) { members.insert(sample) }
        }
        return HKCorrelation(
            header: correlation.header, type: correlation.correlationType, start: correlation.startDate,
            end: correlation.endDate, objects: members)
    }

    private func member(_ member: CorrelationRecord.Member, _ view: HealthView) throws -> HKSample? {
        for row in view.tables.byType[member.type] ?? [] {
            let series = SeriesID(rawValue: row.series)
            if view.snapshot.count(of: series) == 0 { continue }
            var found: (sample: Sample, provenance: Int64, metadata: Int64)?
            try view.snapshot.scan(
                [series], over: TimeRange(member.start, member.start &+ 1), columns: .all
            ) { batch throws(StoreError) in
                for place in 0..<batch.count where batch.identity(at: place) == member.identity {
                    found = (batch[place], batch.provenance[place], batch.metadata[place])
                }
                return found == nil
            }
            guard let found else { continue }
            try prepare(metadata: CollectionOfOne(found.metadata))
            return try samples(of: row).sample(
                found.sample, member.identity, provenance: found.provenance, metadata: found.metadata)
        }
        return nil
    }
}
