// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
public import HealthModel

/// A maker of clinical records from FHIR resources, and of verifiable records. Not part of HealthKit, where only
/// clinics send records.
public final class HealthRecordStore: Sendable {
    let store: HKHealthStore

    /// The maximum length of a resource in bytes.
    public static var maximumResourceBytes: Int { 64 << 20 }

    /// Creates a maker of the records of a health store.
    public init(healthStore: HKHealthStore) { store = healthStore }

    /// Saves a resource as a clinical record, durably. Name and type of the record come from the resource: an
    /// observation is a vital sign if its category says so, and a lab result otherwise.
    ///
    /// - Parameter receivedDate: the start and the end of the record.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a resource without a type, for texts that are too long and for
    ///   a time that is not storable; `errorDataSizeExceeded` beyond ``maximumResourceBytes``;
    ///   `errorDatabaseInaccessible`.
    @discardableResult
    public func save(_ resource: HKFHIRResource, receivedDate: Date) async throws -> HKClinicalRecord {
        try await BlockingQueue.result { () throws(HKError) in try self.saveNow(resource, receivedDate) }
    }

    private func saveNow(_ resource: HKFHIRResource, _ date: Date) throws(HKError) -> HKClinicalRecord {
        let place = "HealthRecordStore, \(resource.resourceType.rawValue.prefix(100))"
        guard resource.data.count <= Self.maximumResourceBytes else {
            throw HKError(
                .errorDataSizeExceeded, reason: "the resource has \(resource.data.count) bytes", place: place,
                advice: "give at most \(Self.maximumResourceBytes) bytes")
        }
        let texts = [
            resource.resourceType.rawValue, resource.identifier, resource.fhirVersion.stringRepresentation,
            resource.sourceURL?.absoluteString ?? "",
        ]
        guard !texts[0].isEmpty, texts.allSatisfy({ $0.utf8.count <= HealthSaveRules.maximumTextBytes }) else {
            throw HKError(
                .errorInvalidArgument, reason: "the resource has no type, or a text is too long", place: place,
                advice: "give a type such as Observation")
        }
        guard let time = StoredTime.nanoseconds(date) else {
            throw HKError(
                .errorInvalidArgument, reason: "the time is outside of the storable range", place: place,
                advice: "give dates from \(HealthSaveRules.storableDays)")
        }
        let summary = FHIRSummary(resource.data)
        let record = HKClinicalRecord(
            header: ObjectHeader(
                uuid: ObjectIdentity.next(), sourceRevision: store.revision, device: nil, metadata: nil),
            type: HKClinicalType(summary.type(of: resource.resourceType)), date: StoredTime.date(time),
            content: HKClinicalRecord.Content(
                displayName: summary.displayName ?? texts[0], resourceType: texts[0], identifier: texts[1],
                fhirVersion: texts[2], sourceURL: texts[3].isEmpty ? nil : texts[3], data: resource.data))
        var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
        try batch.append(record, FieldsRecord(record.content.fields))
        try store.store().commit(batch, identities: .unchecked)
        return record
    }
}
