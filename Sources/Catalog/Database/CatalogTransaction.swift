// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim
package import SQLiteConnection

/// One open transaction, for layers that keep their own tables beside the catalog's.
///
/// - Requires: the transaction stays inside the closure that receives it, and the closure does not call the
///   `CatalogDatabase`.
package final class CatalogTransaction {
    package let database: Database
    /// In a commit, the sequence being committed; in a read, the last sequence that the transaction sees.
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

    /// Calls `body` for every row of a query, in order. The statement is prepared once per connection.
    package func scan(
        _ sql: String, _ arguments: StatementArguments = [], _ body: (RowReader) throws -> Void
    ) throws {
        try database.scan(sql, arguments, path: path, body)
    }

    /// Runs a statement without result rows and returns the number of rows that it changed.
    @discardableResult
    package func run(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try database.cachedStatement(sql: sql).execute(arguments)
        return database.changesCount
    }

    /// Returns a text that can be stored; throws if it contains a NUL, where SQLite's functions and other programs end
    /// a text.
    package func plain(_ text: String) throws(CatalogError) -> String {
        if text.utf8.contains(0) {
            throw CatalogError(.unstorableText, "a text with a NUL cannot be stored; remove the NUL", path: path)
        }
        return text
    }

    package func plain(_ text: String?) throws(CatalogError) -> String? {
        if let text { return try plain(text) }
        return nil
    }
}

/// The columns of a scan's current row. A value of an unexpected type throws an error and never traps, since the file
/// is not trusted.
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

    /// Returns the integer of a column; throws `corrupt` if it is outside `range`.
    package func int(_ column: Int, in range: ClosedRange<Int64>, _ name: String) throws(CatalogError) -> Int64 {
        let value = try int(column)
        guard range.contains(value) else {
            throw CatalogError(.corrupt, "\(name) is \(value), outside \(range)", path: path)
        }
        return value
    }

    /// Returns the integers of at most five adjacent columns in one call, for tables of millions of rows.
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

    /// Passes the bytes of a text without a copy; they are valid only during the call.
    func withText<R>(
        _ column: Int, _ body: (Span<UInt8>) throws(CatalogError) -> R
    ) throws(CatalogError) -> R {
        try withSpan(column, type: 3, "a text", body)
    }

    /// Passes the bytes of a blob without a copy; they are valid only during the call.
    func withBlob<R>(
        _ column: Int, _ body: (Span<UInt8>) throws(CatalogError) -> R
    ) throws(CatalogError) -> R {
        try withSpan(column, type: 4, "a blob", body)
    }

    /// Returns a blob; throws `corrupt` unless it has exactly `count` bytes.
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
    /// Calls `body` for every row of a query; used outside of a `CatalogTransaction`.
    package func scan(
        _ sql: String, _ arguments: StatementArguments = [], path: String, _ body: (RowReader) throws -> Void
    ) throws {
        let statement = try cachedStatement(sql: sql)
        try statement.bind(arguments)
        guard let handle = unsafe statement.handle else {
            throw CatalogError(.closed, "the connection is closed", path: path)
        }
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

    /// Returns the integer in the single row of a query.
    func oneInt(_ sql: String, _ arguments: StatementArguments = [], path: String) throws -> Int64 {
        var found: Int64?
        try scan(sql, arguments, path: path) { found = try $0.int(0) }
        guard let found else { throw CatalogError(.corrupt, "the query returned no row: \(sql)", path: path) }
        return found
    }

    /// Returns every text in the first column of a query.
    func texts(_ sql: String, path: String) throws -> [String] {
        var found: [String] = []
        try scan(sql, path: path) { found.append(try $0.text(0)) }
        return found
    }
}
