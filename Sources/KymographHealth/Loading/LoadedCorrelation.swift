// SPDX-License-Identifier: Apache-2.0

import Bytes
import HealthModel

/// A correlation of a load before its members are resolved to samples.
package struct LoadedCorrelation: Sendable {
    /// A record in the correlation, with all fields that make two records equal.
    package struct Member: Sendable {
        package var start: Int64
        package var end: Int64
        package var value: Double
        /// `HealthRows.noDate` if unknown.
        package var created: Int64
        /// A row of the provenance table.
        package var provenance: Int64
        /// A local number of the loader's metadata.
        package var metadata: Int32
        /// A slot of the loader.
        package var series: Int

        package init(
            start: Int64, end: Int64, value: Double, created: Int64, provenance: Int64, metadata: Int32, series: Int
        ) {
            self.start = start
            self.end = end
            self.value = value
            self.created = created
            self.provenance = provenance
            self.metadata = metadata
            self.series = series
        }
    }

    package var type: String
    package var start: Int64
    package var end: Int64
    /// `HealthRows.noDate` if unknown.
    package var created: Int64
    /// A row of the provenance table.
    package var provenance: Int64
    /// A local number of the loader's metadata.
    package var metadata: Int32
    package var members: [Member]

    package init(
        type: String, start: Int64, end: Int64, created: Int64, provenance: Int64, metadata: Int32, members: [Member]
    ) {
        self.type = type
        self.start = start
        self.end = end
        self.created = created
        self.provenance = provenance
        self.metadata = metadata
        self.members = members
    }

    /// Returns whether an identifier is a HealthKit correlation type.
    package static func isType(_ identifier: String) -> Bool {
        HKObjectType.type(for: identifier) is HKCorrelationType
    }

    /// Returns whether samples of a type can be members: the two values of a blood pressure, and the nutrients of food.
    static func mayHold(_ type: String) -> Bool {
        type.hasPrefix("HKQuantityTypeIdentifierDietary") || type.hasPrefix("HKQuantityTypeIdentifierBloodPressure")
    }
}

/// A sample that may be a member: a hash of all fields that make two samples of a series equal, and the identity.
struct CorrelationCandidate {
    let hash: UInt64
    let identity: SampleIdentity
}

/// Samples written by a load that may be members of correlations; 24 bytes each.
struct WrittenCandidates {
    /// The maximum number of recorded samples. Correlations of further samples are stored only as elements.
    private let limit: Int
    private var all: [CorrelationCandidate] = []
    private var isSorted = true
    /// Whether written samples are missing here. A sample that is not found may then have been written nevertheless.
    private(set) var isFull = false

    init(limit: Int = 4 << 20) { self.limit = limit }

    /// Records rows with ascending identities.
    mutating func add(_ rows: HealthRows, of series: SeriesID, from first: SampleIdentity) {
        let room = max(0, limit - all.count)
        if rows.count > room { isFull = true }
        for row in 0..<min(rows.count, room) {
            let fields = SampleFields(
                series: series, start: rows.starts[row], end: rows.ends[row], value: rows.values[row],
                created: rows.created[row], provenance: rows.provenance[row], metadata: rows.metadata[row])
            let identity = SampleIdentity(high: first.high, low: first.low &+ Int64(row))
            all.append(.init(hash: fields.hash, identity: identity))
        }
        isSorted = false
    }

    /// Returns the identities with a hash, in the order of writing.
    mutating func identities(_ hash: UInt64) -> [SampleIdentity] {
        if !isSorted {
            all.sort { ($0.hash, $0.identity) < ($1.hash, $1.identity) }
            isSorted = true
        }
        let first = all.indices.partitioningIndex { all[$0].hash >= hash }
        return all[first...].prefix { $0.hash == hash }.map(\.identity)
    }
}

/// The fields of a stored sample that make two samples equal.
struct SampleFields {
    let series: SeriesID
    let start: Int64
    let end: Int64
    let value: Double
    /// `HealthRows.noDate` if unknown.
    let created: Int64
    let provenance: Int64
    let metadata: Int64

    /// A hash of all fields; different samples have the same hash with a probability of 2^-64.
    var hash: UInt64 {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for part in [
            UInt64(bitPattern: Int64(series.rawValue)), UInt64(bitPattern: start), UInt64(bitPattern: end),
            value.bitPattern, UInt64(bitPattern: created), UInt64(bitPattern: provenance),
            UInt64(bitPattern: metadata),
        ] {
            let product = (state ^ part ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
            state = product.high ^ product.low &+ part
        }
        return state
    }
}
