// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

@Suite("S-166 S-167 attachments with hostile arguments")
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

    @Test("attachments of other stores, removed ones, and stores that cannot be opened")
    func strangers() async throws {
        let (test, other) = (try await AttachmentDoor(), try await AttachmentDoor())
        let added = try await test.add(noise(5))
        let answers = Answers<HKError.Code?>()
        other.attachments.getData(for: added) { _, error in answers.put((error as? HKError)?.code) }
        #expect(await answers.first(1) == [.errorInvalidArgument])
        other.attachments.streamData(for: added) { piece, error, isDone in
            answers.put(piece == nil && isDone ? (error as? HKError)?.code : nil)
        }
        #expect(await answers.first(2).last == .errorInvalidArgument)
        let reader = other.attachments.dataReader(for: added)
        #expect(await code { _ = try await reader.data } == .errorInvalidArgument)
        #expect(await code { for try await _ in reader.bytes {} } == .errorInvalidArgument)
        other.attachments.addAttachment(
            to: test.prescription, name: "a", contentType: .pdf, url: try test.directory.write(noise(1))
        ) { _, error in answers.put((error as? HKError)?.code) }
        #expect(await answers.first(3).last == .errorInvalidArgument)
        other.attachments.removeAttachment(added, from: test.prescription) { _, error in
            answers.put((error as? HKError)?.code)
        }
        #expect(await answers.first(4).last == .errorInvalidArgument)
        let lists = Answers<[HKAttachment]?>()
        other.attachments.getAttachments(for: test.prescription) { found, _ in lists.put(found) }
        #expect(await lists.first(1) == [[]])
        let broken = HKAttachmentStore(healthStore: HKHealthStore(directory: "/dev/null/store"))
        #expect(
            await code { _ = try await broken.attachments(for: test.prescription) } == .errorDatabaseInaccessible)
        #expect(await code { _ = try await broken.dataReader(for: added).data } == .errorDatabaseInaccessible)
    }

    @Test("an archive without an attachment decodes to nil")
    func archives() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(NSData(data: Data([1, 2, 3])), forKey: "attachment")
        archiver.finishEncoding()
        for data in [archiver.encodedData, NSKeyedArchiver(requiringSecureCoding: true).encodedData] {
            let decoder = try NSKeyedUnarchiver(forReadingFrom: data)
            decoder.requiresSecureCoding = true
            #expect(HKAttachment(coder: decoder) == nil)
        }
    }
}
