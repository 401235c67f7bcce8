// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Catalog

@Suite("E-16 T-5 SQLite's pages are read without SQLite")
struct PageTreeTests {
    /// A table of random columns, and generated values for its rows.
    private struct RandomTable {
        let name: String
        let sql: String
        let types: [String]
        let isNumbered: Bool

        init(_ number: Int, _ dice: inout Dice) {
            name = "t\(number)"
            isNumbered = number % 3 != 0
            let more = (0...dice.below(5)).map { _ in ["INTEGER", "TEXT", "BLOB", "REAL"][dice.below(4)] }
            types = ["INTEGER"] + more
            let columns = more.enumerated().map { ",c\($0.offset) \($0.element)" }.joined()
            sql =
                "CREATE TABLE \(name)(id INTEGER "
                + (isNumbered
                    ? "PRIMARY KEY\(columns))STRICT" : "NOT NULL\(columns),PRIMARY KEY(id))STRICT,WITHOUT ROWID")
        }

        static func literal(_ type: String, _ dice: inout Dice) -> String {
            let length = [0, 1, 7, 40, 300, 900, 5_000, 8_500][dice.below(8)]
            switch type {
            case _ where dice.below(6) == 0: return "NULL"
            case "INTEGER":
                let bits = dice.below(64)
                return String(Int64(bitPattern: dice.next()) >> Int64(bits))
            case "REAL": return dice.below(2) == 0 ? "\(dice.below(1_000))" : "\(Double(dice.below(1_000_000)) / 7)"
            case "TEXT": return "'" + String(repeating: "é", count: length / 2) + "'"
            default:
                return "x'" + dice.bytes(length).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
            }
        }
    }

    private func rows(_ table: RandomTable, _ transaction: CatalogTransaction) throws -> [[TreeValue]] {
        var rows: [[TreeValue]] = []
        try transaction.scan("SELECT * FROM \(table.name) ORDER BY id") { row in
            rows.append(
                try table.types.enumerated().map { place, type in
                    if row.isNull(place) { return .null }
                    switch type {
                    case "INTEGER": return .int(try row.int(place))
                    case "REAL": return .real(try row.real(place))
                    case "TEXT": return .text(Array(try row.text(place).utf8))
                    default: return .blob(try row.blob(place))
                    }
                })
        }
        return rows
    }

    /// Returns the rows of a table read from its pages, in the order of its keys.
    private func rows(_ table: RandomTable, _ pages: TableGuess) throws -> [[TreeValue]] {
        let found = try #require(pages.found[table.name])
        #expect(!found.isDamaged)
        var rows: [[TreeValue]] = []
        for page in found.parts.flatMap(\.pages) {
            pages.forest.rows(on: page) { cell, page in
                guard let bytes = pages.forest.file.record(cell, of: page).bytes, var row = TreeRecord.values(bytes)
                else {
                    Issue.record("a row of \(table.sql) cannot be read")
                    return
                }
                if table.isNumbered { row[0] = .int(cell.key) }
                for (i, type) in table.types.enumerated() where type == "REAL" {
                    // SQLite stores whole reals as integers.
                    if case .int(let value) = row[i] { row[i] = .real(Double(value)) }
                }
                rows.append(row)
            }
        }
        return rows.sorted { one, other in
            guard case .int(let first) = one[0], case .int(let second) = other[0] else { return false }
            return first < second
        }
    }

    @Test("Random tables after random insertions, deletions and drops are read as SQLite reads them", arguments: 1...6)
    func likeSQLite(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let scratch = try Scratch()
        let writer = try scratch.writer()
        var tables = (0..<6).map { RandomTable($0, &dice) }
        var seq: Int64 = 1
        try writer.commit(CatalogCommit(seq: seq)) { transaction in
            for table in tables { try transaction.run(table.sql) }
        }
        for _ in 0..<12 {
            seq += 1
            try writer.commit(CatalogCommit(seq: seq)) { transaction in
                for table in tables {
                    for _ in 0..<dice.below(60) {
                        let key = dice.below(400)
                        let more = table.types.dropFirst().map { RandomTable.literal($0, &dice) }
                        let values = ([String(key)] + more).joined(separator: ",")
                        try transaction.run("INSERT OR REPLACE INTO \(table.name) VALUES(\(values))")
                    }
                    if dice.below(3) == 0 {
                        let from = dice.below(400)
                        try transaction.run("DELETE FROM \(table.name) WHERE id BETWEEN \(from) AND \(from + 90)")
                    }
                }
            }
            if dice.below(3) == 0 { try writer.checkpoint(truncate: dice.below(2) == 0) }
            if seq == 9 {
                let gone = tables.removeLast()
                seq += 1
                try writer.commit(CatalogCommit(seq: seq)) { try $0.run("DROP TABLE \(gone.name)") }
            }
        }
        let file = try #require(PageFile(scratch.catalog, CatalogFile(vfs: CatalogVFS.production), log: true))
        let shapes = tables.compactMap { TableShape($0.sql) }
        #expect(shapes.count == tables.count)
        let pages = TableGuess(file, shapes + TableShape.engine)
        for table in tables {
            let wanted = try writer.read { try rows(table, $0) }
            #expect(try rows(table, pages) == wanted, "\(table.sql)")
        }
        // Freed pages are overwritten, so no unused page looks like a page of a tree.
        var roots: Set<UInt32> = [1]
        try writer.read { transaction in
            try transaction.scan("SELECT rootpage FROM sqlite_schema") { row in roots.insert(UInt32(try row.int(0))) }
        }
        #expect(Set(pages.forest.parts.map(\.root)) == roots)
        #expect(pages.forest.unsound.isEmpty && pages.forest.unexplained.isEmpty)
        try writer.close()
    }

    @Test("Arbitrary bytes of a page or record never trap")
    func anyBytes() throws {
        var dice = Dice(seed: 77)
        let scratch = try Scratch()
        let writer = try scratch.filled()
        try writer.checkpoint(truncate: true)
        let bytes = try scratch.bytes()
        let pages = bytes.count / 4_096
        var read = 0
        for _ in 0..<20_000 {
            let number = 1 + dice.below(pages)
            var page = Array(bytes[(number - 1) * 4_096..<number * 4_096])
            if dice.below(4) == 0 { page[number == 1 ? 100 : 0] = [2, 5, 10, 13][dice.below(4)] }
            for _ in 0..<dice.below(8) {
                // Headers and cell pointers are the most sensitive bytes.
                let at = dice.below(2) == 0 ? dice.below(160) : dice.below(4_096)
                page[at] = dice.below(3) == 0 ? 0xFF : UInt8(truncatingIfNeeded: dice.next())
            }
            guard let tree = TreePage(page, number: UInt32(number), usable: 4_056) else { continue }
            for cell in tree.cells where !cell.local.isEmpty {
                let record = Array(page[cell.local])
                _ = TreeRecord.types(record[...])
                if TreeRecord.values(record) != nil { read += 1 }
            }
        }
        #expect(read > 1_000)
        for length in 0..<300 { _ = TreeRecord.values(dice.bytes(length)) }
        try writer.close()
    }

    @Test("A catalog of the first format with any damage never traps, and intact rows are read")
    func anyFile() throws {
        let (scratch, image) = try UpgradeTests.first()
        let sound = try scratch.bytes()
        var dice = Dice(seed: 3)
        for _ in 0..<400 {
            var bytes = sound
            for _ in 0...dice.below(40) { bytes[dice.below(bytes.count)] = UInt8(truncatingIfNeeded: dice.next()) }
            try Data(bytes).write(to: URL(fileURLWithPath: scratch.catalog))
            let file = try #require(PageFile(scratch.catalog, CatalogFile(vfs: CatalogVFS.production), log: true))
            let mended = try CarvedRows(TableGuess(file, TableShape.engine), path: scratch.catalog)
            for name in TableShape.engine.map(\.name) {
                _ = mended.rows(KeyedQuery(name, "rowid", "1"), after: 0, before: nil, reason: nil) { _ in }
            }
        }
        var bytes = sound
        for i in 0..<100 { bytes[i] = 0xA5 }
        try Data(bytes).write(to: URL(fileURLWithPath: scratch.catalog))
        let salvage = try CatalogSalvage(at: scratch.catalog)
        let found = salvage.engineRows()
        #expect(salvage.problem != nil)
        #expect(found.tail == image.tail && found.series == image.series && found.segments == image.segments)
        salvage.close()
    }
}
