// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
public import HealthModel

/// A verifiable record to save with ``HealthRecordStore``. Not part of HealthKit, which reads the values from the
/// signed record itself.
public struct HealthVerifiableRecord: Hashable, Sendable {
    /// The types of the record.
    public var recordTypes: [HKVerifiableClinicalRecordCredentialType]
    /// The format of the record.
    public var sourceType: HKVerifiableClinicalRecordSourceType
    /// The identifier of the issuer.
    public var issuerIdentifier = ""
    /// The person.
    public var subject: HKVerifiableClinicalRecordSubject
    /// The date of the signature; nil means the relevant date.
    public var issuedDate: Date?
    /// The date that is relevant for the items, such as that of a vaccination.
    public var relevantDate: Date
    /// The date from which the record is not valid any more; nil without one.
    public var expirationDate: Date?
    /// The names of the items in the record.
    public var itemNames: [String] = []
    /// The signed record, which is kept byte for byte. Its signature is not checked.
    public var dataRepresentation: Data

    /// Creates a record. Never fails; ``HealthRecordStore/save(_:)`` checks it.
    public init(
        recordTypes: [HKVerifiableClinicalRecordCredentialType], sourceType: HKVerifiableClinicalRecordSourceType,
        subject: HKVerifiableClinicalRecordSubject, relevantDate: Date, dataRepresentation: Data
    ) {
        self.recordTypes = recordTypes
        self.sourceType = sourceType
        self.subject = subject
        self.relevantDate = relevantDate
        self.dataRepresentation = dataRepresentation
    }

    /// All texts together, in UTF-8 bytes.
    fileprivate var textBytes: Int {
        let texts = recordTypes.map(\.rawValue) + itemNames + [sourceType.rawValue, issuerIdentifier, subject.fullName]
        return texts.reduce(0) { $0 + $1.utf8.count }
    }

    fileprivate var content: HKVerifiableClinicalRecord.Content {
        var content = HKVerifiableClinicalRecord.Content(
            recordTypes: recordTypes.map(\.rawValue), issuer: issuerIdentifier, subject: subject,
            issued: issuedDate ?? relevantDate, relevant: relevantDate, data: dataRepresentation)
        content.expiration = expirationDate
        content.itemNames = itemNames
        content.sourceType = sourceType.rawValue
        return content
    }
}

extension HealthRecordStore {
    /// Saves a verifiable record, durably. Its signature is not checked: a program that relies on the record checks
    /// `HKVerifiableClinicalRecord.dataRepresentation`.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a record without a type, for texts beyond
    ///   `HealthSaveRules.maximumTextBytes` together and for times that are not storable; `errorDataSizeExceeded`
    ///   beyond ``maximumResourceBytes``; `errorAuthorizationDenied` for a client in the modes `enforced` and `guest`;
    ///   `errorDatabaseInaccessible`.
    @discardableResult
    public func save(_ record: HealthVerifiableRecord) async throws -> HKVerifiableClinicalRecord {
        try await BlockingQueue.result { () throws(HKError) in try self.saveNow(record) }
    }

    private func saveNow(_ record: HealthVerifiableRecord) throws(HKError) -> HKVerifiableClinicalRecord {
        let place = "HealthRecordStore, a verifiable record"
        guard record.dataRepresentation.count <= Self.maximumResourceBytes else {
            throw HKError(
                .errorDataSizeExceeded, reason: "the record has \(record.dataRepresentation.count) bytes", place: place,
                advice: "give at most \(Self.maximumResourceBytes) bytes")
        }
        guard !record.recordTypes.isEmpty, record.textBytes <= HealthSaveRules.maximumTextBytes else {
            throw HKError(
                .errorInvalidArgument, reason: "the record has no type, or its texts are too long", place: place,
                advice: "give a type such as HKVerifiableClinicalRecordCredentialType.immunization")
        }
        let dates = [record.relevantDate, record.issuedDate, record.expirationDate].compactMap(\.self)
        let times = dates.map { StoredTime.nanoseconds($0) }
        guard let time = times[0], !times.contains(nil) else {
            throw HKError(
                .errorInvalidArgument, reason: "a time is outside of the storable range", place: place,
                advice: "give dates from \(HealthSaveRules.storableDays)")
        }
        let health = try store.store()
        try health.requireOwner("verifiable records")
        let saved = HKVerifiableClinicalRecord(
            header: ObjectHeader(
                uuid: ObjectIdentity.next(), sourceRevision: store.revision, device: nil, metadata: nil),
            date: StoredTime.date(time), content: record.content)
        var batch = SaveBatch(try SavingProgram(store.revision), created: SystemClock.wallNanoseconds())
        try batch.append(saved, FieldsRecord(saved.content.fields))
        try health.commit(batch, identities: .unchecked)
        return saved
    }
}
