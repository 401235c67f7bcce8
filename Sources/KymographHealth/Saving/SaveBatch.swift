// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Kymograph

/// The program that saves: its source, and the source revision of its objects.
struct SavingProgram: Sendable {
    let source: HKSource
    let version: String?
    let product: String?
    let system: String?

    /// - Throws: `errorInvalidArgument` for texts that exceed the storable length.
    init(_ revision: HKSourceRevision) throws(HKError) {
        try HealthSaveRules.check(revision)
        source = revision.source
        version = revision.version
        product = revision.productType
        system = SystemText.text(revision.operatingSystemVersion)
    }
}

/// Objects to be saved in one commit, sorted by their storage.
///
/// The batch is collected without a lock, and converted to rows inside the commit, when no other writer can change the
/// tables.
struct SaveBatch: Sendable {
    /// An object with a sync identifier, which a program may save repeatedly.
    struct Synced: Sendable {
        let type: String
        let identifier: String
        let version: Double
        let identity: SampleIdentity
        let start: Int64
        var place: Place
    }

    /// The position of an object in the batch.
    enum Place: Sendable {
        case row(SlotRow)
        /// A correlation, and its members.
        case correlation(Int, [SlotRow])
        case series(Int)
    }

    /// The position of a sample.
    struct SlotRow: Hashable, Sendable {
        let slot: Int
        let row: Int
    }

    let program: SavingProgram
    /// The creation time of the objects, in nanoseconds since 1970-01-01 UTC.
    let created: Int64
    private(set) var columns = ObjectColumns()
    private(set) var correlations: [CorrelationRecord] = []
    private(set) var synced: [Synced] = []
    private(set) var series: [SeriesDraft] = []
    /// Changes of tables in the same commit.
    var alongside: (@Sendable (CatalogTransaction) throws -> Void)?

    init(_ program: SavingProgram, created: Int64) {
        self.program = program
        self.created = created
    }

    /// The types of the objects that a client needs a permission to save.
    var types: Set<String> {
        Set(columns.slots.map(\.type)).union(series.map(\.type).filter { $0 != EffortRecord.type })
    }

    /// Appends the objects that another thread collected.
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

    /// Appends an object.
    ///
    /// - Requires: the object follows the save rules.
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
        case let workout as HKWorkout: try append(workout, WorkoutRecord(workout.content))
        case let sample as HKSample:
            if let fields = sample.fields {
                try append(sample, FieldsRecord(fields))
            } else {
                try append(sample: sample)
            }
        default:
            throw HKError(
                .errorInvalidArgument, reason: "the object is not a sample", place: "\(object)",
                advice: "save samples, or use the builder of the object's type")
        }
    }

    /// Appends a series object.
    ///
    /// - Requires: the object follows the save rules.
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

    /// Appends a workout.
    ///
    /// - Requires: the workout follows the save rules.
    mutating func append(_ workout: HKWorkout, _ record: WorkoutRecord) throws(HKError) {
        try append(whole: workout, .body(record.body, .workout))
    }

    /// Appends a sample of a few properties.
    ///
    /// - Requires: the sample follows the save rules.
    mutating func append(_ sample: HKSample, _ record: FieldsRecord) throws(HKError) {
        try append(whole: sample, .body(record.body, .fields))
    }

    private mutating func append(whole sample: HKSample, _ content: SeriesDraft.Content) throws(HKError) {
        guard let start = StoredTime.nanoseconds(sample.startDate), let end = StoredTime.end(sample.endDate) else {
            throw HKError(
                .errorInvalidArgument, reason: "the time is outside of the storable range", place: "\(sample)",
                advice: "give dates from \(HealthSaveRules.storableDays)")
        }
        try append(sample, start: start, end: max(start, end), content)
    }

    /// Appends a relation between an effort sample and a workout, with the time of the workout.
    mutating func append(_ relation: EffortRecord, start: Int64, end: Int64) {
        series.append(
            SeriesDraft(
                type: EffortRecord.type, identity: SampleIdentity(ObjectIdentity.next()), start: start, end: end,
                device: columns.number(nil as HKDevice?), metadata: columns.number(nil as HealthMetadataValues?),
                content: .body(relation.body, .effort)))
    }

    /// Appends a medication in the list of the person, saved at a time, with an identity of its own.
    mutating func append(_ medication: HKUserAnnotatedMedication, _ identity: SampleIdentity, at time: Int64) {
        series.append(
            SeriesDraft(
                type: HKDataTypeIdentifierUserAnnotatedMedicationConcept, identity: identity, start: time, end: time,
                device: columns.number(nil as HKDevice?), metadata: columns.number(nil as HealthMetadataValues?),
                content: .body(FieldsRecord(medication.fields).body, .fields)))
    }

    /// Throws if a member has a sync identifier: its replacement would leave a correlation with a missing member.
    private static func refuseSyncedMembers(_ correlation: HKCorrelation) throws(HKError) {
        for member in correlation.objects where member.header.metadata?[HKMetadataKeySyncIdentifier] != nil {
            throw HKError(
                .errorInvalidArgument, reason: "members of a correlation cannot have sync identifiers",
                place: "\(correlation), member \(member)", advice: "give the identifier to the correlation instead")
        }
    }

    @discardableResult
    private mutating func append(sample: HKSample) throws(HKError) -> SlotRow {
        let slot = try columns.append(sample)
        let place = SlotRow(slot: slot, row: columns.slots[slot].count - 1)
        note(sample, start: columns.slots[slot].starts[place.row], .row(place))
        return place
    }

    /// Records the sync identifier of an object, if it has one.
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
    /// Returns the position after its batch was appended to another one.
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
    /// The text of a string value; nil for other values.
    fileprivate var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    /// The number of a numeric value; nil for other values.
    var number: Double? {
        switch self {
        case .boolean(let flag): flag ? 1 : 0
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
