// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// What a health object of the store is. The raw value is on disk.
enum SavedObjectKind: Int64 {
    /// Samples that belong together.
    case correlation = 1
    /// Many quantities, which are rows of the engine.
    case quantitySeries = 2
    /// The times of heartbeats.
    case heartbeatSeries = 3
    /// Voltages, and what was made of them.
    case electrocardiogram = 4
}

/// A correlation as the store keeps it: its members are samples of their series, which it names.
struct CorrelationRecord: Sendable, Equatable {
    /// A sample of it.
    struct Member: Sendable, Equatable {
        let type: String
        let identity: SampleIdentity
        let start: Int64
    }

    let type: String
    let identity: SampleIdentity
    let start: Int64
    let end: Int64
    /// In `ObjectColumns.devices`; -1 for none.
    var device: Int32
    /// In `ObjectColumns.metadata`, from 1; 0 for none.
    var metadata: Int32
    let members: [Member]

    init(_ correlation: HKCorrelation, device: Int32, metadata: Int32) throws(HKError) {
        type = correlation.sampleType.identifier
        identity = SampleIdentity(correlation.uuid)
        guard let start = StoredTime.nanoseconds(correlation.startDate), let end = StoredTime.end(correlation.endDate)
        else {
            throw HKError(
                .errorInvalidArgument, reason: "the time is outside of what a store holds", place: "\(correlation)",
                advice: "give dates from \(HealthSaveRules.storableDays)")
        }
        self.start = start
        self.end = max(start, end)
        self.device = device
        self.metadata = metadata
        // In an order that does not depend on the set's.
        members = correlation.objects.map {
            Member(
                type: $0.sampleType.identifier, identity: SampleIdentity($0.uuid),
                start: StoredTime.nanoseconds($0.startDate) ?? 0)
        }.sorted { ($0.start, $0.identity) < ($1.start, $1.identity) }
    }

    /// The bytes of the members, as `Docs/Format/Catalog.md` describes them.
    var body: [UInt8] { CorrelationBody(members: members).bytes }

    /// The members that a body names.
    static func members(_ body: [UInt8]) throws(HealthStoreError) -> [Member] { try CorrelationBody(body).members }

    /// The samples that are members of any correlation, but for those of some rows.
    static func allMembers(
        but left: Set<Int64> = [], _ transaction: CatalogTransaction
    ) throws -> Set<SampleIdentity> {
        var found: Set<SampleIdentity> = []
        try HealthCatalog.eachSavedObject(kind: SavedObjectKind.correlation.rawValue, transaction) { row in
            guard row.died == nil, !left.contains(row.id) else { return }
            for member in try members(row.body) { found.insert(member.identity) }
        }
        return found
    }
}
