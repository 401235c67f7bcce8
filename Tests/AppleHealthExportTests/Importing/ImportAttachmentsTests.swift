// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Catalog
import FileSystem
import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

@Suite("T-1 T-4 S-164 attachments of prescriptions of an export")
struct ImportAttachmentsTests {
    private static let first = "6B29FC40-CA47-1067-B31D-00DD010662DA"
    private static let second = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

    private static func text(_ identifiers: [String]) -> String {
        let attachments = identifiers.map { "  <Attachment identifier=\"\($0)\"/>\n" }.joined()
        return exportText(
            "<VisionPrescription type=\"glasses\" dateIssued=\"2022-01-02 00:00:00 +0200\">\n"
                + "  <RightEye sphere=\"-1.25\" sphereUnit=\"D\"/>\n\(attachments) </VisionPrescription>")
    }

    /// A folder with the export and files in `attachments`.
    private static func folder(
        _ bench: ImportBench, _ identifiers: [String], _ files: [String: Data]
    ) throws -> String {
        let path = bench.directory.file("export")
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path + "/attachments", withIntermediateDirectories: true)
        try Data(text(identifiers).utf8).write(to: URL(fileURLWithPath: path + "/export.xml"))
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: "\(path)/attachments/\(name)")) }
        return path
    }

    private static func attachments(_ bench: ImportBench) async throws -> [(HKAttachment, Data)] {
        let health = HKHealthStore(bench.store)
        let found = try await HKSampleQueryDescriptor(predicates: [.visionPrescription()], sortDescriptors: [])
            .result(for: health)
        let store = HKAttachmentStore(healthStore: health)
        var all: [(HKAttachment, Data)] = []
        for one in try await store.attachments(for: try #require(found.first)) {
            all.append((one, try await store.dataReader(for: one).data))
        }
        return all
    }

    @Test("files whose names have the identifiers are attached, once, with the identity of the export")
    func found() async throws {
        let bench = try ImportBench()
        let scan = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let name = "scan-\(Self.first.lowercased()).PDF"
        let files = [name: scan, "\(Self.second).jpg": Data([1, 2]), "other.pdf": Data()]
        let path = try Self.folder(bench, [Self.first, Self.second], files)
        for _ in 0..<2 {
            try bench.importFile(path)
            let all = try await Self.attachments(bench)
            #expect(all.map(\.0.identifier.uuidString) == [Self.first, Self.second.uppercased()])
            #expect(all.map(\.0.contentType) == [.pdf, .jpeg] && all.map(\.1) == [scan, Data([1, 2])])
            #expect(all.first?.0.name == "scan-\(Self.first.lowercased()).PDF" && all.first?.0.size == 200_000)
        }
        #expect(try bench.store.attachmentCount().count == 2 && bench.store.verify().isSound)
    }

    @Test("files may come with a later import; those of other types are not attached")
    func later() async throws {
        let bench = try ImportBench()
        let outcome = try bench.importText(Self.text([Self.first, Self.second, "7"]))
        #expect(outcome.issues.contains { $0.what.contains("Attachment") } && outcome.objectsAdded == 1)
        #expect(try await Self.attachments(bench).isEmpty)
        // The file alone, with an XML that has the prescription already.
        let files = ["\(Self.first).png": Data("image".utf8), "\(Self.second).json": Data("{}".utf8)]
        let path = try Self.folder(bench, [Self.first, Self.second], files)
        #expect(try bench.importFile(path).committed)
        let attached = try await Self.attachments(bench)
        #expect(attached.map(\.1) == [Data("image".utf8)])
        let store = bench.store
        try store.detach(attached[0].0.identifier, from: try #require(try store.attachments().first?.object), as: nil)
        try bench.importFile(path)
        #expect(try store.attachments().count == 1 && store.verify().isSound)
    }

    @Test("an export of a saved prescription names its attachments")
    func exported() async throws {
        let bench = try ImportBench()
        let health = HKHealthStore(bench.store)
        let prescription = HKGlassesPrescription(
            rightEyeSpecification: nil, leftEyeSpecification: nil, dateIssued: .now, expirationDate: nil, device: nil,
            metadata: nil)
        try await health.save(prescription)
        let source = bench.directory.file("scan.png")
        try Data("image".utf8).write(to: URL(fileURLWithPath: source))
        let attachment = try await HKAttachmentStore(healthStore: health).addAttachment(
            to: prescription, name: "scan", contentType: .png, url: URL(fileURLWithPath: source))
        var bytes: [UInt8] = []
        _ = try AppleHealthExporter.write(bench.store) {
            bytes += $0; return true
        }
        let xml = String(decoding: bytes, as: UTF8.self)
        #expect(xml.contains("<Attachment identifier=\"\(attachment.identifier.uuidString)\"/>"))
        // Another store finds the file under this identifier.
        let other = try ImportBench()
        let path = try Self.folder(other, [], ["\(attachment.identifier).png": Data("image".utf8)])
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/export.xml"))
        try other.importFile(path)
        let all = try await Self.attachments(other)
        #expect(all.map(\.0) == [attachment] && all.map(\.1) == [Data("image".utf8)])
    }

    @Test("a crash during an import leaves the prescription with its attachment, or neither")
    func crash() async throws {
        let bench = try ImportBench()
        let path = try Self.folder(bench, [Self.first], ["\(Self.first).png": Data(repeating: 7, count: 70_000)])
        // A new store keeps files without a row until its first commit is known to be complete.
        let prepared = try FaultyDisk(MemoryDisk())
        func run(_ disk: FaultyDisk, _ body: (HealthStore) throws -> Void) throws {
            let databases = try DiskDatabases(disk)
            let name = databases.name + "-checked"
            try CatalogVFS.register(name, over: databases.name)
            defer { CatalogVFS.unregister(name) }
            var options = StoreOptions()
            (options.disk, options.catalogVFS) = (disk, name)
            let store = try HealthStore.openOrCreate(at: "/store", options: options)
            defer { store.close() }
            try body(store)
        }
        try run(prepared) { try $0.setAuthorizationMode(.open) }
        let whole = try FaultyDisk(prepared.crash(seed: 1))
        var (before, after) = (0, 0)
        try run(whole) { store in
            before = whole.mutationCount
            try AppleHealthImporter.importFile(path, into: store)
            after = whole.mutationCount
        }
        #expect(after - before > 10)
        for count in 0...(after - before) {
            let stopped = try FaultyDisk(prepared.crash(seed: 1))
            var isDone = false
            try? run(stopped) { store in
                stopped.stop(afterMutations: count)
                isDone = (try? AppleHealthImporter.importFile(path, into: store)) != nil
            }
            let left = try FaultyDisk(stopped.crash(seed: UInt64(count)))
            try run(left) { store in
                let isThere = try store.objectCounts()[.visionPrescription] == 1
                let files = try left.exists("/store/attachments") ? left.list("/store/attachments").count : 0
                #expect(isThere || !isDone)
                #expect(try store.attachments().count == (isThere ? 1 : 0), "call \(count)")
                #expect(files == (isThere ? 1 : 0), "call \(count)")
                #expect(try store.verify().isSound)
            }
        }
    }
}
