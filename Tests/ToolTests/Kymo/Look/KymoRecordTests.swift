// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-3 S-159 kymo lists and shows prescriptions, audiograms, states of mind and clinical records")
struct KymoRecordTests {
    private struct Row: Decodable {
        var summary: String
        var uuid: String
    }

    @Test("query gives a summary, show gives all values, of an imported export")
    func imported() throws {
        let rows = try decodeOutput([Row].self, kymo("query", "visionPrescription", "--json"))
        #expect(rows.count == 1 && rows[0].summary.hasPrefix("glasses") && rows[0].summary.contains("right -1.25 D"))
        let text = try kymo("show", rows[0].uuid).output
        #expect(text.contains("HKGlassesPrescription") && text.contains("sphere -1.5 D"))
        let json = try kymo("show", rows[0].uuid, "--format", "json").output
        let shown = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        let lens = shown?.first?["leftEye"] as? [String: [String: Any]]
        #expect(lens?["sphere"]?["value"] as? Double == -1.5 && lens?["sphere"]?["unit"] as? String == "D")
        #expect(try kymo("query", "audiogram").output.contains("frequencies"))
        let hearing = try decodeOutput([Row].self, kymo("query", "audiogram", "--json"))
        #expect(try kymo("show", hearing[0].uuid).output.contains("leftEar"))
        let records = try decodeOutput([Row].self, kymo("query", "labResultRecord", "--json"))
        #expect(try kymo("show", records[0].uuid).output.contains("obs-1"))
        #expect(try kymo("stats", "audiogram").code != 0)
    }

    @Test("states of mind and questionnaires of a program are listed, shown and deleted")
    func saved() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let mood = HKStateOfMind(date: date, kind: .dailyMood, valence: 0.9, labels: [.happy], associations: [.family])
        let answers = [HKGAD7Assessment.Answer](repeating: .severalDays, count: 7)
        let form = HKGAD7Assessment(date: date, answers: answers)
        try await health.save([mood, form])
        health.close()
        func run(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(arguments + ["--store", directory.file("store")])
        }
        #expect(try run("query", "stateOfMind").output.contains("veryPleasant, happy"))
        #expect(try run("query", "gad7").output.contains("7, mild"))
        let text = try run("show", mood.uuid.uuidString).output
        #expect(text.contains("family") && text.contains("0.9"))
        #expect(try run("show", form.uuid.uuidString).output.contains("severalDays"))
        #expect(try run("delete", "stateOfMind", "--all").code == 0)
        #expect(try !run("query", "stateOfMind").output.contains("happy"))
    }

    @Test("dose events, documents and verifiable records are listed, shown and deleted")
    func documents() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let medication = HKUserAnnotatedMedication(medication: HKMedicationConcept(displayText: "Amoxicillin"))
        let list = HealthMedicationStore(healthStore: health)
        try await list.save(medication)
        let dose = try await list.log(
            HealthMedicationDose(date: date, scheduledDate: date, scheduledQuantity: 2), of: medication)
        let xml = """
            <ClinicalDocument xmlns="urn:hl7-org:v3"><typeId/><id/><code/><title>Visit</title><effectiveTime/>
            <confidentialityCode/><recordTarget/><author/><custodian/><component/></ClinicalDocument>
            """
        let document = try HKCDADocumentSample(data: Data(xml.utf8), start: date, end: date, metadata: nil)
        try await health.save(document)
        var card = HealthVerifiableRecord(
            recordTypes: [.immunization], sourceType: .smartHealthCard,
            subject: HKVerifiableClinicalRecordSubject(fullName: "Ada Lovelace", dateOfBirthComponents: nil),
            relevantDate: date, dataRepresentation: Data("a.b.c".utf8))
        card.itemNames = ["Flu"]
        let record = try await HealthRecordStore(healthStore: health).save(card)
        health.close()
        func run(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(arguments + ["--store", directory.file("store")])
        }
        #expect(try run("query", "medicationDoseEvent").output.contains("Amoxicillin, taken, 2"))
        #expect(try run("show", dose.uuid.uuidString).output.contains("schedule"))
        #expect(try run("query", "CDA").output.contains("Visit"))
        #expect(try run("show", document.uuid.uuidString).output.contains("ClinicalDocument"))
        #expect(try run("query", "verifiableClinicalRecord").output.contains("Flu, Ada Lovelace"))
        #expect(try run("show", record.uuid.uuidString, "--format", "json").output.contains("a.b.c"))
        let types = try run("types").output
        for name in ["medicationDoseEvent", "verifiableClinicalRecord", "CDA"] {
            #expect(types.contains(name), "\(types)")
        }
        #expect(try run("delete", "CDA", "--all").code == 0)
        #expect(try !run("query", "CDA").output.contains("Visit"))
    }
}
