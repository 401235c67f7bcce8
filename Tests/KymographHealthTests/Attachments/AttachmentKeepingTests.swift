// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Kymograph
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

@Suite("S-164 S-165 backups, restorations and repairs of attachments")
struct AttachmentKeepingTests {
    /// The contents of all attachments of a store, in order.
    private func contents(_ path: String) throws -> [Data] {
        let store = try HealthStore.open(at: path, mode: .readOnly)
        defer { store.close() }
        return try store.attachments().map { one in
            let read = try store.open(attachment: one.attachment.identifier)
            var all = Data()
            while let pieces = try read.next() { for piece in pieces { all.append(piece) } }
            return all
        }
    }

    @Test("a backup has all attachments, repeats only new ones, is checked, and is restored")
    func backups() async throws {
        let test = try await AttachmentDoor()
        let (first, second) = (noise(100_000, 1), noise(10, 2))
        _ = try await test.add(first)
        let engine = try test.door.health.store().engine
        let backup = test.directory.file("backup")
        #expect(try engine.backup(to: backup).attachedFiles == 1)
        let added = try await test.add(second)
        let report = try engine.backup(to: backup)
        #expect(report.attachedFiles == 2 && report.bytesCopied < report.bytes)
        #expect(try HealthStore.verify(at: backup).isSound)
        #expect(try HealthStore.verify(at: backup).attachments == 2)
        let restored = test.directory.file("restored")
        #expect(try TimeSeriesStore.restore(from: backup, to: restored).attachedFiles == 2)
        #expect(try contents(restored) == [first, second])
        #expect(try HealthStore.verify(at: restored).isSound)
        // A removed attachment leaves the next backup.
        try await test.attachments.removeAttachment(added, from: test.prescription)
        #expect(try engine.backup(to: backup).attachedFiles == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: backup + "/attachments")
        #expect(names.count == 1)
        let path = backup + "/attachments/" + names[0]
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[99_000] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try HealthStore.verify(at: backup)
        #expect(!damaged.isSound && damaged.engine.problems.contains { $0.path == path })
        #expect(throws: StoreError.self) {
            try TimeSeriesStore.restore(from: backup, to: test.directory.file("other"))
        }
        // The next backup replaces the damaged file.
        try engine.backup(to: backup)
        #expect(try HealthStore.verify(at: backup).isSound)
    }

    @Test("a damaged attachment ends a backup, which names its file")
    func damagedSource() async throws {
        let test = try await AttachmentDoor()
        _ = try await test.add(noise(1_000))
        let path = try #require(try test.directory.attachedFiles().first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[5] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        do {
            try test.door.health.store().engine.backup(to: test.directory.file("backup"))
            Issue.record("the backup was made")
        } catch let error as StoreError {
            #expect(error.kind == .corrupt && error.path == path)
        }
        #expect(!FileManager.default.fileExists(atPath: test.directory.file("backup")))
    }

    @Test("a repair keeps the sound attachments, and reports the others", .ofPlainStores)
    func repairs() async throws {
        let test = try await AttachmentDoor()
        let (first, second) = (noise(100_000, 1), noise(10, 2))
        _ = try await test.add(first)
        _ = try await test.add(second)
        test.door.health.close()
        let store = test.directory.file("store")
        let whole = test.directory.file("whole")
        let sound = try HealthStore.repair(from: store, to: whole)
        #expect(sound.isComplete && sound.attachments == 2)
        #expect(try contents(whole) == [first, second])
        #expect(try HealthStore.verify(at: whole).isSound)
        let paths = try test.directory.attachedFiles()
        let small = try #require(
            paths.first { (try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int) == 46 })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: small))
        bytes[3] ^= 1
        try bytes.write(to: URL(fileURLWithPath: small))
        let part = test.directory.file("part")
        let report = try HealthStore.repair(from: store, to: part)
        #expect(!report.isComplete && report.attachments == 1)
        #expect(report.engine.losses.map(\.path) == [small])
        #expect(try contents(part) == [first])
        #expect(try HealthStore.verify(at: part).isSound)
    }

    @Test("a repair of a catalog that SQLite cannot open keeps the attachments")
    func lostPageOne() async throws {
        let test = try await AttachmentDoor()
        let data = noise(70_000)
        _ = try await test.add(data)
        test.door.health.close()
        let catalog = test.directory.file("store") + "/kymograph.sqlite"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: catalog))
        bytes.replaceSubrange(0..<4_096, with: Data(count: 4_096))
        try bytes.write(to: URL(fileURLWithPath: catalog))
        let target = test.directory.file("repaired")
        let report = try HealthStore.repair(from: test.directory.file("store"), to: target)
        #expect(report.attachments == 1)
        #expect(try contents(target) == [data])
        #expect(try HealthStore.verify(at: target).isSound)
    }

    @Test("verify reports rows without files, files without rows, and attachments without objects")
    func disagreement() async throws {
        let test = try await AttachmentDoor()
        _ = try await test.add(noise(10))
        let store = try test.door.health.store()
        func alter(_ statement: String) throws {
            try store.commit { transaction in try transaction.run(statement) }
        }
        try alter("UPDATE attachment SET bytes=11")
        #expect(try store.verify().problems.contains { $0.contains("no attached file has its identity") })
        #expect(
            await code {
                let all = try await test.attachments.attachments(for: test.prescription)
                _ = try await test.attachments.dataReader(for: all[0]).data
            } == .errorDatabaseInaccessible)
        try alter("UPDATE attachment SET bytes=10,object=zeroblob(16)")
        #expect(try store.verify().problems.contains { $0.contains("its object is not in the store") })
        try alter("DELETE FROM attachment")
        #expect(try store.verify().problems.contains { $0.contains("has no attachment") })
    }

    @Test("programs that share a store see each other's attachments, and keep files that are being added")
    func sharing() async throws {
        let test = try await AttachmentDoor()
        let other = try HealthStore.open(at: test.directory.file("store"), mode: .shared)
        defer { other.close() }
        for number in 0..<10 {
            let added = try await test.add(noise(1_000, UInt64(number)))
            test.door.health.close()
            let read = try other.open(attachment: added.identifier)
            #expect(try read.next()?.reduce(Data(), +) == noise(1_000, UInt64(number)))
            let url = try test.directory.write(noise(500))
            let draft = try AttachmentDraft(name: "b", contentType: .pdf, url: url, metadata: [:])
            _ = try other.attach(draft, to: test.prescription.uuid, as: nil)
            other.engine.giveWay()
        }
        #expect(try await test.attachments.attachments(for: test.prescription).count == 20)
        #expect(try test.directory.attachedFiles().count == 20)
    }
}
