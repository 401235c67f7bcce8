// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Testing

@Suite("E-6 E-18 deletions in the catalog")
struct CatalogDeletionTests {
    private func tombstone(_ id: Int64, born: Int64, body: [UInt8]? = nil) -> TombstoneRow {
        TombstoneRow(id: id, series: 1, born: born, start: .min, end: .max, count: 4, body: body)
    }

    private func commit(_ seq: Int64, _ rows: [TombstoneRow], now: Int64? = nil) -> CatalogCommit {
        var commit = CatalogCommit(seq: seq)
        commit.deletions = CatalogDeletions(tombstones: rows, now: now)
        return commit
    }

    @Test("The first deletion creates its tables and raises the format in its commit; open readers see it")
    func first() throws {
        let scratch = try Scratch()
        try scratch.create(format: CatalogDatabase.checkedFormat)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        let reader = try scratch.reader()
        try writer.commit(CatalogCommit(seq: 1, series: [SeriesRow(id: 1, name: "a", kind: 1)]))
        #expect(try reader.load().formatVersion == CatalogDatabase.checkedFormat)
        struct Refusal: Error {}
        expect(.closure) { try writer.commit(commit(2, [tombstone(1, born: 2)])) { _ in throw Refusal() } }
        #expect(try reader.load().formatVersion == CatalogDatabase.checkedFormat)
        let rows = [tombstone(1, born: 2), tombstone(2, born: 2, body: [1, 2, 3])]
        try writer.commit(commit(2, rows, now: 77))
        try writer.commit(tail(3, [9]))
        var counts = CatalogCommit(seq: 4)
        counts.tombstoneCounts = [2: 1]
        try writer.commit(counts)
        for database in [writer, reader] {
            let image = try database.load()
            #expect(image.formatVersion == CatalogDatabase.historyFormat && image.seq == 4)
            #expect(image.deletions.now == 77 && image.deletions.tombstones.map(\.count) == [4, 1])
            #expect(image.deletions.tombstones.map(\.body) == [nil, [1, 2, 3]])
            #expect(try database.integrityProblems().isEmpty)
        }
        try reader.close()
        try writer.close()
        try CatalogDatabase.open(at: scratch.catalog, readOnly: false).close()
    }

    @Test("Deletion times are written in any format, replaced as a whole; a table of another shape is refused")
    func times() throws {
        let scratch = try Scratch()
        try scratch.create(format: CatalogDatabase.checkedFormat)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        try writer.commit(CatalogCommit(seq: 1, series: [SeriesRow(id: 1, name: "a", kind: 1)]))
        try writer.commit(commit(2, [tombstone(1, born: 2)]))
        #expect(try writer.load().deletions.times == [])
        let all = (0..<3).map { DeletionTime(commit: Int64($0 + 1), at: Int64($0) - 7) }
        for (seq, some) in [(3, all), (4, Array(all[1...]))] {
            var later = CatalogCommit(seq: Int64(seq))
            later.deletions.times = some
            try writer.commit(later)
            #expect(try writer.load().deletions.times == some)
        }
        #expect(try writer.load().formatVersion == CatalogDatabase.historyFormat)
        var early = CatalogCommit(seq: 5)
        early.deletions.times = [DeletionTime(commit: 6, at: 0)]
        expect(.other) { try writer.commit(early) }
        try writer.commit(CatalogCommit(seq: 5)) { transaction in
            try transaction.run("DROP TABLE deletion_time")
            try transaction.run("CREATE TABLE deletion_time(born INTEGER PRIMARY KEY,at TEXT)")
        }
        try writer.close()
        expect(.corrupt) { _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: true) }
    }

    @Test("A checkpoint that tears page 1 loses nothing while the log has the page, and the store without the log")
    func tornFirstPage() throws {
        let scratch = try Scratch()
        try scratch.create(format: CatalogDatabase.checkedFormat)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        try writer.commit(CatalogCommit(seq: 1, series: [SeriesRow(id: 1, name: "a", kind: 1)]))
        try writer.commit(commit(2, [tombstone(1, born: 2)]))
        let image = try writer.load()
        let log = try scratch.bytes("-wal")
        var dice = Dice(seed: 4)
        for length in [1, 40, 300] {
            var torn = try scratch.bytes()
            torn.replaceSubrange(4_096 - length..<4_096, with: dice.bytes(length))
            torn.replaceSubrange(4_056..<4_060, with: dice.bytes(4))
            for readOnly in [true, false] {
                let place = try Scratch()
                try Data(torn).write(to: URL(fileURLWithPath: place.catalog))
                expect(.corrupt) { _ = try CatalogDatabase.open(at: place.catalog, readOnly: readOnly) }
                try Data(log).write(to: URL(fileURLWithPath: place.catalog + "-wal"))
                let opened = try CatalogDatabase.open(at: place.catalog, readOnly: readOnly)
                #expect(try opened.load() == image)
                #expect(try opened.damagedPages().isEmpty)
                try opened.close()
            }
        }
        try writer.close()
    }

    @Test("Invalid tombstones, and counts of missing ones, are refused")
    func refused() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        try writer.commit(CatalogCommit(seq: 1, series: [SeriesRow(id: 1, name: "a", kind: 1)]))
        var empty = tombstone(1, born: 2)
        empty.end = .min
        var foreign = tombstone(1, born: 2)
        foreign.series = 8
        for row in [empty, foreign, tombstone(1, born: 1), tombstone(0, born: 2)] {
            expect(.other) { try writer.commit(commit(2, [row])) }
        }
        var counts = CatalogCommit(seq: 2)
        counts.tombstoneCounts = [2: 1]
        expect(.other) { try writer.commit(counts) }
        #expect(try writer.load().seq == 1)
        try writer.close()
    }

    @Test("A catalog of the first format without room for its upgrade refuses deletions")
    func firstFormat() throws {
        let (scratch, image) = try UpgradeTests.first()
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false, vfs: "unix")
        expect(.full) { try writer.commit(commit(image.seq + 1, [tombstone(1, born: image.seq + 1)])) }
        #expect(try writer.load().seq == image.seq)
        try writer.close()
    }
}
