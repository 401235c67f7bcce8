// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// One compiled statement of a connection.
///
/// - Requires: used only while its `Database` is in use and open.
@safe
package final class Statement {
    package let sql: String
    /// SQLite's statement; nil once it is finalized.
    package private(set) var handle: OpaquePointer?
    private let connection: OpaquePointer

    /// Compiles the first statement of `text`, a text that ends with NUL, and returns the number of its bytes. A blank
    /// text or a comment compiles to no statement.
    static func compile(
        _ text: UnsafeBufferPointer<CChar>, _ connection: OpaquePointer, isKept: Bool
    ) throws -> (statement: Statement?, bytes: Int) {
        var handle: OpaquePointer?
        var rest: UnsafePointer<CChar>?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = unsafe sqlite3_prepare_v3(
            connection, text.baseAddress, Int32(clamping: text.count), flags, &handle, &rest)
        guard code == SQLITE_OK else {
            let sql = unsafe text.baseAddress.map { unsafe String(cString: $0) }
            throw unsafe Database.error(code, connection, sql: sql)
        }
        let start = text.baseAddress
        let bytes = unsafe rest.flatMap { rest in unsafe start.map { unsafe rest - $0 } } ?? text.count
        guard let handle = unsafe handle else { return (nil, bytes) }
        let sql = unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? ""
        let compiled = unsafe Statement(handle, connection, sql: sql)
        return (compiled, bytes)
    }

    private init(_ handle: OpaquePointer, _ connection: OpaquePointer, sql: String) {
        unsafe self.handle = unsafe handle
        unsafe self.connection = unsafe connection
        self.sql = sql
    }

    /// Releases the statement. SQLite cannot close a connection that has statements.
    func finalize() {
        unsafe sqlite3_finalize(handle)
        unsafe handle = nil
    }

    deinit { finalize() }

    /// Makes the statement ready to run with these values for its parameters.
    ///
    /// - Throws: `misuse` if their number differs from that of the parameters.
    package func bind(_ arguments: StatementArguments) throws {
        unsafe sqlite3_reset(handle)
        let count = unsafe Int(sqlite3_bind_parameter_count(handle))
        guard count == arguments.values.count else {
            throw DatabaseError(
                resultCode: .misuse, message: "\(arguments.values.count) values for \(count) parameters", sql: sql)
        }
        for (place, value) in arguments.values.enumerated() {
            let code = bind(value, at: Int32(place + 1))
            if code != SQLITE_OK { throw unsafe Database.error(code, connection, sql: sql) }
        }
    }

    private func bind(_ value: (any SQLiteValue)?, at place: Int32) -> Int32 {
        switch value?.sqliteValue {
        case nil: unsafe sqlite3_bind_null(handle, place)
        case .int(let number): unsafe sqlite3_bind_int64(handle, place, number)
        case .real(let number): unsafe sqlite3_bind_double(handle, place, number)
        case .text(var text):
            text.withUTF8 {
                unsafe csq_sqlite_bind_bytes(handle, place, $0.baseAddress, Int32(clamping: $0.count), 1)
            }
        case .blob(let bytes):
            unsafe bytes.withUnsafeBufferPointer {
                unsafe csq_sqlite_bind_bytes(handle, place, $0.baseAddress, Int32(clamping: $0.count), 0)
            }
        }
    }

    /// Runs the statement to its end; rows are ignored. Its values are released.
    package func execute(_ arguments: StatementArguments = []) throws {
        try bind(arguments)
        defer {
            unsafe sqlite3_reset(handle)
            unsafe sqlite3_clear_bindings(handle)
        }
        while true {
            let code = unsafe sqlite3_step(handle)
            if code == SQLITE_DONE { return }
            if code != SQLITE_ROW { throw unsafe Database.error(code, connection, sql: sql) }
        }
    }
}
