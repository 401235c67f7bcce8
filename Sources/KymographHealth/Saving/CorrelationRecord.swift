// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import HealthCatalog
import HealthModel

/// What a health object of the store is. The raw value is on disk.
enum HealthRecordKind: Int64 {
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
    let device: Int32
    /// In `ObjectColumns.metadata`, from 1; 0 for none.
    let metadata: Int32
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

    private static let version: UInt8 = 1

    /// The bytes of the members, as `Docs/Format/Catalog.md` describes them.
    var body: [UInt8] {
        var plain: [UInt8] = [Self.version]
        plain.put(varint: UInt64(members.count))
        for member in members {
            plain.put(varint: UInt64(member.type.utf8.count))
            plain.append(contentsOf: member.type.utf8)
            for half in [member.identity.high, member.identity.low, member.start] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    plain.append(UInt8(truncatingIfNeeded: half >> Int64(shift)))
                }
            }
        }
        return ObjectCompressor.plain(plain)
    }

    /// Reads what `body` wrote.
    static func members(_ body: [UInt8]) throws(HealthStoreError) -> [Member] {
        let plain = try ObjectExpander.decode(body)
        var reader = ByteReader(plain)
        do throws(ByteError) {
            let version = try reader.u8()
            guard version == Self.version else {
                throw ByteError(offset: 0, what: HealthMetadata.unknownPart)
            }
            let count = try reader.varint()
            guard count <= UInt64(reader.remaining) else {
                throw ByteError(offset: reader.offset, what: "more members than bytes")
            }
            var members = [Member]()
            for _ in 0..<count {
                let type = try reader.string()
                members.append(
                    Member(
                        type: type, identity: SampleIdentity(high: try half(&reader), low: try half(&reader)),
                        start: try half(&reader)))
            }
            return members
        } catch {
            throw HealthStoreError(
                error.what == HealthMetadata.unknownPart ? .newerFormat : .corrupt,
                "the members of a correlation cannot be read at byte \(error.offset): \(error.what)")
        }
    }

    /// The samples that are members of any correlation.
    static func allMembers(_ transaction: CatalogTransaction) throws -> Set<SampleIdentity> {
        var found: Set<SampleIdentity> = []
        try HealthCatalog.eachHealthObject(kind: HealthRecordKind.correlation.rawValue, transaction) { row in
            guard row.died == nil else { return }
            for member in try members(row.body) { found.insert(member.identity) }
        }
        return found
    }

    /// Eight bytes, the highest first.
    private static func half(_ reader: inout ByteReader) throws(ByteError) -> Int64 {
        Int64(bitPattern: (try reader.u64()).byteSwapped)
    }
}
