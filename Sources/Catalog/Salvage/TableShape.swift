// SPDX-License-Identifier: Apache-2.0

/// The shape of a table's rows, derived from the statement that creates it; identifies rows without a list of tables.
struct TableShape {
    struct Column {
        var name: String
        var type: String
        var isNullable: Bool
    }

    let name: String
    var columns: [Column] = []
    /// Whether rows have a number (a rowid).
    let hasNumber: Bool
    /// Whether the number is the first column, which the record then stores as null.
    private(set) var isNumberFirst = false
    /// In a table without row numbers: the number of leading columns in the key.
    private(set) var keyColumns = 0
    /// Whether a row may belong to this table; decides where the column types fit several tables.
    var holds: (Int64, [TreeValue]) -> Bool = { _, _ in true }
    /// Whether another table takes precedence for rows that fit both.
    var standsBack = false

    /// Parses a statement in the form that the catalogs use: a type after each column name, table constraints after the
    /// columns.
    init?(_ sql: String) {
        guard sql.hasPrefix("CREATE TABLE "), let open = sql.firstIndex(of: "("), let close = sql.lastIndex(of: ")")
        else { return nil }
        name = String(sql[sql.index(sql.startIndex, offsetBy: 13)..<open])
        hasNumber = !sql.hasSuffix("WITHOUT ROWID")
        for part in Self.parts(sql[sql.index(after: open)..<close]) {
            if part.hasPrefix("UNIQUE(") { continue }
            if part.hasPrefix("PRIMARY KEY(") {
                keyColumns = part.split(separator: ",").count
                continue
            }
            let words = part.split(separator: " ")
            guard words.count > 1 else { return nil }
            let isKey = part.contains("PRIMARY KEY")
            if isKey { keyColumns = 1 }
            if part.contains("INTEGER PRIMARY KEY") { isNumberFirst = true }
            columns.append(
                Column(
                    name: String(words[0]), type: String(words[1]),
                    isNullable: !isKey && !part.contains("NOT NULL")))
        }
    }

    private static func parts(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var depth = 0
        for i in text.indices {
            switch text[i] {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0:
                parts.append(text[start..<i])
                start = text.index(after: i)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    /// Whether a record with these types may be a row of the table.
    func fits(_ types: [Int64]) -> Bool {
        guard types.count == columns.count else { return false }
        for (i, (column, type)) in zip(columns, types).enumerated() {
            if isNumberFirst, i == 0 {
                guard type == 0 else { return false }
                continue
            }
            let isRight =
                switch type {
                case 0: column.isNullable
                case 1...6, 8, 9: column.type == "INTEGER" || column.type == "REAL"
                case 7: column.type == "REAL"
                default: column.type == (type % 2 == 0 ? "BLOB" : "TEXT")
                }
            if !isRight { return false }
        }
        return true
    }

    /// A lower limit for times and an upper limit for commits: no commit is as great, no recorded time as small.
    private static let earliestTime: Int64 = 1 << 50

    /// The tables of the engine, of all formats.
    static var engine: [TableShape] {
        let all =
            CatalogSchema.tables(of: CatalogDatabase.newestFormat).map(\.sql)
            + CatalogDatabase.tablesBeside.values.sorted()
        return all.compactMap { sql in
            guard var shape = TableShape(sql) else { return nil }
            // Four tables consist of a number and one integer per row.
            switch shape.name {
            case "horizon": shape.holds = { key, values in key == 1 && isCommit(values) }
            case "retention": shape.holds = { key, values in key == 1 && !isCommit(values) }
            case CatalogDatabase.timesTable: shape.holds = { key, values in key > 1 && !isCommit(values) }
            case CatalogDatabase.feedHorizonsTable:
                shape.holds = { _, values in isCommit(values) }
                // This table exists only beside a row in `horizon`.
                shape.standsBack = true
            default: break
            }
            return shape
        }
    }

    private static func isCommit(_ values: [TreeValue]) -> Bool {
        guard case .int(let value)? = values.last else { return false }
        return (0..<earliestTime).contains(value)
    }

    /// SQLite's own list of tables and indexes.
    static var schema: TableShape? {
        TableShape(
            "CREATE TABLE sqlite_schema(type TEXT NOT NULL,name TEXT NOT NULL,tbl_name TEXT NOT NULL,"
                + "rootpage INTEGER NOT NULL,sql TEXT)")
    }
}
