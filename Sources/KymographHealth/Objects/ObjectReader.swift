// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel

/// A reader that makes HealthKit objects from a store's rows. Revisions, devices and metadata are created once and
/// shared.
///
/// Not thread-safe.
final class ObjectReader {
    private let tables: HealthTables
    /// What the reading client may see; nil for everything.
    private(set) var access: HealthAccess?
    /// Reads the bodies of metadata sets by row.
    private let bodies: ([Int64]) throws -> [Int64: [UInt8]]
    /// How much of a document ``whole(_:_:_:)`` returns. With `none`, documents whose content the client may not read
    /// match no condition on it.
    var documents = DocumentPart.none
    /// The members of correlations, for predicates that need them.
    var correlated: Set<SampleIdentity> = []
    private var origins: [Int64: Origin] = [:]
    private var lastOrigin: (row: Int64, origin: Origin)?
    private var metadata: [Int64: HealthMetadataValues] = [:]
    /// The maximum number of cached metadata sets.
    private static let remembered = 20_000

    struct Origin {
        let revision: HKSourceRevision
        let device: HKDevice?
    }

    /// - Parameter bodies: reads metadata sets by row.
    init(_ tables: HealthTables, bodies: @escaping ([Int64]) throws -> [Int64: [UInt8]]) {
        self.tables = tables
        self.bodies = bodies
    }

    /// Creates a reader of a store's newest state.
    convenience init(_ store: HealthStore, _ tables: HealthTables) throws {
        self.init(tables) { ids in
            try store.engine.readCatalog { try HealthCatalog.metadataBodies(ids: ids, $0) }
        }
        access = try store.access(tables)
    }

    /// Loads metadata sets into the cache.
    func prepare(metadata ids: some Sequence<Int64>) throws {
        let asked = Set(ids.lazy.filter { $0 > 0 })
        // The cache is cleared before the missing sets are determined, so that all requested sets are loaded.
        if metadata.count + asked.count > Self.remembered { metadata.removeAll(keepingCapacity: true) }
        let missing = asked.filter { metadata[$0] == nil }
        if missing.isEmpty { return }
        for (id, body) in try bodies(Array(missing)) { metadata[id] = try HealthMetadata(decoding: body).values }
    }

    /// Returns the header of an object: everything except its data.
    ///
    /// - Requires: `prepare` for its metadata.
    /// - Throws: `corrupt` if the metadata set is missing.
    func header(
        _ identity: SampleIdentity, provenance: Int64, metadata id: Int64
    ) throws(HealthStoreError) -> ObjectHeader {
        header(identity, try origin(provenance), try values(of: id, identity))
    }

    /// Returns the header of an object: everything except its data.
    func header(_ identity: SampleIdentity, _ origin: Origin, _ metadata: HealthMetadataValues?) -> ObjectHeader {
        ObjectHeader(
            uuid: identity.uuid, sourceRevision: origin.revision, device: origin.device,
            metadata: metadata, isCorrelated: !correlated.isEmpty && correlated.contains(identity))
    }

    /// Returns the metadata of a set; nil for set 0.
    ///
    /// - Requires: `prepare` for the set.
    /// - Throws: `corrupt` if the set is missing.
    func values(of id: Int64, _ identity: SampleIdentity) throws(HealthStoreError) -> HealthMetadataValues? {
        if id <= 0 { return nil }
        // A set of an import may contain only the text of the value.
        if let values = metadata[id] { return values.isEmpty ? nil : values }
        throw HealthStoreError(.corrupt, "metadata set \(id) of sample \(identity) is missing; verify the store")
    }

    /// Returns the source revision and device of a provenance.
    ///
    /// - Throws: `corrupt` if the provenance's row is missing.
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
                // Sources with only a name are distinguished by it.
                source: HKSource(name: name, bundleIdentifier: source?.bundle ?? name), version: row?.version,
                productType: row?.product, operatingSystemVersion: SystemText.version(row?.system)),
            device: row?.device.flatMap { tables.devices[$0] }.map { HKDevice(description: $0) })
        origins[id] = origin
        return origin
    }

    /// Returns a saved object with everything that a predicate can test, but without the members of a correlation.
    /// Series are complete.
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
        case .workout:
            let content = try WorkoutRecord.content(row.body)
            let seen = access?.visible(content, of: header.sourceRevision.source, endingAt: end) ?? content
            return HKWorkout(header: header, start: start, end: end, content: seen)
        case .workoutRoute:
            return HKWorkoutRoute(header: header, start: start, end: end, count: try RouteRecord(row.body).count)
        case .fields:
            if let type = HKObjectType.type(for: row.type) as? HKSampleType {
                let fields = try FieldsRecord(row.body).fields
                do throws(HealthFields.Fault) {
                    return visible(try fields.sample(of: type, header, start: start, end: end))
                } catch {
                    throw HealthStoreError(error, in: "health object \(row.id), a \(row.type),")
                }
            }
        case .effort, nil: break
        }
        throw HealthStoreError(
            .newerFormat, "health object \(row.id) is a \(row.type), unknown to this version; update the library")
    }

    /// Returns a sample without the content of a document that the client may not read.
    private func visible(_ sample: HKSample) -> HKSample {
        guard documents == .none, let access, let document = sample as? HKCDADocumentSample else { return sample }
        return access.mayReadContent(of: document) ?? false ? document : document.showing(.none)
    }

    /// Returns whether the client may read an object.
    func mayRead(_ row: SavedObjectRow) throws -> Bool {
        guard let access else { return true }
        return try access.mayRead(row, of: try origin(row.provenance).revision.source)
    }

    /// Returns a reader of the samples of one series.
    func samples(of row: HealthSeriesRow) -> SampleReader { SampleReader(row, self) }
}

extension HealthStore {
    /// Returns the stored body of a sample; throws `errorInvalidArgument` for a sample that is not stored.
    func body(of sample: HKSample, _ kind: SavedObjectKind, _ name: String) throws -> [UInt8] {
        try row(of: sample, kind, name, currentView()).body
    }

    /// Returns the row of a sample's object; throws `errorInvalidArgument` for a sample that is not stored.
    func row(of sample: HKSample, _ kind: SavedObjectKind, _ name: String, _ view: HealthView) throws -> SavedObjectRow
    {
        let sequence = view.snapshot.sequence
        let found = try catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [SampleIdentity(sample.uuid).bytes], asOf: sequence, $0)
        }
        guard let row = found.first.flatMap({ $0 }), row.kind == kind.rawValue, try mayRead(row, view) else {
            throw HKError(
                .errorInvalidArgument, reason: "the \(name) is not in the store", place: "\(sample)",
                advice: "use a sample that a query of this store returned")
        }
        return row
    }

    /// Returns whether the client of this instance may read an object.
    private func mayRead(_ row: SavedObjectRow, _ view: HealthView) throws -> Bool {
        if client == nil { return true }
        return try ObjectReader(self, view.tables).mayRead(row)
    }

    /// Returns whether an object is stored, and the client of this instance may read it.
    func isReadable(_ object: UUID) throws -> Bool {
        let view = try currentView()
        let sequence = view.snapshot.sequence
        let found = try catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [SampleIdentity(object).bytes], asOf: sequence, $0)
        }
        return try found.first.flatMap { $0 }.map { try mayRead($0, view) } ?? false
    }

    /// Gives a reader the members of the correlations that its client may read, for conditions on correlations.
    ///
    /// - Complexity: O(correlations).
    func readCorrelated(_ reader: ObjectReader) throws {
        reader.correlated = try catalog(Set<SampleIdentity>()) {
            // A correlation with a newer source than the reader's tables is not visible yet.
            try CorrelationRecord.allMembers($0) { (try? reader.mayRead($0)) ?? false }
        }
    }
}
