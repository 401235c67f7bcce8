// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HealthCatalog
package import HealthModel

/// An object of a store with all its fields.
package struct StoredObject: Sendable {
    /// The object: a correlation with its members, a series without its quantities or beats.
    package let sample: HKSample
    /// Nanoseconds since 1970-01-01 UTC.
    package let start: Int64
    package let end: Int64
    /// The time of saving; nil if unknown.
    package let created: Int64?
    /// The metadata, in the order of writing.
    package let metadata: HealthMetadata
    /// The name of a category value. A value stored under an older name keeps that name.
    package var valueName: String?
    /// The first quantities of a series, by start, in the unit of the object.
    package var quantities: [Sample] = []
    /// The correlations of which the sample is a member, by start.
    package var correlations: [(type: String, uuid: UUID)] = []
    /// The first beats of a heartbeat series: seconds since its start, and whether preceding beats may be missing.
    package var heartbeats: [(time: Double, isAfterGap: Bool)] = []
    /// The first voltages of an electrocardiogram's first lead: seconds since its start.
    package var voltages: [(time: Double, voltage: HKQuantity)] = []
    /// The attachments, oldest first.
    package var attachments: [HKAttachment] = []
}

extension HealthStore {
    /// Returns the object with an identity; nil if there is none. The identity of a quantity in a series yields the
    /// series.
    ///
    /// - Parameter limit: the maximum number of quantities, beats or voltages to read.
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    /// - Complexity: for a saved object, one index look-up; otherwise O(samples + correlations), reading only the
    ///   identities of the samples.
    package func object(_ uuid: UUID, parts limit: Int) throws -> StoredObject? {
        let view = try currentView()
        let (identity, seq) = (SampleIdentity(uuid), view.snapshot.sequence)
        let rows = try catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [identity.bytes], asOf: seq, $0)
        }
        if let row = rows.first ?? nil {
            var found = try object(row, view, limit)
            found.attachments = try attachments(of: uuid)
            return found
        }
        for row in view.tables.rows.series {
            guard let place = try find(identity, in: row, view) else { continue }
            if place.metadata < 0 {
                let rows = try catalog([SavedObjectRow]()) {
                    try HealthCatalog.savedObjects(ids: [-max(place.metadata, -.max)], $0)
                }
                return try rows.first.map { try object($0, view, limit) }
            }
            var found = try object(identity, at: place.start, of: row, view)
            found?.correlations = try correlations(of: identity, seq)
            return found
        }
        return nil
    }

    /// Returns the correlations of which a sample is a member.
    private func correlations(
        of identity: SampleIdentity, _ seq: Int64
    ) throws(HealthStoreError) -> [(type: String, uuid: UUID)] {
        let rows = try catalog([SavedObjectRow]()) { transaction in
            var rows = [SavedObjectRow]()
            let kind = SavedObjectKind.correlation.rawValue
            try HealthCatalog.eachSavedObject(kind: kind, transaction) { row in
                guard row.born <= seq, row.died.map({ $0 > seq }) ?? true else { return }
                if try CorrelationRecord.members(row.body).contains(where: { $0.identity == identity }) {
                    rows.append(row)
                }
            }
            return rows.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
        }
        return rows.map { ($0.type, SampleIdentity($0.uuid).uuid) }
    }

    /// Returns the start and metadata row of a sample in a series; nil if it is not there.
    private func find(
        _ identity: SampleIdentity, in row: HealthSeriesRow, _ view: HealthView
    ) throws(HealthStoreError) -> (start: Int64, metadata: Int64)? {
        let series = SeriesID(rawValue: row.series)
        if view.snapshot.count(of: series) == 0 { return nil }
        var found: (start: Int64, metadata: Int64)?
        try inEngine { () throws(StoreError) in
            try view.snapshot.scan([series], over: .all, columns: [.starts, .identity, .metadata]) {
                batch throws(StoreError) in
                guard let place = batch.position(of: identity) else { return true }
                found = (batch.start(at: place), batch.metadata[place])
                return false
            }
        }
        return found
    }

    /// Returns a sample of a series as an object.
    private func object(
        _ identity: SampleIdentity, at start: Int64, of row: HealthSeriesRow, _ view: HealthView
    ) throws -> StoredObject? {
        let sampleReader = try ObjectReader(self, view.tables).samples(of: row)
        let reader = HealthSampleReader(self, view, HealthTypes.type(for: row.type), nil, asRecords: true)
        var found: StoredObject?
        var failure: (any Error)?
        try inEngine { () throws(StoreError) in
            try view.snapshot.scan(
                [SeriesID(rawValue: row.series)], over: TimeRange(start, start &+ 1), columns: .all
            ) { batch throws(StoreError) in
                if batch.position(of: identity) == nil { return true }
                do {
                    let uuid = identity.uuid
                    let record = try reader.samples(batch).first { $0.uuid == uuid }
                    let sample = try sampleReader.samples(batch, .min).samples.first { $0.uuid == uuid }
                    if let record, let sample {
                        found = StoredObject(
                            sample: sample, start: record.start, end: record.end, created: record.created,
                            metadata: record.metadata, valueName: record.valueName)
                    }
                } catch {
                    failure = error
                }
                return false
            }
        }
        if let failure { throw failure }
        return found
    }

    /// Returns a saved object.
    private func object(_ row: SavedObjectRow, _ view: HealthView, _ limit: Int) throws -> StoredObject {
        let reader = try ObjectReader(self, view.tables)
        reader.documents = .all
        let sample = try reader.whole(try reader.outline(row), row, view)
        var metadata = HealthMetadata()
        if row.metadata > 0 { metadata = try self.metadata([row.metadata])[row.metadata] ?? metadata }
        var found = StoredObject(
            sample: sample, start: row.start, end: row.end, created: row.created, metadata: metadata)
        switch SavedObjectKind(rawValue: row.kind) {
        case .quantitySeries: found.quantities = try quantities(of: row, view, limit)
        case .heartbeatSeries:
            found.heartbeats = try HeartbeatRecord(row.body).beats.prefix(max(0, limit)).map {
                ($0.time, $0.isAfterGap)
            }
        case .electrocardiogram:
            let all = VoltageMeasurements(try ElectrocardiogramRecord(row.body))
            for place in 0..<min(all.count, max(0, limit)) {
                let one = all[place]
                guard let voltage = one.quantity(for: .appleWatchSimilarToLeadI) else { continue }
                found.voltages.append((one.timeSinceSampleStart, voltage))
            }
        case .correlation, .workout, .workoutRoute, .effort, .fields, nil: break
        }
        return found
    }

    /// Returns the first quantities of a series.
    private func quantities(
        of row: SavedObjectRow, _ view: HealthView, _ limit: Int
    ) throws(HealthStoreError) -> [Sample] {
        let unit = try QuantitySeriesRecord(row.body).unit
        let source = try view.tables.provenance(row.provenance)?.source
        let mark = QuantitySeriesRecord.mark(of: row.id)
        var found = [Sample]()
        if limit <= 0 { return found }
        for series in view.tables.byType[row.type] ?? [] where series.source == source && series.unit == unit {
            try inEngine { () throws(StoreError) in
                try view.snapshot.scan([SeriesID(rawValue: series.series)], over: row.rowRange, columns: .all) {
                    batch throws(StoreError) in
                    for place in 0..<batch.count where batch.metadata[place] == mark {
                        found.append(batch[place])
                        if found.count == limit { return false }
                    }
                    return true
                }
            }
        }
        return found
    }
}
