// SPDX-License-Identifier: Apache-2.0

/// The values of a statement's parameters, in order: `[7, "name", nil]`.
package struct StatementArguments: ExpressibleByArrayLiteral {
    package private(set) var values: [(any SQLiteValue)?]

    package init(_ values: [(any SQLiteValue)?]) { self.values = values }

    package init(arrayLiteral values: (any SQLiteValue)?...) { self.values = values }

    package static func += (left: inout StatementArguments, right: StatementArguments) { left.values += right.values }

    package static func + (left: StatementArguments, right: StatementArguments) -> StatementArguments {
        StatementArguments(left.values + right.values)
    }
}

/// A value that a statement's parameter can take.
package protocol SQLiteValue {
    var sqliteValue: SQLiteStorage { get }
}

/// A value as SQLite stores it. SQLite's fifth kind, NULL, is Swift's nil.
package enum SQLiteStorage: Sendable {
    case int(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension Int64: SQLiteValue {
    package var sqliteValue: SQLiteStorage { .int(self) }
}

extension Int: SQLiteValue {
    package var sqliteValue: SQLiteStorage { .int(Int64(self)) }
}

extension Double: SQLiteValue {
    package var sqliteValue: SQLiteStorage { .real(self) }
}

extension String: SQLiteValue {
    package var sqliteValue: SQLiteStorage { .text(self) }
}

extension [UInt8]: SQLiteValue {
    package var sqliteValue: SQLiteStorage { .blob(self) }
}
