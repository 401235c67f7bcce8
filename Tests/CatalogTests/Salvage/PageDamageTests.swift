// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import TestSupport
import Testing

/// A file that is damaged while a catalog has it open. It stays open here: SQLite must not see it opened and closed.
final class OpenFile {
    private let descriptor: Int32
    /// The length of the file; for a log, the length of its frames.
    private(set) var count = 0

    init(_ path: String) throws {
        descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        count = Int(lseek(descriptor, 0, SEEK_END))
        if path.hasSuffix("-wal") { count = LogFrames.trimmed(read(0, count)).count }
    }

    func read(_ at: Int, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe _ = pread(descriptor, &bytes, count, off_t(at))
        return bytes
    }

    func write(_ at: Int, _ bytes: [UInt8]) { unsafe _ = pwrite(descriptor, bytes, bytes.count, off_t(at)) }

    /// Damages a byte during a call.
    func flipping<R>(_ at: Int, _ mask: UInt8, _ body: () throws -> R) rethrows -> R {
        let sound = read(at, 1)
        write(at, [sound[0] ^ mask])
        defer { write(at, sound) }
        return try body()
    }
}

extension Scratch {
    /// Returns a catalog with rows in every table, rows on several pages and empty pages. Commits from 5 on are in the
    /// log.
    func filled() throws -> CatalogDatabase {
        var dice = Dice(seed: 5)
        let writer = try writer()
        var first = CatalogCommit(seq: 1, tail: dice.bytes(9_000))
        for id in 1...3 as ClosedRange<Int64> {
            first.series.append(SeriesRow(id: id, name: "s\(id)", labels: ["a": "\(id)"], kind: 2))
        }
        first.segments = [dice.segment(1, born: 1, series: [1, 2, 3])]
        try writer.commit(first)
        for seq in 2...4 as ClosedRange<Int64> { try writer.commit(tail(seq, dice.bytes(100))) }
        try writer.checkpoint(truncate: true)
        try writer.commit(CatalogCommit(seq: 5, sealedTail: [1]))
        for seq in 6...9 as ClosedRange<Int64> { try writer.commit(tail(seq, dice.bytes(300))) }
        return writer
    }
}

@Suite("E-16 damage to the catalog's pages is detected page by page")
struct PageDamageTests {
    /// Two patterns for each byte: one bit, rotating by position, and all bits.
    static func masks(_ at: Int) -> [UInt8] { [1 << UInt8(at % 8), 0xFF] }

    @Test("Damage to any byte of the database, one bit or all, is reported for exactly that page")
    func everyByte() throws {
        let scratch = try Scratch()
        let writer = try scratch.filled()
        try writer.checkpoint(truncate: true)
        let free = try writer.read { transaction in
            var count: Int64 = 0
            try transaction.scan("PRAGMA freelist_count") { count = try $0.int(0) }
            return count
        }
        #expect(free > 0, "the database should have free pages")
        #expect(try writer.integrityProblems().isEmpty)
        let file = try OpenFile(scratch.catalog)
        var missed: [Int] = []
        for at in 0..<file.count where !Self.isOfAnySQLite(at) {
            for mask in Self.masks(at) {
                let found = try file.flipping(at, mask) { try writer.damagedPages() }
                if found.count != 1 || found[0].offset != UInt64(at / 4096 * 4096) || found[0].kind != .corrupt {
                    missed.append(at)
                }
            }
        }
        #expect(missed == [])
        #expect(try writer.damagedPages().isEmpty)
        try writer.close()
    }

    /// True for bytes of page 1 that any SQLite changes without changing a row: the change counter and the version of
    /// its writer.
    private static func isOfAnySQLite(_ at: Int) -> Bool { (24..<28).contains(at) || (92..<100).contains(at) }

    @Test("Damage to bytes of page 1 that any SQLite changes gives the same rows or an error")
    func headerBytes() throws {
        let scratch = try Scratch()
        try scratch.filled().close()
        let sound = try scratch.bytes()
        let image = try open(scratch, sound)
        for at in [18, 19] + (0..<4096).filter(Self.isOfAnySQLite) {
            for mask in Self.masks(at) + [3] {
                var damaged = sound
                damaged[at] ^= mask
                do {
                    #expect(try open(scratch, damaged) == image, "byte \(at) of the header changed by \(mask)")
                } catch let error as CatalogError {
                    #expect([.corrupt, .notADatabase].contains(error.kind), "byte \(at): \(error)")
                }
            }
        }
    }

    @Test("Damage to the log is reported for content that readers use; SQLite's checksum guards the rest")
    func everyByteOfLog() throws {
        let scratch = try Scratch()
        let writer = try scratch.filled()
        let reader = try scratch.reader()
        _ = try reader.load()
        let file = try OpenFile(scratch.catalog + "-wal")
        let log = try scratch.bytes("-wal")
        #expect((file.count - 32) / 4120 > 8)
        var missed: [Int] = []
        for at in 32..<file.count {
            // A frame has number, database size, generation, checksum and page. The last eight bytes of the page only
            // balance the trailer for SQLite's checksum.
            let place = (at - 32) % 4120
            let isOfFirst = log[at - place..<at - place + 4].elementsEqual([0, 0, 0, 1])
            let isOfAny = isOfFirst && place >= 24 && Self.isOfAnySQLite(place - 24)
            let counts =
                ((0..<4).contains(place) || (8..<16).contains(place) || (24..<4112).contains(place)) && !isOfAny
            for mask in Self.masks(at) {
                let found = try file.flipping(at, mask) { try reader.damagedPages() }
                let isRight = found.count == 1 && found[0].offset == UInt64(at - place)
                if counts ? !isRight : !found.isEmpty { missed.append(at) }
            }
        }
        #expect(missed == [])
        try reader.close()
        try writer.close()
    }

    @Test("A page that is swapped, zeroed, cut off or from another catalog is detected")
    func wholePages() throws {
        let scratch = try Scratch()
        let other = try Scratch()
        for one in [scratch, other] {
            let writer = try one.filled()
            try writer.close()
        }
        let sound = try scratch.bytes()
        let stranger = try other.bytes()
        let pages = sound.count / 4096
        func page(_ number: Int, of bytes: [UInt8]) -> ArraySlice<UInt8> {
            bytes[number * 4096..<number * 4096 + 4096]
        }
        let image = try open(scratch, sound)
        for number in 0..<pages {
            var damaged = sound
            damaged.replaceSubrange(number * 4096..<number * 4096 + 4096, with: page(number, of: stranger))
            try expectNoLie(scratch, damaged, image, "page \(number) of another catalog")
            damaged.replaceSubrange(
                number * 4096..<number * 4096 + 4096, with: [UInt8](repeating: 0, count: 4096))
            try expectNoLie(scratch, damaged, image, "page \(number) zeroed")
            try expectNoLie(scratch, Array(sound.prefix(number * 4096)), image, "cut before page \(number)")
            try expectNoLie(scratch, Array(sound.prefix(number * 4096 + 2048)), image, "cut in page \(number)")
            for with in 0..<pages where with != number {
                damaged = sound
                damaged.replaceSubrange(number * 4096..<number * 4096 + 4096, with: page(with, of: sound))
                damaged.replaceSubrange(with * 4096..<with * 4096 + 4096, with: page(number, of: sound))
                try expectNoLie(scratch, damaged, image, "pages \(number) and \(with) swapped")
            }
        }
        #expect(try open(scratch, sound) == image)
    }

    private func open(_ scratch: Scratch, _ bytes: [UInt8]) throws -> CatalogImage {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.catalog + suffix) }
        try Data(bytes).write(to: URL(fileURLWithPath: scratch.catalog))
        let reader = try scratch.reader()
        defer { try? reader.close() }
        return try reader.load()
    }

    /// Expects a typed error, or the right answer and a report of the damage.
    private func expectNoLie(_ scratch: Scratch, _ bytes: [UInt8], _ image: CatalogImage, _ what: String) throws {
        do {
            #expect(try open(scratch, bytes) == image, "\(what)")
            let reader = try scratch.reader()
            #expect(try !reader.integrityProblems().isEmpty, "\(what)")
            try reader.close()
        } catch let error as CatalogError {
            #expect([.corrupt, .notADatabase].contains(error.kind), "\(what): \(error)")
        }
    }

    @Test("An error names the page, the file and the offset")
    func places() throws {
        let scratch = try Scratch()
        let writer = try scratch.filled()
        let log = try OpenFile(scratch.catalog + "-wal")
        let frames = (log.count - 32) / 4120
        // The newest copy of the tail's page, which a new reader needs.
        let at = 32 + (frames - 1) * 4120
        try log.flipping(at + 24 + 2_000, 4) {
            do {
                _ = try scratch.reader().load()
                Issue.record("read")
            } catch let error as CatalogError {
                #expect(error.kind == .corrupt && error.path == scratch.catalog + "-wal", "\(error)")
                #expect(error.offset == UInt64(at))
                #expect(error.message.contains("checksum"))
            }
        }
        // The writing connection has the page in memory.
        #expect(try writer.load().seq == 9)
        try writer.close()
        let file = try OpenFile(scratch.catalog)
        file.flipping(3_000, 4) {
            for readOnly in [true, false] {
                do throws(CatalogError) {
                    _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: readOnly)
                    Issue.record("opened")
                } catch {
                    #expect(error.kind == .corrupt && error.path == scratch.catalog && error.offset == 0, "\(error)")
                }
            }
        }
    }

    @Test("A damaged log stops the checkpoint before the database is written, and stops the writer")
    func checkpoint() throws {
        let scratch = try Scratch()
        let writer = try scratch.filled()
        let log = try OpenFile(scratch.catalog + "-wal")
        log.flipping(32 + 24 + 100, 1) { expect(.corrupt) { try writer.checkpoint(truncate: false) } }
        expect(.failed) { try writer.commit(tail(10, [1])) }
        try writer.close()
        // The frame is intact again: nothing is lost.
        let next = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        #expect(try next.load().seq == 9)
        #expect(try next.integrityProblems().isEmpty)
        try next.close()
    }

    @Test("A transaction larger than the cache writes pages of the log twice and reads them back")
    func spilled() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        // The first transaction starts a new log, the second follows a commit.
        for seq in 1...2 as ClosedRange<Int64> {
            try writer.commit(CatalogCommit(seq: seq)) { transaction in
                try transaction.run("CREATE TABLE IF NOT EXISTS guest(id INTEGER PRIMARY KEY,body BLOB)")
                for id in 1...2_000 {
                    try transaction.run("INSERT INTO guest(body)VALUES(zeroblob(1500+\(id % 7)))")
                }
                for _ in 0..<2 { try transaction.run("UPDATE guest SET body=zeroblob(length(body)+1)") }
                var sum: Int64 = 0
                try transaction.scan("SELECT sum(length(body)) AS x FROM guest") { sum = try $0.int(0) }
                #expect(sum > 3_000_000)
            }
        }
        #expect(try writer.damagedPages().isEmpty)
        let log = try scratch.log()
        #expect(log.count > 4 << 20)
        #expect(Self.soundFrames(log) == (log.count - 32) / 4120, "SQLite's own checksums are right")
        // The state after the writer is killed.
        let copy = try Scratch()
        for suffix in ["", "-wal"] {
            try Data(try scratch.bytes(suffix)).write(to: URL(fileURLWithPath: copy.catalog + suffix))
        }
        let next = try CatalogDatabase.open(at: copy.catalog, readOnly: false)
        #expect(try next.load().seq == 2)
        #expect(try next.integrityProblems().isEmpty)
        try next.close()
        try writer.close()
    }

    /// Returns the number of frames of a log that any SQLite accepts.
    static func soundFrames(_ log: [UInt8]) -> Int {
        func word(_ at: Int) -> UInt32 { log[at..<at + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        var (s1, s2): (UInt32, UInt32) = (0, 0)
        func add(_ range: Range<Int>) {
            for at in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                s1 &+= word(at) &+ s2
                s2 &+= word(at + 4) &+ s1
            }
        }
        add(0..<24)
        var at = 32
        while at + 4120 <= log.count {
            add(at..<at + 8)
            add(at + 24..<at + 4120)
            guard word(at + 16).byteSwapped == s1, word(at + 20).byteSwapped == s2 else { break }
            at += 4120
        }
        return (at - 32) / 4120
    }
}
