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

    @Test("a sample without a source makes no empty name in the message")
    func nameless() throws {
        let directory = try TemporaryDirectory()
        let (store, file) = (directory.file("store"), directory.file("export.xml"))
        let records = ["", "Pen"].map {
            recordText("HKQuantityTypeIdentifierStepCount", "2022-05-02", value: "5", source: $0)
        }
        for (count, names) in [(1, ""), (2, " (Pen)")] {
            try exportText(Array(records.prefix(count))).write(toFile: file, atomically: true, encoding: .utf8)
            _ = try Tool.kymo.run(["import", file, "--store", store])
            let refused = try Tool.kymo.run(["simulate", "--days", "1", "--store", store])
            #expect(refused.code == 64 && refused.errors.contains("data of other sources\(names); name another"))
        }
    }

    @Test("a store with data of other sources is refused unless a flag is given, and one command deletes the samples")
    func otherSources() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        func run(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(arguments + ["--store", store], environment: ["TZ": "UTC"])
        }
        func simulate(_ more: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(
                ["simulate", "--from", "2024-04-01", "--days", "1", "--tz", "UTC", "--store", store] + more)
        }
        let steps = ["10", "count", "--start", "2024-04-01T00:00", "--end", "2024-04-02T00:00"]
        #expect(try Tool.kymo.run(["add", "stepCount", "--store", store, "--tz", "UTC"] + steps).code == 0)
        let before = try run("sources", "--json").output
        let refused = try simulate()
        let advice = "\(store) holds data of other sources (kymo); name another --store, or add --with-other-sources"
        #expect(refused.code == 64 && refused.errors.contains(advice), "\(refused.errors)")
        #expect(try run("sources", "--json").output == before)
        let made = try simulate("--with-other-sources")
        #expect(made.code == 0, "\(made.errors)")
        #expect(try run("prefer", "stepCount", "--csv").output.contains("1,kymo,0\n2,Simulated watch,0\n"))
        #expect(try run("stats", "stepCount", "--csv").output.contains(",10,"))
        let count = try #require(made.output.split(separator: " ").dropFirst(2).first)
        #expect(try run("delete", "--all").code == 64)
        #expect(try run("delete", "--source", "Simulated watch").code == 64)
        let dry = try run("delete", "--source", "Simulated watch", "--all", "--dry-run")
        #expect(dry.output == "would delete \(count) samples of Simulated watch\n", "\(dry.output) \(dry.errors)")
        let deleted = try run("delete", "--source", "simulated watch", "--all")
        #expect(deleted.output == "deleted \(count) samples of Simulated watch\n", "\(deleted.errors)")
        #expect(try run("sources", "--json").output == before)
        #expect(try simulate("--with-other-sources").code == 0, "the same days can be generated again")
        #expect(try run("verify").code == 0)
    }

    @Test("imported elements without samples are data of other sources, too")
    func importedElements() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let workout = """
             <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="1" durationUnit="min" \
            sourceName="A" startDate="2022-05-02 08:00:00 +0000" endDate="2022-05-02 08:01:00 +0000"/>
            """
        try exportText([workout]).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        let refused = try Tool.kymo.run(["simulate", "--days", "1", "--store", store])
        #expect(refused.code == 64 && refused.errors.contains("data of other sources (A); name"), "\(refused.errors)")
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
