// SPDX-License-Identifier: Apache-2.0

import Catalog
import Testing

@Suite("E-20 X-3 a commit decided inside its transaction, in parts that fail separately")
struct CatalogPartsTests {
    private struct Refused: Error {}

    private func numbers(_ catalog: CatalogDatabase) throws -> [Int64] {
        try catalog.read { transaction in
            var found = [Int64]()
            try transaction.scan("SELECT id FROM beside ORDER BY id") { found.append(try $0.int(0)) }
            return found
        }
    }

    @Test("A failed part is rolled back alone, and later parts see the writes of earlier ones")
    func parts() throws {
        let scratch = try Scratch()
        let catalog = try scratch.writer()
        let seq = try catalog.load().seq + 1
        let isDone = try catalog.commit(seq: seq) { transaction in
            #expect(transaction.isWritable && transaction.seq == seq)
            try transaction.run("CREATE TABLE beside(id INTEGER PRIMARY KEY)STRICT")
            for number in 1...6 {
                do {
                    try transaction.attempt {
                        var there = 0
                        try transaction.scan("SELECT id FROM beside") { _ in there += 1 }
                        #expect(there == number / 2)
                        let before = transaction.changes
                        try transaction.run("INSERT INTO beside VALUES(\(number))")
                        #expect(transaction.changes == before + 1)
                        try transaction.add([SeriesRow(id: Int64(number), name: "s\(number)", kind: 1)])
                        if number == 2 { throw Refused() }
                        if number % 2 == 0 { try transaction.run("INSERT INTO beside VALUES(1)") }
                    }
                    #expect(number % 2 == 1)
                } catch {
                    #expect(number == 2 ? error is Refused : (error as? CatalogError)?.kind == .other)
                    #expect(number % 2 == 0 && !CatalogTransaction.isLost(error))
                }
            }
            return CatalogCommit(seq: seq)
        }
        #expect(isDone)
        let image = try catalog.load()
        #expect(image.seq == seq && image.series.map(\.id) == [1, 3, 5])
        #expect(try numbers(catalog) == [1, 3, 5])
    }

    @Test("A decision without a commit, and a failed one, leave nothing, and the next commit succeeds")
    func nothing() throws {
        let scratch = try Scratch()
        let catalog = try scratch.writer()
        let seq = try catalog.load().seq + 1
        let isDone = try catalog.commit(seq: seq) { transaction in
            try transaction.run("CREATE TABLE beside(id INTEGER PRIMARY KEY)STRICT")
            return nil
        }
        #expect(!isDone)
        let error = #expect(throws: CatalogError.self) {
            try catalog.commit(seq: seq) { transaction in
                try transaction.run("CREATE TABLE beside(id INTEGER PRIMARY KEY)STRICT")
                throw Refused()
            }
        }
        #expect(error?.kind == .closure && error?.underlying is Refused)
        let wrong = #expect(throws: CatalogError.self) { try catalog.commit(seq: seq + 1) { _ in nil } }
        #expect(wrong?.kind == .sequence)
        #expect(throws: CatalogError.self) { _ = try numbers(catalog) }
        #expect(try catalog.load().seq == seq - 1)
        try catalog.commit(CatalogCommit(seq: seq))
    }

    @Test("A part that ends the transaction fails the whole commit")
    func ended() throws {
        let scratch = try Scratch()
        let catalog = try scratch.writer()
        let seq = try catalog.load().seq + 1
        let error = #expect(throws: CatalogError.self) {
            try catalog.commit(seq: seq) { transaction in
                do {
                    try transaction.attempt {
                        try transaction.run("COMMIT")
                        throw Refused()
                    }
                } catch {
                    #expect(CatalogTransaction.isLost(error))
                    throw error
                }
                return CatalogCommit(seq: seq)
            }
        }
        #expect(error?.kind == .outcomeUnknown)
        let next = #expect(throws: CatalogError.self) { try catalog.commit(CatalogCommit(seq: seq)) }
        #expect(next?.kind == .failed)
    }
}
