// SPDX-License-Identifier: Apache-2.0

import Catalog
import SQLiteConnection

/// Samples in SQLite, for a program without a health store: rows in a database with a write-ahead log that is synced at
/// each commit, and the best index for the queries: rows in the order of type and start.
package final class HealthSQLite: Sendable {
    /// A row of the table.
    struct Row {
        let type: Int64
        let start: Int64
        let end: Int64
        let value: Double
    }

    private let queue: DatabaseQueue
    private let path: String

    package init(at path: String) throws {
        self.path = path
        queue = try DatabaseQueue(path: path) { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144")
            try db.execute(
                sql: """
                    CREATE TABLE quantity (type INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
                        value REAL NOT NULL, PRIMARY KEY (type, start)) WITHOUT ROWID;
                    CREATE TABLE object (id INTEGER PRIMARY KEY, uuid BLOB NOT NULL, type INTEGER NOT NULL,
                        start INTEGER NOT NULL, end INTEGER NOT NULL, value REAL NOT NULL, provenance INTEGER NOT NULL,
                        metadata INTEGER);
                    CREATE UNIQUE INDEX object_uuid ON object (uuid);
                    CREATE INDEX object_start ON object (type, start, value)
                    """)
        }
    }

    /// Inserts rows of times and values in one transaction.
    func insert(_ rows: some Sequence<Row>) throws {
        try queue.access { db in
            try db.inTransaction(.immediate) {
                let statement = try db.cachedStatement(sql: "INSERT INTO quantity VALUES (?, ?, ?, ?)")
                for row in rows { try statement.execute([row.type, row.start, row.end, row.value]) }
            }
        }
    }

    /// Inserts complete objects with the indexes of an object store in one transaction.
    func insert(objects rows: some Sequence<(row: Row, uuid: [UInt8])>) throws {
        try queue.access { db in
            try db.inTransaction(.immediate) {
                let columns = "uuid, type, start, end, value, provenance, metadata"
                let sql = "INSERT INTO object (\(columns)) VALUES (?,?,?,?,?,1,1)"
                let statement = try db.cachedStatement(sql: sql)
                for (row, uuid) in rows { try statement.execute([uuid, row.type, row.start, row.end, row.value]) }
            }
        }
    }

    /// Returns the sums of consecutive intervals from an anchor.
    func sums(type: Int64, anchor: Int64, width: Int64) throws -> [Double] {
        let sql = """
            SELECT (start - ?) / ? AS bucket, sum(value) FROM quantity WHERE type = ? GROUP BY bucket
            ORDER BY bucket
            """
        return try queue.access { db in
            var found: [Double] = []
            try db.scan(sql, [anchor, width, type], path: path) { found.append(try $0.real(1)) }
            return found
        }
    }

    /// Returns average, minimum and maximum of consecutive intervals.
    func shapes(type: Int64, anchor: Int64, width: Int64) throws -> [(average: Double, least: Double, most: Double)] {
        let sql = """
            SELECT (start - ?) / ? AS bucket, avg(value), min(value), max(value) FROM quantity WHERE type = ?
            GROUP BY bucket ORDER BY bucket
            """
        return try queue.access { db in
            var found: [(average: Double, least: Double, most: Double)] = []
            try db.scan(sql, [anchor, width, type], path: path) { row in
                found.append((try row.real(1), try row.real(2), try row.real(3)))
            }
            return found
        }
    }

    func close() throws { try queue.close() }
}
