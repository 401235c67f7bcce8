// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import Kymograph
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

/// A store on a simulated disk.
private final class FaultyStore {
    let disk: FaultyDisk
    private let databases: DiskDatabases
    private let name: String
    let store: HealthStore

    init(_ image: MemoryDisk = MemoryDisk(), mode: OpenMode = .readWrite) throws {
        disk = try FaultyDisk(image)
        databases = try DiskDatabases(disk)
        name = databases.name + "-checked"
        try CatalogVFS.register(name, over: databases.name)
        var options = StoreOptions()
        (options.disk, options.catalogVFS) = (disk, name)
        store = try HealthStore.openOrCreate(at: "/store", mode: mode, options: options)
    }

    deinit {
        store.close()
        CatalogVFS.unregister(name)
    }

    func files() throws -> [String] {
        try disk.exists("/store/attachments") ? disk.list("/store/attachments") : []
    }

    /// Whether the store is sound, and names all of its attached files.
    func isWhole() throws -> Bool {
        let report = try store.verify()
        return report.isSound && !report.engine.remarks.contains { $0.contains("attachments") }
    }
}

@Suite("S-164 S-166 attachments survive crashes and failing disks")
struct AttachmentCrashTests {
    private let prescription = glasses()
    private let directory: TemporaryDirectory
    private let source: URL
    private let data = noise(70_000)

    init() throws {
        directory = try TemporaryDirectory()
        source = try directory.write(data)
    }

    private func add(_ store: HealthStore) throws -> HKAttachment {
        let draft = try AttachmentDraft(name: "a", contentType: .pdf, url: source, metadata: [:])
        return try store.attach(draft, to: prescription.uuid, as: nil)
    }

    private func read(_ store: HealthStore) throws -> [Data] {
        try store.attachments(of: prescription.uuid).map { attachment in
            let read = try store.open(attachment: attachment.identifier)
            var all = Data()
            while let pieces = try read.next() { for piece in pieces { all.append(piece) } }
            return all
        }
    }

    /// Returns a function that creates the disk of a store with the prescription, and attachments.
    private func base(attachments: Int = 0) throws -> () throws -> MemoryDisk {
        let made = try FaultyStore()
        try made.store.save([prescription], as: .thisProgram)
        for _ in 0..<attachments { _ = try add(made.store) }
        made.store.close()
        let disk = made.disk
        return { try disk.crash(seed: 1) }
    }

    /// Runs an operation that the disk stops after each number of changing calls.
    private func crash(
        _ image: () throws -> MemoryDisk, _ body: (HealthStore) throws -> Void,
        _ check: (_ isDone: Bool, FaultyStore) throws -> Void
    ) throws {
        var calls = 0
        do {
            let whole = try FaultyStore(image())
            let before = whole.disk.mutationCount
            try body(whole.store)
            calls = whole.disk.mutationCount - before
        }
        #expect(calls > 5)
        for count in 0...calls {
            for seed in 0..<UInt64(3) {
                let stopped = try FaultyStore(image())
                stopped.disk.stop(afterMutations: count)
                let isDone = (try? body(stopped.store)) != nil
                let left = try stopped.disk.crash(seed: seed)
                try check(isDone, FaultyStore(left))
            }
        }
    }

    @Test("a crash during an addition leaves the attachment with its file, or neither")
    func addition() throws {
        try crash(base()) {
            _ = try add($0)
        } _: { isDone, after in
            let found = try read(after.store)
            #expect(found == [data] || !isDone && found.isEmpty)
            #expect(try after.files().count == found.count)
            #expect(try after.isWhole())
        }
    }

    @Test("a crash during a removal leaves the attachment, or neither its row nor its bytes")
    func removal() throws {
        try crash(base(attachments: 2)) { store in
            let first = try #require(try store.attachments(of: prescription.uuid).first)
            try store.detach(first.identifier, from: prescription.uuid, as: nil)
        } _: { isDone, after in
            let found = try read(after.store)
            #expect(found == [data] || !isDone && found == [data, data])
            #expect(try after.files().count == found.count)
            #expect(try after.isWhole())
        }
    }

    @Test("a call of the disk that fails leaves a store that is whole", arguments: [false, true])
    func failures(isAddition: Bool) throws {
        let image = try base(attachments: 1)
        let kinds: [DiskCallKind] = [
            .createDirectory, .kind, .create, .write, .sync, .rename, .syncDirectory, .remove, .close, .open, .size,
            .read, .list,
        ]
        for kind in kinds {
            for suffix in [".kfile", ".new", "/attachments", "/store"] {
                for effect in [DiskFault.Effect.nothing, .part, .everything] {
                    let made = try FaultyStore(image())
                    let known = try #require(try made.store.attachments(of: prescription.uuid).first)
                    made.disk.inject(DiskFault([kind], pathSuffix: suffix, effect: effect))
                    var isDone = false
                    if isAddition {
                        isDone = (try? add(made.store)) != nil
                    } else {
                        isDone =
                            (try? made.store.detach(known.identifier, from: prescription.uuid, as: nil)) != nil
                    }
                    made.disk.clearFaults()
                    let found = try read(made.store)
                    let place = "\(kind) \(suffix) \(effect)"
                    #expect(found.count == (isDone ? (isAddition ? 2 : 0) : 1), "\(place)")
                    made.store.close()
                    let again = try FaultyStore(made.disk.crash(seed: 5))
                    #expect(try again.files().count == read(again.store).count, "\(place)")
                    #expect(try again.isWhole(), "\(place)")
                }
            }
        }
    }

    @Test("a full disk refuses an attachment, and the store continues")
    func fullDisk() throws {
        let made = try FaultyStore(base()())
        made.disk.setCapacity(made.disk.usedBytes + 20_000)
        #expect(throws: HKError.self) { try add(made.store) }
        #expect(try made.files().isEmpty)
        made.disk.setCapacity(nil)
        _ = try add(made.store)
        #expect(try read(made.store) == [data])
    }

    @Test("the next opening for writing removes a file that no commit names")
    func orphans() throws {
        let image = try base(attachments: 1)()
        let name = "00000000-0000-4000-8000-000000000001.kfile"
        for orphan in [name, name + ".new"] {
            try image.createFile("/store/attachments/" + orphan, [1, 2, 3])
        }
        try image.createFile("/store/attachments/notes.txt", [1])
        let reader = try FaultyStore(image, mode: .shared)
        #expect(try reader.files().count == 4)
        #expect(try reader.store.verify().engine.remarks.count { $0.contains("attachments") } == 3)
        reader.store.close()
        let writer = try FaultyStore(reader.disk.crash(seed: 1))
        // Files of other programs stay.
        #expect(try writer.files().count == 2)
        #expect(try read(writer.store) == [data])
    }
}
