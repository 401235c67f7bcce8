// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import Catalog

/// Edits the pages of a small catalog and reads them one by one, as a repair does if SQLite cannot.
///
/// An input is a byte of flags and a list of edits: page, offset, number of bytes, bytes. With the first flag the
/// checksums of edited pages are corrected, as by an attacker. Without it the edits are random damage, and only
/// original rows may be read.
enum CatalogPageTarget {
    static let target = Target(
        name: "catalog-pages", maximumLength: 256, variants: 31,
        asserts: "after damage only original rows are read; after any edit each page is read a few times at most",
        seeds: { _ in seeds }, run: each(run))

    private static let page = 4_096
    /// The flags in the first byte of an input.
    private static let sealed: UInt8 = 1
    private static let withLog: UInt8 = 2
    /// A bit of the page number: the edit is in the log.
    private static let ofLog: UInt8 = 128

    private static var seeds: [[UInt8]] {
        var seeds: [[UInt8]] = [[], [sealed], [withLog], [sealed | withLog]]
        for number in UInt8(0)..<24 {
            seeds.append([0, number, 100, 0, 1, 9])
            seeds.append([withLog, ofLog | number, 8, 2, 2, 1, 2])
            // Kind and number of cells, the first pointers, and the next page of a chain.
            seeds.append([sealed, number, 0, 0, 8, 13, 0, 0, 0, 40, 1, 0, 0])
            seeds.append([sealed, number, 8, 0, 4, 15, 0, 15, 0])
            seeds.append([sealed | withLog, number, 0, 0, 4, 0, 0, 0, number])
        }
        return seeds
    }

    /// Cached, because the shapes are parsed from the statements that create the tables.
    nonisolated(unsafe) private static let shapes = TableShape.engine

    /// Rows of a table by number, or all under 0 if they have none: records as stored in pages, or texts read from a
    /// table.
    private struct Rows {
        private var rows: [String: [Int64: [[UInt8]]]] = [:]
        private(set) var count = 0

        mutating func add(_ table: String, _ key: Int64, _ bytes: [UInt8]) {
            rows[table, default: [:]][key, default: []].append(bytes)
            count += 1
        }

        /// Returns the first of these rows that is not in this set, or nil.
        func lacks(_ found: Rows) -> String? {
            for (table, all) in found.rows {
                let known = rows[table]
                for (key, some) in all {
                    let same = known?[key]
                    for bytes in some where !(same?.contains { Self.areEqual($0, bytes) } ?? false) {
                        return "\(table), \(key): \(bytes)"
                    }
                }
            }
            return nil
        }

        /// Compares arrays with memcmp, because each edge of a Swift loop is counted.
        private static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
            unsafe one.count == other.count && memcmp(one, other, one.count) == 0
        }
    }

    /// A catalog with rows in each table, some of them long, and its last commits in the log. The files persist between
    /// inputs; an input overwrites parts and restores them.
    private struct Base {
        let path: String
        let database: EditedFile
        let log: EditedFile
        /// The rows with and without the log.
        private(set) var rows = Rows()

        static let shared: Base = {
            do { return try Base() } catch { finding("cannot make a catalog: \(error)") }
        }()

        init() throws {
            let folder = NSTemporaryDirectory() + "/fuzz-pages-\(ProcessInfo.processInfo.processIdentifier)"
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            path = folder + "/kymograph.sqlite"
            try CatalogDatabase.create(
                at: path, storeID: [UInt8](1...16), homeZone: "Europe/Zurich",
                formatVersion: CatalogDatabase.newestFormat)
            let writer = try CatalogDatabase.open(at: path, readOnly: false)
            try Self.fill(writer)
            try writer.checkpoint(truncate: true)
            try writer.commit(CatalogCommit(seq: 18, sealedTail: Array(2...9)))
            try writer.commit(CatalogCommit(seq: 19, tail: [UInt8](repeating: 7, count: 5_000)))
            let bytes = try [path, path + "-wal"].map { Array(try Data(contentsOf: URL(fileURLWithPath: $0))) }
            try writer.close()
            database = EditedFile(path, bytes[0])
            log = EditedFile(path + "-wal", bytes[1])
            for hasLog in [false, true] { CatalogPageTarget.read(path, log: hasLog, into: &rows) }
            guard rows.count > 60 else { finding("only \(rows.count) rows in the catalog") }
        }

        private static func fill(_ writer: CatalogDatabase) throws {
            var first = CatalogCommit(seq: 1, tail: [UInt8](repeating: 3, count: 13_000))
            let ids = 1...9 as ClosedRange<Int64>
            first.series = SeriesRows(
                ids.map { SeriesRow(id: $0, name: "series \($0)", labels: ["source": "\($0)"], kind: 2) })
            first.segments = (1...4).map { id in
                let runs = ids.prefix(Int(id)).map {
                    RunRow(series: $0, rootOffset: 4_096, rootLength: 300, levels: 1, blocks: 2, summary: [1, 2, 3])
                }
                let name = [UInt8](repeating: UInt8(id), count: 16)
                return SegmentRow(id: Int64(id), uuid: name, bytes: 9_000, checksum: 5, born: 1, runs: RunRows(runs))
            }
            try writer.commit(first)
            for seq in 2...12 as ClosedRange<Int64> {
                let body = [UInt8](repeating: UInt8(seq), count: seq % 6 == 0 ? 9_000 : 150)
                try writer.commit(CatalogCommit(seq: seq, tail: body))
            }
            for seq in 13...17 as ClosedRange<Int64> {
                var commit = CatalogCommit(seq: seq)
                commit.deletions.tombstones = [
                    TombstoneRow(
                        id: seq, series: 1, born: seq, start: seq, end: seq + 9, count: 1,
                        body: seq % 3 == 0 ? [UInt8](repeating: 1, count: 300) : nil)
                ]
                try writer.commit(commit)
            }
        }
    }

    private static func run(_ bytes: [UInt8], _ choice: UInt64?) {
        let base = Base.shared
        var input = Input(bytes)
        let flags = input.byte()
        var pages: [Int: [UInt8]] = [:]
        var frames = base.log.original
        while !input.isEmpty {
            let number = input.byte()
            let at = Int(input.number(2)) % page
            let some = input.take(1 + Int(input.byte()) % 16)
            if number & ofLog != 0 {
                // A frame has a header of 24 bytes, the log one of 32.
                let from = Int(number & 127) * (page + 24) + at
                for (i, byte) in some.enumerated() where from + i < frames.count { frames[from + i] ^= byte }
            } else {
                let which = Int(number) % (base.database.original.count / page)
                let from = which * page
                var bytes = pages[which] ?? Array(base.database.original[from..<from + page])
                for (i, byte) in some.enumerated() where at + i < page { bytes[at + i] = byte }
                pages[which] = bytes
            }
        }
        let isSealed = flags & sealed != 0
        let hasLog = flags & withLog != 0
        for (which, bytes) in pages {
            base.database.put(isSealed ? sealing(bytes, which) : bytes, at: which * page)
        }
        if hasLog { base.log.put(frames, at: 0) }
        defer {
            for which in pages.keys { base.database.restore(which * page, page) }
            if hasLog { base.log.restore(0, frames.count) }
        }
        var found = Rows()
        read(base.path, log: hasLog, choice: choice, into: &found)
        if !isSealed, let strange = base.rows.lacks(found) { finding("a row that is not an original one: \(strange)") }
    }

    /// Returns a page with the trailer that its writer would have made.
    private static func sealing(_ page: [UInt8], _ which: Int) -> [UInt8] {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: (which + 1) >> (8 * $0)) }
        var page = page
        page.replaceSubrange(4_056..<4_060, with: Array("KypP".utf8))
        page.replaceSubrange(4_088..<4_096, with: [UInt8](repeating: 0, count: 8))
        let sum = CatalogVFS.checksum(page[..<4_060] + page[4_064..<4_088] + number)
        for i in 0..<4 { page[4_060 + i] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * i)) }
        return page
    }

    /// Reads the records that count as rows of each table, and all rows of all tables as texts. For a variant reads
    /// only a quarter of the tables, because inserting the rows into tables takes the most time.
    private static func read(_ path: String, log: Bool, choice: UInt64? = nil, into found: inout Rows) {
        guard let vfs = try? CatalogVFS.named(nil),
            let file = PageFile(path, CatalogFile(vfs: vfs), log: log)
        else { return }
        let tables = unsafe TableGuess(file, shapes)
        defer {
            let most = 32 * (Int(file.count) + 8)
            require(file.reads <= most, "\(file.reads) reads of \(file.count) pages")
        }
        records(tables, of: choice, into: &found)
        if choice != nil { return }
        guard let mended = try? CarvedRows(tables, path: path) else { return }
        for shape in unsafe shapes {
            let columns = shape.columns.map { "quote(\($0.name))" }.joined(separator: "||','||")
            let name = "texts of " + shape.name
            if shape.hasNumber, let key = shape.columns.first?.name {
                let query = KeyedQuery(shape.name, key, columns)
                _ = mended.rows(query, after: 0, before: nil, reason: nil) { row in
                    found.add(name, 0, Array(try row.text(1).utf8))
                }
            } else {
                _ = mended.all("SELECT \(columns) FROM \(shape.name)", of: shape.name) { row in
                    found.add(name, 0, Array(try row.text(0).utf8))
                }
            }
        }
    }

    private static func records(_ tables: TableGuess, of choice: UInt64?, into found: inout Rows) {
        for (number, name) in tables.found.keys.sorted().enumerated() {
            if let choice, UInt64(number) & 3 != choice & 3 { continue }
            guard let table = tables.found[name] else { continue }
            for page in table.parts.flatMap(\.pages) {
                tables.forest.rows(on: page) { cell, page in
                    guard let bytes = tables.forest.file.record(cell, of: page).bytes, TreeRecord.values(bytes) != nil
                    else { return }
                    found.add(name, cell.key, bytes)
                }
            }
        }
    }
}
