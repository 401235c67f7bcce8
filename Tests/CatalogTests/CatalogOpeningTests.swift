// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Testing

@Suite("E-1 E-18 creating and opening the catalog")
struct CatalogOpeningTests {
    let scratch = try? Scratch()

    func place() throws -> Scratch { try #require(scratch) }

    @Test("A new catalog is empty, private and without a log")
    func creates() throws {
        let scratch = try place()
        try scratch.create()
        #expect(!scratch.exists("-wal") && !scratch.exists("-shm"))
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.catalog)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let reader = try scratch.reader()
        let image = try reader.load()
        #expect(image.storeID == Scratch.storeID)
        #expect(image.homeZone == "Europe/Zurich")
        #expect(image.formatVersion == CatalogDatabase.newestFormat)
        #expect(image.seq == 0)
        #expect(image.series.isEmpty && image.segments.isEmpty && image.tail.isEmpty)
        #expect(try reader.integrityProblems().isEmpty)
        try reader.close()
    }

    @Test("Creating a catalog fails if the path exists or cannot be created")
    func refusesToCreate() throws {
        let scratch = try place()
        try scratch.create()
        let before = try scratch.bytes()
        expect(.exists) { try scratch.create() }
        #expect(try scratch.bytes() == before)
        let id = Scratch.storeID
        expect(.other) {
            try CatalogDatabase.create(
                at: scratch.folder + "/no/where", storeID: id, homeZone: "UTC", formatVersion: 2)
        }
        expect(.other) {
            try CatalogDatabase.create(
                at: scratch.folder + "/short", storeID: [1, 2], homeZone: "UTC", formatVersion: 2)
        }
        expect(.other) {
            try CatalogDatabase.create(at: scratch.folder + "/zero", storeID: id, homeZone: "UTC", formatVersion: 0)
        }
        let link = scratch.folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.folder + "/target")
        expect(.exists) {
            try CatalogDatabase.create(at: link, storeID: id, homeZone: "UTC", formatVersion: 2)
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.folder + "/target"))
    }

    @Test("A file that is not a catalog is refused and not changed", arguments: [false, true])
    func refusesStrangers(readOnly: Bool) throws {
        let scratch = try place()
        func open(_ name: String) throws {
            _ = try CatalogDatabase.open(at: scratch.folder + "/" + name, readOnly: readOnly)
        }
        func write(_ name: String, _ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: scratch.folder + "/" + name))
        }
        expect(.missing) { try open("missing") }
        #expect(!FileManager.default.fileExists(atPath: scratch.folder + "/missing"))
        try write("empty", [])
        expect(.notADatabase) { try open("empty") }
        try write("text", Array("no database at all, but long enough to have a header".utf8))
        expect(.notADatabase) { try open("text") }
        var dice = Dice(seed: 7)
        try write("noise", dice.bytes(10_000))
        expect(.notADatabase) { try open("noise") }
        expect(.notADatabase) { _ = try CatalogDatabase.open(at: scratch.folder, readOnly: readOnly) }
        try scratch.create()
        let link = scratch.folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.catalog)
        expect(.notADatabase) { try open("link") }
    }

    /// Runs SQL in a commit, then reopens the catalog.
    func reopen(after sql: [String], readOnly: Bool) throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        try writer.commit(CatalogCommit(seq: 1)) { transaction in
            for statement in sql { try transaction.run(statement) }
        }
        try writer.close()
        let before = try scratch.bytes()
        defer { #expect((try? scratch.bytes()) == before, "a refused catalog was changed") }
        let opened = try CatalogDatabase.open(at: scratch.catalog, readOnly: readOnly)
        try opened.close()
    }

    @Test("A later format and an unknown schema are refused", arguments: [false, true])
    func refusesSchemas(readOnly: Bool) throws {
        try reopen(after: [], readOnly: readOnly)
        expect(.newerFormat(found: 10)) { try reopen(after: ["PRAGMA user_version=10"], readOnly: readOnly) }
        // A format without deletions must not have their tables.
        expect(.corrupt) { try reopen(after: ["PRAGMA user_version=2"], readOnly: readOnly) }
        expect(.corrupt) { try reopen(after: ["DROP TABLE tombstone"], readOnly: readOnly) }
        expect(.newerFormat(found: 2_000_000_000)) {
            try reopen(after: ["PRAGMA user_version=2000000000"], readOnly: readOnly)
        }
        expect(.corrupt) { try reopen(after: ["PRAGMA user_version=-1"], readOnly: readOnly) }
        expect(.notADatabase) { try reopen(after: ["PRAGMA application_id=1"], readOnly: readOnly) }
        expect(.corrupt) { try reopen(after: ["DROP TABLE tail"], readOnly: readOnly) }
        expect(.corrupt) { try reopen(after: ["ALTER TABLE run ADD COLUMN more INTEGER"], readOnly: readOnly) }
        expect(.corrupt) { try reopen(after: ["CREATE VIEW v AS SELECT 1"], readOnly: readOnly) }
        expect(.corrupt) {
            try reopen(
                after: ["CREATE TRIGGER t AFTER INSERT ON tail BEGIN DELETE FROM tail; END"], readOnly: readOnly)
        }
        // Additional tables of other programs are allowed.
        try reopen(after: ["CREATE TABLE guest(id INTEGER PRIMARY KEY)"], readOnly: readOnly)
    }

    @Test("A catalog with a newer format version is refused")
    func refusesLaterFormat() throws {
        let scratch = try place()
        try scratch.create(format: CatalogDatabase.newestFormat + 1)
        expect(.newerFormat(found: 10)) { _ = try scratch.reader() }
    }

    @Test("File names with special meaning to SQLite are ordinary names")
    func oddNames() throws {
        let scratch = try place()
        for name in ["a b?c=d&e#f%41.sqlite", "file:x", ":memory:", "ünï.sqlite"] {
            let path = scratch.folder + "/" + name
            try CatalogDatabase.create(at: path, storeID: Scratch.storeID, homeZone: "UTC", formatVersion: 2)
            #expect(FileManager.default.fileExists(atPath: path))
            let database = try CatalogDatabase.open(at: path, readOnly: false)
            try database.commit(tail(1, [1]))
            try database.close()
            let reader = try CatalogDatabase.open(at: path, readOnly: true)
            #expect(try reader.load().seq == 1)
            try reader.close()
        }
    }

    @Test("Closing twice has no effect, and calls on a closed catalog throw")
    func closes() throws {
        let scratch = try place()
        let database = try scratch.writer()
        try database.commit(tail(1, [1, 2, 3]))
        #expect(scratch.exists("-wal"))
        #expect(database.fileBytes > 4096)
        try database.close()
        try database.close()
        #expect(!scratch.exists("-wal") && !scratch.exists("-shm"))
        expect(.closed) { _ = try database.load() }
        expect(.closed) { try database.commit(tail(2, [1])) }
        expect(.closed) { try database.checkpoint(truncate: true) }
        expect(.closed) { _ = try database.dataVersion() }
    }

    @Test("A connection that is released without closing loses nothing")
    func forgotten() throws {
        let scratch = try place()
        do {
            let database = try scratch.writer()
            try database.commit(tail(1, [1, 2, 3]))
        }
        #expect(scratch.exists("-wal"), "only close() checkpoints")
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        let size = try FileManager.default.attributesOfItem(atPath: scratch.catalog + "-wal")[.size] as? Int
        #expect(size == 0, "a writer checkpoints an existing log")
        #expect(try writer.load().tail == [TailRow(seq: 1, body: [1, 2, 3])])
        try writer.close()
    }

    @Test("Every connection refuses schema edits and attached files, and only writers checkpoint")
    func defended() throws {
        let scratch = try place()
        let writer = try scratch.writer()
        try writer.commit(tail(1, [1]))
        let reader = try scratch.reader()
        for (seq, sql) in ["PRAGMA writable_schema=ON", "ATTACH ':memory:' AS other"].enumerated() {
            do {
                try writer.commit(CatalogCommit(seq: Int64(seq) + 2)) { transaction in
                    try transaction.run(sql)
                    try transaction.run("UPDATE sqlite_schema SET sql=sql")
                }
                Issue.record("\(sql)")
            } catch { #expect(error.kind != .corrupt, "\(error)") }
        }
        expect(.readOnly) { _ = try reader.checkpoint(truncate: false) }
        let log = try scratch.bytes("-wal")
        do {
            try reader.read { try $0.scan("PRAGMA wal_checkpoint(TRUNCATE)") { _ in } }
        } catch { #expect(error.kind != .corrupt) }
        #expect(try scratch.bytes("-wal") == log)
        try reader.close()
        #expect(try scratch.bytes("-wal") == log, "closing leaves the log to the writer")
        #expect(try writer.load().seq == 1)
        try writer.close()
    }
}
