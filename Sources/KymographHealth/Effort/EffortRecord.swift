// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import Foundation
import HealthCatalog
import HealthModel

/// A relation between an effort sample and a workout, or one of its activities, in stored form. Its row has the dates
/// of the workout and an identity of its own. `Docs/Format/Catalog.md` describes the bytes.
struct EffortRecord: Sendable, Hashable {
    var workout: UUID
    /// The activity; nil for the workout itself.
    var activity: UUID?
    var sample: UUID

    /// The type of the rows. No sample has this type.
    static let type = "HKWorkoutEffortRelationship"
    private static let version: UInt8 = 1
    private static let none = UUID(high: 0, low: 0)

    /// The content of a deleted relation whose data is erased.
    static let erased = EffortRecord(workout: none, activity: nil, sample: none)

    init(workout: UUID, activity: UUID?, sample: UUID) {
        self.workout = workout
        self.activity = activity
        self.sample = sample
    }

    /// The bytes of the body.
    var body: [UInt8] {
        var plain = ByteWriter(capacity: 64)
        plain.put(Self.version)
        for uuid in [workout, sample] {
            plain.put(uuid.halves.high)
            plain.put(uuid.halves.low)
        }
        plain.put(activity == nil ? 0 : 1 as UInt8)
        if let activity {
            plain.put(activity.halves.high)
            plain.put(activity.halves.low)
        }
        return ObjectCompressor.plain(plain.bytes)
    }

    /// Parses the bytes of `body`.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        var bytes = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            guard try bytes.u8() == Self.version else {
                throw ByteError(offset: 0, what: HealthMetadata.unknownPart)
            }
            workout = UUID(high: try bytes.u64(), low: try bytes.u64())
            sample = UUID(high: try bytes.u64(), low: try bytes.u64())
            activity = try bytes.u8() == 0 ? nil : UUID(high: try bytes.u64(), low: try bytes.u64())
        } catch {
            throw HealthStoreError(error, in: "an effort relation")
        }
    }

    /// Returns the live relations of a workout, or of all workouts.
    ///
    /// - Parameter sequence: the commit of the state; nil for the state of the transaction.
    static func all(
        of workout: UUID? = nil, asOf sequence: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> [(id: Int64, provenance: Int64, record: EffortRecord)] {
        var found: [(Int64, Int64, EffortRecord)] = []
        try HealthCatalog.eachSavedObject(type: type, asOf: sequence, transaction) { row in
            guard row.kind == SavedObjectKind.effort.rawValue else { return true }
            let record = try EffortRecord(row.body)
            if workout == nil || record.workout == workout { found.append((row.id, row.provenance, record)) }
            return true
        }
        return found
    }
}
