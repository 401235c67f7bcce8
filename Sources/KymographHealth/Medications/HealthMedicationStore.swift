// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
import HealthCatalog
public import HealthModel

/// A dose to log with ``HealthMedicationStore``. Not part of HealthKit.
public struct HealthMedicationDose: Hashable, Sendable {
    /// What the person did.
    public var status: HKMedicationDoseEvent.LogStatus
    /// The time of the event.
    public var date: Date
    /// The time of the schedule; nil for a dose as needed.
    public var scheduledDate: Date?
    /// The number of units in the schedule; for a scheduled dose nil means 1.
    public var scheduledQuantity: Double?
    /// The number of units that the person took; for a taken dose nil means that of the schedule, else 1.
    public var quantity: Double?
    /// The unit of the numbers.
    public var unit: HKUnit

    /// Creates a dose as needed. Never fails; ``HealthMedicationStore/log(_:of:)`` checks it.
    public init(
        status: HKMedicationDoseEvent.LogStatus = .taken, date: Date, quantity: Double? = nil, unit: HKUnit = .count()
    ) {
        self.status = status
        self.date = date
        self.quantity = quantity
        self.unit = unit
    }

    /// Creates a scheduled dose. Never fails; ``HealthMedicationStore/log(_:of:)`` checks it.
    public init(
        status: HKMedicationDoseEvent.LogStatus = .taken, date: Date, scheduledDate: Date,
        scheduledQuantity: Double = 1,
        quantity: Double? = nil, unit: HKUnit = .count()
    ) {
        self.init(status: status, date: date, quantity: quantity, unit: unit)
        self.scheduledDate = scheduledDate
        self.scheduledQuantity = scheduledQuantity
    }
}

/// The list of the medications of a person, and a maker of dose events. Not part of HealthKit, where only the person
/// changes them, in the Health app.
///
/// Only the owner of a store may change them: in the modes `enforced` and `guest` all calls of clients fail.
public final class HealthMedicationStore: Sendable {
    private let store: HKHealthStore

    /// Creates a maker of the medications of a health store.
    public init(healthStore: HKHealthStore) { store = healthStore }

    /// Saves a medication, durably. It replaces the one with the same concept identifier, and decisions of the person
    /// about access to that one stay.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a medication without a name and for texts beyond
    ///   `HealthSaveRules.maximumTextBytes` together; `errorAuthorizationDenied` for a client;
    ///   `errorDatabaseInaccessible`.
    public func save(_ medication: HKUserAnnotatedMedication) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.saveNow(medication) }
    }

    private func saveNow(_ medication: HKUserAnnotatedMedication) throws(HKError) {
        let place = "HealthMedicationStore, \(medication.medication.identifier)"
        guard !medication.medication.displayText.isEmpty else {
            throw HKError(
                .errorInvalidArgument, reason: "the medication has no name", place: place, advice: "give a displayText")
        }
        guard medication.textBytes <= HealthSaveRules.maximumTextBytes else {
            throw HKError(
                .errorInvalidArgument, reason: "the texts of the medication have \(medication.textBytes) bytes",
                place: place, advice: "give at most \(HealthSaveRules.maximumTextBytes) bytes")
        }
        let health = try store.store()
        try health.requireOwner("the list of medications")
        let now = SystemClock.wallNanoseconds()
        let identity = SampleIdentity(ObjectIdentity.next())
        var batch = SaveBatch(try SavingProgram(store.revision), created: now)
        batch.append(medication, identity, at: now)
        let concept = medication.medication.identifier
        batch.alongside = { transaction in
            var old: [Int64] = []
            try HealthCatalog.eachSavedObject(type: StoredMedication.type, transaction) { row in
                if SampleIdentity(row.uuid) != identity, try StoredMedication(row).identity == concept {
                    old.append(row.id)
                }
                return true
            }
            try HealthCatalog.retire(savedObjects: old, transaction)
        }
        try health.commit(batch, identities: .unchecked)
    }

    /// Removes a medication from the list, durably. Its dose events stay, also for clients for which the person chose
    /// the medication.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a medication that is not in the list;
    ///   `errorAuthorizationDenied` for a client; `errorDatabaseInaccessible`.
    public func delete(_ medication: HKUserAnnotatedMedication) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            let health = try self.store.store()
            try health.requireOwner("the list of medications")
            let concept = medication.medication.identifier
            try health.write { transaction in
                let old = try StoredMedication.all(transaction).filter { $0.identity == concept }
                guard !old.isEmpty else { throw Self.missing(concept) }
                try HealthCatalog.retire(savedObjects: old.map(\.row), transaction)
            }
        }
    }

    private static func missing(_ concept: HKHealthConceptIdentifier) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "the medication is not in the list", place: "\(concept)",
            advice: "save the medication first")
    }

    /// Saves a dose of a medication in the list as a dose event, durably. `HKHealthStore.delete(_:)` deletes it.
    ///
    /// - Returns: the dose event. Its start and its end are the dose's date.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a medication that is not in the list, for numbers that are
    ///   negative or not finite, for an incomplete schedule and for a time that is not storable;
    ///   `errorAuthorizationDenied` for a client; `errorDatabaseInaccessible`.
    @discardableResult
    public func log(
        _ dose: HealthMedicationDose, of medication: HKUserAnnotatedMedication
    ) async throws -> HKMedicationDoseEvent {
        try await BlockingQueue.result { () throws(HKError) in try self.logNow(dose, medication) }
    }

    private func logNow(
        _ dose: HealthMedicationDose, _ medication: HKUserAnnotatedMedication
    ) throws(HKError) -> HKMedicationDoseEvent {
        let concept = medication.medication.identifier
        let time = try Self.check(dose, "HealthMedicationStore, \(concept)")
        let health = try store.store()
        try health.requireOwner("the list of medications")
        let known = try HKError.converting { try health.owner.medications().first { $0.identity == concept } }
        guard let known else { throw Self.missing(concept) }
        let scheduled = dose.scheduledDate == nil ? nil : dose.scheduledQuantity ?? 1
        var content = HKMedicationDoseEvent.Content(
            concept: concept, name: known.medication.description, status: dose.status, unit: dose.unit,
            quantity: dose.quantity ?? (dose.status == .taken ? scheduled ?? 1 : nil))
        (content.scheduledDate, content.scheduledQuantity) = (dose.scheduledDate, scheduled)
        let event = HKMedicationDoseEvent(
            header: ObjectHeader(
                uuid: ObjectIdentity.next(), sourceRevision: store.revision, device: nil, metadata: nil),
            start: StoredTime.date(time), end: StoredTime.date(time), content: content)
        var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
        try batch.append(event, FieldsRecord(content.fields))
        try health.commit(batch, identities: .unchecked)
        return event
    }

    /// Returns the time of a dose, in nanoseconds since 1970-01-01 UTC.
    private static func check(_ dose: HealthMedicationDose, _ place: String) throws(HKError) -> Int64 {
        func refusal(_ reason: String, _ advice: String) -> HKError {
            HKError(.errorInvalidArgument, reason: reason, place: place, advice: advice)
        }
        for number in [dose.quantity, dose.scheduledQuantity] {
            guard let number, !(number.isFinite && number >= 0) else { continue }
            throw refusal("the number of units is \(number)", "give a finite number from 0")
        }
        if dose.scheduledDate == nil, dose.scheduledQuantity != nil {
            throw refusal("the dose has a scheduled number and no scheduled date", "give both, or none")
        }
        guard dose.unit.unitString.utf8.count <= HealthSaveRules.maximumTextBytes else {
            throw refusal("the text of the unit is too long", "give a unit such as count")
        }
        let times = [dose.date, dose.scheduledDate ?? dose.date].map { StoredTime.nanoseconds($0) }
        guard let time = times[0], times[1] != nil else {
            throw refusal(
                "a time is outside of the storable range", "give dates from \(HealthSaveRules.storableDays)")
        }
        return time
    }
}
