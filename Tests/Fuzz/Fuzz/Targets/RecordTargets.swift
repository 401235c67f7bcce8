// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import HealthModel
@testable import KymographHealth

/// Stored samples of a few properties, and CDA documents of programs.
enum RecordTargets {
    static let all = [
        Target(
            name: "fields", maximumLength: 2048, variants: 31,
            asserts: "stored fields are read or refused; fields and samples that are written again read the same",
            seeds: { _ in fieldSeeds }, run: each(fields)),
        Target(
            name: "document", maximumLength: 4096, variants: 15,
            asserts: "a document has names of bounded length, the same after a comment, or a fault at one of its lines",
            seeds: { _ in documentSeeds.map { Array($0.utf8) } }, run: each(document)),
    ]

    // MARK: Fields

    private static let types: [HKSampleType] = [
        HKObjectType.visionPrescriptionType(), HKObjectType.audiogramSampleType(), HKObjectType.stateOfMindType(),
        HKScoredAssessmentType(.GAD7), HKScoredAssessmentType(.PHQ9), HKClinicalType(.labResultRecord),
        HKObjectType.medicationDoseEventType(), HKDocumentType(.CDA), VerifiableRecordType.only,
    ]

    private static let header = ObjectHeader(
        uuid: UUID(uuidString: "00000000-0000-4000-8000-000000000001") ?? UUID(), sourceRevision: .thisProgram,
        device: nil, metadata: nil)
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// Reads fields after a byte that selects the type of the sample.
    private static func fields(_ bytes: [UInt8]) {
        guard let kind = bytes.first, let read = try? FieldsRecord(ObjectCompressor.plain(Array(bytes.dropFirst())))
        else { return }
        let plain = FieldsRecord.plain(read.fields)
        let again = try? FieldsRecord(read.body)
        require(again.map { FieldsRecord.plain($0.fields) } == plain, "written fields are not \(read.fields)")
        require(again?.element == read.element, "the written element is not \(String(describing: read.element))")
        let type = types[Int(kind) % types.count]
        guard let first = sample(type, read.fields), let known = first.fields else { return }
        guard let second = sample(type, known), let known2 = second.fields else {
            finding("the fields of \(first) cannot be read")
        }
        require(FieldsRecord.plain(known) == FieldsRecord.plain(known2), "\(known2) are not \(known)")
    }

    private static func sample(_ type: HKSampleType, _ fields: HealthFields) -> HKSample? {
        try? fields.sample(of: type, header, start: date, end: date)
    }

    private static var fieldSeeds: [[UInt8]] {
        let diopters = HKQuantity(unit: .diopter(), doubleValue: -1.25)
        let samples: [HKSample?] = [
            HKGlassesPrescription(
                rightEyeSpecification: HKGlassesLensSpecification(
                    sphere: diopters, cylinder: diopters, axis: HKQuantity(unit: .degreeAngle(), doubleValue: 20),
                    addPower: nil, vertexDistance: nil,
                    prism: HKVisionPrism(
                        amount: HKQuantity(unit: .prismDiopter(), doubleValue: 2),
                        angle: HKQuantity(unit: .degreeAngle(), doubleValue: 90), eye: .right),
                    farPupillaryDistance: nil, nearPupillaryDistance: nil),
                leftEyeSpecification: nil, dateIssued: date, expirationDate: nil, device: nil, metadata: nil),
            HKStateOfMind(date: date, kind: .dailyMood, valence: 0.5, labels: [.calm], associations: [.work]),
            HKGAD7Assessment(date: date, answers: Array(repeating: .notAtAll, count: 7)),
        ]
        return samples.compactMap { sample in
            guard let sample, let fields = sample.fields, let kind = types.firstIndex(of: sample.sampleType) else {
                return nil
            }
            // The version, and no element.
            return [UInt8(kind), 1, 0] + FieldsRecord.plain(fields)
        } + types.indices.map { [UInt8($0), 1, 0, 0] }
    }

    // MARK: Documents

    private static func document(_ bytes: [UInt8]) {
        let names: CDANames
        do throws(CDAReader.Faults) { names = try CDAReader.names(Data(bytes)) } catch {
            let lines = 2 + bytes.count { $0 == 0x0A }
            require(!error.reasons.isEmpty, "there is no fault")
            for reason in error.reasons {
                let line = reason.hasPrefix("line ") ? Int(reason.dropFirst(5).prefix { $0.isNumber }) : nil
                require(line.map { (1...lines).contains($0) } ?? true, "\(reason) of \(lines) lines")
            }
            return
        }
        for text in [names.title, names.patient, names.author, names.custodian] {
            require(text.utf8.count <= 20_000, "a name has \(text.utf8.count) bytes")
        }
        let longer = try? CDAReader.names(Data(bytes + Array("<!-- end -->".utf8)))
        require(longer == names, "a comment changes \(names) to \(String(describing: longer))")
    }

    private static var documentSeeds: [String] {
        let name = "<name><given>Ada</given><family>Lovelace &amp; Co</family></name>"
        let parts = [
            "<typeId/>", "<id/>", "<code/>", "<title>Visit</title>", "<effectiveTime/>", "<confidentialityCode/>",
            "<recordTarget><patientRole><patient>\(name)</patient></patientRole></recordTarget>",
            "<author><assignedAuthor><assignedPerson>\(name)</assignedPerson></assignedAuthor></author>",
            "<custodian><assignedCustodian><representedCustodianOrganization><name>Clinic</name>"
                + "</representedCustodianOrganization></assignedCustodian></custodian>", "<component/>",
        ]
        let whole = "<ClinicalDocument xmlns=\"urn:hl7-org:v3\">\(parts.joined(separator: "\n"))</ClinicalDocument>"
        return [
            whole, "<?xml version=\"1.0\"?>\n" + whole.replacing("<t", with: "<![CDATA[x]]><t"),
            whole.replacing("ClinicalDocument", with: "c:ClinicalDocument"), "<a><b/></a>", "",
        ]
    }
}
