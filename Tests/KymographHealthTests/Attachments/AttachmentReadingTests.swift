// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

@Suite("S-165 S-176 readings of attachments that are cancelled, damaged or not allowed")
struct AttachmentReadingTests {
    @Test("a cancelled progress ends each form of reading")
    func cancellation() async throws {
        let test = try await AttachmentDoor()
        let added = try await test.add(noise(3_000_000))
        let reader = test.attachments.dataReader(for: added)
        reader.progress.cancel()
        await #expect(throws: CancellationError.self) { try await reader.data }
        await #expect(throws: CancellationError.self) { for try await _ in reader.bytes {} }
        let second = test.attachments.dataReader(for: added)
        var count = 0
        await #expect(throws: CancellationError.self) {
            for try await _ in second.bytes {
                count += 1
                if count == 10 { second.progress.cancel() }
            }
        }
        // The bytes that were read before the cancellation are returned.
        #expect(count >= 10 && count < 3_000_000)
        let pieces = Answers<(Data?, (any Error)?, Bool)>()
        let own = Answers<Progress>()
        let progress = test.attachments.streamData(for: added) { piece, error, isDone in
            pieces.put((piece, error, isDone))
            own.put(Progress(totalUnitCount: 1))
            while own.count == 1 { usleep(100) }
        }
        _ = await own.first(1)
        progress.cancel()
        own.put(Progress(totalUnitCount: 1))
        let all = await pieces.until { $0.2 }
        #expect(all.count == 2 && (all.last?.1 as? HKError)?.code == .errorUserCanceled)
    }

    @Test("a cancelled task ends the sequence of bytes")
    func tasks() async throws {
        let test = try await AttachmentDoor()
        let added = try await test.add(noise(3_000_000))
        let reader = test.attachments.dataReader(for: added)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await reader.data
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("each flipped byte of a file is error 6, and verify names the file", .ofPlainStores)
    func flippedBytes() async throws {
        let test = try await AttachmentDoor()
        let data = noise(100)
        let added = try await test.add(data)
        let path = try #require(try test.directory.attachedFiles().first)
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(sound.count == 136)
        for place in 0..<sound.count {
            var bytes = sound
            bytes[place] ^= UInt8(1 << (place % 8))
            try bytes.write(to: URL(fileURLWithPath: path))
            #expect(
                await code { _ = try await test.attachments.dataReader(for: added).data } == .errorDatabaseInaccessible,
                "byte \(place)")
        }
        for count in [0, 1, 36, 135, 137, 70_000] {
            try (sound + Data(count: 70_000)).prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(
                await code { _ = try await test.attachments.dataReader(for: added).data } == .errorDatabaseInaccessible,
                "\(count) bytes")
        }
        let report = try test.door.health.store().verify()
        #expect(!report.isSound && report.engine.problems.contains { $0.path == path })
        try FileManager.default.removeItem(atPath: path)
        #expect(await code { _ = try await test.attachments.dataReader(for: added).data } == .errorDatabaseInaccessible)
        #expect(try test.door.health.store().verify().engine.problems.map(\.path) == [path])
        try sound.write(to: URL(fileURLWithPath: path))
        #expect(try await test.attachments.dataReader(for: added).data == data)
        #expect(try test.door.health.store().verify().isSound)
    }

    @Test("damage in a later unit passes no wrong bytes; swapped units are damage")
    func laterUnits() async throws {
        let test = try await AttachmentDoor()
        let data = noise(2_000_000)
        let added = try await test.add(data)
        let path = try #require(try test.directory.attachedFiles().first)
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        let unit = 65_536 + 36
        var flipped = sound
        flipped[20 * unit + 5] ^= 1
        var swapped = sound
        swapped.replaceSubrange(0..<unit, with: sound[unit..<2 * unit])
        swapped.replaceSubrange(unit..<2 * unit, with: sound[0..<unit])
        for bytes in [flipped, swapped] {
            try bytes.write(to: URL(fileURLWithPath: path))
            let pieces = Answers<(Data?, (any Error)?, Bool)>()
            test.attachments.streamData(for: added) { piece, error, isDone in pieces.put((piece, error, isDone)) }
            let all = await pieces.until { $0.2 }
            #expect((all.last?.1 as? HKError)?.code == .errorDatabaseInaccessible)
            let read = all.reduce(Data()) { $0 + ($1.0 ?? Data()) }
            #expect(data.starts(with: read) && read.count < data.count)
        }
    }

    @Test("attachments follow their object: programs that may not read or save it read and change nothing")
    func permissions() async throws {
        let door = try PrivateDoor()
        let type = HKObjectType.visionPrescriptionType()
        let source = try door.directory.write(noise(50))
        let prescription = glasses()
        try await door.other.save(prescription)
        let others = HKAttachmentStore(healthStore: door.other)
        let own = HKAttachmentStore(healthStore: door.client)
        let added = try await others.addAttachment(to: prescription, name: "a", contentType: .pdf, url: source)
        #expect(try await own.attachments(for: prescription).isEmpty)
        #expect(await code { _ = try await own.dataReader(for: added).data } == .errorInvalidArgument)
        func adding() async throws -> HKAttachment {
            try await own.addAttachment(to: prescription, name: "b", contentType: .pdf, url: source)
        }
        #expect(await code { _ = try await adding() } == .errorAuthorizationNotDetermined)
        try door.decide(share: [type], false)
        #expect(await code { _ = try await adding() } == .errorAuthorizationDenied)
        #expect(await code { try await own.removeAttachment(added, from: prescription) } == .errorAuthorizationDenied)
        try door.decide(share: [type])
        // The object is hidden: the error is that of an object that is not stored.
        #expect(await code { _ = try await adding() } == .errorInvalidArgument)
        #expect(await code { try await own.removeAttachment(added, from: prescription) } == .errorInvalidArgument)
        var change = AuthorizationChange(client: PrivateDoor.name, origin: "test")
        (change.objects, change.objectType) = ([prescription.uuid: true], type)
        try door.owner.store().decide(change)
        #expect(try await own.attachments(for: prescription) == [added])
        #expect(try await own.dataReader(for: added).data == noise(50))
        // The object belongs to another program.
        #expect(await code { _ = try await adding() } == .errorAuthorizationDenied)
        #expect(await code { try await own.removeAttachment(added, from: prescription) } == .errorAuthorizationDenied)
        let mine = glasses(1)
        try await door.client.save(mine)
        let second = try await own.addAttachment(to: mine, name: "b", contentType: .png, url: source)
        #expect(try await own.attachments(for: mine) == [second])
        #expect(try await others.attachments(for: mine).isEmpty)
        // The owner sees everything.
        #expect(try door.owner.store().attachments(of: mine.uuid) == [second])
    }
}
