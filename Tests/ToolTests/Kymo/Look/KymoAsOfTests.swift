// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("X-4 T-3 kymo stats and query as of an earlier commit")
struct KymoAsOfTests {
    private struct Item: Decodable {
        var start: String
    }

    private struct Row: Decodable {
        var count: Int
    }

    private struct Info: Decodable {
        var sequence: Int
        var oldestCommit: Int
    }

    @Test("deleted samples are shown as of the commit before, until a compaction")
    func asOf() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        func items(_ arguments: String...) throws -> [String] {
            let line = ["query", "bodyMass", "--json"] + arguments + ["--store", store]
            return try decodeOutput([Item].self, Tool.kymo.run(line)).map(\.start)
        }
        let backup = directory.file("backup")
        _ = try Tool.kymo.run(["backup", SampleStore.path, backup])
        _ = try Tool.kymo.run(["restore", backup, store])
        let before = try decodeOutput(Info.self, run("info", "--json"))
        #expect(before.oldestCommit == 0)
        let all = try items()
        let source = try run("query", "bodyMass", "--csv").output.split(separator: "\n")
        #expect(!all.isEmpty && source.count == all.count + 1)
        _ = try run("delete", "bodyMass", "--all")
        let past = ["--as-of", "\(before.sequence)"]
        #expect(try items().isEmpty && items(past[0], past[1]) == all)
        let rows = try decodeOutput([Row].self, run("stats", "bodyMass", "--json", past[0], past[1]))
        #expect(rows.map(\.count) == [all.count])
        let short = try run("query", "bodyMass", past[0], past[1], "--limit", "1")
        #expect(short.errors.contains("and \(all.count - 1) more"))
        let none = try run("query", "bodyMass", "--as-of", "0")
        #expect(none.code == 0 && none.output.isEmpty)
        let future = try run("query", "bodyMass", "--as-of", "999999")
        #expect(future.code == 64 && future.errors.contains("there is no commit 999999"))
        _ = try run("compact")
        let gone = try run("stats", "bodyMass", past[0], past[1])
        #expect(gone.code == 1 && gone.errors.contains("the oldest commit that can be shown is \(before.sequence + 1)"))
        let after = try decodeOutput(Info.self, run("info", "--json"))
        #expect(after.oldestCommit == before.sequence + 1)
        #expect(try run("info").output.contains("from commit \(before.sequence + 1) with --as-of"))
    }
}
