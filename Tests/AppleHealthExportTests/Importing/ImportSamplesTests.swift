// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("T-1 T-4 X-3 S-159 audiograms, prescriptions and clinical records of an export")
struct ImportSamplesTests {
    private static let audiogram = #"""
        <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Mimi" sourceVersion="1" \#
        creationDate="2022-01-02 00:00:00 +0200" startDate="2022-01-02 00:00:00 +0200" \#
        endDate="2022-01-02 00:10:00 +0200">
          <MetadataEntry key="place" value="clinic &amp; lab"/>
          <SensitivityPoint frequencyValue="250" frequencyUnit="Hz" leftEarValue="16" leftEarUnit="dBHL" \#
        rightEarValue="25.5" rightEarUnit="dBHL" rightEarMasked="true" rightEarClampingRangeLowerBound="-10"/>
          <SensitivityPoint frequencyValue="1" frequencyUnit="kHz" leftEarValue="20" leftEarUnit="dBHL"/>
          <SensitivityPoint frequencyValue="0" frequencyUnit="Hz" leftEarValue="20" leftEarUnit="dBHL"/>
         </Audiogram>
        """#
    private static let glasses = #"""
        <VisionPrescription type="glasses" dateIssued="2022-01-02 00:00:00 +0200" \#
        expirationDate="2024-01-02 00:00:00 +0200">
          <RightEye sphere="-1.25" sphereUnit="D" cylinder="-0.5" cylinderUnit="D" axis="20" axisUnit="deg" \#
        prismAmount="2" prismAmountUnit="pD" prismAngle="90" prismAngleUnit="deg" farPD="32" farPDUnit="mm"/>
          <LeftEye sphere="-1.5" sphereUnit="D" vertex="12" vertexUnit="Pa"/>
          <MetadataEntry key="HKMetadataKeyGlassesPrescriptionDescription" value="reading"/>
          <Attachment identifier="7"/>
         </VisionPrescription>
        """#
    private static let contacts =
        #"<VisionPrescription dateIssued="2022-01-03 00:00:00 +0200" brand="Soft"><LeftEye sphere="-3" "#
        + #"sphereUnit="D" baseCurve="8.6" baseCurveUnit="mm"/></VisionPrescription>"#
    private static let path = "/clinical-records/Observation-1.json"
    private static let clinical = #"""
        <ClinicalRecord type="Observation" identifier="obs-1" sourceName="Clinic" \#
        sourceURL="https://fhir.example.org/Observation/1" fhirVersion="4.0.1" \#
        receivedDate="2022-01-02 00:00:00 +0200" resourceFilePath="\#(path)"/>
        """#
    private static let json =
        #"{"resourceType":"Observation","category":[{"coding":[{"code":"vital-signs"}]}],"code":{"text":"Pulse"}}"#

    private static let text = exportText([audiogram, glasses, contacts, clinical].joined(separator: "\n"))

    private func query<Sample: HKSample>(
        _ predicate: HKSamplePredicate<Sample>, _ bench: ImportBench
    ) async throws -> [Sample] {
        try await HKSampleQueryDescriptor(
            predicates: [predicate], sortDescriptors: [SortDescriptor(\.startDate)]
        ).result(for: HKHealthStore(bench.store))
    }

    /// The properties of all samples, without their sources.
    private func summary(_ bench: ImportBench) async throws -> [String] {
        let samples: [HKSample] =
            try await query(.audiogram(), bench) + query(.visionPrescription(), bench)
            + query(.clinicalRecord(type: HKClinicalType(.labResultRecord)), bench)
            + query(.clinicalRecord(type: HKClinicalType(.vitalSignRecord)), bench)
        return samples.map { sample in
            "\(sample.uuid) \(type(of: sample)) \(sample.startDate) \(sample.endDate) \(sample.fields?.hashValue ?? 0) "
                + "\(sample.sourceRevision.source.name) \((sample.metadata ?? [:]).keys.sorted())"
        }
    }

    @Test("elements become samples with all their values; what cannot be read is reported")
    func values() async throws {
        let bench = try ImportBench()
        let outcome = try bench.importText(Self.text)
        #expect(outcome.objectsAdded == 4 && outcome.skipped == 0)
        let notes = outcome.issues.map(\.what)
        #expect(notes.contains { $0.contains("SensitivityPoint") } && notes.contains { $0.contains("vertex") })
        let hearing = try #require(try await query(.audiogram(), bench).first)
        #expect(hearing.sensitivityPoints.map { $0.frequency.doubleValue(for: .hertz()) } == [250, 1_000])
        let point = hearing.sensitivityPoints[0]
        #expect(point.leftEarSensitivity?.value == 16 && point.rightEarSensitivity?.value == 25.5)
        #expect(point.tests.last?.masked == true && point.tests.last?.clampingRange?.lowerBound?.value == -10)
        #expect(hearing.sourceRevision.source.name == "Mimi" && hearing.metadata?["place"] as? String == "clinic & lab")
        #expect(hearing.endDate.timeIntervalSince(hearing.startDate) == 600)
        let prescriptions = try await query(.visionPrescription(), bench)
        #expect(prescriptions.count == 2)
        let glasses = try #require(prescriptions.first as? HKGlassesPrescription)
        #expect(glasses.rightEye?.sphere.value == -1.25 && glasses.rightEye?.axis?.value == 20)
        #expect(glasses.rightEye?.prism?.verticalBase == .up && glasses.rightEye?.farPupillaryDistance?.value == 32)
        #expect(glasses.leftEye?.sphere.value == -1.5 && glasses.leftEye?.vertexDistance == nil)
        let valid = try #require(glasses.expirationDate).timeIntervalSince(glasses.dateIssued)
        #expect(abs(valid - 730 * 86_400) < 1e-6)
        #expect(glasses.metadata?[HKMetadataKeyGlassesPrescriptionDescription] as? String == "reading")
        let contacts = try #require(prescriptions.last as? HKContactsPrescription)
        #expect(contacts.brand == "Soft" && contacts.expirationDate == nil && contacts.rightEye == nil)
        #expect(contacts.leftEye?.baseCurve?.value == 8.6)
        #expect(try bench.store.verify().isSound)
        // A second import adds nothing, also in another time zone.
        #expect(try bench.importText(Self.text).objectsAdded == 0)
        let shifted = Self.text.replacingOccurrences(of: "00:00:00 +0200", with: "01:00:00 +0300")
        #expect(try bench.importText(shifted).objectsAdded == 0)
    }

    @Test("a clinical record has the resource of its file, which may come with a later import")
    func clinical() async throws {
        let bench = try ImportBench()
        try bench.importText(Self.text)
        let lab = HKClinicalType(.labResultRecord)
        let alone = try #require(try await query(.clinicalRecord(type: lab), bench).first)
        #expect(alone.fhirResource == nil && alone.displayName == "Observation")
        #expect(alone.sourceRevision.source.name == "Clinic" && alone.startDate == alone.endDate)
        // The same export with the file beside it.
        let folder = bench.directory.file("export")
        try FileManager.default.createDirectory(
            atPath: folder + "/clinical-records", withIntermediateDirectories: true)
        try Data(Self.text.utf8).write(to: URL(fileURLWithPath: folder + "/export.xml"))
        try Data(Self.json.utf8).write(to: URL(fileURLWithPath: folder + Self.path))
        for _ in 0..<2 { try bench.importFile(folder) }
        #expect(try await query(.clinicalRecord(type: lab), bench).isEmpty)
        let vital = HKClinicalType(.vitalSignRecord)
        let found = try await query(.clinicalRecord(type: vital), bench)
        let record = try #require(found.first)
        #expect(found.count == 1 && record.displayName == "Pulse" && record.clinicalType == vital)
        let resource = try #require(record.fhirResource)
        #expect(resource.data == Data(Self.json.utf8) && resource.identifier == "obs-1")
        #expect(resource.resourceType == .observation && resource.fhirVersion == .primaryR4())
        #expect(resource.sourceURL == URL(string: "https://fhir.example.org/Observation/1"))
        let predicates = [
            HKQuery.predicateForClinicalRecords(withFHIRResourceType: .observation),
            HKQuery.predicateForClinicalRecords(
                from: record.source, fhirResourceType: .observation, identifier: "obs-1"),
        ]
        for one in predicates {
            #expect(try await query(.clinicalRecord(type: vital, predicate: one), bench).count == 1)
        }
        let other = HKQuery.predicateForClinicalRecords(withFHIRResourceType: .condition)
        #expect(try await query(.clinicalRecord(type: vital, predicate: other), bench).isEmpty)
        #expect(try bench.store.verify().isSound)
    }

    @Test("elements of an import of an earlier version become samples at the next opening for writing")
    func conversion() async throws {
        let (old, new) = (try ImportBench(), try ImportBench())
        _ = try old.store.load { loader in
            for (kind, xml) in [
                (ImportedElementKind.audiogram, Self.audiogram), (.visionPrescription, Self.glasses),
                (.visionPrescription, Self.contacts), (.clinicalRecord, Self.clinical),
                (.audiogram, "<Audiogram/>"),
            ] { try loader.add(kind: kind, start: nil, end: nil, Array(xml.utf8)) }
            try loader.add(document: Self.path, Array(Self.json.utf8))
        }
        // An earlier version did not record which elements became samples.
        try old.store.write { try HealthCatalog.set(setting: HealthCatalog.convertedSamplesKey, to: nil, $0) }
        #expect(try await query(.audiogram(), old).isEmpty)
        old.close()
        try old.reopen()
        _ = try new.store.load { loader in
            for (kind, xml) in [
                (ImportedElementKind.audiogram, Self.audiogram), (.visionPrescription, Self.glasses),
                (.visionPrescription, Self.contacts), (.clinicalRecord, Self.clinical),
            ] { #expect(try loader.add(sample: Array(xml.utf8), kind: kind)?.isNew == true) }
            try loader.add(document: Self.path, Array(Self.json.utf8))
        }
        let (upgraded, imported) = (try await summary(old), try await summary(new))
        for (one, other) in zip(upgraded, imported) { #expect(one == other) }
        #expect(upgraded.count == 4)
        #expect(try old.store.verify().isSound)
        // Nothing is left to do, so that another opening commits nothing.
        let sequence = old.store.engine.snapshot().sequence
        old.close()
        try old.reopen()
        #expect(old.store.engine.snapshot().sequence == sequence)
        #expect(try old.importText(Self.text).objectsAdded == 0)
    }

    @Test("imported samples are exported byte for byte; samples of programs import again with equal values")
    func exported() async throws {
        let (bench, other) = (try ImportBench(), try ImportBench())
        try bench.importText(Self.text)
        let text = try bench.exported().text
        for element in [Self.audiogram, Self.glasses, Self.contacts, Self.clinical] { #expect(text.contains(element)) }
        try other.importText(text)
        let (before, after) = (try await summary(bench), try await summary(other))
        #expect(before == after && before.count == 4)
        // The same samples saved by a program.
        let (third, fourth) = (try ImportBench(), try ImportBench())
        let hearing = try #require(try await query(.audiogram(), bench).first)
        let prescriptions = try await query(.visionPrescription(), bench)
        let glasses = try #require(prescriptions.first as? HKGlassesPrescription)
        let contacts = try #require(prescriptions.last as? HKContactsPrescription)
        try await HKHealthStore(third.store).save([
            HKAudiogramSample(
                sensitivityPoints: hearing.sensitivityPoints, start: hearing.startDate, end: hearing.endDate,
                metadata: ["place": "a < b"]),
            HKGlassesPrescription(
                rightEyeSpecification: glasses.rightEye, leftEyeSpecification: glasses.leftEye,
                dateIssued: glasses.dateIssued, expirationDate: glasses.expirationDate, device: nil,
                metadata: [HKMetadataKeyGlassesPrescriptionDescription: "far"]),
            HKContactsPrescription(
                rightEyeSpecification: nil, leftEyeSpecification: contacts.leftEye, brand: contacts.brand,
                dateIssued: contacts.dateIssued, expirationDate: nil, device: nil, metadata: nil),
        ])
        let (written, counts) = try third.exported()
        #expect(counts.elements == 3)
        let outcome = try fourth.importText(written)
        #expect(outcome.objectsAdded == 3 && outcome.issues.isEmpty, "\(outcome.issues)")
        #expect(try await query(.audiogram(), fourth).map(\.fields) == [hearing.fields])
        #expect(try await query(.audiogram(), fourth).first?.metadata?["place"] as? String == "a < b")
        #expect(try await query(.visionPrescription(), fourth).map(\.fields) == prescriptions.map(\.fields))
    }

    @Test("a deleted sample takes its element with it")
    func deleted() async throws {
        let bench = try ImportBench()
        try bench.importText(Self.text)
        for type in [HKObjectType.audiogramSampleType(), .visionPrescriptionType()] as [HKSampleType] {
            #expect(try bench.store.deleteObjects(of: type, .always(true), as: nil) > 0)
        }
        let text = try bench.exported().text
        #expect(!text.contains("<Audiogram ") && !text.contains("<VisionPrescription "))
        #expect(text.contains("<ClinicalRecord "))
    }
}
