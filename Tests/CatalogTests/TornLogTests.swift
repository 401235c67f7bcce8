// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Testing

@Suite("E-16 a power cut kept all of a page in the log or the database but its trailer")
struct TornLogTests {
    /// Returns the files of a catalog with nine commits and a tenth whose last frame is of a new page, as left by a
    /// killed writer.
    private func image() throws -> (database: [UInt8], log: [UInt8]) {
        let scratch = try Scratch()
        let writer = try scratch.filled()
        var dice = Dice(seed: 6)
        try writer.commit(tail(10, dice.bytes(9_000)))
        defer { try? writer.close() }
        return (try scratch.bytes(), try scratch.log())
    }

    private func put(_ database: [UInt8], _ log: [UInt8]) throws -> Scratch {
        let scratch = try Scratch()
        try Data(database).write(to: URL(fileURLWithPath: scratch.catalog))
        try Data(log).write(to: URL(fileURLWithPath: scratch.catalog + "-wal"))
        return scratch
    }

    @Test(
        "A last frame without its trailer ends the log, although SQLite's own checksum fits",
        arguments: [true, false])
    func lastFrame(readsFirst: Bool) throws {
        var (database, log) = try image()
        let frames = (log.count - 32) / 4120
        log.replaceSubrange(log.count - 40..<log.count, with: [UInt8](repeating: 0, count: 40))
        #expect(PageDamageTests.soundFrames(log) == frames, "SQLite alone would accept the commit as complete")
        let scratch = try put(database, log)
        if readsFirst {
            let reader = try scratch.reader()
            #expect(try reader.load().seq == 9)
            try reader.close()
        }
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        #expect(try writer.load().seq == 9)
        try writer.commit(tail(10, [1, 2, 3]))
        #expect(try writer.integrityProblems().isEmpty)
        try writer.close()
        let reader = try scratch.reader()
        #expect(try reader.load().seq == 10)
        try reader.close()
    }

    @Test("Damage to the last frame's trailer drops exactly the last commit, without an error")
    func everyByte() throws {
        let (database, log) = try image()
        for at in log.count - 40..<log.count {
            var torn = log
            torn[at] ^= 0x10
            let scratch = try put(database, torn)
            let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
            #expect(try writer.load().seq == 9, "byte \(at - log.count) of the trailer")
            #expect(try writer.integrityProblems().isEmpty)
            try writer.close()
        }
    }

    @Test("A frame of another database's log is damage, not the end of the log")
    func foreign() throws {
        let (database, former) = try image()
        var log = former
        let trailer = log.count - 40
        log[trailer + 8] ^= 1
        Self.balance(&log, trailer, former)
        #expect(PageDamageTests.soundFrames(log) == (log.count - 32) / 4120)
        let reader = try put(database, log).reader()
        expect(.corrupt) { _ = try reader.load() }
        try reader.close()
    }

    /// Sets the last eight bytes of a trailer so that SQLite's own checksum equals the former one
    /// (Docs/Format/Catalog.md).
    private static func balance(_ log: inout [UInt8], _ trailer: Int, _ former: [UInt8]) {
        func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
            bytes[at..<at + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        var (s1, s2): (UInt32, UInt32) = (0, 0)
        for at in stride(from: trailer, to: trailer + 32, by: 8) {
            s1 &+= word(log, at) &- word(former, at) &+ s2
            s2 &+= word(log, at + 4) &- word(former, at + 4) &+ s1
        }
        for (at, less) in [(trailer + 32, s1 &+ s2), (trailer + 36, s2)] {
            let value = word(former, at) &- less
            for i in 0..<4 { log[at + i] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(i))) }
        }
    }

    @Test("If a checkpoint tears the trailer of page 1, the page is read from the log")
    func firstPage() throws {
        var (database, log) = try image()
        let hasFirst = stride(from: 32, to: log.count, by: 4120).contains {
            log[$0..<$0 + 4].elementsEqual([0, 0, 0, 1])
        }
        #expect(hasFirst)
        database.replaceSubrange(4_056..<4_096, with: [UInt8](repeating: 0xA5, count: 40))
        let scratch = try put(database, log)
        let reader = try scratch.reader()
        #expect(try reader.load().seq == 10)
        try reader.close()
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        #expect(try writer.load().seq == 10)
        try writer.checkpoint(truncate: true)
        #expect(try writer.integrityProblems().isEmpty)
        try writer.close()
        log = try scratch.bytes()
        #expect(log[4_056..<4_060].elementsEqual(Array("KypP".utf8)))
    }
}
