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
}
