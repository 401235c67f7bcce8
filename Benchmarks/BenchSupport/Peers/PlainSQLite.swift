// SPDX-License-Identifier: Apache-2.0

import FileSystem
import GRDB

/// Samples in SQLite, for a program without the engine: rows of a table in a database with a write-ahead log that is
/// synced at each commit.
package final class PlainSQLite: Sendable {
    private let queue: DatabaseQueue

    /// Creates a database.
    package init(at path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE sample (series INTEGER NOT NULL, time INTEGER NOT NULL, value REAL NOT NULL,
                        PRIMARY KEY (series, time)) WITHOUT ROWID
                    """)
        }
    }

    /// Appends samples in one durable transaction with a row for each sample.
    package func append(series: Int64, times: ArraySlice<Int64>, values: ArraySlice<Double>) throws {
        try queue.write { db in
            let statement = try db.cachedStatement(sql: "INSERT INTO sample (series, time, value) VALUES (?, ?, ?)")
            for (time, value) in zip(times, values) { try statement.execute(arguments: [series, time, value]) }
        }
    }

    /// Returns the number and the sum of all values.
    package func total() throws -> (count: Int, sum: Double) {
        try queue.read { db in
            let row = try Row.fetchOne(db, sql: "SELECT count(*), total(value) FROM sample")
            return (row?[0] ?? 0, row?[1] ?? 0)
        }
    }

    package func close() throws { try queue.close() }

    /// The version of the SQLite library.
    package static let libraryVersion: String = {
        let version = try? DatabaseQueue().read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") }
        return version.flatMap { $0 } ?? "unknown"
    }()
}
