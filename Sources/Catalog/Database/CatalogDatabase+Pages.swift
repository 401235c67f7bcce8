// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
internal import SQLiteConnection

// Page checksums, which the VFS layer writes and checks: when they are required, how a catalog of format 1 is upgraded,
// and the errors for damaged pages.

extension CatalogDatabase {
    /// The first format whose pages all have checksums.
    package static let checkedFormat = 2

    /// Throws if the format requires checksums and the pages have none.
    ///
    /// - Returns: the format.
    @discardableResult
    static func requireChecks(_ database: Database, path: String) throws -> Int64 {
        let format = Self.format(ofVersion: try database.oneInt("PRAGMA user_version", path: path))
        if format < checkedFormat { return format }
        guard let checks = database.pageChecks else {
            throw CatalogError(.other, "page checksums require the VFS \(CatalogVFS.production)", path: path)
        }
        if checks == CSQ_CHECKS_NONE {
            throw CatalogError(
                .corrupt,
                "page 1 has no checksum: another program rewrote the catalog (by VACUUM, for instance), or the page is "
                    + "damaged; repair the store, or restore a backup", path: path, offset: 0)
        }
        return format
    }

    /// Prepares the pages before a writer's first commit.
    ///
    /// - Ordering: after the previous writer's log was settled.
    func beginWriting() throws(CatalogError) {
        try access { database in
            database.setPageSequence(try lastSequence(database))
            guard let checks = database.pageChecks else { return }
            if checks == CSQ_CHECKS_ALL {
                // Each commit and each checkpoint would remove evidence that these pages are sound.
                if database.hasCopiedPages { try rewrite(database) }
            } else {
                do {
                    try upgrade(database, isBegun: checks == CSQ_CHECKS_PRESENT)
                } catch let error as DatabaseError where [.full, .busy].contains(error.resultCode) {
                    // No space, or a reader holds a lock: the next opening retries.
                }
            }
            try raiseVersion(database)
        }
    }

    /// Sets a version in the database itself that earlier programs refuse. They would mistake the log's pages for its
    /// torn end and drop the commits from there on.
    ///
    /// - Ordering: before a writer's first commit.
    private func raiseVersion(_ database: Database) throws {
        guard (0...Int64(Self.lastFormerVersion)).contains(database.versionInFile) else { return }
        let version = try database.oneInt("PRAGMA user_version", path: path)
        if version <= Self.lastFormerVersion {
            let next = Self.version(of: Int(version))
            try database.retryingWhileBusy { try database.execute(sql: "PRAGMA user_version=\(next)") }
        }
        try copyLog(database)
    }

    /// Gives every page its checksum, in two commits. The first marks the upgrade as begun: earlier versions refuse the
    /// catalog from then on, and readers accept pages with and without checksums. The second rewrites every page. A
    /// crash leaves the catalog unchanged or marked as begun; then the next writer completes the upgrade.
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

    /// Reads every page of the database and its log, and returns an error for each damaged one.
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

    /// Maximum number of damaged pages that are reported one by one.
    private static let mostProblems = 1_000

    /// Converts an error to a `CatalogError`. For a refused page SQLite reports only a failed read; the VFS layer adds
    /// the page.
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
                "the store's files were removed, moved or replaced while it was open; this call stored nothing",
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
        let page = problem.page == 0 ? "a page" : "page \(problem.page)"
        let place = problem.is_in_log != 0 ? "\(page) in the write-ahead log" : page
        let file = problem.is_in_log != 0 ? path + "-wal" : path
        let offset = UInt64(max(problem.offset, 0))
        if problem.fault == CSQ_PAGE_KEY {
            self.init(
                .needsKey,
                "\(place) cannot be decrypted: KEYS, as it was read, lacks the key of its generation; open the store "
                    + "again, or restore the current KEYS", path: file, offset: offset)
            return
        }
        let what =
            switch problem.fault {
            case CSQ_PAGE_SHORT: "the file ends within it"
            case CSQ_PAGE_SIZE: "the header states a different page size"
            case CSQ_PAGE_BLANK: "it has no checksum, so another program wrote it, or it was overwritten with zeros"
            case CSQ_PAGE_TRAILER: "its trailer is damaged"
            case CSQ_PAGE_FOREIGN: "it belongs to another catalog"
            case CSQ_PAGE_FORGED:
                "its checksum is right, but it does not fit its place and key: it was changed or moved on purpose"
            case CSQ_PAGE_PLAIN: "it is not encrypted, but the catalog is: another page has replaced it"
            case CSQ_PAGE_STALE: "the write-ahead log is older than the database"
            default:
                "its checksum does not match its bytes and place (the disk changed it, or another program wrote rows)"
            }
        let kind: Kind =
            switch problem.fault {
            case CSQ_PAGE_FORGED, CSQ_PAGE_PLAIN: .forged
            default: .corrupt
            }
        self.init(
            kind, "\(place) is damaged: \(what); repair the store, or restore a backup", path: file, offset: offset)
    }
}
