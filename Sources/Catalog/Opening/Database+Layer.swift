// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import Foundation
internal import GRDB

// What the layer under SQLite is asked and told by a connection.

extension Database {
    /// How pages are checked; nil if the database was not opened through the layer.
    var pageChecks: csq_page_checks? {
        let checks = unsafe csq_vfs_checks(sqliteConnection)
        return checks < 0 ? nil : csq_page_checks(rawValue: UInt32(checks))
    }

    /// Says which commit the pages belong to that are written from now on.
    func setPageSequence(_ seq: Int64) { unsafe _ = csq_vfs_set_sequence(sqliteConnection, seq) }

    /// What went to the files of the database and its log.
    var traffic: CatalogTraffic {
        var traffic = csq_vfs_traffic()
        let code = unsafe csq_vfs_traffic(sqliteConnection, &traffic)
        return code == 0 ? CatalogTraffic(bytes: traffic.bytes, syncs: traffic.syncs) : CatalogTraffic()
    }

    /// The number of the system's error behind the last call that could not open, read, write or map a file; 0 where
    /// there was none.
    var systemError: Int32 { unsafe sqliteConnection == nil ? 0 : csq_sqlite_system_errno(sqliteConnection) }

    /// Pages written, to the log or to the database.
    var pagesWritten: Int64 { unsafe csq_sqlite_pages_written(sqliteConnection) }

    /// Goes one step in giving every page a checksum.
    func upgradePages(_ step: csq_upgrade_step) { unsafe _ = csq_vfs_upgrade(sqliteConnection, step) }

    /// Whether another SQLite copied pages of a former version's log into the database. They have to be written anew.
    var hasCopiedPages: Bool { unsafe csq_vfs_has_copied_pages(sqliteConnection) == 1 }

    /// Whether the database and its log are the files that their names stand for.
    var isNamed: Bool { unsafe csq_vfs_is_named(sqliteConnection) == 1 }

    /// The `user_version` that the database's own file has, whatever its log has; -1 where page 1 has no trailer.
    var versionInFile: Int64 { unsafe csq_vfs_version_in_file(sqliteConnection) }

    /// Makes an empty database one whose pages are marked as those of another.
    func markPages(as source: Database) {
        unsafe _ = csq_vfs_mark_as(sqliteConnection, source.sqliteConnection)
    }

    /// Takes out what the layer found wrong last.
    func takePageProblem() -> csq_page_problem? {
        var problem = csq_page_problem()
        let code = unsafe csq_vfs_take_problem(sqliteConnection, &problem)
        return code == 0 && problem.fault != CSQ_PAGE_SOUND ? problem : nil
    }

    /// Checks every page; gives the first `most` damaged ones and the number of all.
    func scanPages(most: Int) throws -> (problems: [csq_page_problem], count: Int) {
        var found = [csq_page_problem](repeating: csq_page_problem(), count: most)
        let count = unsafe csq_vfs_scan(sqliteConnection, &found, Int32(most))
        if count < -1 { throw DatabaseError(resultCode: ResultCode(rawValue: -1 - count)) }
        return (Array(found.prefix(Int(max(count, 0)))), Int(max(count, 0)))
    }

    /// Runs a statement again while another connection is in the way, as long as `CatalogPragmas.busyTimeout`. SQLite
    /// waits by itself, but not in a statement that reads before it writes.
    func retryingWhileBusy<T>(_ body: () throws -> T) throws -> T {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(CatalogPragmas.busyTimeout)
        var pause = 0.001
        while true {
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY && clock.now < end {
                Thread.sleep(forTimeInterval: pause)
                pause = min(2 * pause, 0.016)
            }
        }
    }

    /// Lets databases be attached, as VACUUM does, for the time of a call.
    func attaching(_ body: () throws -> Void) rethrows {
        func limit(_ count: Int32) { unsafe _ = csq_sqlite_limit(sqliteConnection, CSQ_SQLITE_ATTACHED, count) }
        limit(1)
        defer { limit(0) }
        try body()
    }
}
