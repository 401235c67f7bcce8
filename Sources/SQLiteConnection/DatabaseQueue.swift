// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A connection for any number of threads: their calls run one at a time.
package final class DatabaseQueue: @unchecked Sendable {
    /// Protects `database`, which is why the class is Sendable.
    private let lock = Mutex(())
    private let database: Database

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: a path, a "file:" URI, or ":memory:".
    ///   - busyTimeout: how long one call waits for another connection's lock, in seconds.
    ///   - prepare: runs before any other use of the connection; if it throws, the connection is closed.
    package init(
        path: String = ":memory:", isReadOnly: Bool = false, busyTimeout: Double = 0,
        prepare: (Database) throws -> Void = { _ in }
    ) throws {
        database = try Database(path: path, isReadOnly: isReadOnly, busyTimeout: busyTimeout)
        do {
            try prepare(database)
            // SQLite reads a file only now: a file that is no database is refused here.
            try database.execute(sql: "SELECT 1 FROM sqlite_schema LIMIT 1")
        } catch {
            try? database.close()
            throw error
        }
    }

    /// Runs `body` with exclusive use of the connection.
    ///
    /// - Requires: `body` does not call the queue again.
    package func access<T, E>(_ body: (Database) throws(E) -> T) throws(E) -> T {
        var result: Result<T, E>?
        lock.withLock { _ in
            do throws(E) { result = .success(try body(database)) } catch { result = .failure(error) }
        }
        switch result {
        case .success(let value)?: return value
        case .failure(let error)?: throw error
        case nil: preconditionFailure("the closure ran")
        }
    }

    /// Closes the connection after the calls that run; a second call does nothing.
    package func close() throws {
        try access { database throws in try database.close() }
    }
}
