// SPDX-License-Identifier: Apache-2.0

internal import SQLiteConnection

/// SQLite rolled back the whole transaction where only one part should fail.
struct TransactionLost: Error {
    let error: CatalogError
}

// Savepoints: parts of a transaction that can fail alone.
extension CatalogTransaction {
    /// Runs a part of a commit. If it throws, only its own writes are rolled back.
    ///
    /// - Throws: the error of `body`, after which the transaction continues. If SQLite rolled back the whole
    ///   transaction, an error for which `isLost` is true; the commit's closure must rethrow it.
    package func attempt<T>(_ body: () throws -> T) throws -> T {
        try run("SAVEPOINT part")
        let result: Result<T, any Error>
        do {
            result = .success(try body())
        } catch {
            result = .failure(explained(error))
        }
        guard database.isInsideTransaction else {
            if case .failure(let error as CatalogError) = result { throw TransactionLost(error: error) }
            throw CatalogError(.outcomeUnknown, "the caller's closure ended the transaction", path: path)
        }
        do {
            if case .failure = result { try run("ROLLBACK TO part") }
            try run("RELEASE part")
        } catch {
            throw TransactionLost(error: CatalogDatabase.explain(error, database, path: path))
        }
        return try result.get()
    }

    /// Whether an error ends the whole transaction.
    package static func isLost(_ error: any Error) -> Bool {
        error is TransactionLost || (error as? CatalogError)?.kind == .outcomeUnknown
    }

    /// The number of rows that this connection has changed so far.
    package var changes: Int { database.totalChangesCount }

    /// Inserts or updates series, so that other rows can refer to them.
    package func add(_ series: SeriesRows) throws {
        for (place, id) in series.ids.enumerated() {
            guard id > 0 else { throw CatalogError(.other, "series \(id) is not positive", path: path) }
            let sql = """
                INSERT INTO series(id,name,labels,kind)VALUES(?,?,?,?) ON CONFLICT(id) DO UPDATE SET \
                name=excluded.name,labels=excluded.labels,kind=excluded.kind
                """
            let (name, labels) = series.texts(at: place)
            try run(sql, [id, plain(name), labels, Int64(series.kind(at: place))])
        }
    }

    /// Converts an error of SQLite to a `CatalogError`; returns any other error unchanged.
    private func explained(_ error: any Error) -> any Error {
        error is DatabaseError ? CatalogDatabase.explain(error, database, path: path) : error
    }
}
