// SPDX-License-Identifier: Apache-2.0

import Catalog
import SQLiteConnection

/// Activities of workouts in SQLite, with a column for the average heart rate: once without and once with an index.
final class WorkoutSQLite: Sendable {
    private let queue: DatabaseQueue
    private let path: String

    init(at path: String) throws {
        self.path = path
        queue = try DatabaseQueue(path: path) { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144;
                    CREATE TABLE activity (workout INTEGER NOT NULL, place INTEGER NOT NULL, average_hr REAL NOT NULL);
                    CREATE TABLE indexed_activity (workout INTEGER NOT NULL, place INTEGER NOT NULL,
                        average_hr REAL NOT NULL);
                    CREATE INDEX activity_average ON indexed_activity (average_hr)
                    """)
        }
    }

    func insert(_ activities: [WorkoutBenchmark.Activity]) throws {
        try queue.access { db in
            try db.inTransaction(.immediate) {
                for table in ["activity", "indexed_activity"] {
                    let statement = try db.cachedStatement(sql: "INSERT INTO \(table) VALUES (?, ?, ?)")
                    for one in activities {
                        try statement.execute([Int64(one.workout), Int64(one.place), one.average])
                    }
                }
            }
        }
    }

    /// Returns the number of activities above an average.
    func activities(above average: Double, isIndexed: Bool) throws -> Int {
        let table = isIndexed ? "indexed_activity" : "activity"
        return try queue.access { db in
            var found: [(workout: Int64, place: Int64)] = []
            try db.scan("SELECT workout, place FROM \(table) WHERE average_hr > ?", [average], path: path) { row in
                found.append((try row.int(0), try row.int(1)))
            }
            return found.count
        }
    }
}
