// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// The content of a sample without a number of its own, such as a prescription or a questionnaire, as names and values.
struct SampleFields {
    /// A value of the output.
    enum Value {
        case text(String)
        case number(Double)
        case integer(Int)
        case quantity(HKQuantity)
        case list([Value])
        case fields([(name: String, value: Value)])
    }

    /// The names in the order of the output; empty for other samples.
    let all: [(name: String, value: Value)]

    init(_ sample: HKSample) {
        switch sample {
        case let sample as HKVisionPrescription: all = Self.prescription(sample)
        case let sample as HKAudiogramSample:
            all = [("points", .list(sample.sensitivityPoints.map { .fields(Self.point($0)) }))]
        case let sample as HKStateOfMind:
            all = [
                ("kind", .text("\(sample.kind)")), ("valence", .number(sample.valence)),
                ("classification", .text("\(sample.valenceClassification)")),
                ("labels", .list(sample.labels.map { .text("\($0)") })),
                ("associations", .list(sample.associations.map { .text("\($0)") })),
            ]
        case let sample as HKGAD7Assessment:
            all = Self.assessment(sample, "\(sample.risk)", sample.answers.map { "\($0)" })
        case let sample as HKPHQ9Assessment:
            all = Self.assessment(sample, "\(sample.risk)", sample.answers.map { "\($0)" })
        case let sample as HKClinicalRecord: all = Self.record(sample)
        case let sample as HKMedicationDoseEvent: all = Self.dose(sample)
        case let sample as HKCDADocumentSample: all = Self.document(sample)
        case let sample as HKVerifiableClinicalRecord: all = Self.verifiable(sample)
        default: all = []
        }
    }

    private static func assessment(
        _ sample: HKScoredAssessment, _ risk: String, _ answers: [String]
    ) -> [(name: String, value: Value)] {
        [
            ("score", .integer(sample.score)), ("risk", .text(risk)), ("answers", .list(answers.map { .text($0) })),
        ]
    }

    private static func prescription(_ sample: HKVisionPrescription) -> [(name: String, value: Value)] {
        var found: [(name: String, value: Value)] = [("prescription", .text("\(sample.prescriptionType)"))]
        if let brand = (sample as? HKContactsPrescription)?.brand { found.append(("brand", .text(brand))) }
        for (eye, lens) in sample.lenses { found.append(("\(eye)Eye", .fields(self.lens(lens)))) }
        return found
    }

    private static func lens(_ lens: HKLensSpecification) -> [(name: String, value: Value)] {
        let glasses = lens as? HKGlassesLensSpecification
        let contacts = lens as? HKContactsLensSpecification
        let values: [(String, HKQuantity?)] = [
            ("sphere", lens.sphere), ("cylinder", lens.cylinder), ("axis", lens.axis), ("addPower", lens.addPower),
            ("vertexDistance", glasses?.vertexDistance), ("prismAmount", glasses?.prism?.amount),
            ("prismAngle", glasses?.prism?.angle), ("farPupillaryDistance", glasses?.farPupillaryDistance),
            ("nearPupillaryDistance", glasses?.nearPupillaryDistance), ("baseCurve", contacts?.baseCurve),
            ("diameter", contacts?.diameter),
        ]
        return values.compactMap { name, value in value.map { (name: name, value: Value.quantity($0)) } }
    }

    private static func point(_ point: HKAudiogramSensitivityPoint) -> [(name: String, value: Value)] {
        var found: [(name: String, value: Value)] = [("frequency", .quantity(point.frequency))]
        for test in point.tests {
            found.append(("\(test.side)Ear", .quantity(test.sensitivity)))
            if test.masked { found.append(("\(test.side)Masked", .text("yes"))) }
        }
        return found
    }

    private static func record(_ sample: HKClinicalRecord) -> [(name: String, value: Value)] {
        var found: [(name: String, value: Value)] = [
            ("name", .text(sample.displayName)), ("resourceType", .text(sample.content.resourceType)),
            ("identifier", .text(sample.content.identifier)), ("fhirVersion", .text(sample.content.fhirVersion)),
        ]
        if let address = sample.content.sourceURL { found.append(("sourceURL", .text(address))) }
        if let data = sample.content.data {
            found.append(("resource", .text(String(decoding: data, as: UTF8.self))))
        }
        return found
    }

    private static func dose(_ sample: HKMedicationDoseEvent) -> [(name: String, value: Value)] {
        var found: [(name: String, value: Value)] = [
            ("medication", .text(sample.content.name)), ("status", .text("\(sample.logStatus)")),
            ("reason", .text("\(sample.scheduleType)")),
        ]
        if let number = sample.doseQuantity { found.append(("quantity", .number(number))) }
        if let date = sample.scheduledDate { found.append(("scheduledDate", .text(text(date)))) }
        if let number = sample.scheduledDoseQuantity { found.append(("scheduledQuantity", .number(number))) }
        found.append(("unit", .text(sample.unit.unitString)))
        found.append(("medicationIdentifier", .text("\(sample.medicationConceptIdentifier)")))
        return found
    }

    private static func document(_ sample: HKCDADocumentSample) -> [(name: String, value: Value)] {
        guard let document = sample.document else { return [] }
        var found: [(name: String, value: Value)] = [
            ("title", .text(document.title)), ("patient", .text(document.patientName)),
            ("author", .text(document.authorName)), ("custodian", .text(document.custodianName)),
        ]
        if let data = document.documentData {
            found.append(("document", .text(String(decoding: data, as: UTF8.self))))
        }
        return found
    }

    private static func verifiable(_ sample: HKVerifiableClinicalRecord) -> [(name: String, value: Value)] {
        var found: [(name: String, value: Value)] = [
            ("items", .list(sample.itemNames.map { .text($0) })), ("person", .text(sample.subject.fullName)),
            ("recordTypes", .list(sample.recordTypes.map { .text($0) })), ("issuer", .text(sample.issuerIdentifier)),
            ("issued", .text(text(sample.issuedDate))),
        ]
        if let date = sample.expirationDate { found.append(("expires", .text(text(date)))) }
        if let format = sample.sourceType { found.append(("format", .text(format.rawValue))) }
        found.append(("record", .text(String(decoding: sample.dataRepresentation, as: UTF8.self))))
        return found
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    /// A summary of the content in one line.
    static func summary(_ sample: HKSample) -> String {
        switch sample {
        case let sample as HKVisionPrescription:
            let brand = (sample as? HKContactsPrescription)?.brand
            let lenses = sample.lenses.map { "\($0.eye) \($0.lens.sphere)" }
            return (["\(sample.prescriptionType)"] + (brand.map { [$0] } ?? []) + lenses).joined(separator: ", ")
        case let sample as HKAudiogramSample:
            return NumberText.count(sample.sensitivityPoints.count, "frequency", "frequencies")
        case let sample as HKStateOfMind:
            return (["\(sample.valenceClassification)"] + sample.labels.map { "\($0)" }).joined(separator: ", ")
        case let sample as HKGAD7Assessment: return "\(sample.score), \(sample.risk)"
        case let sample as HKPHQ9Assessment: return "\(sample.score), \(sample.risk)"
        case let sample as HKClinicalRecord: return sample.displayName
        case let sample as HKMedicationDoseEvent:
            let amount = sample.doseQuantity.map { ", \(NumberText.json($0)) \(sample.unit)" } ?? ""
            return "\(sample.content.name), \(sample.logStatus)\(amount)"
        case let sample as HKCDADocumentSample:
            return [sample.document?.title, sample.document?.patientName].compactMap(\.self).filter { !$0.isEmpty }
                .joined(separator: ", ")
        case let sample as HKVerifiableClinicalRecord:
            return (sample.itemNames + [sample.subject.fullName]).joined(separator: ", ")
        default: return ""
        }
    }

    /// The lines of the text output.
    var lines: [(String, String)] {
        all.flatMap { name, value -> [(String, String)] in
            if case .list(let values) = value, values.contains(where: { if case .fields = $0 { true } else { false } })
            {
                return values.map { (name, Self.text($0)) }
            }
            return [(name, Self.text(value))]
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .text(let text): text
        case .number(let number): NumberText.json(number)
        case .integer(let number): "\(number)"
        case .quantity(let quantity): "\(quantity)"
        case .list(let values): values.map { text($0) }.joined(separator: ", ")
        case .fields(let fields): fields.map { "\($0.name) \(text($0.value))" }.joined(separator: ", ")
        }
    }

    func write(_ json: inout JSONWriter) {
        for (name, value) in all {
            json.key(name)
            Self.write(value, &json)
        }
    }

    private static func write(_ value: Value, _ json: inout JSONWriter) {
        switch value {
        case .text(let text): json.string(text)
        case .number(let number): json.number(number)
        case .integer(let number): json.integer(number)
        case .quantity(let quantity):
            json.beginObject()
            json.field("value", quantity.value)
            json.field("unit", quantity.unit.unitString)
            json.endObject()
        case .list(let values):
            json.beginArray()
            for value in values { write(value, &json) }
            json.endArray()
        case .fields(let fields):
            json.beginObject()
            for (name, value) in fields {
                json.key(name)
                write(value, &json)
            }
            json.endObject()
        }
    }
}
