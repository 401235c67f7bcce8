// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 E-6 kymo delete")
struct KymoDeleteTests {
    private struct Report: Decodable {
        var type: String
        var deleted: Int
        var dryRun: Bool
        var sequence: Int
    }

    private struct Item: Decodable {
        var start: String
    }

    @Test("deleted samples are missing in every answer")
    func deletes() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        let backup = directory.file("backup")
        _ = try Tool.kymo.run(["backup", SampleStore.path, backup])
        _ = try Tool.kymo.run(["restore", backup, store])
        let all = try decodeOutput([Item].self, run("query", "bodyMass", "--json"))
        let inside = all.filter { $0.start >= "2022-05-03" && $0.start < "2022-05-05" }
        let range = ["delete", "bodyMass", "--from", "2022-05-03", "--to", "2022-05-04", "--json", "--store", store]
        let dry = try decodeOutput(Report.self, Tool.kymo.run(range + ["--dry-run"]))
        #expect(dry.deleted == inside.count && dry.dryRun && !inside.isEmpty)
        let report = try decodeOutput(Report.self, Tool.kymo.run(range))
        #expect(report.deleted == inside.count && report.sequence == dry.sequence + 1 && !report.dryRun)
        #expect(report.type == "HKQuantityTypeIdentifierBodyMass")
        let left = try decodeOutput([Item].self, run("query", "bodyMass", "--json"))
        #expect(left.map(\.start) == all.map(\.start).filter { $0 < "2022-05-03" || $0 >= "2022-05-05" })
        let rest = try run("delete", "bodyMass", "--all")
        #expect(rest.output.hasPrefix("deleted \(left.count) samples of bodyMass"))
        // An earlier commit shows the deleted samples until a compaction removes them.
        let past = try run("query", "bodyMass", "--json", "--as-of", "\(dry.sequence)")
        #expect(try decodeOutput([Item].self, past).map(\.start) == all.map(\.start))
        #expect(try run("delete", "--help").output.contains("--as-of"))
        #expect(try !run("types", "--csv").output.contains("HKQuantityTypeIdentifierBodyMass,"))
        #expect(try run("info").output.contains("still take space"))
        #expect(try run("verify").code == 0)
        let dump = try Tool.chunkDump.run([store])
        #expect(dump.code == 0 && dump.output.contains("tombstone"), "\(dump.errors)")
    }

    @Test("a deletion of everything needs --all")
    func usage() throws {
        #expect(try kymo("delete", "bodyMass").code == 64)
        #expect(try kymo("delete", "bodyMass", "--all", "--from", "2022").code == 64)
    }
}
