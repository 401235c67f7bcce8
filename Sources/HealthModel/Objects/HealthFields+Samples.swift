// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension HealthFields {
    /// Returns the sample of a type with these fields.
    ///
    /// - Throws: a fault if fields are missing or have unknown values, and for a type without fields.
    package func sample(
        of type: HKSampleType, _ header: ObjectHeader, start: Date, end: Date
    ) throws(Fault) -> HKSample {
        switch type.facts.kind {
        case .prescription:
            try HKVisionPrescription.stored(header, self, issued: start, expires: end == .distantFuture ? nil : end)
        case .audiogram: try HKAudiogramSample.stored(header, self, start: start, end: end)
        case .stateOfMind: try HKStateOfMind.stored(header, self, at: start)
        case .scoredAssessment: try HKScoredAssessment.stored(type, header, self, at: start)
        case .clinical:
            HKClinicalRecord(
                header: header, type: type as? HKClinicalType ?? HKClinicalType(facts: type.facts), date: start,
                content: try HKClinicalRecord.Content(fields: self))
        case .medicationDoseEvent:
            HKMedicationDoseEvent(
                header: header, start: start, end: end, content: try HKMedicationDoseEvent.Content(fields: self))
        case .document:
            HKCDADocumentSample(
                header: header, type: type as? HKDocumentType ?? HKDocumentType(facts: type.facts), start: start,
                end: end, content: try HKCDADocumentSample.Content(fields: self))
        case .verifiableRecord:
            HKVerifiableClinicalRecord(
                header: header, date: start, content: try HKVerifiableClinicalRecord.Content(fields: self))
        default: throw Fault(reason: "a \(type.identifier) has no fields in this version", isNewer: true)
        }
    }
}

extension HealthFields {
    /// Returns valid fields of a type that state nothing about the person, for an erased object.
    ///
    /// - Parameter known: the fields of the object. A dose event keeps the identifier of its medication, which decides
    ///   who learns of its deletion.
    package static func erased(_ type: HKObjectType?, from known: HealthFields = HealthFields()) -> HealthFields {
        var fields = HealthFields()
        switch type?.facts.kind {
        case .prescription:
            fields.put(1, 0)
            fields.put(2, 1)
        case .stateOfMind:
            fields.put(1, HKStateOfMind.Kind.momentaryEmotion.rawValue)
            fields.put(2, 0.0)
        case .medicationDoseEvent:
            var content = HKMedicationDoseEvent.Content.erased
            if let concept = try? HKMedicationDoseEvent.Content(fields: known).concept { content.concept = concept }
            return content.fields
        case .userAnnotatedMedication:
            return HKUserAnnotatedMedication(
                medication: HKMedicationConcept(identifier: .erased, displayText: "")
            ).fields
        case .verifiableRecord: return HKVerifiableClinicalRecord.Content.erased.fields
        default: break
        }
        return fields
    }
}

extension HKHealthConceptIdentifier {
    fileprivate static let erased = HKHealthConceptIdentifier(domain: .medication, uuid: UUID(high: 0, low: 0))
}

extension HKMedicationDoseEvent.Content {
    fileprivate static let erased = Self(concept: .erased, name: "", status: .notLogged, unit: .count(), quantity: nil)
}

extension HKVerifiableClinicalRecord.Content {
    fileprivate static let erased = Self(
        recordTypes: [], issuer: "",
        subject: HKVerifiableClinicalRecordSubject(fullName: "", dateOfBirthComponents: nil), issued: .distantPast,
        relevant: .distantPast, data: Data())
}
