// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-3 S-164 S-176 kymo attachment")
struct KymoAttachmentTests {
    private struct Facts: Decodable {
        var attachments: Int
        var attachmentBytes: Int
    }

    private struct Check: Decodable {
        var attachments: Int
        var sound: Bool
    }

    @Test("a file is attached, listed, counted, written and removed")
    func life() async throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let health = HKHealthStore(directory: store)
        let prescription = HKContactsPrescription(
            rightEyeSpecification: nil, leftEyeSpecification: nil, brand: "brand",
            dateIssued: Date(timeIntervalSinceReferenceDate: 700_000_000), expirationDate: nil, device: nil,
            metadata: nil)
        try await health.save(prescription)
        health.close()
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        let file = directory.file("front side.pdf")
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try data.write(to: URL(fileURLWithPath: file))
        let object = prescription.uuid.uuidString
        let added = try run("attachment", "add", object, file)
        #expect(added.code == 0)
        let id = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(UUID(uuidString: id) != nil)
        let text = try run("show", object).output
        #expect(text.contains(id) && text.contains("front side.pdf") && text.contains("com.adobe.pdf"))
        let json = try run("show", object, "--format", "json").output
        let shown = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        let listed = shown?.first?["attachments"] as? [[String: Any]]
        #expect(listed?.first?["identifier"] as? String == id && listed?.first?["bytes"] as? Int == 100_000)
        let facts = try decodeOutput(Facts.self, run("info", "--json"))
        #expect(facts.attachments == 1 && facts.attachmentBytes == 100_000)
        #expect(try run("info").output.contains("attachments"))
        let check = try decodeOutput(Check.self, run("verify", "--json"))
        #expect(check.attachments == 1 && check.sound)
        #expect(try run("verify").output.contains("1 attachment"))
        let target = directory.file("copy.pdf")
        let short = String(id.prefix(8)).lowercased()
        #expect(try run("attachment", "get", short, target).code == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
        try Data([1]).write(to: URL(fileURLWithPath: target))
        let refused = try run("attachment", "get", id, target)
        #expect(refused.code == 1 && refused.errors.contains("--force"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data([1]))
        #expect(try run("attachment", "get", id, target, "--force").code == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == data)
        #expect(try run("attachment", "remove", short).code == 0)
        #expect(try run("attachment", "get", id, directory.file("gone")).code == 1)
        #expect(try run("verify").code == 0)
    }

    @Test("wrong identities, types of files and objects are refused")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let health = HKHealthStore(directory: store)
        let mood = HKStateOfMind(
            date: Date(timeIntervalSinceReferenceDate: 700_000_000), kind: .dailyMood, valence: 0.5, labels: [],
            associations: [])
        try await health.save(mood)
        health.close()
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        let (pdf, text) = (directory.file("a.pdf"), directory.file("a.txt"))
        for path in [pdf, text] { try Data([1]).write(to: URL(fileURLWithPath: path)) }
        #expect(try run("attachment", "add", "abcd", pdf).code == 64)
        #expect(try run("attachment", "add", mood.uuid.uuidString, pdf).code == 64)
        #expect(try run("attachment", "add", mood.uuid.uuidString, text).errors.contains("content type"))
        #expect(try run("attachment", "add", UUID().uuidString, directory.file("missing.pdf")).code == 64)
        #expect(try run("attachment", "get", "abcd", pdf, "--force").code == 1)
        #expect(try run("attachment", "remove", "abcd").code == 1)
        #expect(try run("attachment", "get", "abcd", "--force").code == 64)
    }
}
