// SPDX-License-Identifier: Apache-2.0

import Catalog
package import Foundation
import HealthCatalog
import HealthModel

/// A medication in the list of the person, in stored form: a saved object whose body is the medication's fields. Each
/// change replaces the row.
struct StoredMedication: Sendable {
    /// The row of the object.
    let row: Int64
    /// The time of the last change, in nanoseconds since 1970-01-01 UTC.
    let changed: Int64
    let medication: HKUserAnnotatedMedication

    static let type = HKDataTypeIdentifierUserAnnotatedMedicationConcept

    /// The identity of the medication, which decisions about access name.
    var identity: HKHealthConceptIdentifier { medication.medication.identifier }

    init(_ row: SavedObjectRow) throws(HealthStoreError) {
        (self.row, changed) = (row.id, row.start)
        let fields = try FieldsRecord(row.body).fields
        do throws(HealthFields.Fault) { medication = try HKUserAnnotatedMedication(fields: fields) } catch {
            throw HealthStoreError(error, in: "health object \(row.id), a medication,")
        }
    }

    /// Returns the live medications, by the time of their last change.
    ///
    /// - Parameter sequence: the commit of the state; nil for the state of the transaction.
    static func all(asOf sequence: Int64? = nil, _ transaction: CatalogTransaction) throws -> [StoredMedication] {
        var found: [StoredMedication] = []
        try HealthCatalog.eachSavedObject(type: type, asOf: sequence, transaction) { row in
            found.append(try StoredMedication(row))
            return true
        }
        return found
    }
}

/// A medication of the person's list, and the time of its last change.
package struct ListedMedication: Sendable {
    package let medication: HKUserAnnotatedMedication
    /// Nanoseconds since 1970-01-01 UTC.
    package let changed: Int64
    /// The identity that decisions about access name.
    package let identity: UUID
}

extension HealthStore {
    /// Returns the medications that the client may read, by the time of their last change.
    package func listedMedications() throws(HKError) -> [ListedMedication] {
        try HKError.converting {
            try medications().map {
                ListedMedication(medication: $0.medication, changed: $0.changed, identity: $0.identity.uuid)
            }
        }
    }

    /// Returns the medications that match a predicate and that the client may read, by the time of their last change.
    func medications(matching predicate: SamplePredicate = .always(true)) throws -> [StoredMedication] {
        guard predicate.isOfMedications else {
            throw HKError(
                .errorInvalidArgument, reason: "the predicate tests samples, and medications are none",
                place: "predicate", advice: "use HKQuery.predicateForUserAnnotatedMedications")
        }
        let view = try currentView()
        let chosen = try access(view.tables)?.chosenMedications
        let all = try catalog([StoredMedication]()) {
            try StoredMedication.all(asOf: view.snapshot.sequence, $0)
        }
        return all.filter {
            chosen?.contains($0.identity.uuid) ?? true && predicate.matches($0.medication)
        }
    }
}
