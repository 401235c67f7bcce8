// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import Catalog

/// The pages of a small catalog, edited, and read one by one as a repair does where SQLite cannot.
///
/// An input is a byte of flags and edits of some bytes each: which page, where, how many bytes, the bytes. With the
/// first flag the checksums of edited pages are made right: somebody made them so. Without it they rotted, and only
/// rows that were there may be read.
enum CatalogPageTarget {
    static let target = Target(
        name: "catalog-pages", maximumLength: 256, variants: 15,
        asserts: "after rot: rows that were there; after anything: each page is read a few times at most",
        seeds: { _ in seeds }, run: each(run))

    private static let page = 4_096
    /// The first flags of an input.
    private static let sealed: UInt8 = 1
    private static let withLog: UInt8 = 2
    /// In the number of a page: an edit of the log.
    private static let ofLog: UInt8 = 128

    private static var seeds: [[UInt8]] {
        var seeds: [[UInt8]] = [[], [sealed], [withLog], [sealed | withLog]]
        for number in UInt8(0)..<24 {
            seeds.append([0, number, 100, 0, 1, 9])
            seeds.append([withLog, ofLog | number, 8, 2, 2, 1, 2])
            // Kind and number of cells, the first pointers, and where a chain goes on.
            seeds.append([sealed, number, 0, 0, 8, 13, 0, 0, 0, 40, 1, 0, 0])
            seeds.append([sealed, number, 8, 0, 4, 15, 0, 15, 0])
            seeds.append([sealed | withLog, number, 0, 0, 4, 0, 0, 0, number])
        }
        return seeds
    }

    /// A row as a page has it, or as a table gives it.
    private struct Row: Hashable {
        let table: String
        var key: Int64 = 0
        var values: [TreeValue] = []
        var text = ""
    }

    /// A catalog with rows in each table, some of them long, and its last commits in the log.
    private struct Base {
        let folder: String
        let database: [UInt8]
        let log: [UInt8]
        /// The rows with and without the log.
        var rows: Set<Row> = []
        var path: String { folder + "/kymograph.sqlite" }

        static let shared: Base = {
            do { return try Base() } catch { finding("no catalog can be made: \(error)") }
        }()

        init() throws {
            folder = NSTemporaryDirectory() + "/fuzz-pages-\(ProcessInfo.processInfo.processIdentifier)"
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/kymograph.sqlite"
            try CatalogDatabase.create(
                at: path, storeID: [UInt8](1...16), homeZone: "Europe/Zurich",
                formatVersion: CatalogDatabase.newestFormat)
            let writer = try CatalogDatabase.open(at: path, readOnly: false)
            try Self.fill(writer)
            try writer.checkpoint(truncate: true)
            try writer.commit(CatalogCommit(seq: 31, sealedTail: Array(2...9)))
            try writer.commit(CatalogCommit(seq: 32, tail: [UInt8](repeating: 7, count: 5_000)))
            database = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            log = Array(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
            try writer.close()
            try? FileManager.default.removeItem(atPath: path + "-wal")
            for hasLog in [false, true] {
                try put(database, hasLog ? log : nil)
                rows.formUnion(CatalogPageTarget.rows(path, log: hasLog) ?? [])
            }
            guard rows.count > 60 else { finding("only \(rows.count) rows in the catalog") }
        }

        private static func fill(_ writer: CatalogDatabase) throws {
            var first = CatalogCommit(seq: 1, tail: [UInt8](repeating: 3, count: 13_000))
            let ids = 1...40 as ClosedRange<Int64>
            first.series = ids.map { SeriesRow(id: $0, name: "series \($0)", labels: ["source": "\($0)"], kind: 2) }
            first.segments = (1...6).map { id in
                let runs = ids.prefix(Int(id)).map {
                    RunRow(series: $0, rootOffset: 4_096, rootLength: 300, levels: 1, blocks: 2, summary: [1, 2, 3])
                }
                let name = [UInt8](repeating: UInt8(id), count: 16)
                return SegmentRow(id: Int64(id), uuid: name, bytes: 9_000, checksum: 5, born: 1, runs: runs)
            }
            try writer.commit(first)
            for seq in 2...20 as ClosedRange<Int64> {
                let body = [UInt8](repeating: UInt8(seq), count: seq % 9 == 0 ? 9_000 : 150)
                try writer.commit(CatalogCommit(seq: seq, tail: body))
            }
            for seq in 21...30 as ClosedRange<Int64> {
                var commit = CatalogCommit(seq: seq)
                commit.deletions.tombstones = [
                    TombstoneRow(
                        id: seq, series: 1, born: seq, start: seq, end: seq + 9, count: 1,
                        body: seq % 3 == 0 ? [UInt8](repeating: 1, count: 300) : nil)
                ]
                try writer.commit(commit)
            }
        }

        func put(_ database: [UInt8], _ log: [UInt8]?) throws {
            try Data(database).write(to: URL(fileURLWithPath: path))
            if let log { try Data(log).write(to: URL(fileURLWithPath: path + "-wal")) }
        }
    }

    private static func run(_ bytes: [UInt8], _ choice: UInt64?) {
        let base = Base.shared
        var input = Input(bytes)
        let flags = input.byte()
        var (database, log) = (base.database, base.log)
        var edited: Set<Int> = []
        while !input.isEmpty {
            let number = input.byte()
            let at = Int(input.number(2)) % page
            let some = input.take(1 + Int(input.byte()) % 16)
            if number & ofLog != 0 {
                // Frames have a header of 24 bytes, and the log one of 32.
                let from = Int(number & 127) * (page + 24) + at
                for (i, byte) in some.enumerated() where from + i < log.count { log[from + i] ^= byte }
            } else {
                let which = Int(number) % (database.count / page)
                for (i, byte) in some.enumerated() where at + i < page { database[which * page + at + i] = byte }
                edited.insert(which)
            }
        }
        let isSealed = flags & sealed != 0
        if isSealed { for which in edited { seal(&database, which) } }
        let hasLog = flags & withLog != 0
        guard (try? base.put(database, hasLog ? log : nil)) != nil else { return }
        guard let found = rows(base.path, log: hasLog, isVariant: choice != nil) else { return }
        if !isSealed, let strange = found.first(where: { !base.rows.contains($0) }) {
            finding("a row that was never there: \(strange)")
        }
    }

    /// Makes a page's trailer what its writer would have made it.
    private static func seal(_ database: inout [UInt8], _ which: Int) {
        let from = which * page
        let number = (0..<4).map { UInt8(truncatingIfNeeded: (which + 1) >> (8 * $0)) }
        database.replaceSubrange(from + 4_056..<from + 4_060, with: Array("KypP".utf8))
        database.replaceSubrange(from + 4_088..<from + page, with: [UInt8](repeating: 0, count: 8))
        let covered = database[from..<from + 4_060] + database[from + 4_064..<from + 4_088] + number
        let sum = CatalogVFS.checksum(Array(covered))
        for i in 0..<4 { database[from + 4_060 + i] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * i)) }
    }

    /// All rows of all tables as texts; nil where nothing can be read. Of a variant only what the pages say themselves:
    /// to put the rows into tables takes longer than all else.
    private static func rows(_ path: String, log: Bool, isVariant: Bool = false) -> [Row]? {
        guard let vfs = try? CatalogVFS.named(nil), let file = PageFile(path, vfs: vfs, log: log) else { return nil }
        let shapes = TableShape.engine
        let tables = PageTables(file, shapes)
        var found = records(tables)
        defer {
            let most = 32 * (Int(file.count) + 8)
            require(file.reads <= most, "\(file.reads) readings of \(file.count) pages")
        }
        if isVariant { return found }
        guard let mended = try? MendedRows(tables, path: path) else { return nil }
        for shape in shapes {
            let columns = shape.columns.map { "quote(\($0.name))" }.joined(separator: "||','||")
            if shape.hasNumber, let key = shape.columns.first?.name {
                _ = mended.rows(of: shape.name, key: key, columns: columns, after: 0, before: nil, reason: nil) { row in
                    found.append(Row(table: shape.name, text: try row.text(1)))
                }
            } else {
                _ = mended.all("SELECT \(columns) FROM \(shape.name)", of: shape.name) { row in
                    found.append(Row(table: shape.name, text: try row.text(0)))
                }
            }
        }
        return found
    }

    /// The records that count as rows of a table.
    private static func records(_ tables: PageTables) -> [Row] {
        var found: [Row] = []
        for (name, table) in tables.found {
            for page in table.parts.flatMap(\.pages) {
                tables.forest.rows(on: page) { cell, page in
                    guard let bytes = tables.forest.file.record(cell, of: page).bytes,
                        let values = TreeRecord.values(bytes)
                    else { return }
                    found.append(Row(table: name, key: cell.key, values: values))
                }
            }
        }
        return found
    }
}
