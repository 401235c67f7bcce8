// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-2 kymo-bench compare and real measure other engines and codecs")
struct CompareTests {
    private struct Report: Decodable {
        struct Cell: Decodable { let median, best: Double }
        struct Line: Decodable {
            let id, set, mode, kind: String
            let ours: Cell
            let peers: [String: Cell]
            let missing: [String: String]
            let ratio: Double?
        }
        struct Peer: Decodable {
            struct Failure: Decodable { let reason: String }
            let peer: String
            let failures: [Failure]
            let problem: String?
        }
        let lines: [Line]
        let peers: [Peer]
    }

    private func report(_ path: String) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test(
        "compare --small: plain SQLite answers all queries, and every line has a ratio",
        arguments: [[], ["--encrypted"]])
    func small(options: [String]) throws {
        let directory = try TemporaryDirectory()
        let json = directory.file("compare.json")
        let outcome = try Tool.kymoBench.run(
            [
                "compare", "--small", "--runs", "1", "--commits", "20", "--json", json, "--scripts",
                PeerScripts.real,
            ] + options)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let report = try report(json)
        #expect(report.peers.map(\.peer) == ["sqlite"])
        #expect(report.peers.allSatisfy { $0.problem == nil && $0.failures.isEmpty }, "\(report.peers)")
        #expect(Set(report.lines.filter { $0.kind == "query" }.map(\.id)) == Set((1...10).map { "Q\($0)" }))
        #expect(Set(report.lines.map(\.kind)) == ["query", "ingest", "durable", "size"])
        for line in report.lines {
            #expect(line.missing.isEmpty && line.peers.count == 1 && (line.ratio ?? 0) > 0, "\(line)")
            #expect(line.ours.best <= line.ours.median && line.ours.best > 0, "\(line)")
        }
        #expect(outcome.output.contains("| Q1 |") && outcome.output.contains("| SQLite |"))
    }

    @Test("A failing peer is named with its reason")
    func failure() throws {
        let scripts = try PeerScripts(["worker.py": "import sys\nsys.exit('it has no such library')\n"])
        let outcome = try Tool.kymoBench.run([
            "compare", "--small", "--sets", "ecg", "--runs", "1", "--commits", "5", "--peers", "duckdb-tables",
            "--scripts", scripts.directory.path,
        ])
        #expect(outcome.code == 1 && outcome.errors.contains("it has no such library"), "\(outcome.errors)")
        #expect(outcome.output.contains("it has no such library"))
        #expect(outcome.output.contains("| Q10 |"))
    }

    @Test("A missing directory of scripts is named")
    func scripts() throws {
        let lost = try Tool.kymoBench.run(["compare", "--small", "--scripts", "/nowhere", "--runs", "1"])
        #expect(lost.code == 1 && lost.errors.contains("/nowhere"))
    }

    @Test("real: every bit reads back, and the bytes of a series are listed by column")
    func recordings() throws {
        let scripts = try recordingScripts()
        let json = scripts.directory.file("real.json")
        try FileManager.default.createDirectory(
            atPath: scripts.directory.file("routes"), withIntermediateDirectories: false, attributes: nil)
        let outcome = try Tool.kymoBench.run(
            ["real", "--data", scripts.directory.path, "--json", json] + scripts.options)
        #expect(outcome.code == 0, "\(outcome.errors)")
        struct Real: Decodable {
            struct Row: Decodable {
                let name: String
                let samples, times, values, rest: Int
                let valueEncodings: [String]
            }
            let rows: [Row]
            let missing: [String]
        }
        let report = try JSONDecoder().decode(Real.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(report.missing == ["a route: it was not there"])
        let row = try #require(report.rows.first)
        #expect(row.name == "pulse" && row.samples == 3_000)
        #expect(row.times > 0 && row.values > 0 && row.rest > 0 && !row.valueEncodings.isEmpty)
        #expect(row.times + row.values + row.rest < 16 * row.samples)
        #expect(outcome.output.contains("Not read: a route: it was not there"))
    }

    /// Returns scripts that write a series and its manifest without any library.
    private func recordingScripts() throws -> PeerScripts {
        let series = """
            import array, json, os, sys
            out = sys.argv[sys.argv.index('--out') + 1]
            os.makedirs(out)
            # Two samples per instant, and values without a short decimal form.
            times = array.array('q', [1700000000000000000 + (i // 2) * 20000000 for i in range(3000)])
            values = array.array('d', [(i * i % 997) / 38880 for i in range(3000)])
            for name, column in (('0.ts', times), ('0.val', values)):
                with open(out + '/' + name, 'wb') as file:
                    column.tofile(file)
            entry = dict(file='0', name='pulse', group='ECG', source='none', samples=3000)
            json.dump(dict(series=[entry], missing=['a route: it was not there']), open(out + '/manifest.json', 'w'))
            """
        let anchors = """
            import json, sys
            column = dict(bytes=1000)
            codecs = {'pcodec-8': dict(times=column, values=column)}
            json.dump(dict(pulse=codecs), open(sys.argv[sys.argv.index('--out') + 1], 'w'))
            """
        return try PeerScripts(["real_series.py": series, "real_anchors.py": anchors])
    }
}
