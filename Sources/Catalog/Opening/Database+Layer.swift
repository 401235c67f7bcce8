// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import Foundation
internal import SQLiteConnection

// Queries and commands of a connection to the VFS layer below SQLite.

extension Database {
    /// How pages are checked; nil if the database was not opened through the layer.
    var pageChecks: csq_page_checks? {
        let checks = unsafe csq_vfs_checks(handle)
        return checks < 0 ? nil : csq_page_checks(rawValue: UInt32(checks))
    }

    /// Sets the commit that is recorded in all pages written from now on.
    func setPageSequence(_ seq: Int64) { unsafe _ = csq_vfs_set_sequence(handle, seq) }

    /// The bytes written and syncs issued for the database and its log.
    var traffic: CatalogTraffic {
        var traffic = csq_vfs_traffic()
        let code = unsafe csq_vfs_traffic(handle, &traffic)
        return code == 0 ? CatalogTraffic(bytes: traffic.bytes, syncs: traffic.syncs) : CatalogTraffic()
    }

    /// The system's error number of the last failed open, read, write or map of a file; 0 if none failed.
    var systemError: Int32 { unsafe handle == nil ? 0 : csq_sqlite_system_errno(handle) }

    /// The number of pages written to the log or to the database.
    var pagesWritten: Int64 { unsafe csq_sqlite_pages_written(handle) }

    /// Advances the upgrade that gives every page a checksum by one step.
    func upgradePages(_ step: csq_upgrade_step) { unsafe _ = csq_vfs_upgrade(handle, step) }

    /// Whether another SQLite copied pages of an older version's log into the database. These pages must be
    /// rewritten.
    var hasCopiedPages: Bool { unsafe csq_vfs_has_copied_pages(handle) == 1 }

    /// Whether the paths of the database and its log still lead to the open files.
    var isNamed: Bool { unsafe csq_vfs_is_named(handle) == 1 }

    /// The `user_version` in the database file itself, ignoring the log; -1 if page 1 has no trailer.
    var versionInFile: Int64 { unsafe csq_vfs_version_in_file(handle) }

    /// Marks the pages of an empty database as pages of `source`.
    func markPages(as source: Database) {
        unsafe _ = csq_vfs_mark_as(handle, source.handle)
    }

    /// Returns the last problem that the layer found, and clears it.
    func takePageProblem() -> csq_page_problem? {
        var problem = csq_page_problem()
        let code = unsafe csq_vfs_take_problem(handle, &problem)
        return code == 0 && problem.fault != CSQ_PAGE_SOUND ? problem : nil
    }

    /// Checks every page. Returns the first `most` damaged pages and the total number of damaged pages.
    func scanPages(most: Int) throws -> (problems: [csq_page_problem], count: Int) {
        var found = [csq_page_problem](repeating: csq_page_problem(), count: most)
        let count = unsafe csq_vfs_scan(handle, &found, Int32(most))
        if count < -1 { throw DatabaseError(resultCode: ResultCode(rawValue: -1 - count)) }
        return (Array(found.prefix(Int(max(count, 0)))), Int(max(count, 0)))
    }

    /// Retries a statement while another connection holds a lock, for at most `CatalogPragmas.busyTimeout`. SQLite
    /// waits by itself, except in a statement that reads before it writes.
    func retryingWhileBusy<T>(_ body: () throws -> T) throws -> T {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(CatalogPragmas.busyTimeout)
        var pause = 0.001
        while true {
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .busy && clock.now < end {
                Thread.sleep(forTimeInterval: pause)
                pause = min(2 * pause, 0.016)
            }
        }
    }

    /// Allows one attached database, as VACUUM needs it, during the call.
    func attaching(_ body: () throws -> Void) rethrows {
        func limit(_ count: Int32) { unsafe _ = csq_sqlite_limit(handle, CSQ_SQLITE_ATTACHED, count) }
        limit(1)
        defer { limit(0) }
        try body()
    }
}
