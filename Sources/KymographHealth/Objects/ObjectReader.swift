// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Foundation
import HealthCatalog
import HealthModel

/// Makes HealthKit's objects of a store's rows. Revisions, devices and metadata are made once and shared.
///
/// Not for several threads at once.
final class ObjectReader {
    private let tables: HealthTables
    /// The bodies of metadata sets by their rows.
    private let bodies: ([Int64]) throws -> [Int64: [UInt8]]
    /// The samples that are members of correlations, where that matters.
    var correlated: Set<SampleIdentity> = []
    private var origins: [Int64: Origin] = [:]
    private var lastOrigin: (row: Int64, origin: Origin)?
    private var metadata: [Int64: HealthMetadataValues] = [:]
    /// Metadata sets that are remembered.
    private static let remembered = 20_000

    struct Origin {
        let revision: HKSourceRevision
        let device: HKDevice?
    }

    /// - Parameter bodies: looks metadata sets up.
    init(_ tables: HealthTables, bodies: @escaping ([Int64]) throws -> [Int64: [UInt8]]) {
        self.tables = tables
        self.bodies = bodies
    }

    /// Reads what a store holds by now.
    convenience init(_ store: HealthStore, _ tables: HealthTables) {
        self.init(tables) { ids in
            try store.engine.readCatalog { try HealthCatalog.metadataBodies(ids: ids, $0) }
        }
    }

    /// Makes metadata ready that is about to be asked for.
    func prepare(metadata ids: some Sequence<Int64>) throws {
        let asked = Set(ids.lazy.filter { $0 > 0 })
        // Before it is known what is missing, so that nothing goes that is asked for.
        if metadata.count + asked.count > Self.remembered { metadata.removeAll(keepingCapacity: true) }
        let missing = asked.filter { metadata[$0] == nil }
        if missing.isEmpty { return }
        for (id, body) in try bodies(Array(missing)) { metadata[id] = try HealthMetadata(decoding: body).values }
    }

    /// What an object has beside its data. `prepare` must have been called for its metadata.
    ///
    /// - Throws: `corrupt` where a metadata set is not there.
    func header(
        _ identity: SampleIdentity, provenance: Int64, metadata id: Int64
    ) throws(HealthStoreError) -> ObjectHeader {
        header(identity, try origin(provenance), try values(of: id, identity))
    }

    /// What an object has beside its data.
    func header(_ identity: SampleIdentity, _ origin: Origin, _ metadata: HealthMetadataValues?) -> ObjectHeader {
        ObjectHeader(
            uuid: UUID(identity.high, identity.low), sourceRevision: origin.revision, device: origin.device,
            metadata: metadata, isCorrelated: !correlated.isEmpty && correlated.contains(identity))
    }

    /// The metadata of a set; none of set 0. `prepare` must have been called for it.
    ///
    /// - Throws: `corrupt` where it is not there.
    func values(of id: Int64, _ identity: SampleIdentity) throws(HealthStoreError) -> HealthMetadataValues? {
        if id <= 0 { return nil }
        // Of an import, a set may say no more than how the value was written.
        if let values = metadata[id] { return values.isEmpty ? nil : values }
        throw HealthStoreError(.corrupt, "sample \(identity) has metadata set \(id), which is not there")
    }

    /// Where the samples of a provenance are from.
    ///
    /// - Throws: `corrupt` where the row that says so is missing.
    func origin(_ row: Int64) throws(HealthStoreError) -> Origin {
        if let lastOrigin, lastOrigin.row == row { return lastOrigin.origin }
        let known = origins[row]
        let origin = if let known { known } else { try makeOrigin(row) }
        lastOrigin = (row, origin)
        return origin
    }

    private func makeOrigin(_ id: Int64) throws(HealthStoreError) -> Origin {
        let row = try tables.provenance(id)
        let source = row.flatMap { tables.sources[$0.source] }
        let name = source?.name ?? ""
        let origin = Origin(
            revision: HKSourceRevision(
                // Of a source that only its name is known of, the name has to tell it from others.
                source: HKSource(name: name, bundleIdentifier: source?.bundle ?? name), version: row?.version,
                productType: row?.product, operatingSystemVersion: SystemText.version(row?.system)),
            device: row?.device.flatMap { tables.devices[$0] }.map { HKDevice(description: $0) })
        origins[id] = origin
        return origin
    }

    /// A health object with all that a predicate can ask of it, but without its parts. Series are whole.
    func outline(_ row: SavedObjectRow) throws -> HKSample {
        try prepare(metadata: CollectionOfOne(row.metadata))
        let header = try header(SampleIdentity(row.uuid), provenance: row.provenance, metadata: row.metadata)
        let (start, end) = (StoredTime.date(row.start), StoredTime.endDate(row.end))
        switch SavedObjectKind(rawValue: row.kind) {
        case .correlation:
            if let type = HKObjectType.type(for: row.type) as? HKCorrelationType {
                return HKCorrelation(header: header, type: type, start: start, end: end, objects: [])
            }
        case .quantitySeries:
            let type = HKQuantityType(HKQuantityTypeIdentifier(rawValue: row.type))
            return try QuantitySeriesRecord(row.body).sample(header, type, start: start, end: end)
        case .heartbeatSeries:
            return HKHeartbeatSeriesSample(
                header: header, start: start, end: end, count: try HeartbeatRecord.count(row.body))
        case .electrocardiogram:
            return HKElectrocardiogram(
                header: header, start: start, end: end, facts: try ElectrocardiogramRecord.head(row.body).facts)
        case nil: break
        }
        throw HealthStoreError(
            .newerFormat, "health object \(row.id) is a \(row.type), which this version does not know")
    }

    /// Makes the samples of one of a store's series.
    func samples(of row: HealthSeriesRow) -> SampleMaker { SampleMaker(row, self) }
}
