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

    /// - Throws: `errorInvalidArgument` for texts that are too long to be stored.
    init(_ revision: HKSourceRevision) throws(HKError) {
        try HealthSaveRules.check(revision)
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
        var place: Place
    }

    /// Where an object stands in the batch.
    enum Place: Sendable {
        case row(SlotRow)
        /// A correlation, and its members.
        case correlation(Int, [SlotRow])
        case series(Int)
    }

    /// The row of a sample.
    struct SlotRow: Hashable, Sendable {
        let slot: Int
        let row: Int
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
        let (firstCorrelation, firstSeries) = (correlations.count, series.count)
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
            one.place = one.place.moved(rows: places.slots, correlations: firstCorrelation, series: firstSeries)
            synced.append(one)
        }
    }

    /// Takes an object that follows the save rules.
    mutating func append(_ object: HKObject) throws(HKError) {
        switch object {
        case let correlation as HKCorrelation:
            try Self.refuseSyncedMembers(correlation)
            let members = try correlation.objects.map { member throws(HKError) in try append(sample: member) }
            note(
                correlation, start: StoredTime.nanoseconds(correlation.startDate) ?? 0,
                .correlation(correlations.count, members))
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
        note(object, start: start, .series(series.count))
        series.append(
            SeriesDraft(
                type: object.sampleType.identifier, identity: SampleIdentity(object.uuid), start: start, end: end,
                device: columns.number(object.device), metadata: columns.number(object.header.metadata),
                content: content))
    }

    /// A member that another sample replaces would leave a correlation that names what is gone.
    private static func refuseSyncedMembers(_ correlation: HKCorrelation) throws(HKError) {
        for member in correlation.objects where member.header.metadata?[HKMetadataKeySyncIdentifier] != nil {
            throw HKError(
                .errorInvalidArgument, reason: "members of a correlation cannot have sync identifiers",
                place: "\(correlation), member \(member)", advice: "give the correlation one: its members go with it")
        }
    }

    @discardableResult
    private mutating func append(sample: HKSample) throws(HKError) -> SlotRow {
        let slot = try columns.append(sample)
        let place = SlotRow(slot: slot, row: columns.slots[slot].count - 1)
        note(sample, start: columns.slots[slot].starts[place.row], .row(place))
        return place
    }

    /// Takes note of an object's sync identifier, if it has one.
    private mutating func note(_ object: HKSample, start: Int64, _ place: Place) {
        guard let metadata = object.header.metadata, let identifier = metadata[HKMetadataKeySyncIdentifier]?.text,
            let version = metadata[HKMetadataKeySyncVersion]?.number
        else { return }
        synced.append(
            Synced(
                type: object.sampleType.identifier, identifier: identifier, version: version,
                identity: SampleIdentity(object.uuid), start: start, place: place))
    }
}

extension SaveBatch.Place {
    /// The place in a batch that has taken this one.
    fileprivate func moved(rows: [(slot: Int, rows: Int)], correlations: Int, series: Int) -> Self {
        func moved(_ place: SaveBatch.SlotRow) -> SaveBatch.SlotRow {
            let (slot, before) = rows[place.slot]
            return SaveBatch.SlotRow(slot: slot, row: before + place.row)
        }
        return switch self {
        case .row(let place): .row(moved(place))
        case .correlation(let number, let members): .correlation(correlations + number, members.map(moved))
        case .series(let number): .series(series + number)
        }
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
