// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import GRDB

// The checksums of pages, which the layer under SQLite writes and checks: when they are demanded, how a catalog of the
// first format gets them, and what is said of a page that fails.

extension CatalogDatabase {
    /// The first format whose pages all have checksums.
    package static let checkedFormat = 2

    /// Refuses a catalog whose format promises checksums that are not there. Gives the format.
    @discardableResult
    static func requireChecks(_ database: Database, path: String) throws -> Int64 {
        let format = Self.format(ofVersion: try database.oneInt("PRAGMA user_version", path: path))
        if format < checkedFormat { return format }
        guard let checks = database.pageChecks else {
            throw CatalogError(.other, "the pages' checksums need the layer \(CatalogVFS.production)", path: path)
        }
        if checks == CSQ_CHECKS_NONE {
            throw CatalogError(
                .corrupt,
                "page 1 has no checksum: another program rewrote the catalog (by VACUUM, for instance), or the page is "
                    + "damaged; repair the store, or restore a backup", path: path, offset: 0)
        }
        return format
    }

    /// What a writer does before its first commit, and after the log of the former one has been settled.
    func beginWriting() throws(CatalogError) {
        try access { database in
            database.setPageSequence(try lastSequence(database))
            guard let checks = database.pageChecks else { return }
            if checks == CSQ_CHECKS_ALL {
                // Each commit and each checkpoint takes from what shows that these pages are sound.
                if database.hasCopiedPages { try rewrite(database) }
            } else {
                do {
                    try upgrade(database, isBegun: checks == CSQ_CHECKS_PRESENT)
                } catch let error as DatabaseError where [.SQLITE_FULL, .SQLITE_BUSY].contains(error.resultCode) {
                    // There is no room, or a reader is in the way: the next opening tries again.
                }
            }
            try raiseVersion(database)
        }
    }

    /// Sets the version that earlier programs refuse in the database itself. They take a page of the log for the torn
    /// end of it, and would drop the commits from there on.
    ///
    /// - Ordering: before the first commit of a writer.
    private func raiseVersion(_ database: Database) throws {
        guard (0...Int64(Self.lastFormerVersion)).contains(database.versionInFile) else { return }
        let version = try database.oneInt("PRAGMA user_version", path: path)
        if version <= Self.lastFormerVersion {
            let next = Self.version(of: Int(version))
            try database.retryingWhileBusy { try database.execute(sql: "PRAGMA user_version=\(next)") }
        }
        try copyLog(database)
    }

    /// Gives every page its checksum, in two commits. The first one says that it has begun: older versions refuse the
    /// catalog from then on, and whoever reads it takes pages with and without. The second one rewrites every page. A
    /// crash leaves the catalog as it was, or begun, and then the next writer does the rest.
    private func upgrade(_ database: Database, isBegun: Bool) throws {
        database.upgradePages(CSQ_UPGRADE_BEGIN)
        if !isBegun {
            do {
                try database.execute(sql: "PRAGMA user_version=\(Self.version(of: Self.checkedFormat))")
            } catch {
                database.upgradePages(CSQ_UPGRADE_NEVER)
                throw error
            }
        }
        database.upgradePages(CSQ_UPGRADE_REWRITE)
        do {
            try rewrite(database)
        } catch {
            database.upgradePages(CSQ_UPGRADE_LATER)
            throw error
        }
        database.upgradePages(CSQ_UPGRADE_DONE)
        _ = try database.checkpoint(.truncate)
    }

    /// Every page of the database and its log that is not what was written there; each is read.
    package func damagedPages() throws(CatalogError) -> [CatalogError] {
        try access { database in try damagedPages(database) }
    }

    func damagedPages(_ database: Database) throws -> [CatalogError] {
        let (found, count) = try database.scanPages(most: Self.mostProblems)
        var problems = found.map { CatalogError($0, path: path) }
        if count > found.count {
            let rest = "and \(count - found.count) more pages are damaged"
            problems.append(CatalogError(.corrupt, rest, path: path))
        }
        return problems
    }

    /// The most damaged pages that are listed one by one.
    private static let mostProblems = 1_000

    /// An error with the catalog's face. SQLite says no more of a refused page than that reading failed; the layer
    /// knows which one it was.
    static func explain(_ error: any Error, _ database: Database, path: String) -> CatalogError {
        let plain = CatalogError(anything: error, path: path, system: database.systemError)
        guard plain.kind == .corrupt, plain.offset == nil, error is DatabaseError || error is CatalogError else {
            return plain
        }
        guard let problem = database.takePageProblem() else { return plain }
        return CatalogError(problem, path: path)
    }
}

extension CatalogError {
    init(_ problem: csq_page_problem, path: String) {
        if problem.fault == CSQ_PAGE_REMOVED {
            self.init(
                .removed,
                "the store's files were removed, moved or replaced while it was open; nothing of this call was stored",
                path: path + "-wal")
            return
        }
        if problem.fault == CSQ_PAGE_OTHER {
            let page = problem.page == 0 ? "" : " of page \(problem.page)"
            self.init(
                .corrupt,
                "another program wrote rows\(page) into the catalog, which only Kymograph may do; repair the store, or "
                    + "restore a backup", path: path + "-wal", offset: UInt64(max(problem.offset, 0)))
            return
        }
        let what =
            switch problem.fault {
            case CSQ_PAGE_SHORT: "the file ends before its end"
            case CSQ_PAGE_SIZE: "the header speaks of pages of another size"
            case CSQ_PAGE_BLANK: "it has no checksum, so another program wrote it, or it was overwritten with zeros"
            case CSQ_PAGE_TRAILER: "its trailer is damaged"
            case CSQ_PAGE_FOREIGN: "it belongs to another catalog"
            case CSQ_PAGE_STALE: "the write-ahead log is older than the database"
            default:
                "its checksum does not fit its bytes and its place (the disk changed it, or another program wrote rows)"
            }
        let page = problem.page == 0 ? "a page" : "page \(problem.page)"
        let place = problem.is_in_log != 0 ? "\(page) in the write-ahead log" : page
        self.init(
            .corrupt, "\(place) is damaged: \(what); repair the store, or restore a backup",
            path: problem.is_in_log != 0 ? path + "-wal" : path, offset: UInt64(max(problem.offset, 0)))
    }
}
