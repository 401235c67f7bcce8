// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import SQLiteConnection

/// Samples in SQLite, for a program without the engine: rows of a table in a database with a write-ahead log that is
/// synced at each commit.
package final class PlainSQLite: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    /// Creates a database.
    package init(at path: String) throws {
        self.path = path
        queue = try DatabaseQueue(path: path) { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            try db.execute(
                sql: """
                    CREATE TABLE sample (series INTEGER NOT NULL, time INTEGER NOT NULL, value REAL NOT NULL,
                        PRIMARY KEY (series, time)) WITHOUT ROWID
                    """)
        }
    }

    /// Appends samples in one durable transaction with a row for each sample.
    package func append(series: Int64, times: ArraySlice<Int64>, values: ArraySlice<Double>) throws {
        try queue.access { db in
            try db.inTransaction(.immediate) {
                let statement = try db.cachedStatement(sql: "INSERT INTO sample (series, time, value) VALUES (?, ?, ?)")
                for (time, value) in zip(times, values) { try statement.execute([series, time, value]) }
            }
        }
    }

    /// Returns the number and the sum of all values.
    package func total() throws -> (count: Int, sum: Double) {
        try queue.access { db in
            var found = (count: 0, sum: 0.0)
            try db.scan("SELECT count(*), total(value) FROM sample", path: path) { row in
                found = (Int(try row.int(0)), try row.real(1))
            }
            return found
        }
    }

    package func close() throws { try queue.close() }

    /// The version of the SQLite library.
    package static let libraryVersion = Database.libraryVersion
}
