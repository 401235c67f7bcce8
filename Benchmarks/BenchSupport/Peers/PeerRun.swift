// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// Runs peers one at a time, each in a separate process, on the same files and with the same queries as Kymograph.
package final class PeerRun {
    /// All peers, in the order of the tables.
    package static let names = [
        "duckdb", "duckdb-tables", "duckdb-parquet", "clickhouse", "polars", "arcticdb", "tsfile", "sqlite",
        "sqlcipher", "victoriametrics",
    ]

    /// The peers that run once: two always use one thread, the server is slow to load.
    package static let askedOnce: Set<String> = ["tsfile", "sqlite", "sqlcipher", "victoriametrics"]

    /// Short names for groups of peers.
    package static let groups = [
        "duckdb": ["duckdb", "duckdb-tables", "duckdb-parquet"], "chdb": ["clickhouse"], "parquet": ["polars"],
    ]

    /// The peers that Python's standard library can use, though slower.
    private static let needNoPackage: Set<String> = ["sqlite"]

    private let python: PeerPython
    /// The Python of each prepared peer, or the error that prevents its use.
    private var ready: [String: Result<Readiness, BenchError>] = [:]
    /// The directory of the columns.
    package let data: String
    /// The directory for databases and queries.
    package let work: String
    package let sets: [String]
    package let runs: Int
    package let commits: Int
    package let cold: Bool
    /// The time limit of a peer in seconds.
    package let limit: Int

    package init(
        python: PeerPython, data: String, work: String, sets: [BenchSet], runs: Int, commits: Int,
        cold: Bool, limit: Int
    ) throws {
        self.python = python
        self.data = data
        self.work = work
        self.sets = sets.map(\.name)
        self.runs = runs
        self.commits = commits
        self.cold = cold
        self.limit = limit
        try ask(sets.first { $0.name == "hr" })
    }

    private var questions: String { work + "/questions.json" }

    /// Writes the ranges of Q5 and the minutes of Q8 in microseconds for the peers. All times are whole microseconds,
    /// so rounding an edge up does not change results.
    private func ask(_ set: BenchSet?) throws {
        struct Questions: Encodable { let ranges, minutes: [[Int64]] }
        func microseconds(_ ranges: [TimeRange]) -> [[Int64]] {
            ranges.map { [($0.start + 999) / 1_000, ($0.end + 999) / 1_000] }
        }
        let questions = Questions(
            ranges: set.map { microseconds(CompareOurs.ranges($0)) } ?? [],
            minutes: set.map { microseconds(CompareOurs.minutes($0)) } ?? [])
        let text = String(decoding: try JSONEncoder().encode(questions), as: UTF8.self)
        try BenchFiles.write(text, to: self.questions)
    }

    private struct Readiness {
        var python: PeerPython
        /// A remark for the peer's settings.
        var remark: String?
    }

    /// Installs the requirements of a peer once. Returns the error if the peer cannot be used; nil otherwise.
    package func prepare(_ peer: String) -> BenchError? {
        let found = ready[peer] ?? makeReady(peer)
        ready[peer] = found
        if case .failure(let problem) = found { return problem }
        return nil
    }

    private func makeReady(_ peer: String) -> Result<Readiness, BenchError> {
        guard python.environment != nil else { return .success(Readiness(python: python)) }
        do {
            try environment.get()
            try python.install(peer)
            return .success(Readiness(python: python))
        } catch {
            let problem = error as? BenchError ?? BenchError("\(error)")
            guard Self.needNoPackage.contains(peer) else { return .failure(problem) }
            let remark = "run with the system's Python, because \(problem)"
            return .success(Readiness(python: python.system, remark: remark))
        }
    }

    /// Created once: a failure would repeat every time.
    private lazy var environment = Result<Void, any Error> { try python.makeEnvironment() }

    /// Measures one peer; errors become part of the outcome.
    package func measure(_ peer: String, threads: Int) -> PeerOutcome {
        if let problem = prepare(peer) { return PeerOutcome(peer, threads: threads, problem: "\(problem)") }
        let path = "\(work)/\(peer)-\(threads).json"
        do {
            var arguments = [
                peer, "--data", data, "--questions", questions, "--work", work, "--out", path, "--threads",
                String(threads), "--runs", String(runs), "--sets", sets.joined(separator: ","), "--commits",
                String(commits), "--limit", String(limit),
            ]
            if !cold { arguments.append("--no-cold") }
            let readiness = try ready[peer]?.get() ?? Readiness(python: python)
            try readiness.python.call("worker.py", arguments)
            var outcome = try PeerOutcome.read(path)
            if let remark = readiness.remark { outcome.note += "; \(remark)" }
            return outcome
        } catch {
            return PeerOutcome(peer, threads: threads, problem: "\(error)")
        }
    }
}
