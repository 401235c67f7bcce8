// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Catalog

@Suite("E-16 T-5 a catalog with any damaged page: all rows of intact pages are kept, the others reported")
struct CatalogPagesTests {
    /// A catalog whose tables have rows on several pages, closed or with its last commits in the log.
    private struct Patient {
        let scratch: Scratch
        let sound: SalvagedCatalog
        let database: [UInt8]
        let log: [UInt8]
        var pages: Int { database.count / 4_096 }

        init(seed: UInt64, isHot: Bool) throws {
            scratch = try Scratch()
            try scratch.create(format: CatalogDatabase.checkedFormat)
            let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
            try Self.fill(writer, seed: seed)
            try writer.checkpoint(truncate: true)
            try writer.commit(CatalogCommit(seq: 400, sealedTail: Array(20...90)))
            var dice = Dice(seed: seed + 1)
            for seq in 401...420 as ClosedRange<Int64> { try writer.commit(tail(seq, dice.bytes(700))) }
            if !isHot { try writer.checkpoint(truncate: true) }
            database = try scratch.bytes()
            log = isHot ? try scratch.log() : []
            try writer.close()
            let salvage = try CatalogSalvage(at: scratch.catalog)
            sound = salvage.engineRows()
            salvage.close()
            #expect(sound.gaps.isEmpty && sound.series.count == 300 && sound.tail.count > 300)
            #expect(sound.deletions.tombstones.count == 39 && sound.history.horizon == 305)
            #expect(sound.history.feedHorizons == [2: 301, 9: 301])
            #expect(sound.deletions.now == 1_700_000_000_000_000_000 && sound.deletions.times.count == 2)
        }

        private static func fill(_ writer: CatalogDatabase, seed: UInt64) throws {
            var dice = Dice(seed: seed)
            var first = CatalogCommit(seq: 1, tail: dice.bytes(9_000))
            let ids = 1...300 as ClosedRange<Int64>
            first.series = SeriesRows(
                ids.map { SeriesRow(id: $0, name: "series \($0)", labels: ["source": "\($0)"], kind: 2) })
            first.segments = (1...60).map { id in dice.segment(Int64(id), born: 1, series: Array(ids.prefix(id))) }
            try writer.commit(first)
            for seq in 2...300 as ClosedRange<Int64> {
                try writer.commit(tail(seq, dice.bytes(seq % 50 == 0 ? 12_000 : 100 + dice.below(400))))
            }
            for seq in 301...340 as ClosedRange<Int64> {
                var commit = CatalogCommit(seq: seq)
                commit.deletions.tombstones = [
                    TombstoneRow(
                        id: seq, series: 1, born: seq, start: seq, end: seq + 9, count: 1,
                        body: seq % 3 == 0 ? dice.bytes(300) : nil)
                ]
                if seq == 320 {
                    commit.deletions.now = 1_700_000_000_000_000_000
                    commit.horizon = 305
                }
                try writer.commit(commit)
            }
            try writer.note(times: [DeletionTime(commit: 310, at: 1 << 60), DeletionTime(commit: 340, at: 1 << 61)])
            for seq in 341...398 as ClosedRange<Int64> { try writer.commit(tail(seq, dice.bytes(80))) }
            var forgetting = CatalogCommit(seq: 399)
            forgetting.removedTombstones = [301]
            forgetting.feedHorizons = [2: 301, 9: 301]
            try writer.commit(forgetting)
            for epoch in 1...3 as ClosedRange<Int64> { try writer.beginEpoch(epoch) }
        }

        /// Returns the salvaged rows with the given pages and frames damaged.
        func salvage(pages: [Int] = [], frames: [Int] = [], with byte: UInt8? = nil) throws -> SalvagedCatalog {
            var database = self.database
            var log = self.log
            for page in pages {
                for i in (page - 1) * 4_096..<page * 4_096 { database[i] = byte ?? (database[i] ^ 0x55) }
            }
            for frame in frames { log[32 + frame * 4_120 + 200] ^= 0x10 }
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch.catalog + suffix) }
            try Data(database).write(to: URL(fileURLWithPath: scratch.catalog))
            if !log.isEmpty { try Data(log).write(to: URL(fileURLWithPath: scratch.catalog + "-wal")) }
            let salvage = try CatalogSalvage(at: scratch.catalog)
            defer { salvage.close() }
            let found = salvage.engineRows()
            #expect(try scratch.bytes() == database, "a salvage writes nothing")
            return found
        }

        /// Returns a page of the database if it is a page of a tree.
        func tree(_ page: Int) -> TreePage? {
            TreePage(Array(database[(page - 1) * 4_096..<page * 4_096]), number: UInt32(page), usable: 4_056)
        }
    }

    /// Compares the rows of one table, by key, with the original ones. Returns the number of missing rows, which the
    /// gaps must report.
    private func expectReported<Row: Equatable>(
        _ table: String, _ was: [Row], _ now: [Row], _ gaps: [CatalogGap], _ note: String, _ key: (Row) -> Int64
    ) -> Int {
        let left = Dictionary(now.map { (key($0), $0) }) { first, _ in first }
        #expect(left.count == now.count && now.map(key) == now.map(key).sorted(), "\(note): \(table) is not in order")
        let gaps = gaps.filter { $0.table == table }
        var missing = 0
        for row in was {
            if let same = left[key(row)] {
                #expect(same == row, "\(note): \(table) \(key(row)) has changed")
                continue
            }
            missing += 1
            let isReported = gaps.contains { $0.after < key(row) && key(row) < $0.before ?? .max }
            #expect(isReported, "\(note): \(table) \(key(row)) is missing and not reported")
        }
        #expect(now.count + missing == was.count, "\(note): \(table) has invented rows")
        return missing
    }

    /// Expects that no row is invented and every missing row is reported. Returns the number of missing rows.
    @discardableResult
    private func expectReported(_ found: SalvagedCatalog, _ sound: SalvagedCatalog, _ note: String) -> Int {
        var missing = 0
        missing += expectReported("series", Array(sound.series), Array(found.series), found.gaps, note, \.id)
        missing += expectReported("tail", sound.tail, found.tail, found.gaps, note, \.seq)
        let (was, now) = (sound.deletions.tombstones, found.deletions.tombstones)
        missing += expectReported("tombstone", was, now, found.gaps, note, \.id)
        func plain(_ rows: [SegmentRow]) -> [SegmentRow] {
            rows.map { row in
                var row = row
                row.runs = []
                return row
            }
        }
        missing += expectReported("segment", plain(sound.segments), plain(found.segments), found.gaps, note, \.id)
        let runs = Dictionary(sound.segments.map { ($0.id, $0.runs) }) { first, _ in first }
        for row in found.segments where !row.runs.isEmpty { #expect(row.runs == runs[row.id], "\(note): runs") }
        missing += found.segments.count { $0.runs != runs[$0.id] }
        missing += expectReported("epoch", sound.history.epochs, found.history.epochs, found.gaps, note, \.number)
        for (table, isThere, isSame) in [
            ("meta", found.meta != nil, found.meta.map { $0 == sound.meta ?? ([], "", 0) } ?? true),
            ("horizon", found.history.horizon != nil, found.history.horizon == sound.history.horizon),
            ("retention", found.deletions.now != nil, found.deletions.now == sound.deletions.now),
        ] {
            if isThere { #expect(isSame, "\(note): \(table)") } else { missing += 1 }
            if !isThere { #expect(found.gaps.contains { $0.table == table }, "\(note): \(table) lost, unreported") }
        }
        let (reported, kept) = (sound.history.feedHorizons, found.history.feedHorizons)
        #expect(kept.isEmpty || kept == reported, "\(note): feed_horizon")
        if kept.isEmpty, !reported.isEmpty {
            missing += reported.count
            #expect(found.gaps.contains { $0.table == "feed_horizon" }, "\(note): feed_horizon lost, unreported")
        }
        return missing
    }

    @Test("Damage to page 1 alone loses nothing", arguments: [false, true])
    func firstPage(isHot: Bool) throws {
        let patient = try Patient(seed: 1, isHot: isHot)
        for byte in [0, 0xFF, nil] as [UInt8?] {
            let found = try patient.salvage(pages: [1], with: byte)
            #expect(expectReported(found, patient.sound, "page 1") == 0)
            #expect(found.gaps.isEmpty && found.deletions.times == patient.sound.deletions.times)
        }
    }

    @Test(
        "Damage to one page: a leaf loses its own rows, an inner page loses none", arguments: [false, true])
    func anyPage(isHot: Bool) throws {
        let patient = try Patient(seed: 2, isHot: isHot)
        var branches = 0
        var lossy = 0
        for page in 1...patient.pages {
            let found = try patient.salvage(pages: [page])
            let missing = expectReported(found, patient.sound, "page \(page)")
            let tree = patient.tree(page)
            if page == 1 || tree?.kind == .tableInterior {
                branches += 1
                #expect(missing == 0 && found.gaps.isEmpty, "page \(page): \(found.gaps)")
            } else if tree?.kind == .tableLeaf {
                // A page with a newer copy in the log loses nothing; deletion times restart.
                if missing > 0 { lossy += 1 }
                #expect(missing == tree?.cells.count || missing == 0, "page \(page)")
                if !isHot { #expect(missing > 0 || found.deletions.times != patient.sound.deletions.times) }
            }
        }
        #expect(branches > 3 && lossy > 10)
    }

    @Test(
        "Damage to page 1 and any other: no row is invented, and missing ones are reported", arguments: [false, true])
    func firstAndAnother(isHot: Bool) throws {
        let patient = try Patient(seed: 3, isHot: isHot)
        for page in 2...patient.pages {
            expectReported(try patient.salvage(pages: [1, page]), patient.sound, "pages 1 and \(page)")
        }
    }

    @Test("Damage to several random pages: no row is invented, and missing ones are reported", arguments: 1...40)
    func several(seed: UInt64) throws {
        let patient = try Patient(seed: 4, isHot: seed % 2 == 0)
        var dice = Dice(seed: seed)
        let pages = (0..<2 + dice.below(8)).map { _ in 1 + dice.below(patient.pages) }
        expectReported(try patient.salvage(pages: Array(Set(pages))), patient.sound, "pages \(pages)")
    }

    @Test("Pages of another catalog are ignored, including page 1")
    func foreign() throws {
        let patient = try Patient(seed: 5, isHot: false)
        let other = try Patient(seed: 6, isHot: false)
        for page in [1, 2, 3, 7] {
            var bytes = patient.database
            let range = (page - 1) * 4_096..<page * 4_096
            bytes.replaceSubrange(range, with: other.database[range])
            try Data(bytes).write(to: URL(fileURLWithPath: patient.scratch.catalog))
            let salvage = try CatalogSalvage(at: patient.scratch.catalog)
            let missing = expectReported(salvage.engineRows(), patient.sound, "page \(page) of another catalog")
            if page == 1 { #expect(missing == 0) }
            salvage.close()
        }
    }

    @Test("A damaged frame ends the log: earlier commits are kept, with or without page 1")
    func damagedFrame() throws {
        let patient = try Patient(seed: 7, isHot: true)
        let frames = (patient.log.count - 32) / 4_120
        #expect(frames > 20)
        for frame in stride(from: frames - 1, to: frames - 16, by: -3) {
            let byFrame = try patient.salvage(frames: [frame])
            let both = try patient.salvage(pages: [1], frames: [frame])
            // SQLite ends the log at this frame too.
            #expect(both.tail == byFrame.tail && both.series == byFrame.series && both.segments == byFrame.segments)
            #expect(both.gaps == byFrame.gaps && both.gaps.isEmpty)
            #expect(both.tail.count < patient.sound.tail.count)
            #expect(zip(both.tail, patient.sound.tail).allSatisfy { $0 == $1 })
        }
    }

    @Test("A file that is not a catalog is refused")
    func nothing() throws {
        let scratch = try Scratch()
        var dice = Dice(seed: 8)
        for bytes in [[], dice.bytes(100), dice.bytes(40_960), [UInt8](repeating: 0, count: 40_960)] {
            try Data(bytes).write(to: URL(fileURLWithPath: scratch.catalog))
            #expect(throws: CatalogError.self, "\(bytes.count) bytes") { try CatalogSalvage(at: scratch.catalog) }
        }
    }
}
