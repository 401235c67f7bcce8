// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import SQLiteConnection

/// Rows of a table that a damaged catalog lacks: all rows with keys between two readable keys.
package struct CatalogGap: Sendable, Equatable {
    package var table: String
    /// The last key before the gap, or 0.
    package var after: Int64
    /// The first key after the gap; nil if no later key can be read.
    package var before: Int64?
    /// The message of SQLite, or of the code that decoded the row.
    package var message: String

    /// A description of the missing rows.
    package var text: String {
        guard let before else { return "table \(table) after number \(after)" }
        let isOne = before &- after == 2
        return isOne ? "table \(table), number \(after + 1)" : "table \(table) between \(after) and \(before)"
    }
}

/// A reader for a catalog whose pages or rows may be damaged. It changes nothing.
///
/// `CatalogDatabase` requires a consistent catalog; salvage requires only sound pages. SQLite reads the rows that it
/// can. At an unreadable page, salvage searches for the next readable key and carves the rows between from the pages
/// themselves. If SQLite cannot open the catalog, all rows are carved.
package final class CatalogSalvage {
    package let path: String
    /// The reason why SQLite cannot open the catalog; nil if it can.
    package let problem: CatalogError?
    /// Nil if SQLite cannot open the catalog.
    private let queue: DatabaseQueue?
    /// Whether a copy of the log exists that holds commits which the log lacks.
    package let hasLogCopy: Bool
    /// Whether the database is older than its log; the log is then ignored.
    package let isOlderThanLog: Bool
    private var file: PageFile?
    private var shapes = TableShape.engine
    /// The rows carved from the pages, created on first use.
    private var pages: CarvedRows??
    /// Maximum number of probes for the next readable key in one table; bounds the work on a thoroughly damaged table.
    private static let mostProbes = 2_048

    /// Opens the catalog with its log, or without the log if the log prevents opening.
    ///
    /// - Parameter keys: the keys of an encrypted catalog; nil for a plain one.
    /// - Throws: `missing`, `newerFormat`, `corrupt` if no page can be read; `needsKey` if the log has frames of which
    ///   the keys lack the generation; `io`.
    package init(at path: String, vfs: String? = nil, keys: PageKeys? = nil) throws(CatalogError) {
        self.path = path
        let name = try CatalogVFS.named(vfs)
        let files = CatalogFile(vfs: name, keys: keys)
        if files.lacksKeyOfLog(path) {
            throw CatalogError(
                .needsKey,
                "the write-ahead log has frames whose key is not in KEYS; they may be commits. Restore the current "
                    + "KEYS. If no copy exists, rename this file and repair again; its commits are then lost",
                path: path + "-wal")
        }
        hasLogCopy = files.lacksOfLog(path)
        isOlderThanLog = CatalogDatabase.isOlderThanLog(path, files)
        let (opened, isWithLog, problem) = try Self.open(path, files, usingLog: !isOlderThanLog)
        file = PageFile(path, files, log: isWithLog)
        // Page 1 of another catalog is sound by itself but describes other tables.
        if let opened, let file, file.page(1) == nil {
            try? opened.close()
            queue = nil
            let what = file.count == 0 ? "the file has no page" : "page 1 is damaged, or belongs to another catalog"
            self.problem = CatalogError(.corrupt, what, path: path, offset: 0)
        } else {
            queue = opened
            self.problem = problem
        }
        if queue == nil, mended?.tables.isEmpty ?? true {
            try files.requireFile(path)
            throw self.problem ?? CatalogError(.corrupt, "no page can be read", path: path)
        }
    }

    /// Opens the catalog with SQLite. Returns the reason if that fails, and whether the log is used.
    private static func open(
        _ path: String, _ files: CatalogFile, usingLog: Bool
    ) throws(CatalogError) -> (opened: DatabaseQueue?, isWithLog: Bool, problem: CatalogError?) {
        var first: CatalogError?
        // SQLite creates files beside a catalog that it opens with its log. Without a log, and while no process has the
        // catalog open, the database is complete, and the damaged store's directory stays unchanged.
        let isAlone = ["-wal", "-shm", "-index", "-journal"].allSatisfy { suffix in
            [.nothing, .file(bytes: 0)].contains(files.presence(path + suffix))
        }
        if usingLog, isAlone {
            do {
                return (try open(path, address: files.address(path, immutable: true)), true, nil)
            } catch {
                let error = CatalogError(anything: error, path: path)
                if case .newerFormat = error.kind { throw error }
                return (nil, true, error)
            }
        }
        if usingLog {
            do {
                let address = files.address(path, immutable: false)
                return (try open(path, address: address), true, nil)
            } catch {
                let error = CatalogError(anything: error, path: path)
                if case .newerFormat = error.kind { throw error }
                first = error
            }
            // SQLite may fail to create shared memory, on a read-only mount or a full disk; the log is still valid.
            if let first, first.kind != .corrupt, files.size(path + "-wal") > 0,
                let file = PageFile(path, files, log: true), file.page(1) != nil
            {
                return (nil, true, first)
            }
        }
        if let opened = try? open(path, address: files.address(path, immutable: true)) {
            return (opened, false, nil)
        }
        return (nil, usingLog, first)
    }

    private static func open(_ path: String, address: String) throws -> DatabaseQueue {
        try DatabaseQueue(path: address, isReadOnly: true, busyTimeout: CatalogPragmas.busyTimeout) { database in
            try CatalogPragmas.apply(to: database, readOnly: true, path: path)
            let version = try database.oneInt("PRAGMA user_version", path: path)
            guard version <= Int64(CatalogDatabase.newestVersion) else {
                throw CatalogError(.newerFormat(found: Int(version)), "the catalog has version \(version)", path: path)
            }
            _ = try database.oneInt("SELECT count(*) FROM sqlite_schema", path: path)
        }
    }

    package func close() {
        try? queue?.close()
        pages = nil
        file = nil
    }

    // MARK: Tables

    /// A table of a higher layer.
    package struct Table {
        /// The statement that creates the table.
        package var sql: String
        /// Whether a row's key may belong to this table; decides between tables whose rows look the same.
        package var holds: (_ key: String) -> Bool

        package init(_ sql: String, holds: @escaping (_ key: String) -> Bool = { _ in true }) {
            self.sql = sql
            self.holds = holds
        }
    }

    /// Registers the tables of a higher layer, so that their rows can be recognised in damaged pages.
    ///
    /// - Ordering: before any of these tables is read.
    package func adopt(_ tables: [Table]) {
        for table in tables {
            guard var shape = TableShape(table.sql) else { continue }
            shape.holds = { _, values in
                guard case .text(let key)? = values.first else { return true }
                return table.holds(String(decoding: key, as: UTF8.self))
            }
            shapes.append(shape)
        }
        pages = nil
    }

    private var mended: CarvedRows? {
        if let pages { return pages }
        let made = file.flatMap { try? CarvedRows(TableGuess($0, shapes), path: path) }
        pages = .some(made)
        return made
    }

    /// Returns the tables of `names` that exist or may have existed; nil if nothing indicates either.
    package func tables(among names: [String]) -> [String]? {
        var there: [String] = []
        let list = names.map { "'\($0)'" }.joined(separator: ",")
        let unknown = all("SELECT name FROM sqlite_schema WHERE name IN(\(list))") { there.append(try $0.text(0)) }
        if unknown == nil { return there }
        return mended.map { mended in names.filter { mended.tables.mayHave($0) } }
    }

    /// Whether any row or page of these tables is left.
    package func hasAny(of names: [String]) -> Bool {
        queue == nil ? mended?.tables.hasAny(names) ?? false : tables(among: names).map { !$0.isEmpty } ?? false
    }

    /// Calls `body` for every readable row of a table, ascending by its integer key, and returns the gaps.
    ///
    /// A row for which `body` throws counts as unreadable.
    /// - Parameters:
    ///   - key: the column of the integer key.
    ///   - columns: the columns for `body`, starting at column 1; column 0 is the key.
    package func rows(
        of table: String, key: String, columns: String, _ body: (RowReader) throws -> Void
    ) -> [CatalogGap] {
        guard let queue else {
            let reason = mended == nil ? problem?.message : nil
            return carve(KeyedQuery(table, key, columns), 0, nil, reason, body)
        }
        let query = KeyedQuery(table, key, columns)
        return queue.access { database in
            let sql = "\(query.sql) WHERE \(key)>=? ORDER BY \(key)"
            var scan = Scan(database: database, table: table, path: path, sql: sql)
            return scan.run(body) { after, before, reason in carve(query, after, before, reason, body) }
        }
    }

    /// Carves rows that SQLite cannot read from the pages.
    private func carve(
        _ query: KeyedQuery, _ after: Int64, _ before: Int64?, _ reason: String?, _ body: (RowReader) throws -> Void
    ) -> [CatalogGap] {
        guard let mended else {
            let message = reason ?? "no page can be read"
            return [CatalogGap(table: query.table, after: after, before: before, message: message)]
        }
        return mended.rows(query, after: after, before: before, reason: reason, body)
    }

    /// Runs a query; returns nil if it completed, else the error.
    package func all(_ sql: String, _ body: (RowReader) throws -> Void) -> CatalogError? {
        guard let queue else { return problem }
        return queue.access { database in
            do {
                try database.scan(sql, path: path, body)
                return nil
            } catch {
                return CatalogError(anything: error, path: path)
            }
        }
    }

    /// Runs a query on the carved rows of a table without an integer key; returns nil if all rows are present.
    package func mended(_ sql: String, of table: String, _ body: (RowReader) throws -> Void) -> CatalogError? {
        guard let mended else { return problem ?? CatalogError(.corrupt, "no page can be read", path: path) }
        return mended.all(sql, of: table, body)
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

        /// - Parameter mend: carves the rows between two keys that SQLite cannot read, and returns the remaining gaps.
        mutating func run(
            _ body: (RowReader) throws -> Void, mend: (_ after: Int64, _ before: Int64?, String) -> [CatalogGap]
        ) -> [CatalogGap] {
            var gaps: [CatalogGap] = []
            var last: Int64 = 0
            var next: Int64 = 1
            while true {
                do {
                    try database.scan(sql, [next], path: path) { row in
                        let key = try row.int(0)
                        // Pages that point at each other in a cycle would yield keys that do not ascend.
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
                    // A page that returns different bytes on a second read could loop forever.
                    if let found = resumed, found <= next { resumed = nil }
                    gaps += mend(last, resumed, what)
                    guard let resumed else { return gaps }
                    next = resumed
                }
            }
        }

        /// Returns the first readable key after `last`; nil if there is none.
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

        /// Returns the key of the first row from `start` on: `Int64.max` if there is no row, nil if it is unreadable.
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
