// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// The kind of a saved object. The raw value is on disk.
enum SavedObjectKind: Int64 {
    /// Samples that form one value.
    case correlation = 1
    /// A series of quantities, which are rows of the engine.
    case quantitySeries = 2
    /// The times of heartbeats.
    case heartbeatSeries = 3
    /// Voltages, with classification and symptoms.
    case electrocardiogram = 4
    /// An activity with events, parts and statistics.
    case workout = 5
    /// The locations of a workout, which are rows of the engine.
    case workoutRoute = 6
    /// A relation between an effort sample and a workout or one of its activities; not a sample.
    case effort = 7
    /// A sample of a few properties, such as a prescription or an audiogram.
    case fields = 8
}

/// A correlation in stored form: its members are samples of their own series, referenced by identity.
struct CorrelationRecord: Sendable, Equatable {
    /// A reference to a member.
    struct Member: Sendable, Equatable {
        let type: String
        let identity: SampleIdentity
        let start: Int64
    }

    let type: String
    let identity: SampleIdentity
    let start: Int64
    let end: Int64
    /// The index in `ObjectColumns.devices`; -1 for none.
    var device: Int32
    /// The number in `ObjectColumns.metadata`, from 1; 0 for none.
    var metadata: Int32
    let members: [Member]

    init(_ correlation: HKCorrelation, device: Int32, metadata: Int32) throws(HKError) {
        type = correlation.sampleType.identifier
        identity = SampleIdentity(correlation.uuid)
        guard let start = StoredTime.nanoseconds(correlation.startDate), let end = StoredTime.end(correlation.endDate)
        else {
            throw HKError(
                .errorInvalidArgument, reason: "the time is outside of the storable range", place: "\(correlation)",
                advice: "give dates from \(HealthSaveRules.storableDays)")
        }
        self.start = start
        self.end = max(start, end)
        self.device = device
        self.metadata = metadata
        // Sorted, because the order of a set is not stable.
        members = correlation.objects.map {
            Member(
                type: $0.sampleType.identifier, identity: SampleIdentity($0.uuid),
                start: StoredTime.nanoseconds($0.startDate) ?? 0)
        }.sorted { ($0.start, $0.identity) < ($1.start, $1.identity) }
    }

    /// The bytes of the members, as described in `Docs/Format/Catalog.md`.
    var body: [UInt8] { CorrelationBody(members: members).bytes }

    static func members(_ body: [UInt8]) throws(HealthStoreError) -> [Member] { try CorrelationBody(body).members }

    /// Returns the members of all correlations, except those of the rows `left`.
    ///
    /// - Parameter isVisible: whether a correlation counts.
    static func allMembers(
        but left: Set<Int64> = [], _ transaction: CatalogTransaction,
        where isVisible: (SavedObjectRow) throws -> Bool = { _ in true }
    ) throws -> Set<SampleIdentity> {
        var found: Set<SampleIdentity> = []
        try HealthCatalog.eachSavedObject(kind: SavedObjectKind.correlation.rawValue, transaction) { row in
            guard row.died == nil, !left.contains(row.id), try isVisible(row) else { return }
            for member in try members(row.body) { found.insert(member.identity) }
        }
        return found
    }
}
