// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import TestSupport
import Testing

@Suite("S-3 E-16 an encrypted catalog")
struct EncryptedCatalogTests {
    @Test("commits come back from log, database and copy, and no file has their bytes")
    func roundTrip() throws {
        let scratch = try EncryptedScratch()
        let writer = try scratch.filled(commits: 60, copied: 25)
        let bodies = (1...60).map { EncryptedScratch.body($0) }
        let reader = try scratch.reader()
        #expect(try reader.load().tail.map(\.body) == bodies)
        #expect(try reader.integrityProblems().isEmpty)
        #expect(try scratch.leaks().isEmpty)
        #expect(try scratch.bytes().prefix(6) != Array("SQLite".utf8)[...])
        try writer.copy(to: scratch.folder.file("copy.sqlite"))
        let copy = try CatalogDatabase.openCopy(at: scratch.folder.file("copy.sqlite"), keys: scratch.keys)
        #expect(try copy.load().tail.map(\.body) == bodies)
        try copy.close()
        try reader.close()
        try writer.close()
        #expect(try scratch.leaks().isEmpty)
        let again = try scratch.writer()
        #expect(try again.load().tail.map(\.body) == bodies)
        try again.commit(tail(61, [1]))
        try again.close()
    }

    @Test("a commit larger than SQLite's cache, whose frames are written again, is whole")
    func spilled() throws {
        let scratch = try EncryptedScratch()
        try scratch.create()
        let writer = try scratch.writer()
        let large = EncryptedScratch.body(1, count: 9 << 20)
        try writer.commit(tail(1, large))
        let rows = (1...20_000 as ClosedRange<Int64>).map { SeriesRow(id: $0, name: "CANARY-of-health-\($0)", kind: 1) }
        try writer.commit(CatalogCommit(seq: 2, series: SeriesRows(rows)))
        let reader = try scratch.reader()
        let image = try reader.load()
        #expect(image.tail.map(\.body) == [large] && image.series.count == 20_000)
        #expect(try reader.integrityProblems().isEmpty)
        try reader.close()
        #expect(try scratch.leaks().isEmpty)
        try writer.close()
        #expect(try scratch.leaks().isEmpty)
    }

    @Test("a log that a dead writer left is recovered")
    func recovery() throws {
        let scratch = try EncryptedScratch()
        let writer = try scratch.filled(commits: 12, copied: 4)
        let (database, log) = (try scratch.bytes(), try scratch.bytes("-wal"))
        try writer.close()
        let later = try EncryptedScratch()
        try Data(database).write(to: URL(fileURLWithPath: later.catalog))
        try Data(log).write(to: URL(fileURLWithPath: later.catalog + "-wal"))
        let reader = try later.reader()
        #expect(try reader.load().tail.count == 12)
        try reader.close()
        // The last frame is incomplete: its commit never was.
        let end = LogFrames.trimmed(log).count
        try Data(log.prefix(end - 100)).write(to: URL(fileURLWithPath: later.catalog + "-wal"))
        try? FileManager.default.removeItem(atPath: later.catalog + "-index")
        let next = try later.writer()
        #expect(try next.load().tail.count == 11)
        try next.commit(tail(12, [12]))
        try next.close()
        let salvage = try CatalogSalvage(at: later.catalog, keys: later.keys)
        #expect(salvage.engineRows().tail.count == 12)
        salvage.close()
    }

    @Test("without a key it is no database, with another key its pages are refused, and nothing is written")
    func wrongKeys() throws {
        let scratch = try EncryptedScratch()
        let writer = try scratch.filled(commits: 8, copied: 8)
        try writer.close()
        let before = try scratch.bytes()
        expect(.notADatabase) { _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: true) }
        expect(.notADatabase) { _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: false) }
        for (other, word) in [
            (try EncryptedScratch.keys(generations: [1], fill: 99), "on purpose"),
            (try EncryptedScratch.keys(generations: [2]), "lacks the key of its generation"),
            (try EncryptedScratch.keys(generations: [1], store: [UInt8](repeating: 3, count: 16)), nil),
        ] as [(PageKeys, String?)] {
            do {
                let opened = try scratch.reader(other)
                // The store's id belongs to the checksum, which is not read for a page whose tag is right.
                #expect(word == nil)
                try opened.close()
            } catch let error as CatalogError {
                #expect(error.kind != .io && word.map { error.message.contains($0) } == true, "\(error)")
            }
        }
        #expect(try scratch.bytes() == before)
    }

    @Test("a plain catalog in the place of an encrypted one is refused")
    func plainCatalog() throws {
        let scratch = try EncryptedScratch()
        try CatalogDatabase.create(
            at: scratch.catalog, storeID: Scratch.storeID, homeZone: "UTC", formatVersion: CatalogDatabase.newestFormat)
        do {
            _ = try scratch.reader()
            Issue.record("a plain catalog was read with a key")
        } catch let error as CatalogError {
            #expect(error.kind == .forged && error.message.contains("it is not encrypted"), "\(error)")
        }
    }

    @Test("pages of several generations stand beside each other")
    func generations() throws {
        let scratch = try EncryptedScratch()
        try scratch.filled(commits: 30, copied: 30).close()
        let both = try EncryptedScratch.keys(generations: [1, 2])
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false, keys: both)
        try writer.commit(tail(31, EncryptedScratch.body(31)))
        try writer.close()
        let bytes = try scratch.bytes()
        let marks = Set(stride(from: 4_059, to: bytes.count, by: 4_096).map { bytes[$0] })
        #expect(marks == [1, 2])
        let reader = try CatalogDatabase.open(at: scratch.catalog, readOnly: true, keys: both)
        #expect(try reader.load().tail.count == 31)
        try reader.close()
    }

    @Test("the same content gives other bytes each time")
    func randomness() throws {
        let (first, second) = (try EncryptedScratch(), try EncryptedScratch())
        try first.create()
        try second.create()
        let (one, other) = (try first.bytes(), try second.bytes())
        #expect(one.count == other.count)
        for start in stride(from: 0, to: one.count, by: 4_096) {
            let equal = (start..<start + 4_032).count { one[$0] == other[$0] }
            #expect(equal < 100)
        }
    }
}
