// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import Foundation
import TestSupport
import Testing

@Suite("B-5 reports of benchmarks: JSON, Markdown, text")
struct ReportTests {
    static func row(
        _ id: String = "Q1", mode: String = "warm", threads: Int = 1, seconds: Double = 0.001, hash: String = "abc"
    ) -> BenchResult {
        BenchResult(
            id: id, set: "hr", threads: threads, mode: mode, medianSeconds: seconds * 1.1, minSeconds: seconds,
            samples: 10, hash: hash, what: "a row")
    }

    @Test("A written JSON report reads back equal")
    func roundTrip() throws {
        var full = Self.row()
        full.p99Seconds = 0.1 + 0.2
        full.processorSeconds = 1e-9
        full.samplesPerSecond = 1e9 / 3
        full.bytesPerSample = 1.4
        full.bytes = 7
        full.bytesPerSecond = 5
        full.residentBytes = 1 << 40
        full.ratio = 1.5
        full.ratioTo = "SQLite-1"
        full.runs = 15
        let run = BenchReport.Run(date: "2026-01-31T12:00:00Z", command: ["kymo-bench", "query"], runs: 5)
        let report = BenchReport([full, Self.row("Q2")], notes: ["cold queries: not root"], run: run)
        #expect(report.markdown().contains("runs (--runs 5), begun 2026-01-31T12:00:00Z.\n"))
        let directory = try TemporaryDirectory()
        let path = directory.file("report.json")
        try BenchFiles.write(try report.json(), to: path)
        #expect(try BenchReport.read(path) == report)
        #expect(report.machine.sqlite?.hasPrefix("3.") == true)
        #expect(report.machine.lz4?.hasPrefix("1.") == true)
        #expect(report.machine.compiler?.hasPrefix("Swift 6.") == true)
    }

    @Test("a report of the first format version can be read")
    func first() throws {
        let path = repositoryRoot.appendingPathComponent("Tests/BenchSupportTests/Reports/first.json").path
        let report = try BenchReport.read(path)
        #expect(report.results.count > 20)
        #expect(report.machine.sqlite == nil && report.run == nil)
        #expect(report.markdown().contains("Median and minimum of the runs.\n"))
    }

    @Test(
        "a file that is not a report is refused with its name and a reason",
        arguments: ["", "{", "[]", "{\"results\": []}", "{\"machine\": 3, \"results\": []}"])
    func refused(_ text: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("bad.json")
        try BenchFiles.write(text, to: path)
        let error = #expect(throws: BenchError.self) { try BenchReport.read(path) }
        #expect(error?.description.contains("bad.json is not a report") == true)
        let missing = #expect(throws: BenchError.self) { try BenchReport.read(directory.file("none.json")) }
        #expect(missing?.description.contains("cannot be read") == true)
    }

    @Test("a Markdown table has only filled columns and lists unmeasured benchmarks")
    func markdown() {
        var row = Self.row()
        row.ratio = 2
        row.ratioTo = "SQLite-1"
        let text = BenchReport([row], notes: ["cold queries: not root", "cold queries: not root"]).markdown()
        #expect(text.contains("| id | set | what | mode | threads | median | min | samples | ratio |"))
        #expect(text.contains("| Q1 | hr | a row | warm | 1 | 1.1 ms | 1 ms | 10 | 2 × SQLite-1 |"))
        #expect(text.hasSuffix("|\n\n- Not measured: cold queries: not root\n"))
    }

    @Test("numbers are formatted with units")
    func words() {
        #expect(
            [0, 1, 99.9994, 99.9996, 100.4, 1e14].map(NumberWords.number)
                == ["0", "1", "99.999", "100", "100", "100000000000000"])
        #expect(
            [0, 2e-9, 1.5e-6, 0.25, 12.3456].map(NumberWords.time) == ["-", "2 ns", "1.5 µs", "250 ms", "12.346 s"])
        #expect([999, 10_000, 1_500_000, 1_000_000_000].map(NumberWords.count) == ["999", "10 k", "1.5 M", "1 G"])
        #expect(
            [0, 1, 2].map { NumberWords.plural($0, "daily bucket") }
                == ["0 daily buckets", "1 daily bucket", "2 daily buckets"])
        #expect([100, 20_480, 1 << 30].map(NumberWords.bytes) == ["100 B", "20 KiB", "1024 MiB"])
    }

    @Test("quantiles of runs are computed")
    func quantiles() {
        let watch = Stopwatch(seconds: (1...100).reversed().map(Double.init))
        #expect(watch.min == 1 && watch.median == 51 && watch.quantile(0.99) == 100 && watch.total == 5_050)
        #expect(Stopwatch().median == 0 && Stopwatch().min == 0)
    }

    @Test("the reported version is the version of the tools")
    func version() throws {
        let kymo = repositoryRoot.appendingPathComponent("Tools/kymo/Kymo.swift")
        let text = try String(contentsOf: kymo, encoding: .utf8)
        #expect(text.contains("static let version = \"\(BenchHost.currentVersion)\""))
    }
}

/// The root of the repository.
let repositoryRoot: URL = {
    var url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url
}()
