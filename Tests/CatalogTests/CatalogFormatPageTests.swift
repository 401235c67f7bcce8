// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import Testing

/// The tables of Docs/Format/Catalog.md.
struct FormatPage {
    /// The rows of the first table under each heading, without the header, each a list of cells.
    private var tables: [String: [[String]]] = [:]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Docs/Format/Catalog.md"), encoding: .utf8)
        var heading = ""
        var isTable = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") { heading = line.drop { $0 == "#" || $0 == " " }.description }
            guard line.hasPrefix("|") else {
                isTable = false
                continue
            }
            let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.allSatisfy({ $0.allSatisfy { $0 == "-" } }) {
                isTable = true
            } else if isTable {
                tables[heading, default: []].append(cells)
            }
        }
    }

    func table(_ heading: String) -> [[String]] { tables[heading] ?? [] }
    var headings: Set<String> { Set(tables.keys) }
}

@Suite("The format page of the catalog agrees with the code")
struct CatalogFormatPageTests {
    /// Creates a catalog with all tables and returns the rows of a query as texts.
    func ask(_ query: String, readOnly: Bool = false) throws -> [[String]] {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        var first = CatalogCommit(seq: 1)
        first.deletions.times = [DeletionTime(commit: 1, at: 7)]
        first.series = [SeriesRow(id: 1, name: "a", kind: 1)]
        first.deletions.tombstones = [TombstoneRow(id: 1, series: 1, born: 1, start: 0, end: 1, count: 0)]
        try writer.commit(first) { transaction in
            try HealthCatalog.prepare(transaction)
            let session = SessionRow(
                id: 1, uuid: [UInt8](repeating: 1, count: 16), client: "a", isActive: true, body: [])
            try HealthCatalog.insert(session, transaction)
            let decision = AuthorizationRow(
                client: "a", direction: .read, type: "b", isAllowed: true, decided: 7, origin: "test")
            try HealthCatalog.set(decision, transaction)
            let uuid = [UInt8](repeating: 2, count: 16)
            try transaction.insert(attachedFile: AttachedFileRow(uuid: uuid, bytes: 3))
            try HealthCatalog.insert(
                AttachmentRow(uuid: uuid, object: uuid, name: "a", type: "b", bytes: 3, created: 7), transaction)
            let dropped = try HealthCatalog.set(SyncPeerRow(store: uuid, name: "a", at: 0), transaction)
            try HealthCatalog.removePeer(dropped, transaction)
            try HealthCatalog.reset(AuthorizationResetRow(client: "a", at: 1), transaction)
            try HealthCatalog.set(setting: "unit.a", to: "b", transaction)
        }
        var second = CatalogCommit(seq: 2)
        second.removedTombstones = [1]
        second.feedHorizons = [1: 1]
        try writer.commit(second)
        let database = readOnly ? try scratch.reader() : writer
        defer { for database in [database, writer] { try? database.close() } }
        return try database.read { transaction in
            var rows: [[String]] = []
            try transaction.scan(query) { row in
                rows.append(try row.text(0).split(separator: "|", omittingEmptySubsequences: false).map(String.init))
            }
            return rows
        }
    }

    static let tables = [
        "meta", "series", "segment", "run", "tail", "tombstone", "retention", "deletion_time", "horizon", "epoch",
        "feed_horizon", "attached_file", "workout_session", "workout_session_part", "authorization", "attachment",
        "sync_peer", "sync_commit", "sync_deletion", "sync_rewrite", "sync_document", "authorization_reset",
        "person_change", "sync_dropped",
        "source", "device", "provenance", "metadata", "object",
        "document", "characteristic", "import_log", "health_series", "health_object", "sync_identifier", "setting",
    ]

    @Test("The page lists all tables of a catalog and no others")
    func names() throws {
        let found = try ask("SELECT name AS x FROM sqlite_schema WHERE type='table'").map { $0[0] }
        #expect(Set(found) == Set(Self.tables))
        let headings = try FormatPage().headings
        #expect(Set(Self.tables).isSubset(of: headings))
    }

    @Test("Columns, types, nulls and keys equal the page", arguments: tables)
    func columns(table: String) throws {
        let found = try ask(
            """
            SELECT name||'|'||type||'|'||iif("notnull",'no','yes')||'|'||iif(pk,pk,'') AS x \
            FROM pragma_table_xinfo('\(table)') ORDER BY cid
            """)
        let written = try FormatPage().table(table).map { Array($0.prefix(4)) }
        #expect(!written.isEmpty)
        #expect(found == written)
        let strict = try ask("SELECT strict||'' AS x FROM pragma_table_list('\(table)')")
        #expect(strict == [["1"]])
    }

    @Test("Indexes equal the page")
    func indexes() throws {
        let found = try ask(
            """
            SELECT i.name||'|'||t.name||'|'||(SELECT group_concat(ifnull(c.name,'(expression)'),', ') FROM \
            pragma_index_info(i.name) c)||'|'||iif(i."unique",'yes','no') AS x \
            FROM sqlite_schema t, pragma_index_list(t.name) i WHERE t.type='table' AND i.origin<>'pk' ORDER BY 1
            """)
        let written = try FormatPage().table("Indexes").map { Array($0.prefix(4)) }
        #expect(Set(found) == Set(written))
    }

    @Test("References equal the page")
    func references() throws {
        let found = try ask(
            """
            SELECT t.name||'|'||f."from"||'|'||f."table" AS x \
            FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type='table'
            """)
        let written = try FormatPage().table("References").map { Array($0.prefix(3)) }
        #expect(Set(found) == Set(written))
    }

    @Test("Settings of writing and reading connections equal the page", arguments: [false, true])
    func settings(readOnly: Bool) throws {
        // The second table under the heading follows the first one.
        let rows = try FormatPage().table("Settings")
        #expect(rows.count == 15)
        let scratch = try Scratch()
        let writer = try scratch.writer()
        let database = readOnly ? try scratch.reader() : writer
        for row in rows {
            var value: String?
            try database.read { transaction in
                try transaction.scan("PRAGMA \(row[0])") { columns in
                    value = try (try? columns.text(0)) ?? String(columns.int(0))
                }
            }
            #expect(value == row[1], "PRAGMA \(row[0])")
        }
        if readOnly {
            var isQueryOnly: Int64 = 0
            try database.read { try $0.scan("PRAGMA query_only") { isQueryOnly = try $0.int(0) } }
            #expect(isQueryOnly == 1)
            try database.close()
        }
        try writer.close()
        // The header of the database file has the number of reserved bytes.
        #expect(try scratch.bytes()[20] == 40)
    }

    @Test("New catalogs have the versions of the last row", arguments: 2...5)
    func versions(format: Int) throws {
        let last = try #require(try FormatPage().table("Versions").last)[0].split(separator: " ")
        #expect(last.count == 3)
        let (least, most) = (try #require(UInt8(last[0])), try #require(UInt8(last[2])))
        let scratch = try Scratch()
        try scratch.create(format: format)
        #expect(try scratch.bytes()[60..<64].elementsEqual([0, 0, 0, least + UInt8(format - 2)]))
        #expect(least + UInt8(CatalogDatabase.newestFormat - 2) == most)
    }

    @Test("The trailer of a page has the documented layout, in the database and in the log")
    func trailer() throws {
        let rows = try FormatPage().table("Pages")
        func field(_ name: String) throws -> Range<Int> {
            let row = try #require(rows.first { $0[0] == name })
            let at = try #require(Int(row[1]))
            return at..<at + (try #require(Int(row[2])))
        }
        #expect(rows.compactMap { Int($0[2]) }.reduce(0, +) == 40)
        let scratch = try Scratch()
        let writer = try scratch.filled()
        let (database, log) = (try scratch.bytes(), try scratch.log())
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        func check(
            _ page: [UInt8], _ number: Int, _ kind: String, _ covered: [String], _ sequences: ClosedRange<UInt8>
        ) throws {
            let trailer = Array(page[4056...])
            #expect(String(decoding: trailer[try field("kind")], as: UTF8.self) == kind)
            #expect(trailer[try field("database")] == database[4064..<4076], "all pages have the same id")
            let sequence = trailer[try field("sequence")]
            #expect(sequences.contains(sequence.first ?? 255) && sequence.dropFirst().allSatisfy { $0 == 0 })
            var content = page[..<4056]
            if number == 1 {
                for at in [18, 19, 24, 25, 26, 27] + Array(92..<100) { content[at] = 0 }
            }
            let fields = try covered.flatMap { trailer[try field($0)] }
            let sum = CatalogVFS.checksum(Array(content) + fields + little(number, 4))
            #expect(trailer[try field("checksum")].reversed().reduce(0) { $0 << 8 | UInt32($1) } == sum)
        }
        for at in stride(from: 0, to: database.count, by: 4096) {
            let page = Array(database[at..<at + 4096])
            try check(page, at / 4096 + 1, "KypP", ["kind", "database", "place", "sequence"], 0...4)
            #expect(page[(4056 + (try field("balance").lowerBound))...].allSatisfy { $0 == 0 })
        }
        for at in stride(from: 32, to: log.count, by: 4120) {
            let frame = Array(log[at..<at + 4120])
            let page = Array(frame[24...])
            let index = frame[..<4].reduce(0) { $0 << 8 | Int($1) }
            try check(page, index, "KypL", ["kind", "database", "sequence"], 5...9)
            let trailer = Array(page[4056...])
            let bound = CatalogVFS.checksum(
                trailer[try field("checksum")] + little(at, 8) + Array(frame[8..<16]))
            #expect(number(trailer[try field("place")]) == bound)
        }
        try writer.close()
    }
}
