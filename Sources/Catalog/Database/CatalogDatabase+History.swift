// SPDX-License-Identifier: Apache-2.0

internal import GRDB

// Limits of the history: two tables that a catalog has only after a deletion or a new epoch.

extension CatalogDatabase {
    /// The first format that records the limits of the history.
    package static let historyFormat = 4

    /// Begins a new epoch after the last commit, durably, without a commit of its own.
    ///
    /// - Parameter number: not 0; 0 is the first epoch's number.
    package func beginEpoch(_ number: Int64) throws(CatalogError) {
        try access { database in
            try refuseUnlessWritable()
            try database.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
            do {
                let seq = try lastSequence(database)
                database.setPageSequence(seq)
                let transaction = CatalogTransaction(database: database, seq: seq, isWritable: true, path: path)
                try raiseFormat(transaction)
                try insert(EpochRow(number: number, start: seq), transaction)
                try database.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            } catch {
                try? database.rollback()
                throw error
            }
        }
    }

    /// Records that samples deleted by commit `horizon` were dropped, unless a later commit is recorded.
    func note(horizon: Int64, _ transaction: CatalogTransaction) throws {
        guard (0...transaction.seq).contains(horizon) else {
            throw CatalogError(.other, "horizon \(horizon) is not a commit of this catalog", path: path)
        }
        try raiseFormat(transaction)
        try transaction.run("UPDATE horizon SET born=max(born,?) WHERE id=1", [horizon])
    }

    /// Stores an image's history in a new catalog.
    func restore(_ history: CatalogHistory, _ transaction: CatalogTransaction) throws {
        if history.isEmpty { return }
        try raiseFormat(transaction)
        if let horizon = history.horizon {
            try transaction.run("UPDATE horizon SET born=? WHERE id=1", [horizon])
        }
        for row in history.epochs { try insert(row, transaction) }
        try note(history.feedHorizons, transaction)
    }

    private func insert(_ row: EpochRow, _ transaction: CatalogTransaction) throws {
        guard row.number != 0, row.start >= 0 else {
            throw CatalogError(.other, "epoch \(row.number) has invalid values and cannot be stored", path: path)
        }
        try transaction.run("INSERT INTO epoch(number,start)VALUES(?,?)", [row.number, row.start])
    }

    /// Creates the history tables and raises the format, so that earlier versions refuse the catalog. They would show
    /// deleted samples, or drop samples without recording it.
    func raiseFormat(_ transaction: CatalogTransaction) throws { try transaction.raiseFormat(to: Self.historyFormat) }

    func history(_ database: Database, format: Int64, seq: Int64) throws -> CatalogHistory {
        var found = CatalogHistory()
        if format < Self.historyFormat { return found }
        try database.scan("SELECT born FROM horizon WHERE id=1", path: path) { row in
            found.horizon = try row.int(0, in: 0...max(0, seq), "the horizon")
        }
        try database.scan(EpochRow.query + " ORDER BY id", path: path) { row in
            let epoch = try EpochRow(row, lastCommit: seq, path: path)
            guard epoch.start >= found.epochs.last?.start ?? 0 else {
                throw CatalogError(.corrupt, "an epoch starts before the preceding epoch", path: path)
            }
            found.epochs.append(epoch)
        }
        found.feedHorizons = try feedHorizons(database, seq: seq)
        return found
    }
}

extension EpochRow {
    static let columns = "number,start"
    static let query = "SELECT id,\(columns) FROM epoch"

    /// Reads and checks a row of `query`.
    init(_ row: RowReader, lastCommit: Int64, path: String) throws(CatalogError) {
        let number = try row.int(1)
        guard number != 0 else { throw CatalogError(.corrupt, "an epoch has the number 0", path: path) }
        self.init(number: number, start: try row.int(2, in: 0...Swift.max(0, lastCommit), "the start of an epoch"))
    }
}
