// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import SQLiteConnection

/// Columns of a table with an integer key.
struct KeyedQuery {
    let table: String
    let key: String
    private let columns: String

    init(_ table: String, _ key: String, _ columns: String) {
        self.table = table
        self.key = key
        self.columns = columns
    }

    /// The statement without conditions and order; the key is column 0.
    var sql: String { "SELECT \(key),\(columns) FROM \(table)" }
}

/// Rows carved from single pages, presented as SQLite would present them. The rows go through a database in memory: for
/// a table with row numbers at most one page at a time, for a table without, which is small, all rows.
final class CarvedRows {
    let tables: TableGuess
    private let path: String
    private let queue: DatabaseQueue
    private var made: Set<String> = []
    /// By filled table: the error that describes its missing rows, if any.
    private var filled: [String: CatalogError?] = [:]

    init(_ tables: TableGuess, path: String) throws {
        self.tables = tables
        self.path = path
        queue = try DatabaseQueue()
    }

    /// Maximum size of the rows in memory at once, in bytes.
    private static let mostBytes = 1 << 20

    private static func damage(_ page: UInt32) -> String { "page \(page) of the catalog is damaged" }

    // MARK: Tables with numbers

    /// Calls `body` for the rows with numbers between `after` and `before`, in order, and returns the gaps.
    ///
    /// - Parameters:
    ///   - reason: why SQLite returned none of these rows; nil if SQLite could not open the catalog.
    ///   - body: throws for a row with invalid values.
    func rows(
        _ query: KeyedQuery, after: Int64, before: Int64?, reason: String?, _ body: (RowReader) throws -> Void
    ) -> [CatalogGap] {
        let table = query.table
        guard let found = tables.found[table] else {
            return [CatalogGap(table: table, after: after, before: before, message: reason ?? "the table is unknown")]
        }
        let from = after < .max ? found.leaves(endingBefore: after + 1) : found.leaves.count
        var gaps: [CatalogGap] = []
        for leaf in found.leaves[from...].prefix(while: { $0.first < before ?? .max }) {
            let lost = deliver(leaf.page, query, found, after, before, body)
            gaps += lost.map { CatalogGap(table: table, after: $0 - 1, before: $0 < .max ? $0 + 1 : nil, message: $1) }
        }
        gaps += missing(table, found, after, before, reason)
        return gaps.sorted { $0.after < $1.after }
    }

    /// Calls `body` for the rows of a leaf; returns the numbers of the rows that failed, with the reason.
    private func deliver(
        _ leaf: UInt32, _ query: KeyedQuery, _ found: TableGuess.Found, _ after: Int64, _ before: Int64?,
        _ body: (RowReader) throws -> Void
    ) -> [(Int64, String)] {
        let table = query.table
        var lost: [(Int64, String)] = []
        var rows: [[TreeValue]] = []
        var bytes = 0
        func flush() {
            let failure = inMemory(table, found) { database in
                defer { try? database.execute(sql: "DELETE FROM \(table)") }
                for row in rows { try insert(row, table, found, database) }
                try database.scan("\(query.sql) ORDER BY \(query.key)", path: path) { row in
                    do {
                        try body(row)
                    } catch {
                        lost.append((try row.int(0), CatalogError(anything: error, path: path).message))
                    }
                }
            }
            for row in failure == nil ? [] : rows {
                if case .int(let key)? = row.first { lost.append((key, failure?.message ?? "")) }
            }
            (rows, bytes) = ([], 0)
        }
        tables.forest.rows(on: leaf) { cell, page in
            guard cell.key > after, cell.key < before ?? .max else { return }
            guard var values = values(cell, page, found) else {
                let blame = tables.forest.file.record(cell, of: page).blame
                return lost.append((cell.key, blame.map(Self.damage) ?? "its record cannot be read"))
            }
            if found.shapes[0].isNumberFirst { values[0] = .int(cell.key) }
            rows.append(values)
            bytes += cell.payload
            if bytes > Self.mostBytes { flush() }
        }
        flush()
        return lost
    }

    /// Returns the gaps between two numbers. A sound leaf has no gap inside.
    private func missing(
        _ table: String, _ found: TableGuess.Found, _ after: Int64, _ before: Int64?, _ reason: String?
    ) -> [CatalogGap] {
        let end = before ?? .max
        // SQLite could not read rows and the reason is unknown: rows may be missing between any two leaves.
        if let lossReason = found.lossReason ?? (found.isDamaged ? nil : reason) {
            var gaps: [CatalogGap] = []
            var last = after
            for leaf in found.leaves where leaf.last > after && leaf.first < end {
                if leaf.first > last, leaf.first - last > 1 {
                    gaps.append(CatalogGap(table: table, after: last, before: leaf.first, message: lossReason))
                }
                last = max(last, leaf.last)
            }
            if before.map({ $0 > last && $0 - last > 1 }) ?? true {
                gaps.append(CatalogGap(table: table, after: last, before: before, message: lossReason))
            }
            return gaps
        }
        var gaps: [CatalogGap] = []
        for hole in found.holes {
            var from = max(after, hole.after ?? 0)
            var to = min(end, hole.last.map { $0 < .max ? $0 + 1 : $0 } ?? .max)
            // A lost leaf lies between its sound neighbours.
            if hole.after == nil, hole.last != nil {
                let sound = found.leaves(endingBefore: to)
                from = max(from, sound > 0 ? found.leaves[sound - 1].last : 0)
            } else {
                let sound = found.leaves(beginningUpTo: from)
                if sound < found.leaves.count { to = min(to, found.leaves[sound].first) }
            }
            if to <= from || to - from < 2 { continue }
            gaps.append(
                CatalogGap(table: table, after: from, before: to == .max ? before : to, message: Self.damage(hole.page))
            )
        }
        return gaps
    }

    // MARK: Tables without numbers

    /// Runs a query on a table without row numbers; returns nil if all rows of the table are present.
    func all(_ sql: String, of table: String, _ body: (RowReader) throws -> Void) -> CatalogError? {
        guard let found = tables.found[table], !found.shapes[0].hasNumber else {
            return CatalogError(.corrupt, "table \(table) is unknown", path: path)
        }
        if filled[table] == nil { filled[table] = .some(fill(table, found)) }
        let failure = inMemory(table, found) { database in try database.scan(sql, path: path, body) }
        return failure ?? filled[table] ?? nil
    }

    private func fill(_ table: String, _ found: TableGuess.Found) -> CatalogError? {
        var rows: [[TreeValue]: [TreeValue]] = [:]
        var refused: Set<[TreeValue]> = []
        var unread = 0
        for page in found.parts.flatMap(\.pages) {
            tables.forest.rows(on: page) { cell, page in
                guard let values = values(cell, page, found) else {
                    unread += 1
                    return
                }
                let key = Array(values.prefix(found.shapes[0].keyColumns))
                if let other = rows.updateValue(values, forKey: key), other != values { refused.insert(key) }
            }
        }
        let failure = inMemory(table, found) { database in
            for (key, row) in rows where !refused.contains(key) { try insert(row, table, found, database) }
        }
        if let failure { return failure }
        var what = found.lossReason
        if let hole = found.holes.first { what = what ?? Self.damage(hole.page) }
        if unread > 0 { what = what ?? "\(unread) of its rows cannot be read" }
        if !refused.isEmpty { what = what ?? "\(refused.count) of its rows contradict each other" }
        return what.map { CatalogError(.corrupt, $0, path: path) }
    }

    // MARK: Rows into memory

    /// Returns the values of a row; nil if it cannot be a row of the table.
    private func values(_ cell: TreePage.Cell, _ page: TreePage, _ found: TableGuess.Found) -> [TreeValue]? {
        guard let types = TreeRecord.types(page.bytes[cell.local]), found.shape(for: types) != nil,
            let bytes = tables.forest.file.record(cell, of: page).bytes
        else { return nil }
        return TreeRecord.values(bytes)
    }

    private func columns(_ found: TableGuess.Found) -> [TableShape.Column] {
        found.shapes.max { $0.columns.count < $1.columns.count }?.columns ?? []
    }

    private func insert(
        _ row: [TreeValue], _ table: String, _ found: TableGuess.Found, _ database: Database
    ) throws {
        let columns = columns(found)
        // A text is bound as its bytes, valid or not.
        let places = columns.map { $0.type == "TEXT" ? "CAST(? AS TEXT)" : "?" }
        let sql = "INSERT INTO \(table) VALUES(\(places.joined(separator: ",")))"
        var arguments: [(any SQLiteValue)?] = zip(row, columns).map { value, column in
            switch value {
            case .null: nil
            case .int(let number): column.type == "REAL" ? Double(number) : number
            case .real(let number): number
            case .text(let bytes), .blob(let bytes): bytes
            }
        }
        // Rows of an earlier format may have fewer columns.
        while arguments.count < columns.count { arguments.append(nil) }
        try database.cachedStatement(sql: sql).execute(StatementArguments(arguments))
    }

    private func inMemory(
        _ table: String, _ found: TableGuess.Found, _ body: (Database) throws -> Void
    ) -> CatalogError? {
        do {
            try queue.access { database in
                if made.insert(table).inserted {
                    var parts = columns(found).map(\.name)
                    if !found.shapes[0].hasNumber {
                        let key = parts.prefix(found.shapes[0].keyColumns).joined(separator: ",")
                        parts.append("PRIMARY KEY(\(key))")
                    }
                    try database.execute(sql: "CREATE TABLE \(table)(\(parts.joined(separator: ",")))")
                }
                try body(database)
            }
            return nil
        } catch {
            return CatalogError(anything: error, path: path)
        }
    }
}
