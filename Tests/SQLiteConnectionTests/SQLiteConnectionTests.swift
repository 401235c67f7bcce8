// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SQLiteConnection

@Suite("E-4 calls of SQLite: values, errors, transactions, copies")
struct SQLiteConnectionTests {
    private func code(_ body: () throws -> Void) -> ResultCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.resultCode
        }
    }

    /// Returns the texts of a query with one column.
    private func quoted(_ database: Database, _ expression: String, _ values: StatementArguments) throws -> Bool {
        try database.execute(sql: "DELETE FROM found")
        try database.cachedStatement(sql: "INSERT INTO found SELECT 1 WHERE \(expression)").execute(values)
        return database.changesCount == 1
    }

    @Test("every kind of value is stored as it is: empty blobs and texts are not NULL, and texts keep all characters")
    func values() throws {
        let queue = try DatabaseQueue { try $0.execute(sql: "CREATE TABLE found(x)") }
        try queue.access { (database) throws in
            for (expression, values): (String, StatementArguments) in [
                ("typeof(?1)='integer' AND ?1=9223372036854775807", [Int64.max]), ("typeof(?)='null'", [nil]),
                ("typeof(?1)='real' AND ?1=0.1", [0.1]), ("typeof(?1)='integer' AND ?1=-7", [-7]),
                ("typeof(?1)='text' AND length(?1)=0", [""]), ("typeof(?1)='blob' AND length(?1)=0", [[UInt8]()]),
                ("hex(?)='C3BCF09F8CBF'", ["ü🌿"]), ("hex(?)='00FF00'", [[0, 255, 0] as [UInt8]]),
                ("?='a'||?", ["ab", "b"]),
            ] {
                #expect(try quoted(database, expression, values), "\(expression)")
            }
        }
        try queue.close()
    }

    @Test("wrong statements and a wrong number of values are errors, and the next statement works")
    func errors() throws {
        let queue = try DatabaseQueue()
        try queue.access { (database) throws in
            try database.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY);INSERT INTO t VALUES(1);-- done")
            #expect(code { try database.cachedStatement(sql: "SELECT ?").execute() } == .misuse)
            #expect(code { try database.cachedStatement(sql: "SELECT 1").execute([1]) } == .misuse)
            #expect(code { try database.cachedStatement(sql: " -- nothing").execute() } == .misuse)
            #expect(code { try database.execute(sql: "SELEKT 1") } == ResultCode(rawValue: 1))
            #expect(code { try database.execute(sql: "SELECT \"no column\"") } == ResultCode(rawValue: 1))
            #expect(code { try database.execute(sql: "INSERT INTO t VALUES(1)") } == .constraint)
            #expect(code { try database.execute(sql: "INSERT INTO t VALUES(?)", arguments: ["x"]) } == .mismatch)
            try database.execute(sql: "INSERT INTO t VALUES(?)", arguments: [2])
            #expect(database.changesCount == 1 && database.totalChangesCount == 2)
        }
        try queue.close()
        try queue.close()
        #expect(code { try queue.access { (database) throws in try database.execute(sql: "SELECT 1") } } == .misuse)
    }

    @Test("an error rolls a transaction back, also after SQLite has done so")
    func transactions() throws {
        let queue = try DatabaseQueue { try $0.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY)") }
        try queue.access { (database) throws in
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try database.inTransaction(.immediate) {
                    try database.execute(sql: "INSERT INTO t VALUES(1)")
                    #expect(database.isInsideTransaction)
                    throw Stop()
                }
            }
            #expect(throws: Stop.self) {
                try database.inTransaction(.deferred) {
                    try database.execute(sql: "ROLLBACK")
                    throw Stop()
                }
            }
            #expect(!database.isInsideTransaction)
            try database.inTransaction(.immediate) { try database.execute(sql: "INSERT INTO t VALUES(1)") }
        }
    }

    @Test("another connection's lock is an error after the timeout; no file and a file of other bytes are refused")
    func files() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.sqlite")
        let first = try DatabaseQueue(path: path) { try $0.execute(sql: "CREATE TABLE t(a)") }
        let second = try DatabaseQueue(path: path, busyTimeout: 0.01)
        try first.access { (database) throws in
            try database.inTransaction(.immediate) {
                #expect(
                    code { try second.access { (other) throws in try other.execute(sql: "INSERT INTO t VALUES(1)") } }
                        == .busy)
            }
        }
        #expect(code { _ = try DatabaseQueue(path: directory.file("none"), isReadOnly: true) } == .cannotOpen)
        let other = directory.file("other")
        try Data(repeating: 65, count: 5_000).write(to: URL(fileURLWithPath: other))
        #expect(code { _ = try DatabaseQueue(path: other, isReadOnly: true) } == .notADatabase)
        let reader = try DatabaseQueue(path: path, isReadOnly: true)
        #expect(
            code { try reader.access { (database) throws in try database.execute(sql: "DROP TABLE t") } } == .readOnly)
    }

    @Test("a copy has all pages, and calls of several threads run one at a time")
    func copies() async throws {
        let directory = try TemporaryDirectory()
        let queue = try DatabaseQueue(path: directory.file("a")) { try $0.execute(sql: "CREATE TABLE t(a)") }
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    try? queue.access { (database) throws in
                        for _ in 0..<50 { try database.execute(sql: "INSERT INTO t VALUES(?)", arguments: [number]) }
                    }
                }
            }
        }
        let copy = try DatabaseQueue(path: directory.file("b"))
        try queue.access { (source) throws in try copy.access { (target) throws in try source.backup(to: target) } }
        try copy.access { (database) throws in
            try database.execute(sql: "DELETE FROM t")
            #expect(database.changesCount == 400)
        }
    }
}
