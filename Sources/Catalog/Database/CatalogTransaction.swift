// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
package import GRDB

/// The inside of one transaction, for those who keep their own tables beside the catalog's. It must not leave the
/// closure it was given to, and the closure must not call the `CatalogDatabase` again.
package final class CatalogTransaction {
    package let database: Database
    /// In a commit the sequence being committed, in a read the one the transaction sees.
    package let seq: Int64
    /// Whether this is a commit.
    package let isWritable: Bool
    package let path: String

    init(database: Database, seq: Int64, isWritable: Bool, path: String) {
        self.database = database
        self.seq = seq
        self.isWritable = isWritable
        self.path = path
    }

    /// Hands every row of a query to `body`, in the query's order. The statement is prepared once per connection.
    package func scan(
        _ sql: String, _ arguments: StatementArguments = [], _ body: (RowReader) throws -> Void
    ) throws {
        try database.scan(sql, arguments, path: path, body)
    }

    /// Runs one statement that returns no rows and gives the number of rows it changed.
    @discardableResult
    package func run(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
        return database.changesCount
    }

    /// A text as it can be bound. SQLite ends one at its first NUL, so a text with a NUL would be cut silently.
    package func plain(_ text: String) throws(CatalogError) -> String {
        if text.utf8.contains(0) {
            throw CatalogError(.unstorableText, "a text with a NUL cannot be stored; leave it out", path: path)
        }
        return text
    }

    package func plain(_ text: String?) throws(CatalogError) -> String? {
        if let text { return try plain(text) }
        return nil
    }
}

/// The columns of the row a scan stands on. A value of another type than the one asked for is an error, never a trap:
/// the file is not trusted.
@safe
package struct RowReader {
    private let statement: OpaquePointer
    let path: String

    init(statement: OpaquePointer, path: String) {
        unsafe self.statement = unsafe statement
        self.path = path
    }

    package func isNull(_ column: Int) -> Bool {
        unsafe csq_sqlite_column_type(statement, Int32(truncatingIfNeeded: column)) == 5
    }

    package func int(_ column: Int) throws(CatalogError) -> Int64 {
        try ints(column..<column + 1).0
    }

    package func optionalInt(_ column: Int) throws(CatalogError) -> Int64? {
        isNull(column) ? nil : try int(column)
    }

    /// An integer inside `range`.
    package func int(_ column: Int, in range: ClosedRange<Int64>, _ name: String) throws(CatalogError) -> Int64 {
        let value = try int(column)
        guard range.contains(value) else {
            throw CatalogError(.corrupt, "\(name) is \(value), outside \(range)", path: path)
        }
        return value
    }

    /// The integers in some neighbouring columns, at most five, in one call: for tables of millions of rows.
    func ints(_ columns: Range<Int>) throws(CatalogError) -> (Int64, Int64, Int64, Int64, Int64) {
        let found = unsafe csq_sqlite_column_integers(
            statement, Int32(truncatingIfNeeded: columns.lowerBound), Int32(truncatingIfNeeded: columns.count))
        if found.count != columns.count { throw wrongType(columns.lowerBound + Int(found.count), "an integer") }
        return found.values
    }

    package func real(_ column: Int) throws(CatalogError) -> Double {
        guard unsafe csq_sqlite_column_type(statement, Int32(truncatingIfNeeded: column)) == 2 else {
            throw wrongType(column, "a real number")
        }
        return unsafe csq_sqlite_column_double(statement, Int32(truncatingIfNeeded: column))
    }

    package func text(_ column: Int) throws(CatalogError) -> String {
        try withSpan(column, type: 3, "a text") { String(copying: $0) }
    }

    package func optionalText(_ column: Int) throws(CatalogError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    package func blob(_ column: Int) throws(CatalogError) -> [UInt8] {
        try withSpan(column, type: 4, "a blob") { unsafe $0.withUnsafeBufferPointer { unsafe Array($0) } }
    }

    /// Gives the bytes of a text without a copy; valid only during the call.
    func withText<R>(
        _ column: Int, _ body: (Span<UInt8>) throws(CatalogError) -> R
    ) throws(CatalogError) -> R {
        try withSpan(column, type: 3, "a text", body)
    }

    /// Gives the bytes of a blob without a copy; valid only during the call.
    func withBlob<R>(
        _ column: Int, _ body: (Span<UInt8>) throws(CatalogError) -> R
    ) throws(CatalogError) -> R {
        try withSpan(column, type: 4, "a blob", body)
    }

    /// A blob of exactly `count` bytes.
    package func blob(_ column: Int, count: Int, _ name: String) throws(CatalogError) -> [UInt8] {
        let value = try blob(column)
        guard value.count == count else {
            throw CatalogError(.corrupt, "\(name) has \(value.count) bytes, not \(count)", path: path)
        }
        return value
    }

    /// Throws `corrupt` unless a condition on the row holds.
    func require(_ holds: Bool, _ fault: @autoclosure () -> String) throws(CatalogError) {
        if !holds { throw CatalogError(.corrupt, fault(), path: path) }
    }

    private func wrongType(_ column: Int, _ what: String) -> CatalogError {
        CatalogError(.corrupt, "column \(column) of a row is not \(what)", path: path)
    }

    private func withSpan<R>(
        _ column: Int, type: Int32, _ what: String, _ body: (Span<UInt8>) throws(CatalogError) -> R
    ) throws(CatalogError) -> R {
        var count: Int32 = 0
        let bytes = unsafe UnsafeRawBufferPointer(
            start: csq_sqlite_column_bytes(statement, Int32(truncatingIfNeeded: column), type, &count),
            count: Int(max(0, count)))
        if count < 0 { throw wrongType(column, what) }
        return try unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
    }
}

extension Database {
    /// The scan of `CatalogTransaction`, for the catalog's own use outside of one.
    func scan(
        _ sql: String, _ arguments: StatementArguments = [], path: String, _ body: (RowReader) throws -> Void
    ) throws {
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        let handle = unsafe statement.sqliteStatement
        defer { unsafe csq_sqlite_reset(handle) }
        let row = unsafe RowReader(statement: handle, path: path)
        while true {
            let result = unsafe csq_sqlite_step(handle)
            if result == 0 { return }
            guard result == 1 else {
                throw DatabaseError(resultCode: ResultCode(rawValue: -result), message: lastErrorMessage, sql: sql)
            }
            try body(row)
        }
    }

    /// The integer in the only row of a query.
    func oneInt(_ sql: String, _ arguments: StatementArguments = [], path: String) throws -> Int64 {
        var found: Int64?
        try scan(sql, arguments, path: path) { found = try $0.int(0) }
        guard let found else { throw CatalogError(.corrupt, "no row for: \(sql)", path: path) }
        return found
    }

    /// Every text in the first column of a query.
    func texts(_ sql: String, path: String) throws -> [String] {
        var found: [String] = []
        try scan(sql, path: path) { found.append(try $0.text(0)) }
        return found
    }
}
