// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import SQLiteConnection

/// The settings of a connection. Each setting is set and then read back, because SQLite ignores unknown settings
/// silently.
enum CatalogPragmas {
    /// Name, value to set, value to read back, and the reason.
    static let connection: [(name: String, set: String, expect: Int64, why: String)] = [
        ("synchronous", "FULL", 2, "a commit is on the device when it returns"),
        ("foreign_keys", "ON", 1, "a run cannot outlive its series or its segment"),
        ("cell_size_check", "ON", 1, "damaged pages are noticed when they are loaded"),
        ("trusted_schema", "OFF", 0, "a hostile schema runs no functions"),
        ("temp_store", "MEMORY", 2, "no health data in temporary files"),
        ("secure_delete", "ON", 1, "deleted rows are overwritten with zeros"),
        ("mmap_size", "0", 0, "a damaged disk gives an error, not a signal"),
        ("wal_autocheckpoint", "0", 0, "the writer checkpoints itself and sees the errors"),
    ]

    /// The time that one call waits for another connection's lock, in seconds.
    static let busyTimeout = 1.0
    /// The size limit of a row or blob, written or read, in bytes.
    static let largestValue: Int32 = 256 << 20

    static func apply(to database: Database, readOnly: Bool, path: String) throws {
        try harden(database, path: path)
        for setting in connection {
            // Some of these statements return the new value, so they run as queries.
            try database.scan("PRAGMA \(setting.name)=\(setting.set)", path: path) { _ in }
            try verify(database, setting.name, setting.expect, path: path)
        }
        if readOnly {
            try database.scan("PRAGMA query_only=ON", path: path) { _ in }
            try verify(database, "query_only", 1, path: path)
        }
    }

    /// Enables the write-ahead log, or checks that it is enabled. Another program may have disabled it, which changes
    /// no row: readers accept such a catalog, and the next writer enables the log again.
    static func requireWAL(_ database: Database, readOnly: Bool, path: String) throws {
        let sql = readOnly ? "PRAGMA journal_mode" : "PRAGMA journal_mode=WAL"
        let mode = try database.retryingWhileBusy { try database.texts(sql, path: path).first ?? "" }
        guard mode == "wal" || readOnly && mode == "delete" else {
            throw CatalogError(.other, "the journal mode is \(mode), not wal", path: path)
        }
    }

    private static func verify(_ database: Database, _ name: String, _ expected: Int64, path: String) throws {
        // SQLite built without memory mapping returns no row for mmap_size.
        var found: Int64 = name == "mmap_size" ? 0 : -1
        try database.scan("PRAGMA \(name)", path: path) { found = try $0.int(0) }
        guard found == expected else {
            throw CatalogError(.other, "PRAGMA \(name) is \(found), not \(expected)", path: path)
        }
    }

    private static func harden(_ database: Database, path: String) throws {
        guard let handle = unsafe database.handle else {
            throw CatalogError(.closed, "the connection is closed", path: path)
        }
        // Only the writer checkpoints, at times of its choosing; `close` reverts this switch for a healthy writer.
        let switches: [(csq_sqlite_switch, Int32)] = [
            (CSQ_SQLITE_DEFENSIVE, 1), (CSQ_SQLITE_NO_CHECKPOINT_ON_CLOSE, 1), (CSQ_SQLITE_TRIGGERS, 0),
            (CSQ_SQLITE_VIEWS, 0), (CSQ_SQLITE_LOAD_EXTENSION, 0),
        ]
        for (what, value) in switches where unsafe csq_sqlite_config(handle, what, value) != value {
            throw CatalogError(.other, "SQLite did not accept switch \(what.rawValue)", path: path)
        }
        let bounds: [(csq_sqlite_bound, Int32)] = [
            (CSQ_SQLITE_LENGTH, largestValue), (CSQ_SQLITE_SQL_LENGTH, 100_000), (CSQ_SQLITE_ATTACHED, 0),
        ]
        for (what, value) in bounds { unsafe _ = csq_sqlite_limit(handle, what, value) }
    }
}
