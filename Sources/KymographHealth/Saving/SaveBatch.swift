// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Kymograph

/// Which program saves: its source, and what is stamped on all that it saves.
struct SavingProgram: Sendable {
    let source: HKSource
    let version: String?
    let product: String?
    let system: String?

    init(_ revision: HKSourceRevision) {
        source = revision.source
        version = revision.version
        product = revision.productType
        system = SystemText.text(revision.operatingSystemVersion)
    }
}

/// Objects that are to be saved in one commit, sorted out by what they need.
///
/// It is put together before anybody has to wait for it, and turned into rows between the decision and the commit, when
/// nobody else can change the tables.
struct SaveBatch: Sendable {
    /// An object that is saved again and again under a name of its program's.
    struct Synced: Sendable {
        let type: String
        let identifier: String
        let version: Double
        let identity: SampleIdentity
        let start: Int64
        /// Where its row is.
        var slot: Int
        var row: Int
    }

    let program: SavingProgram
    /// When they were saved.
    let created: Int64
    private(set) var columns = ObjectColumns()
    private(set) var correlations: [CorrelationRecord] = []
    private(set) var synced: [Synced] = []
    private(set) var series: [SeriesDraft] = []

    init(_ program: SavingProgram, created: Int64) {
        self.program = program
        self.created = created
    }

    /// Takes what other threads have put together, behind what is there.
    mutating func append(_ other: SaveBatch) {
        let places = columns.append(other.columns)
        for var one in other.correlations {
            one.device = places.device(one.device)
            one.metadata = places.metadata(one.metadata)
            correlations.append(one)
        }
        for var one in other.series {
            one.device = places.device(one.device)
            one.metadata = places.metadata(one.metadata)
            series.append(one)
        }
        for var one in other.synced {
            let (slot, rows) = places.slots[one.slot]
            (one.slot, one.row) = (slot, rows + one.row)
            synced.append(one)
        }
    }

    /// Takes an object that follows the save rules.
    mutating func append(_ object: HKObject) throws(HKError) {
        switch object {
        case let correlation as HKCorrelation:
            try Self.refuseSyncIdentifiers(correlation)
            for member in correlation.objects { try append(sample: member) }
            correlations.append(
                try CorrelationRecord(
                    correlation, device: columns.number(correlation.device),
                    metadata: columns.number(correlation.header.metadata)))
        case let sample as HKSample: try append(sample: sample)
        default:
            throw HKError(
                .errorInvalidArgument, reason: "it is no sample", place: "\(object)",
                advice: "save samples, or use the builder of what it is")
        }
    }

    /// Takes a series that follows the save rules.
    mutating func append(
        _ object: HKSample, start: Int64, end: Int64, _ content: SeriesDraft.Content
    ) throws(HKError) {
        if object.header.metadata?[HKMetadataKeySyncIdentifier] != nil {
            throw HKError(
                .errorInvalidArgument, reason: "a series cannot have a sync identifier yet", place: "\(object)",
                advice: "delete the old series, and save the new one without")
        }
        series.append(
            SeriesDraft(
                type: object.sampleType.identifier, identity: SampleIdentity(object.uuid), start: start, end: end,
                device: columns.number(object.device), metadata: columns.number(object.header.metadata),
                content: content))
    }

    /// Replacing a correlation, or a member of one, is not there yet: what names it would have to follow.
    private static func refuseSyncIdentifiers(_ correlation: HKCorrelation) throws(HKError) {
        for object in [correlation] + Array(correlation.objects)
        where object.header.metadata?[HKMetadataKeySyncIdentifier] != nil {
            throw HKError(
                .errorInvalidArgument, reason: "a correlation and its members cannot have sync identifiers yet",
                place: "\(object)", advice: "delete the old correlation, and save the new one without")
        }
    }

    private mutating func append(sample: HKSample) throws(HKError) {
        let slot = try columns.append(sample)
        guard let identifier = sample.header.metadata?[HKMetadataKeySyncIdentifier]?.text,
            let version = sample.header.metadata?[HKMetadataKeySyncVersion]?.number
        else { return }
        let row = columns.slots[slot].count - 1
        synced.append(
            Synced(
                type: sample.sampleType.identifier, identifier: identifier, version: version,
                identity: SampleIdentity(sample.uuid), start: columns.slots[slot].starts[row], slot: slot, row: row))
    }
}

extension HealthMetadataValue {
    /// The text of a string.
    fileprivate var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The number of a number.
    fileprivate var number: Double? {
        switch self {
        case .boolean(let flag): flag ? 1 : 0
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
