// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import GRDB

/// Rows of a table that a damaged catalog cannot give: those whose key lies between two others.
package struct CatalogGap: Sendable, Equatable {
    package var table: String
    /// The last key before the gap, or 0.
    package var after: Int64
    /// The first key behind it, or nil where nothing more can be read.
    package var before: Int64?
    /// What SQLite, or whoever read the row, said.
    package var message: String

    /// The rows, in words.
    package var text: String {
        guard let before else { return "table \(table) behind number \(after)" }
        let isOne = before - after == 2
        return isOne ? "table \(table), number \(after + 1)" : "table \(table) between \(after) and \(before)"
    }
}

/// A catalog of which some pages or rows may be damaged, for taking out what can be read. It changes nothing.
///
/// Opening a catalog asks that all of it makes sense; this asks only for a first page that SQLite understands. A table
/// is read row by row; where a page cannot be read, the next key that can be is looked for.
package final class CatalogSalvage {
    package let path: String
    private let queue: DatabaseQueue
    /// Most queries of a table that look for where it goes on, so that a table that is damaged everywhere has an end.
    private static let mostProbes = 2_048

    /// Opens what is there: with its log or, where that is in the way, without it.
    package init(at path: String, vfs: String? = nil) throws(CatalogError) {
        self.path = path
        let name = try CatalogVFS.named(vfs)
        do {
            queue = try Self.open(path, CatalogVFS.address(path, vfs: name, immutable: false))
        } catch {
            let first = CatalogError(anything: error, path: path)
            if case .newerFormat = first.kind { throw first }
            do {
                queue = try Self.open(path, CatalogVFS.address(path, vfs: name, immutable: true))
            } catch {
                throw first
            }
        }
    }

    private static func open(_ path: String, _ address: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "kymograph.salvage"
        configuration.readonly = true
        configuration.busyMode = .timeout(CatalogPragmas.busyTimeout)
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try CatalogPragmas.apply(to: database, readOnly: true, path: path)
            let format = try database.oneInt("PRAGMA user_version", path: path)
            guard format <= Int64(CatalogDatabase.newestFormat) else {
                throw CatalogError(.newerFormat(found: Int(format)), "the catalog has format \(format)", path: path)
            }
            _ = try database.oneInt("SELECT count(*) FROM sqlite_schema", path: path)
        }
        return try DatabaseQueue(path: address, configuration: configuration)
    }

    package func close() { try? queue.close() }

    /// Every row of a table that can be read, by its integer key, ascending, and where there are none.
    ///
    /// A row that `body` throws at counts as one that cannot be read.
    /// - Parameters:
    ///   - key: the column of the integer key.
    ///   - columns: what `body` wants, from column 1 on; column 0 is the key.
    package func rows(
        of table: String, key: String, columns: String, _ body: (RowReader) throws -> Void
    ) -> [CatalogGap] {
        queue.writeWithoutTransaction { database in
            let sql = "SELECT \(key),\(columns) FROM \(table) WHERE \(key)>=? ORDER BY \(key)"
            var scan = Scan(database: database, table: table, path: path, sql: sql)
            return scan.run(body)
        }
    }

    /// The rows of a small table without an integer key; nil where not all of them can be read.
    package func all(_ sql: String, _ body: (RowReader) throws -> Void) -> CatalogError? {
        queue.writeWithoutTransaction { database in
            do {
                try database.scan(sql, path: path, body)
                return nil
            } catch {
                return CatalogError(anything: error, path: path)
            }
        }
    }

    private struct Scan {
        let database: Database
        let table: String
        let path: String
        let sql: String
        private var probes = 0

        init(database: Database, table: String, path: String, sql: String) {
            self.database = database
            self.table = table
            self.path = path
            self.sql = sql
        }

        mutating func run(_ body: (RowReader) throws -> Void) -> [CatalogGap] {
            var gaps: [CatalogGap] = []
            var last: Int64 = 0
            var next: Int64 = 1
            while true {
                do {
                    try database.scan(sql, [next], path: path) { row in
                        let key = try row.int(0)
                        // Pages that point at each other in circles would give keys that do not ascend.
                        guard key >= next, key > last else {
                            throw CatalogError(.corrupt, "the keys of \(table) do not ascend", path: path)
                        }
                        do {
                            try body(row)
                        } catch {
                            let what = CatalogError(anything: error, path: path).message
                            gaps.append(CatalogGap(table: table, after: key - 1, before: nil, message: what))
                            if key < Int64.max { gaps[gaps.count - 1].before = key + 1 }
                        }
                        last = key
                    }
                    return gaps
                } catch {
                    let what = CatalogError(anything: error, path: path).message
                    var resumed = last < Int64.max ? resume(after: last) : nil
                    // A page that is read again and gives something else would never end.
                    if let found = resumed, found <= next { resumed = nil }
                    gaps.append(CatalogGap(table: table, after: last, before: resumed, message: what))
                    guard let resumed else { return gaps }
                    next = resumed
                }
            }
        }

        /// The first key behind `last` from which on something can be read; nil where there is none.
        private mutating func resume(after last: Int64) -> Int64? {
            var step: Int64 = 1
            var bad = last
            while true {
                let (at, isTooFar) = last.addingReportingOverflow(step)
                if isTooFar || probes >= CatalogSalvage.mostProbes { return nil }
                if let found = probe(at) {
                    var good = at
                    var key = found
                    while good - bad > 1 {
                        let middle = bad + (good - bad) / 2
                        if let nearer = probe(middle) { (good, key) = (middle, nearer) } else { bad = middle }
                    }
                    return key == .max ? nil : key
                }
                bad = at
                step = step > Int64.max / 2 ? Int64.max : step * 2
            }
        }

        /// The key of the first row from `start` on: the greatest number if there is none, nil if it cannot be read.
        private mutating func probe(_ start: Int64) -> Int64? {
            probes += 1
            var found = Int64.max
            do {
                try database.scan(sql + " LIMIT 1", [start], path: path) { row in
                    let key = try row.int(0)
                    guard key >= start else { throw CatalogError(.corrupt, "not in order", path: path) }
                    found = key
                }
                return found
            } catch {
                return nil
            }
        }
    }
}
