// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// SQLite gave up a whole transaction where only a part of it was to fail.
struct TransactionLost: Error {
    let error: CatalogError
}

// A transaction in parts, one of which can fail alone.
extension CatalogTransaction {
    /// Runs a part of a commit: what it wrote is rolled back, alone, if it throws.
    ///
    /// - Throws: what `body` throws, and the transaction goes on; or, where SQLite has given up all of it, an error
    ///   that the closure of the commit has to let through (`isLost`).
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

    /// Whether an error ends the transaction as a whole.
    package static func isLost(_ error: any Error) -> Bool {
        error is TransactionLost || (error as? CatalogError)?.kind == .outcomeUnknown
    }

    /// Rows that were written so far, on this connection.
    package var changes: Int { database.totalChangesCount }

    /// Writes down series, so that rows of others can name them.
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

    /// An error of SQLite's with the catalog's face; any other as it is.
    private func explained(_ error: any Error) -> any Error {
        error is DatabaseError ? CatalogDatabase.explain(error, database, path: path) : error
    }
}
