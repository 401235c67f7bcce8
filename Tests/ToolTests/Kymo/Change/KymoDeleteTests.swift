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

    @Test("a period up to now is a range, and cannot be combined with --all")
    func periods() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        #expect(try run("add", "weight", "70", "kg", "--start", "yesterday").code == 0)
        #expect(try run("add", "weight", "71", "kg", "--start", "2020-01-31").code == 0)
        #expect(try run("add", "weight", "71", "kg", "--start", "soon").code == 64)
        let both = try run("delete", "weight", "--last", "7d", "--all")
        #expect(both.code == 64 && both.errors.contains("--last"), "\(both.errors)")
        #expect(try run("delete", "weight", "--last", "7d").output == "deleted 1 sample of bodyMass\n")
        #expect(try run("query", "weight", "--csv").output.split(separator: "\n").count == 2)
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

    @Test("without a type the samples of all types of a source are deleted in one commit")
    func source() throws {
        struct Report: Decodable {
            var sources: [String]
            var deleted: Int
            var sequence: Int
        }
        struct Source: Decodable, Equatable {
            var name: String
            var samples: Int
        }
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let (steps, mass) = ("HKQuantityTypeIdentifierStepCount", "HKQuantityTypeIdentifierBodyMass")
        let records = ["2022-05-02", "2022-05-03", "2022-05-04"].flatMap { day in
            ["A", "B"].flatMap { source in
                [
                    recordText(steps, day, value: "10", unit: "count", source: source),
                    recordText(mass, day, value: "70", unit: "kg", source: source),
                ]
            }
        }
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        func delete(_ arguments: String...) throws -> Report {
            try decodeOutput(
                Report.self, Tool.kymo.run(["delete", "--source", "A", "--json", "--store", store] + arguments))
        }
        func sources() throws -> [Source] {
            try decodeOutput([Source].self, Tool.kymo.run(["sources", "--json", "--store", store]))
        }
        let dry = try delete("--all", "--dry-run")
        #expect(dry.deleted == 6 && dry.sources == ["A"])
        let first = try delete("--to", "2022-05-02")
        #expect(first.deleted == 2 && first.sequence == dry.sequence + 1)
        #expect(try sources() == [Source(name: "A", samples: 4), Source(name: "B", samples: 6)])
        let rest = try delete("--all")
        #expect(rest.deleted == 4 && rest.sequence == first.sequence + 1)
        #expect(try sources() == [Source(name: "B", samples: 6)])
        #expect(try Tool.kymo.run(["verify", "--store", store]).code == 0)
    }

    @Test("a deletion of everything needs --all")
    func usage() throws {
        #expect(try kymo("delete", "bodyMass").code == 64)
        #expect(try kymo("delete", "bodyMass", "--all", "--from", "2022").code == 64)
        let all = try kymo("delete", "--all")
        #expect(all.code == 64 && all.errors.contains("--source"), "\(all.errors)")
    }
}
