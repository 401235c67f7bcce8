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
        let isOne = before &- after == 2
        return isOne ? "table \(table), number \(after + 1)" : "table \(table) between \(after) and \(before)"
    }
}

/// A catalog of which some pages or rows may be damaged, for taking out what can be read. It changes nothing.
///
/// Opening a catalog asks that all of it makes sense; this asks only for pages that are sound. What SQLite can read, it
/// reads, row by row; where a page cannot be read, the next key that can be is looked for, and rows between are taken
/// from the pages themselves. Where it cannot even open the catalog, all rows are.
package final class CatalogSalvage {
    package let path: String
    /// Why SQLite cannot open the catalog; nil if it can.
    package let problem: CatalogError?
    /// Nil where SQLite cannot open the catalog.
    private let queue: DatabaseQueue?
    /// Whether a copy of the log lies beside it that has what the log lacks.
    package let hasLogCopy: Bool
    /// Whether the database is an older one than its log, of which nothing counts then.
    package let isOlderThanLog: Bool
    private var file: PageFile?
    private var shapes = TableShape.engine
    /// What the pages themselves tell, once somebody asked.
    private var pages: CarvedRows??
    /// Most queries of a table that look for where it goes on, so that a table that is damaged everywhere has an end.
    private static let mostProbes = 2_048

    /// Opens what is there: with its log or, where that is in the way, without it.
    package init(at path: String, vfs: String? = nil) throws(CatalogError) {
        self.path = path
        let name = try CatalogVFS.named(vfs)
        let files = CatalogFile(vfs: name)
        hasLogCopy = files.lacksOfLog(path)
        isOlderThanLog = CatalogDatabase.isOlderThanLog(path, files)
        let (opened, isWithLog, problem) = try Self.open(path, files, usingLog: !isOlderThanLog)
        file = PageFile(path, vfs: name, log: isWithLog)
        // A first page of another catalog is sound by itself, and speaks of other tables.
        if let opened, let file, file.page(1) == nil {
            try? opened.close()
            queue = nil
            let what = file.count == 0 ? "there is no page in it" : "page 1 is damaged, or of another catalog"
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

    /// Opens the catalog by SQLite; why that is not possible, and whether the log counts.
    private static func open(
        _ path: String, _ files: CatalogFile, usingLog: Bool
    ) throws(CatalogError) -> (opened: DatabaseQueue?, isWithLog: Bool, problem: CatalogError?) {
        var first: CatalogError?
        // SQLite makes files beside a catalog that it opens with its log. Without one, and with nobody who has the
        // catalog open, all is in the database, and the damaged store's directory stays as it is.
        let isAlone = ["-wal", "-shm", "-journal"].allSatisfy { suffix in
            [.nothing, .file(bytes: 0)].contains(files.presence(path + suffix))
        }
        if usingLog, isAlone {
            do {
                return (try open(path, address: CatalogVFS.address(path, vfs: files.vfs, immutable: true)), true, nil)
            } catch {
                let error = CatalogError(anything: error, path: path)
                if case .newerFormat = error.kind { throw error }
                return (nil, true, error)
            }
        }
        if usingLog {
            do {
                let address = CatalogVFS.address(path, vfs: files.vfs, immutable: false)
                return (try open(path, address: address), true, nil)
            } catch {
                let error = CatalogError(anything: error, path: path)
                if case .newerFormat = error.kind { throw error }
                first = error
            }
            // Where SQLite can make no shared memory, on a read-only mount or a full disk, the log is as good as ever.
            if let first, first.kind != .corrupt, files.size(path + "-wal") > 0,
                let file = PageFile(path, vfs: files.vfs, log: true), file.page(1) != nil
            {
                return (nil, true, first)
            }
        }
        if let opened = try? open(path, address: CatalogVFS.address(path, vfs: files.vfs, immutable: true)) {
            return (opened, false, nil)
        }
        return (nil, usingLog, first)
    }

    private static func open(_ path: String, address: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "kymograph.salvage"
        configuration.readonly = true
        configuration.busyMode = .timeout(CatalogPragmas.busyTimeout)
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try CatalogPragmas.apply(to: database, readOnly: true, path: path)
            let version = try database.oneInt("PRAGMA user_version", path: path)
            guard version <= Int64(CatalogDatabase.newestVersion) else {
                throw CatalogError(.newerFormat(found: Int(version)), "the catalog has version \(version)", path: path)
            }
            _ = try database.oneInt("SELECT count(*) FROM sqlite_schema", path: path)
        }
        return try DatabaseQueue(path: address, configuration: configuration)
    }

    package func close() {
        try? queue?.close()
        pages = nil
        file = nil
    }

    // MARK: Tables

    /// A table of a layer above.
    package struct Table {
        /// The statement that makes it.
        package var sql: String
        /// Whether the key of a row may be one of this table's, where rows of two tables look the same.
        package var holds: (_ key: String) -> Bool

        package init(_ sql: String, holds: @escaping (_ key: String) -> Bool = { _ in true }) {
            self.sql = sql
            self.holds = holds
        }
    }

    /// Learns the tables of a layer above, so that their rows are known by sight. Before any of them is read.
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

    /// Which of some tables are there; those, too, of which everything may be lost. Nil if nothing tells.
    package func tables(among names: [String]) -> [String]? {
        var there: [String] = []
        let list = names.map { "'\($0)'" }.joined(separator: ",")
        let unknown = all("SELECT name FROM sqlite_schema WHERE name IN(\(list))") { there.append(try $0.text(0)) }
        if unknown == nil { return there }
        return mended.map { mended in names.filter { mended.tables.mayHave($0) } }
    }

    /// Whether anything of some tables is left.
    package func hasAny(of names: [String]) -> Bool {
        queue == nil ? mended?.tables.hasAny(names) ?? false : tables(among: names).map { !$0.isEmpty } ?? false
    }

    /// Every row of a table that can be read, by its integer key, ascending, and where there are none.
    ///
    /// A row that `body` throws at counts as one that cannot be read.
    /// - Parameters:
    ///   - key: the column of the integer key.
    ///   - columns: what `body` wants, from column 1 on; column 0 is the key.
    package func rows(
        of table: String, key: String, columns: String, _ body: (RowReader) throws -> Void
    ) -> [CatalogGap] {
        guard let queue else {
            let reason = mended == nil ? problem?.message : nil
            return mend(table, key, columns, 0, nil, reason, body)
        }
        return queue.writeWithoutTransaction { database in
            let sql = "SELECT \(key),\(columns) FROM \(table) WHERE \(key)>=? ORDER BY \(key)"
            var scan = Scan(database: database, table: table, path: path, sql: sql)
            return scan.run(body) { after, before, reason in mend(table, key, columns, after, before, reason, body) }
        }
    }

    /// Rows that SQLite cannot give, from the pages.
    private func mend(
        _ table: String, _ key: String, _ columns: String, _ after: Int64, _ before: Int64?, _ reason: String?,
        _ body: (RowReader) throws -> Void
    ) -> [CatalogGap] {
        guard let mended else {
            return [CatalogGap(table: table, after: after, before: before, message: reason ?? "no page can be read")]
        }
        return mended.rows(
            of: table, key: key, columns: columns, after: after, before: before, reason: reason, body)
    }

    /// What a query gives; nil if that is all, otherwise why not.
    package func all(_ sql: String, _ body: (RowReader) throws -> Void) -> CatalogError? {
        guard let queue else { return problem }
        return queue.writeWithoutTransaction { database in
            do {
                try database.scan(sql, path: path, body)
                return nil
            } catch {
                return CatalogError(anything: error, path: path)
            }
        }
    }

    /// What a query of a table without an integer key gives where SQLite does not give it all; nil if that is all.
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

        /// - Parameter mend: gives rows between two keys that cannot be read here, and says which are missing then.
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
                    gaps += mend(last, resumed, what)
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
