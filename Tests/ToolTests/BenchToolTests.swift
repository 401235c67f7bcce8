// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-1 B-2 B-3 kymo-bench measures ingest, queries and size, and checks every answer")
struct BenchToolTests {
    private struct Report: Decodable {
        struct Row: Decodable {
            let id: String
            let set: String
            let threads: Int
            let mode: String
            let median_s: Double
            let min_s: Double
            let samples: Int
            let hash: String
            let samples_per_s: Double?
            let bytes_per_sample: Double?
        }
        let machine: [String: MachineValue]
        let results: [Row]
    }

    private enum MachineValue: Decodable {
        case any
        init(from decoder: any Decoder) throws { self = .any }
    }

    private func rows(_ command: String, _ more: [String] = []) throws -> [Report.Row] {
        let directory = try TemporaryDirectory()
        let json = directory.file("report.json")
        let outcome = try Tool.kymoBench.run([command, "--small", "--runs", "1", "--json", json] + more)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("| id | set |"))
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
        #expect(!report.machine.isEmpty)
        return report.results
    }

    @Test("ingest: bulk and durable rows with rate and size")
    func ingest() throws {
        let rows = try rows("ingest")
        let bulk = rows.filter { $0.mode == "bulk" }
        #expect(bulk.allSatisfy { ($0.bytes_per_sample ?? 99) < 4 && ($0.samples_per_s ?? 0) > 0 })
        #expect(Set(rows.map(\.mode)) == ["bulk", "durable-1", "durable-100"])
    }

    @Test("query: all ten, with the same answers every time")
    func query() throws {
        let first = try rows("query").filter { $0.mode == "warm" }
        #expect(Set(first.map(\.id)) == Set((1...10).map { "Q\($0)" }))
        let again = try rows("query", ["--only", "Q1,Q2,Q5"])
        for row in again { #expect(first.first { $0.id == row.id }?.hash == row.hash) }
    }

    @Test("size: bytes of each sample, everything counted")
    func size() throws {
        #expect(try rows("size").allSatisfy { $0.id == "size" && $0.bytes_per_sample != nil })
    }

    @Test("Without data it says what to do")
    func usage() throws {
        let outcome = try Tool.kymoBench.run(["query"])
        #expect(outcome.code == 64)
        #expect(outcome.errors.contains("--data"))
        let missing = try Tool.kymoBench.run(["query", "--data", "/nowhere"])
        #expect(missing.code == 1)
        #expect(missing.errors.contains("gen.py"))
    }
}
