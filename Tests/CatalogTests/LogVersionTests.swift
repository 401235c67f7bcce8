// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Testing

@Suite("E-18 a catalog gets a version that earlier programs refuse before its log has pages of a new kind")
struct LogVersionTests {
    /// Returns a catalog of an earlier version.
    private func former(_ format: Int) throws -> (Scratch, CatalogImage) {
        let scratch = try Scratch()
        try scratch.create(format: format)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        var dice = Dice(seed: 9)
        var first = CatalogCommit(seq: 1, tail: dice.bytes(9_000))
        first.series = [SeriesRow(id: 1, name: "a", kind: 1)]
        try writer.commit(first)
        for seq in 2...6 as ClosedRange<Int64> { try writer.commit(tail(seq, dice.bytes(500))) }
        try writer.commit(CatalogCommit(seq: 7)) { try $0.run("PRAGMA user_version=\(format)") }
        let image = try writer.load()
        try writer.close()
        #expect(try scratch.bytes()[63] == format && !scratch.exists("-wal"))
        return (scratch, image)
    }

    @Test("A reader keeps the version; a writer's first commit stores the new one in the database", arguments: 2...5)
    func upgrades(format: Int) throws {
        let (scratch, image) = try former(format)
        let before = try scratch.bytes()
        let reader = try scratch.reader()
        #expect(try reader.load() == image)
        #expect(try scratch.bytes() == before)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        #expect(try scratch.bytes()[60..<64].elementsEqual([0, 0, 0, UInt8(format + 4)]))
        #expect(try writer.load() == image && reader.load() == image)
        try writer.commit(tail(8, [1]))
        #expect(try reader.load().seq == 8)
        try reader.close()
        try writer.close()
        let again = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        #expect(try again.load().seq == 8 && again.integrityProblems().isEmpty)
        #expect(try scratch.log().isEmpty)
        try again.close()
    }

    @Test("A writer is refused while a reader keeps the version from reaching the database")
    func inTheWay() throws {
        let (scratch, image) = try former(2)
        let before = try scratch.bytes()
        let reader = try scratch.reader()
        try reader.read { _ in
            for _ in 0..<2 { expect(.busy) { _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: false) } }
            let (database, log) = (try scratch.bytes(), try scratch.log())
            #expect(database == before && log.count == 32 + 4_120)
        }
        #expect(try reader.load() == image)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        #expect(try scratch.bytes()[63] == 6 && writer.load() == image)
        try writer.close()
        try reader.close()
    }

    @Test("A crash leaves the former version or the new one", arguments: [0, 20, 32, 56, 2_000, 4_151, 4_152])
    func crashes(length: Int) throws {
        let (scratch, image) = try former(2)
        let old = try scratch.bytes()
        let reader = try scratch.reader()
        var log: [UInt8] = []
        try reader.read { _ in
            _ = try? CatalogDatabase.open(at: scratch.catalog, readOnly: false)
            log = try scratch.log()
        }
        try reader.close()
        #expect(log.count == 4_152)
        for readsFirst in [true, false] {
            let place = try Scratch()
            try Data(old).write(to: URL(fileURLWithPath: place.catalog))
            try Data(log.prefix(length)).write(to: URL(fileURLWithPath: place.catalog + "-wal"))
            if readsFirst {
                let reader = try place.reader()
                #expect(try reader.load() == image)
                try reader.close()
            }
            let writer = try CatalogDatabase.open(at: place.catalog, readOnly: false)
            #expect(try writer.load() == image && writer.integrityProblems().isEmpty)
            #expect(try place.bytes()[63] == 6)
            try writer.commit(tail(8, [1]))
            try writer.close()
        }
    }
}
