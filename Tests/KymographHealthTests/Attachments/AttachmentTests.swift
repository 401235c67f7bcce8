// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

@Suite("S-164 S-165 S-166 S-176 files attached to saved objects")
struct AttachmentTests {
    @Test("an attachment is added, listed, read by every form, and removed, also after a restart")
    func roundTrip() async throws {
        let test = try await AttachmentDoor()
        let data = noise(200_000)
        let url = try test.directory.write(data, "scan of april.png")
        let date = Date(timeIntervalSinceReferenceDate: 123.5)
        let added = try await test.attachments.addAttachment(
            to: test.prescription, name: "april", contentType: .png, url: url,
            metadata: ["page": 2, "place": "Bern", "at": date])
        // The file is copied.
        try FileManager.default.removeItem(at: url)
        let health = HKHealthStore(path: test.directory.file("store"))
        test.door.health.close()
        defer { health.close() }
        let attachments = HKAttachmentStore(healthStore: health)
        let found = try #require(try await attachments.attachments(for: test.prescription).first)
        #expect(found == added && found.hash == added.hash && found.name == "april" && found.size == 200_000)
        #expect(found.contentType == .png && abs(found.creationDate.timeIntervalSinceNow) < 600)
        #expect(found.metadata?["page"] as? Int == 2 && found.metadata?["place"] as? String == "Bern")
        #expect(found.metadata?["at"] as? Date == date)
        let reader: HKAttachmentDataReader = attachments.dataReader(for: found)
        #expect(try await reader.data == data)
        #expect(reader.attachment === found && reader.progress.completedUnitCount == 200_000)
        let again = attachments.dataReader(for: found)
        var bytes = Data()
        let sequence: HKAttachment.AsyncBytes = again.bytes
        for try await byte in sequence { bytes.append(byte) }
        #expect(bytes == data && again.progress.fractionCompleted == 1)
        let pieces = Answers<(Data?, Bool)>()
        let progress = attachments.streamData(for: found) { piece, _, isDone in pieces.put((piece, isDone)) }
        let all = await pieces.until { $0.1 }
        #expect(all.map { $0.0?.count } == [65_536, 65_536, 65_536, 3_392])
        #expect(all.map(\.1) == [false, false, false, true] && progress.completedUnitCount == 200_000)
        #expect(all.reduce(Data()) { $0 + ($1.0 ?? Data()) } == data)
        let whole = Answers<Data?>()
        attachments.getData(for: found) { data, _ in whole.put(data) }
        #expect(await whole.first(1) == [data])
        try await attachments.removeAttachment(found, from: test.prescription)
        #expect(try await attachments.attachments(for: test.prescription).isEmpty)
        #expect(try test.directory.attachedFiles().isEmpty)
        #expect(await code { _ = try await attachments.dataReader(for: found).data } == .errorInvalidArgument)
    }

    @Test("completion forms do the same as asynchronous ones")
    func completions() async throws {
        let test = try await AttachmentDoor()
        let url = try test.directory.write(noise(10))
        let added = Answers<HKAttachment?>()
        test.attachments.addAttachment(to: test.prescription, name: "a", contentType: .pdf, url: url) { attachment, _ in
            added.put(attachment)
        }
        let one = try #require(await added.first(1).first ?? nil)
        let listed = Answers<[HKAttachment]?>()
        test.attachments.getAttachments(for: test.prescription) { found, _ in listed.put(found) }
        #expect(await listed.first(1) == [[one]])
        let removed = Answers<Bool>()
        test.attachments.removeAttachment(one, from: test.prescription) { isDone, _ in removed.put(isDone) }
        #expect(await removed.first(1) == [true])
        test.attachments.removeAttachment(one, from: test.prescription) { isDone, _ in removed.put(isDone) }
        #expect(await removed.first(2) == [true, false])
    }

    @Test("files of all lengths around a unit are read back", arguments: [0, 1, 65_535, 65_536, 65_537, 1_300_000])
    func lengths(count: Int) async throws {
        let test = try await AttachmentDoor()
        let data = noise(count, UInt64(count))
        let added = try await test.add(data)
        #expect(added.size == count)
        #expect(try await test.attachments.dataReader(for: added).data == data)
        #expect(try await test.bytes(added) == data)
        let pieces = Answers<(Data?, Bool)>()
        test.attachments.streamData(for: added) { piece, _, isDone in pieces.put((piece, isDone)) }
        let all = await pieces.until { $0.1 }
        #expect(all.count == max(1, (count + 65_535) / 65_536))
        let report = try test.door.health.store().verify()
        #expect(report.isSound && report.attachments == 1 && report.engine.attachedFiles == 1)
        #expect(try test.door.health.store().attachmentCount() == (1, Int64(count)))
        #expect(try test.door.health.store().info().attachedFiles == 1)
    }

    @Test("several attachments of an object are listed in the order of their addition")
    func several() async throws {
        let test = try await AttachmentDoor()
        let second = glasses(1)
        try await test.door.health.save(second)
        var names: [String] = []
        for number in 0..<5 { names.append(try await test.add(noise(number), "scan \(number)").name) }
        #expect(try await test.attachments.attachments(for: test.prescription).map(\.name) == names)
        #expect(try await test.attachments.attachments(for: second).isEmpty)
        // Other objects have none, stored or not.
        let sample = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .gram(), doubleValue: 1), start: clock,
            end: clock)
        #expect(try await test.attachments.attachments(for: sample).isEmpty)
        #expect(try await test.attachments.attachments(for: glasses(2)).isEmpty)
    }

    @Test("a deletion of the object deletes its attachments and their bytes", arguments: [false, true])
    func deletion(byType: Bool) async throws {
        let test = try await AttachmentDoor()
        let added = try await test.add(noise(1_000))
        _ = try await test.add(noise(1_000))
        #expect(try test.directory.attachedFiles().count == 2)
        if byType {
            let all = NSPredicate(value: true)
            #expect(
                try await test.door.health.deleteObjects(of: .visionPrescriptionType(), predicate: all) == 1)
        } else {
            try await test.door.health.delete(test.prescription)
        }
        #expect(try test.directory.attachedFiles().isEmpty)
        #expect(try await test.attachments.attachments(for: test.prescription).isEmpty)
        #expect(await code { _ = try await test.attachments.dataReader(for: added).data } == .errorInvalidArgument)
        #expect(try test.door.health.store().verify().isSound)
    }

    @Test("the newer version of an object with a sync identifier keeps the attachments")
    func replacement() async throws {
        let test = try await AttachmentDoor()
        func version(_ number: Int) -> HKGlassesPrescription {
            glasses(0, [HKMetadataKeySyncIdentifier: "a", HKMetadataKeySyncVersion: number])
        }
        let (first, second) = (version(1), version(2))
        try await test.door.health.save(first)
        let added = try await test.attachments.addAttachment(
            to: first, name: "a", contentType: .pdf, url: test.directory.write(noise(9)))
        try await test.door.health.save(second)
        #expect(try await test.attachments.attachments(for: first).isEmpty)
        #expect(try await test.attachments.attachments(for: second) == [added])
        #expect(try await test.attachments.dataReader(for: added).data == noise(9))
        #expect(try test.door.health.store().verify().isSound)
    }

    @Test("a file that a snapshot needs stays until the snapshot ends")
    func snapshots() async throws {
        let test = try await AttachmentDoor()
        let added = try await test.add(noise(1_000))
        let store = try test.door.health.store()
        do {
            let snapshot = store.engine.snapshot()
            try await test.attachments.removeAttachment(added, from: test.prescription)
            #expect(try test.directory.attachedFiles().count == 1)
            withExtendedLifetime(snapshot) {}
        }
        #expect(try store.engine.removeRetiredAttachedFiles())
        #expect(try test.directory.attachedFiles().isEmpty)
    }

    @Test("an attachment is archived and decoded")
    func archive() async throws {
        let test = try await AttachmentDoor()
        let added = try await test.attachments.addAttachment(
            to: test.prescription, name: "a", contentType: .jpeg, url: test.directory.write(noise(9)),
            metadata: ["key": 1.5])
        let archive = try NSKeyedArchiver.archivedData(withRootObject: added, requiringSecureCoding: true)
        let decoded = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HKAttachment.self, from: archive))
        #expect(decoded == added && decoded.name == "a" && decoded.contentType == .jpeg && decoded.size == 9)
        #expect(decoded.creationDate == added.creationDate && decoded.metadata?["key"] as? Double == 1.5)
        #expect(added.copy() as? HKAttachment === added && HKAttachment.supportsSecureCoding)
    }
}
