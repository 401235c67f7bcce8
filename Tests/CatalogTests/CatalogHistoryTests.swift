// SPDX-License-Identifier: Apache-2.0

import Catalog
import Testing

@Suite("X-4 T-5 E-18 history horizon and epochs of a store, in the catalog")
struct CatalogHistoryTests {
    private func opened(format: Int) throws -> (Scratch, CatalogDatabase) {
        let scratch = try Scratch()
        try scratch.create(format: format)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        try writer.commit(CatalogCommit(seq: 1, series: [SeriesRow(id: 1, name: "a", kind: 1)]))
        return (scratch, writer)
    }

    private func deletion(_ seq: Int64) -> CatalogCommit {
        var commit = CatalogCommit(seq: seq)
        let row = TombstoneRow(id: seq, series: 1, born: seq, start: 0, end: 9, count: 4)
        commit.deletions = CatalogDeletions(tombstones: [row])
        return commit
    }

    private func removal(_ seq: Int64, _ horizon: Int64) -> CatalogCommit {
        var commit = CatalogCommit(seq: seq)
        commit.horizon = horizon
        return commit
    }

    @Test("The first deletion creates the tables; the horizon rises with removed rows and never falls")
    func horizon() throws {
        let (scratch, writer) = try opened(format: CatalogDatabase.checkedFormat)
        #expect(try writer.load().history == CatalogHistory())
        try writer.commit(deletion(2))
        #expect(try writer.load().history == CatalogHistory(horizon: 0))
        try writer.commit(deletion(3))
        for (seq, horizon, wanted) in [(4, 3, 3), (5, 2, 3)] as [(Int64, Int64, Int64)] {
            try writer.commit(removal(seq, horizon))
            #expect(try writer.load().history == CatalogHistory(horizon: wanted))
        }
        for horizon in [-1, 7, .max] as [Int64] { expect(.other) { try writer.commit(removal(6, horizon)) } }
        let image = try writer.load()
        #expect(image.seq == 5 && image.formatVersion == CatalogDatabase.historyFormat)
        #expect(try writer.integrityProblems().isEmpty)
        try writer.close()
        let reader = try scratch.reader()
        #expect(try reader.load() == image)
        try reader.close()
    }

    @Test("In a catalog of format 3 the horizon is the last commit, as deleted rows may have been removed")
    func format3() throws {
        let (scratch, writer) = try opened(format: CatalogDatabase.deletionFormat)
        defer { withExtendedLifetime(scratch) {} }
        // The content that a program of that format writes.
        try writer.commit(CatalogCommit(seq: 2)) { transaction in
            try transaction.run(
                "INSERT INTO tombstone(id,series,born,start,\"end\",count,body)VALUES(1,1,2,0,9,4,NULL)")
        }
        #expect(try writer.load().history == CatalogHistory())
        var counts = CatalogCommit(seq: 3)
        counts.tombstoneCounts = [1: 1]
        try writer.commit(counts)
        #expect(try writer.load().formatVersion == CatalogDatabase.deletionFormat)
        try writer.commit(deletion(4))
        #expect(try writer.load().history == CatalogHistory(horizon: 2))
        #expect(try writer.integrityProblems().isEmpty)
        try writer.close()
    }

    @Test("Epochs begin after the last commit and need no commit; a restored catalog has its image's epochs")
    func epochs() throws {
        let (scratch, writer) = try opened(format: CatalogDatabase.checkedFormat)
        defer { withExtendedLifetime(scratch) {} }
        try writer.beginEpoch(-7)
        try writer.commit(tail(2, [1]))
        try writer.commit(tail(3, [1]))
        try writer.beginEpoch(.max)
        expect(.other) { try writer.beginEpoch(0) }
        let image = try writer.load()
        let epochs = [EpochRow(number: -7, start: 1), EpochRow(number: .max, start: 3)]
        #expect(image.seq == 3 && image.history == CatalogHistory(horizon: 0, epochs: epochs))
        #expect(try writer.integrityProblems().isEmpty)
        try writer.close()

        for seq in [3, 0] as [Int64] {
            var image = image
            image.seq = seq
            if seq == 0 { (image.tail, image.series, image.history.epochs) = ([], [], [EpochRow(number: 5, start: 0)]) }
            image.history.horizon = seq
            let scratch = try Scratch()
            try scratch.create(format: CatalogDatabase.checkedFormat)
            let copy = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
            try copy.restore(image)
            #expect(try copy.load() == image)
            #expect(try copy.integrityProblems().isEmpty)
            try copy.close()
            let salvage = try CatalogSalvage(at: scratch.catalog)
            let found = salvage.engineRows()
            #expect(found.history == image.history && found.gaps.isEmpty)
            salvage.close()
        }
    }

    @Test(
        "Invalid rows are damage",
        arguments: [
            "UPDATE horizon SET born=9", "UPDATE horizon SET born=-1",
            "INSERT INTO epoch(number,start)VALUES(0,1)", "INSERT INTO epoch(number,start)VALUES(3,9)",
            "INSERT INTO epoch(number,start)VALUES(3,-1)",
        ])
    func damaged(sql: String) throws {
        let (scratch, writer) = try opened(format: CatalogDatabase.checkedFormat)
        try writer.beginEpoch(4)
        try writer.commit(CatalogCommit(seq: 2)) { try $0.run(sql) }
        expect(.corrupt) { _ = try writer.load() }
        #expect(try writer.integrityProblems().count == 1)
        try writer.close()
        let salvage = try CatalogSalvage(at: scratch.catalog)
        // A number outside the range of commits makes a row invalid; a number above the last commit is left to the
        // engine.
        let found = salvage.engineRows()
        #expect(!found.gaps.isEmpty || sql.contains("9"))
        salvage.close()
    }
}
