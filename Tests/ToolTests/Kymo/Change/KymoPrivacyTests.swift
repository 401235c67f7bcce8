// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("S-2 S-72 T-3 kymo privacy, clients, allow, deny and reset-privacy")
struct KymoPrivacyTests {
    private struct Row: Decodable, Equatable {
        var client: String
        var direction: String
        var type: String
        var isAllowed: Int
        var readFrom: String?
        var origin: String
    }

    private let directory: TemporaryDirectory
    private let store: String

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.file("store")
        _ = try Tool.kymo.run(["add", "weight", "70", "kg", "--store", store])
    }

    private func kymo(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.kymo.run(arguments + ["--store", store])
    }

    @Test("the mode is open until it is set")
    func mode() throws {
        #expect(try kymo("privacy").output == "open\n")
        #expect(try kymo("privacy", "enforced").output == "enforced\n")
        #expect(try kymo("privacy").output == "enforced\n")
        #expect(try kymo("privacy", "closed").code == 64)
        #expect(try kymo("query", "weight", "--csv").output.contains("70"))
        #expect(try kymo("add", "weight", "71", "kg").code == 0)
        #expect(try kymo("verify").code == 0)
    }

    @Test("decisions are listed, changed and forgotten")
    func decisions() throws {
        #expect(try kymo("allow", "com.example.coach", "--read", "pulse,steps", "--share", "workout").code == 0)
        #expect(try kymo("allow", "com.example.coach", "--read", "weight", "--from", "2026-01-01").code == 0)
        #expect(try kymo("deny", "com.example.coach", "--read", "pulse,bloodPressure").code == 0)
        let rows = try decodeOutput([Row].self, kymo("clients", "--json"))
        let named = rows.map { row in
            "\(row.direction) \(row.type.replacing("HKQuantityTypeIdentifier", with: "")) \(row.isAllowed)"
        }
        #expect(
            named == [
                "read BloodPressureDiastolic 0", "read BloodPressureSystolic 0", "read BodyMass 1", "read HeartRate 0",
                "read StepCount 1", "share HKWorkoutTypeIdentifier 1",
            ])
        #expect(rows.map(\.readFrom).compactMap(\.self).count == 1 && rows.allSatisfy { $0.origin == "kymo" })
        #expect(try kymo("clients", "com.example.other", "--csv").output.split(separator: "\n").count == 1)
        #expect(try kymo("clients").output.contains("com.example.coach"))
        #expect(try kymo("allow", "com.example.bot", "--read", "all", "--share", "all").code == 0)
        #expect(try kymo("reset-privacy", "com.example.coach").code == 0)
        let rest = try decodeOutput([Row].self, kymo("clients", "--json"))
        #expect(rest.count > 200 && rest.allSatisfy { $0.client == "com.example.bot" })
        #expect(try kymo("reset-privacy", "--all").code == 0)
        #expect(try kymo("clients").errors.contains("no decisions"))
        #expect(try kymo("info").code == 0)
    }

    @Test("--client shows what a program reads, and fails as its query")
    func client() throws {
        func query(_ type: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(["query", type, "--client", "com.example.run", "--csv", "--store", store] + more)
        }
        #expect(try query("weight").output.contains(",70,"))
        _ = try kymo("privacy", "enforced")
        let refused = try query("weight")
        #expect(refused.code == 1 && refused.errors.contains("not asked"))
        _ = try kymo("deny", "com.example.run", "--read", "weight,workout")
        #expect(try query("weight").output.split(separator: "\n").count == 1)
        #expect(try query("workout").output.split(separator: "\n").count == 1)
        #expect(try kymo("query", "weight", "--client", "com.example.run").errors.contains("reads no samples"))
        _ = try kymo("allow", "com.example.run", "--read", "weight")
        #expect(try query("weight", "--unit", "g").output.contains(",70000,"))
        #expect(try query("weight", "--unit", "m").code != 0)
        #expect(try kymo("query", "weight", "--client", "com.example.run", "--limit", "1").output.contains("70"))
        #expect(try query("weight", "--points", "100").code == 64)
        #expect(try kymo("query", "weight", "--client", "").code == 64)
    }

    @Test("single prescriptions and medications are allowed and denied")
    func objects() async throws {
        let health = HKHealthStore(directory: store)
        let prescription = HKVisionPrescription(
            type: .glasses, dateIssued: Date(timeIntervalSinceReferenceDate: 0), expirationDate: nil, device: nil,
            metadata: nil)
        try await health.save(prescription)
        let concept = HKMedicationConcept(displayText: "Ibuprofen 400 mg", generalForm: .tablet)
        try await HealthMedicationStore(healthStore: health).save(
            HKUserAnnotatedMedication(medication: concept, nickname: "blue", hasSchedule: true))
        health.close()
        struct Listed: Decodable { var uuid, name, nickname, form: String }
        let medications = try decodeOutput([Listed].self, kymo("medications", "--json"))
        #expect(medications.map(\.name) == ["Ibuprofen 400 mg"] && medications.map(\.nickname) == ["blue"])
        #expect(try kymo("medications").output.contains("blue"))
        _ = try kymo("privacy", "enforced")
        func seen() throws -> Bool {
            try kymo("query", "visionPrescription", "--client", "com.example.optician", "--csv")
                .output.contains(prescription.uuid.uuidString)
        }
        #expect(try !seen())
        let objects = ["--object", prescription.uuid.uuidString, "--object", medications[0].uuid]
        #expect(try Tool.kymo.run(["allow", "com.example.optician"] + objects + ["--store", store]).code == 0)
        #expect(try seen() && kymo("clients").output.contains("2 allowed"))
        #expect(try kymo("deny", "com.example.optician", "--object", prescription.uuid.uuidString).code == 0)
        #expect(try !seen())
        #expect(try kymo("allow", "a", "--object", UUID().uuidString).errors.contains("no object"))
        #expect(try kymo("allow", "a", "--object", "7").code == 64)
    }

    @Test("wrong arguments are refused")
    func wrong() throws {
        for arguments in [
            ["allow", "a"], ["allow", "a", "--read", "steeps"], ["allow", "a", "--share", "steps", "--from", "monday"],
            ["allow", "a", "--share", "exerciseTime,appleStandHour"], ["deny", "a", "--share", "bloodType"],
            ["reset-privacy"], ["reset-privacy", "a", "--all"], ["allow", "", "--read", "steps"],
        ] {
            #expect(try Tool.kymo.run(arguments + ["--store", store]).code == 64, "\(arguments)")
        }
        #expect(try kymo("clients").errors.contains("no decisions"))
    }

    @Test("a policy file with a mistake is reported with its line")
    func policy() throws {
        try "{\n\"default\": 1}".write(toFile: store + "/authorization.json", atomically: true, encoding: .utf8)
        let found = try kymo("privacy")
        #expect(found.output == "open\n" && found.errors.contains("has no effect: the mode is open"))
        _ = try kymo("privacy", "enforced")
        #expect(try kymo("clients").errors.contains("authorization.json: line 2"))
        #expect(try kymo("verify").code == 0)
    }
}
