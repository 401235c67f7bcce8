// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing
import UniformTypeIdentifiers

@Suite("S-164 S-165 S-166 the example of the page about attachments")
struct AttachmentsExampleTests {
    @Test("the example attaches a file, lists, reads and removes it")
    func example() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let path = directory.file("scan.pdf")
        try Data("%PDF-1.7".utf8).write(to: URL(fileURLWithPath: path))
        let prescription = HKGlassesPrescription(
            rightEyeSpecification: nil, leftEyeSpecification: nil,
            dateIssued: Date(timeIntervalSinceReferenceDate: 700_000_000), expirationDate: nil, device: nil,
            metadata: nil)
        try await health.save(prescription)
        // example attachments begins
        let store = HKAttachmentStore(healthStore: health)
        let scan = try await store.addAttachment(
            to: prescription, name: "April 2026", contentType: .pdf, url: URL(fileURLWithPath: path),
            metadata: ["pages": 2])

        for attachment in try await store.attachments(for: prescription) {
            print(attachment.name, attachment.contentType, attachment.size)
        }
        let reader = store.dataReader(for: scan)
        let document = try await reader.data
        for try await byte in reader.bytes.prefix(4) { print(byte) }

        try await store.removeAttachment(scan, from: prescription)
        // example attachments ends
        #expect(document == Data("%PDF-1.7".utf8) && scan.metadata?["pages"] as? Int == 2)
        #expect(try await store.attachments(for: prescription).isEmpty)
    }
}
