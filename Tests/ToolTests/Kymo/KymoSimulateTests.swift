// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("X-5 T-6 kymo simulate")
struct KymoSimulateTests {
    @Test("a store of simulated days answers queries, and the same days again are refused")
    func days() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        let made = try run("simulate", "--from", "2024-03-30", "--days", "3", "--tz", "Europe/Berlin", "--json")
        #expect(made.code == 0 && made.output.contains("\"days\":3,"), "\(made.output) \(made.errors)")
        let table = try run("stats", "stepCount", "--by", "day", "--tz", "Europe/Berlin", "--jsonl")
        #expect(table.code == 0 && table.output.split(separator: "\n").count == 3, "\(table.output) \(table.errors)")
        let again = try run("simulate", "--from", "2024-04-01", "--days", "1", "--tz", "Europe/Berlin")
        #expect(again.code == 1 && again.errors.contains("0 earlier days were saved"), "\(again.errors)")
    }

    @Test("an offset is a time zone, missing directories are created, and only an existing day is reported as one")
    func places() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("new/deep/store")
        func run(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(["simulate", "--from", "2024-03-31", "--store", store] + arguments)
        }
        for zone in [["--tz=-05:00"], ["--tz", "-05:00", "--seed", "2"], ["--tz", "+05:30", "--seed", "3"]] {
            let made = try Tool.kymo.run(
                ["simulate", "--from", "2024-04-01", "--days", "1", "--store", store] + zone)
            #expect(made.code == 0, "\(zone): \(made.errors)")
            let first = try Tool.kymo.run(
                ["query", "heartRate", "--csv", "--tz", "-05:00", "--store", store, "--limit", "1"])
            let day = zone[1...].contains("+05:30") ? "2024-03-31T13:" : "2024-04-01T00:"
            #expect(first.output.contains("\n\(day)"), "\(first.output) \(first.errors)")
        }
        let again = try run("--days", "3", "--tz", "-05:00")
        #expect(again.code == 1 && again.errors.contains("already has 2024-04-01"), "\(again.errors)")
        #expect(again.errors.contains("1 earlier day was saved") && !again.errors.contains("series"))
        try Data().write(to: URL(fileURLWithPath: directory.file("file")))
        let refused = try Tool.kymo.run(["simulate", "--days", "1", "--store", directory.file("file/store")])
        #expect(refused.code == 1 && !refused.errors.contains("choose other days"), "\(refused.errors)")
    }

    @Test("invalid arguments are refused")
    func usage() throws {
        let directory = try TemporaryDirectory()
        for wrong in [["--days", "0"], ["--from", "2023-02-29"], ["--heart-rate-every", "0"], ["--tz", "Nowhere"]] {
            let outcome = try Tool.kymo.run(["simulate", "--store", directory.file("store")] + wrong)
            #expect(outcome.code == 64, "\(wrong)")
        }
        #expect(try Tool.kymo.run(["simulate"]).code == 64)
    }
}
