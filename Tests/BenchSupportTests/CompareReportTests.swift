// SPDX-License-Identifier: Apache-2.0

import BenchSupport
import Foundation
import Testing

@Suite("B-2 the report of a comparison")
struct CompareReportTests {
    private func ours(_ threads: Int, _ seconds: Double) -> [[BenchResult]] {
        [1.0, 2].map { factor in
            [
                BenchResult(
                    id: "Q1", set: "hr", threads: threads, mode: "warm", medianSeconds: seconds * factor,
                    minSeconds: seconds * factor, samples: 10, what: "")
            ]
        }
    }

    /// Returns a peer's outcome as a worker reports it: a figure, or the reason for a refusal.
    private func peer(
        _ name: String, _ threads: Int, _ seconds: Double, lossy: Bool = false, refuses reason: String? = nil
    ) throws -> PeerOutcome {
        let key = "\"id\": \"Q1\", \"set\": \"hr\", \"mode\": \"warm\""
        let row = "{\(key), \"median_s\": \(seconds), \"min_s\": \(seconds), \"runs\": 1, \"samples\": 10}"
        let failure = reason.map { "{\(key), \"reason\": \"\($0)\"}" } ?? ""
        let text = """
            {"peer": "\(name)", "title": "\(name)", "version": "1", "note": "", "threads": \(threads),
             "lossy": {\(lossy ? "\"hr\": \"it rounds\"" : "")},
             "rows": [\(reason == nil ? row : "")], "failures": [\(failure)]}
            """
        return try JSONDecoder().decode(PeerOutcome.self, from: Data(text.utf8))
    }

    @Test("a peer without a figure is named once, with its first reason, and has no column")
    func missing() throws {
        let lost = PeerOutcome("polars", threads: 1, problem: "no route")
        let refused = try peer("tsfile", 1, 0, refuses: "has no such query")
        let report = try CompareReport([1: ours(1, 1)], [peer("sqlite", 1, 4), lost, lost, refused], notes: [])
        #expect(report.compared == ["sqlite"])
        #expect(report.notCompared == ["polars": "no route", "tsfile": "has no such query"])
        let text = report.markdown()
        #expect(text.contains("2 of 3 peers could not be compared") && text.contains("- polars: no route\n"))
        #expect(text.contains("|  | Kymograph | sqlite | best lossless |"))
        #expect(text.contains("Of 1 lines Kymograph is ahead in 1"))
        let object = try JSONSerialization.jsonObject(with: Data(try report.json().utf8)) as? [String: Any]
        #expect((object?["notCompared"] as? [String: String])?["polars"] == "no route")
    }

    @Test("without a comparable figure no line counts as a win")
    func nothing() throws {
        let none = CompareReport([1: ours(1, 1)], [PeerOutcome("polars", threads: 1, problem: "no route")], notes: [])
        #expect(none.compared.isEmpty && none.markdown().contains("Nothing was compared: no peer has a result."))
        let lossy = try CompareReport([1: ours(1, 1)], [peer("victoriametrics", 1, 4, lossy: true)], notes: [])
        #expect(lossy.compared == ["victoriametrics"] && lossy.notCompared.isEmpty)
        #expect(lossy.markdown().contains("all results of peers are lossy") && !lossy.markdown().contains("Of 0 lines"))
    }

    @Test("a peer that was measured once is compared with one thread and with two threads")
    func threads() throws {
        let report = try CompareReport([1: ours(1, 1), 2: ours(2, 0.5)], [peer("sqlite", 1, 4)], notes: [])
        #expect(report.lines.map(\.threads) == [1, 2] && report.lines.allSatisfy { $0.peers["sqlite"]?.best == 4 })
        let text = report.markdown()
        #expect(text.contains("## 1 thread\n") && text.contains("## 2 threads\n") && !text.contains("1 threads"))
    }
}
