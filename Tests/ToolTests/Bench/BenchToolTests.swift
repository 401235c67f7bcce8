// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-1 B-2 B-3 B-4 B-6 kymo-bench: a small run of every command, with all answers checked")
struct BenchToolTests {
    struct Report: Decodable {
        struct Run: Decodable {
            let date: String
            let command: [String]
            let runs: Int?
        }
        struct Row: Decodable {
            let id: String
            let set: String
            let threads: Int
            let mode: String
            let median_s: Double
            let min_s: Double
            let p99_s: Double?
            let cpu_s: Double?
            let samples: Int
            let runs: Int?
            let hash: String
            let samples_per_s: Double?
            let bytes_per_sample: Double?
            let bytes: Int?
            let bytes_per_s: Double?
            let resident_bytes: Int?
            let ratio: Double?
        }
        let machine: [String: MachineValue]
        let run: Run
        let results: [Row]
        let notes: [String]?
    }

    enum MachineValue: Decodable {
        case any
        init(from decoder: any Decoder) throws { self = .any }
    }

    private func report(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Report {
        let directory = try TemporaryDirectory()
        let json = directory.file("report.json")
        let markdown = directory.file("report.md")
        let work = arguments[0] == "kernels" ? [] : ["--work", directory.path]
        let outcome = try Tool.kymoBench.run(
            arguments + ["--json", json, "--markdown", markdown] + work, environment: environment)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try String(contentsOfFile: markdown, encoding: .utf8) == outcome.output)
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        for key in ["processor", "cores", "kernel", "system", "build", "version", "compiler", "lz4", "sqlite", "level"]
        {
            #expect(report.machine[key] != nil, "\(key)")
        }
        #expect(report.run.date.hasSuffix("Z") && report.run.date.count == 20, "\(report.run.date)")
        #expect(report.run.command.starts(with: ["kymo-bench"] + arguments) && report.run.command.contains(json))
        #expect(report.run.runs == (arguments.contains("--runs") ? 1 : nil))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(Set(names) == ["report.json", "report.md"], "work files are left")
        return report
    }

    private func rows(_ command: String, _ more: [String] = []) throws -> [Report.Row] {
        try report([command, "--small", "--runs", "1"] + more).results
    }

    @Test("ingest has bulk, late and durable rows, and rows of plain SQLite")
    func ingest() throws {
        let rows = try rows("ingest", ["--threads", "1,2", "--sets", "hr,ecg"])
        let bulk = rows.filter { $0.mode == "bulk" }
        #expect(bulk.map(\.threads) == [1, 1, 2, 2])
        #expect(bulk.allSatisfy { ($0.bytes_per_sample ?? 99) < 4 && ($0.samples_per_s ?? 0) > 0 })
        #expect(bulk[0].hash == bulk[2].hash && bulk[1].hash == bulk[3].hash && bulk[0].hash != bulk[1].hash)
        let modes = [
            "bulk", "late", "SQLite-1", "SQLite-100", "durable-1", "durable-100", "producers-100", "tasks-100",
            "compacting-100",
            "readers-100", "relaxed-1",
        ]
        #expect(Set(rows.map(\.mode)) == Set(modes))
        #expect(rows.filter { $0.mode == "producers-100" }.map(\.threads) == [1, 4, 16])
        for row in rows where row.mode.hasPrefix("durable") || row.mode.hasPrefix("producers") {
            #expect((row.ratio ?? 0) > 0 && (row.p99_s ?? 0) >= row.median_s)
        }
    }

    @Test("query has all queries, with the same answers for any number of threads")
    func query() throws {
        let report = try report(["query", "--small", "--runs", "1", "--threads", "1,2", "--sets", "hr,ecg"])
        let warm = report.results.filter { $0.mode == "warm" }
        let one = warm.filter { $0.threads == 1 }
        let shapes = ["deviation", "quantiles", "hourly-quantiles", "envelope", "lttb", "extremes-lttb"]
        let merges = ["steps", "dense"].flatMap { [$0, "\($0)-never", "\($0)-rarely", "\($0)-always"] }
        #expect(Set(one.map(\.id)) == Set((1...10).map { "Q\($0)" } + ["scan"] + shapes + merges))
        for row in one {
            let two = warm.filter { $0.threads == 2 && $0.id == row.id }
            #expect(two.map(\.hash) == [row.hash], "\(row.id)")
        }
        let live = report.results.filter { $0.mode == "live" }
        let each = ["live", "late", "deleted", "notified", "changes"]
        #expect(live.map(\.id) == each + each)
        #expect(live.allSatisfy { $0.median_s > 0 })
        let late = report.results.filter { $0.mode == "late" }
        #expect(late.map(\.id) == ["Q2", "Q4"])
        for row in late { #expect(one.first { $0.id == row.id }?.hash == row.hash, "late data changes the answer") }
        #expect(late.allSatisfy { $0.ratio == nil }, "a small run has a ratio")
        #expect(one.allSatisfy { $0.runs == 3 })
        #expect(report.notes?.contains { $0.contains("cold") } == true)
    }

    @Test("size has bytes by column that add up to the size of the files")
    func size() throws {
        let rows = try rows("size", ["--sets", "hr"])
        #expect(rows.allSatisfy { $0.id == "size" && $0.bytes_per_sample != nil })
        #expect(rows[0].mode == "all files")
        #expect(rows[0].bytes == rows.dropFirst().reduce(0) { $0 + ($1.bytes ?? 0) })
    }

    @Test("encryption has a plain and an encrypted row of each operation, and their ratio")
    func encryption() throws {
        let rows = try rows("encryption", ["--sets", "hr,ecg"])
        let plain = rows.filter { $0.mode == "plain" }
        let encrypted = rows.filter { $0.mode == "encrypted" }
        let ids = ["ingest"] + (1...9).map { "Q\($0)" } + ["create", "open", "append"] + ["ingest", "Q10"]
        #expect(plain.map(\.id) == ids && encrypted.map(\.id) == ids)
        #expect(plain.allSatisfy { $0.ratio == nil } && encrypted.allSatisfy { ($0.ratio ?? 0) > 0 })
        for (plain, encrypted) in zip(plain, encrypted) where plain.id == "ingest" {
            #expect((plain.bytes ?? 0) > 0 && (encrypted.bytes ?? 0) > (plain.bytes ?? 0))
        }
    }

    @Test("kernels has rows for each processor level, with the same results")
    func kernels() throws {
        let rows = try rows("kernels")
        #expect(rows.prefix(2).map(\.id) == ["memory", "memory"])
        let portable = rows.filter { $0.mode == "portable" }
        #expect(portable.count > 40 && portable.allSatisfy { ($0.bytes_per_s ?? 0) > 0 && ($0.ratio ?? 0) > 0 })
        for row in rows where row.id != "memory" {
            #expect(portable.first { $0.id == row.id && $0.set == row.set }?.hash == row.hash)
        }
    }

    @Test("grow has rows of ingest, opening, memory and queries for each size")
    func grow() throws {
        let rows = try rows("grow", ["--series", "2"])
        #expect(Set(rows.map(\.id)) == ["ingest", "open", "first Q2", "Q2", "Q5", "hours"])
        #expect(Set(rows.map(\.mode)) == ["10 k", "100 k"])
        #expect(rows.filter { $0.id == "open" }.allSatisfy { ($0.resident_bytes ?? 0) > 0 })
    }

    @Test("series has rows of a load of many series, and of finding and making one")
    func series() throws {
        let rows = try rows("series")
        #expect(rows.count == 14 && Set(rows.map(\.mode)) == ["1 k series", "2 k series"])
        #expect(Set(rows.map(\.id)) == ["load", "open", "first name", "name", "sum", "make", "make, held"])
        #expect(rows.filter { $0.id == "load" }.allSatisfy { ($0.bytes ?? 0) > 0 && ($0.resident_bytes ?? 0) > 0 })
    }

    @Test("year: live data with late samples and deletions, after merges, equals a plain model")
    func year() throws {
        let rows = try report(["year", "--days", "6", "--series", "1"]).results
        #expect(rows.map(\.mode) == ["live", "merges", "everything", "disk", "catalog", "disk-before"])
        #expect(Set(rows.map(\.hash)).count == 1 && rows.allSatisfy { $0.id == "year" && ($0.bytes ?? 0) > 0 })
        // The catalog of such a small store is large; the limit for segments is that of a year.
        #expect((rows[0].ratio ?? 99) < 4 && (rows[3].ratio ?? 99) < 1.6)
        #expect((rows[4].ratio ?? 0) > (rows[0].ratio ?? 99) && (rows[5].ratio ?? 0) > 1)
    }

    @Test("live has rows of totals after new, late and deleted samples, and of the notification of a commit")
    func live() throws {
        let rows = try report(["live", "--small"]).results
        #expect(rows.map(\.id) == [0, 1].flatMap { _ in ["live", "late", "deleted", "notified", "changes"] })
        #expect(rows.allSatisfy { $0.median_s > 0 } && rows.filter { $0.ratio != nil }.count == 3)
    }

    @Test("deletions has rows with many tombstones and after they are forgotten, with the same answers")
    func deletions() throws {
        let rows = try report(["deletions", "--small"]).results
        #expect(rows.map(\.mode) == ["known", "known", "known", "forgotten", "forgotten", "forgotten", "once"])
        #expect(Set(rows.prefix(6).map(\.hash)).count == 1)
    }

    @Test("reads has rows of a scan, of reads into kept and fresh arrays, and of small calls, with the stored samples")
    func reads() throws {
        let rows = try rows("reads", ["--threads", "1,2"])
        let large = rows.filter { $0.id == "scan" || $0.id == "read" }
        #expect(large.count == 12 && Set(large.map(\.mode)) == ["sums", "kept", "fresh"])
        for row in large {
            #expect(row.min_s > 0 && (row.cpu_s ?? 0) > 0 && (row.ratio != nil) == (row.id == "read"))
            #expect(large.allSatisfy { $0.samples != row.samples || $0.hash == row.hash })
        }
        #expect(rows.filter { $0.id == "small" }.map(\.mode) == ["scan-range", "scan-limit", "read-range"])
        #expect(rows.filter { $0.id == "small" }.allSatisfy { $0.median_s > 0 && $0.samples == 4_096 })
        #expect(rows.filter { $0.id == "beside" }.count == 3)
    }

    @Test("health has rows of HealthKit's operations, and of SQLite where it can do the same")
    func health() throws {
        let rows = try rows("health")
        #expect(
            Set(rows.map(\.id)) == ["storage", "save", "series", "daily-sums", "hourly-rates", "newest", "nothing-new"])
        #expect(rows.filter { $0.mode == "SQLite" }.count == 3 && rows.allSatisfy { $0.set == "health" })
        #expect(rows.filter { $0.id != "storage" }.allSatisfy { $0.min_s > 0 && $0.samples > 0 })
        #expect(rows.filter { $0.id == "storage" }.allSatisfy { ($0.bytes_per_sample ?? 0) > 0 })
    }

    @Test("workouts has rows of saved and running workouts, routes and a search, and of SQLite and GPX files")
    func workouts() throws {
        let directory = try TemporaryDirectory()
        let points = (0..<3).map { i in
            "<trkpt lat=\"46.\(i)\" lon=\"7.\(i)\"><ele>400</ele><time>2025-01-01T10:00:0\(i)Z</time></trkpt>"
        }
        let file = "<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
        try Data(file.utf8).write(to: URL(fileURLWithPath: directory.file("walk.gpx")))
        // An environment of the peers whose Python finds no library.
        let bin = URL(fileURLWithPath: directory.file("kymograph/peers/bin"))
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        let python = bin.appendingPathComponent("python3")
        try Data("#!/bin/sh\nexec /usr/bin/env python3 -S \"$@\"\n".utf8).write(to: python)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python.path)
        let rows = try report(
            ["workouts", "--small", "--runs", "1", "--routes", directory.path], ["XDG_CACHE_HOME": directory.path]
        ).results
        #expect(
            Set(rows.map(\.id)) == [
                "session", "finish", "route", "statistics", "collected", "activities", "route-size",
            ])
        // A delegate may be called before the program's own save returns.
        #expect(rows.filter { $0.id != "route-size" && $0.mode != "program" }.allSatisfy { $0.min_s > 0 })
        #expect(rows.filter { $0.id == "statistics" }.count == 12 && rows.filter { $0.id == "activities" }.count == 4)
        let sizes = rows.filter { $0.id == "route-size" }
        #expect(Set(sizes.map(\.set)) == ["generated", "walk"] && sizes.allSatisfy { ($0.bytes_per_sample ?? 0) > 0 })
        #expect(!sizes.contains { $0.mode.hasPrefix("Parquet") })
    }

    @Test("import measures whole runs of kymo and checks their counts against the manifest")
    func importing() throws {
        let script = repository.appendingPathComponent("Benchmarks/data/gen_export_xml.py").path
        let arguments = ["import", "--small", "--runs", "1", "--generator", script]
        let none = try Tool.kymoBench.run(arguments, environment: ["PATH": "/nowhere"])
        #expect(none.code == 1 && none.errors.contains("python3"), "\(none.errors)")
        guard try Self.hasPython() else { return }
        let report = try report(arguments)
        #expect(report.results.map(\.set) == ["export.xml", "export.xml", "export.zip"])
        #expect(report.results.map(\.mode) == ["new", "again", "new"])
        #expect(Set(report.results.map(\.hash)).count == 1)
        for row in report.results {
            #expect(row.samples == 500 && (row.cpu_s ?? 0) > 0 && (row.resident_bytes ?? 0) > 1 << 20)
        }
    }

    @Test("commands measures whole runs of kymo, with a limit or exempt from it")
    func commands() throws {
        let script = repository.appendingPathComponent("Benchmarks/data/gen_export_xml.py").path
        let arguments = ["commands", "--small", "--runs", "1", "--generator", script]
        let none = try Tool.kymoBench.run(arguments, environment: ["PATH": "/nowhere"])
        #expect(none.code == 1 && none.errors.contains("python3"), "\(none.errors)")
        guard try Self.hasPython() else { return }
        let rows = try report(arguments).results
        #expect(Set(rows.map(\.set)).count == rows.count && rows.count > 30)
        #expect(rows.allSatisfy { $0.id == "command" && $0.min_s > 0 && $0.samples == 5_000 })
        #expect(rows.filter { $0.mode == "exempt" }.map(\.set).contains("verify"))
        for name in ["today", "sleep", "workouts", "stats steps --by day", "report -"] {
            #expect(rows.contains { $0.set == name && $0.mode == "limited" }, "\(name)")
        }
    }

    private static func hasPython() throws -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
    }

    @Test("operations runs only the named ones")
    func operations() throws {
        let names = try Tool.kymoBench.run(["operations", "--list"]).output.split(separator: "\n")
        #expect(names.count >= 20 && names.contains("Q2"))
        let rows = try report(["operations", "--only", "sums,snapshot"]).results
        #expect(rows.map(\.set) == ["sums", "snapshot"])
    }

    @Test("--svg draws the plots")
    func plots() throws {
        let directory = try TemporaryDirectory()
        let outcome = try Tool.kymoBench.run(
            ["size", "--small", "--runs", "1", "--sets", "energy", "--svg", directory.file("plots")])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let svg = try String(contentsOfFile: directory.file("plots") + "/size.svg", encoding: .utf8)
        #expect(svg.hasPrefix("<?xml") && svg.hasSuffix("</svg>\n") && svg.contains("energy"))
    }
}
