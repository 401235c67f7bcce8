// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

@Suite("S-166 attachments with hostile arguments")
struct HostileAttachmentTests {
    private func refused(
        _ code: HKError.Code, _ test: AttachmentDoor, to object: HKObject? = nil, name: String = "a",
        type: UTType = .pdf, url: URL? = nil, metadata: [String: Any] = [:]
    ) async throws {
        let source = try url ?? test.directory.write(noise(10))
        do {
            _ = try await test.attachments.addAttachment(
                to: object ?? test.prescription, name: name, contentType: type, url: source, metadata: metadata)
            Issue.record("nothing was refused")
        } catch {
            #expect((error as? HKError)?.code == code, "\(error)")
        }
    }

    @Test("content types other than static images and PDF, and other URLs, are refused")
    func typesAndURLs() async throws {
        let test = try await AttachmentDoor()
        for type in [UTType.gif, .movie, .quickTimeMovie, .livePhoto, .data, .text, .zip] {
            try await refused(.errorInvalidArgument, test, type: type)
        }
        let directory = test.directory
        let fifo = directory.file("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        for url in [
            URL(string: "https://example.com/scan.pdf"), URL(string: "data:,a"),
            URL(fileURLWithPath: directory.file("missing")), URL(fileURLWithPath: directory.path),
            URL(fileURLWithPath: fifo), URL(fileURLWithPath: "/dev/zero"), URL(fileURLWithPath: "/proc/self/mem"),
        ] {
            try await refused(.errorInvalidArgument, test, url: try #require(url))
        }
        for type in [UTType.image, .png, .jpeg, .heic, .tiff, .bmp, .webP, .pdf] {
            let added = try await test.attachments.addAttachment(
                to: test.prescription, name: "", contentType: type, url: directory.write(noise(10)))
            #expect(added.contentType == type)
        }
    }

    @Test("other objects, unsaved and deleted ones are refused")
    func objects() async throws {
        let test = try await AttachmentDoor()
        let sample = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .gram(), doubleValue: 1), start: clock,
            end: clock)
        try await test.door.health.save(sample)
        try await refused(.errorInvalidArgument, test, to: sample)
        try await refused(.errorInvalidArgument, test, to: glasses())
        let added = try await test.add(noise(5))
        let second = glasses(1)
        try await test.door.health.save(second)
        for object in [sample, second, glasses()] as [HKObject] {
            #expect(
                await code { try await test.attachments.removeAttachment(added, from: object) } == .errorInvalidArgument
            )
        }
        try await test.door.health.delete(test.prescription)
        try await refused(.errorInvalidArgument, test)
        #expect(
            await code { try await test.attachments.removeAttachment(added, from: test.prescription) }
                == .errorInvalidArgument)
    }

    @Test("names and metadata without bounds, and values that are no text, number or date, are refused")
    func texts() async throws {
        let test = try await AttachmentDoor()
        try await refused(.errorInvalidArgument, test, name: "a\0b")
        try await refused(.errorInvalidArgument, test, name: String(repeating: "a", count: 4_097))
        let quantity = HKQuantity(unit: .gram(), doubleValue: 1)
        for value in [Double.nan, Double.infinity, quantity, Data(), [1], Date(timeIntervalSinceNow: .nan)] as [Any] {
            try await refused(.errorInvalidArgument, test, metadata: ["key": value])
        }
        try await refused(.errorInvalidArgument, test, metadata: ["": 1])
        try await refused(.errorInvalidArgument, test, metadata: ["a": String(repeating: "a", count: 1 << 20)])
        let name = String(repeating: "\u{1}é", count: 1_365)
        let added = try await test.attachments.addAttachment(
            to: test.prescription, name: name, contentType: .pdf, url: test.directory.write(noise(5)),
            metadata: ["a\0b": "c\0d", "flag": true, "big": UInt64.max])
        #expect(added.name == name && added.metadata?["a\0b"] as? String == "c\0d")
        #expect(try await test.attachments.attachments(for: test.prescription).first?.metadata?.count == 3)
    }

    @Test("a file of 50 MiB is attached; a longer one is error 13, and leaves nothing")
    func sizes() async throws {
        let test = try await AttachmentDoor()
        let url = URL(fileURLWithPath: test.directory.file("large"))
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(AttachmentDraft.maximumBytes) + 1)
        try await refused(.errorDataSizeExceeded, test, url: url)
        #expect(try test.directory.attachedFiles().isEmpty)
        try handle.truncate(atOffset: UInt64(AttachmentDraft.maximumBytes))
        let added = try await test.attachments.addAttachment(
            to: test.prescription, name: "a", contentType: .pdf, url: url)
        #expect(added.size == 50 << 20)
        #expect(try await test.attachments.dataReader(for: added).data.count == 50 << 20)
    }
}
