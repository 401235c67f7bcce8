// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// Runs peers one at a time, each in a process of its own, on the same files and with the same questions as ours.
package struct PeerRun {
    /// All peers, in the order of tables.
    package static let names = [
        "duckdb", "duckdb-tables", "duckdb-parquet", "clickhouse", "polars", "arcticdb", "tsfile", "sqlite",
        "victoriametrics",
    ]

    /// Peers that are asked once: two use one thread whatever they are told, the server is slow to load.
    package static let askedOnce: Set<String> = ["tsfile", "sqlite", "victoriametrics"]

    /// Short names for several of them.
    package static let groups = [
        "duckdb": ["duckdb", "duckdb-tables", "duckdb-parquet"], "chdb": ["clickhouse"], "parquet": ["polars"],
    ]

    package let python: PeerPython
    /// Whether packages may be installed; otherwise the interpreter has what it needs.
    package let installs: Bool
    /// Where the columns are, as files.
    package let data: String
    /// A directory for databases and questions.
    package let work: String
    package let sets: [String]
    package let runs: Int
    package let commits: Int
    package let cold: Bool
    /// Seconds after which a peer is asked nothing more.
    package let limit: Int

    package init(
        python: PeerPython, installs: Bool, data: String, work: String, sets: [BenchSet], runs: Int, commits: Int,
        cold: Bool, limit: Int
    ) throws {
        self.python = python
        self.installs = installs
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

    /// Writes the ranges of Q5 and the minutes of Q8 as the peers count them, in microseconds: as all times are whole
    /// microseconds, rounding an edge up changes no answer.
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

    /// Measures one peer. Whatever goes wrong is the outcome.
    package func measure(_ peer: String, threads: Int) -> PeerOutcome {
        let path = "\(work)/\(peer)-\(threads).json"
        do {
            if installs { try python.install(peer) }
            var arguments = [
                peer, "--data", data, "--questions", questions, "--work", work, "--out", path, "--threads",
                String(threads), "--runs", String(runs), "--sets", sets.joined(separator: ","), "--commits",
                String(commits), "--limit", String(limit),
            ]
            if !cold { arguments.append("--no-cold") }
            try python.call("worker.py", arguments)
            return try PeerOutcome.read(path)
        } catch {
            return PeerOutcome(peer, threads: threads, problem: "\(error)")
        }
    }
}

extension BenchSet {
    /// Writes sets as the files that `load` and the peers read. Times must be whole microseconds.
    package static func write(_ sets: [BenchSet], to directory: String) throws {
        struct Manifest: Encodable {
            struct Group: Encodable { let series: [String] }
            let t0_us: Int64
            let scale: Double
            let sets: [String: Group]
        }
        try BenchFiles.makeDirectory(directory)
        let disk = RealDisk()
        func write(_ words: [UInt64], _ name: String) throws {
            let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
            try disk.createFile("\(directory)/\(name)", bytes)
        }
        for set in sets {
            for one in set.series {
                try write(one.times.map { UInt64(bitPattern: $0 / 1_000) }, one.name + ".ts")
                try write(one.values.map(\.bitPattern), one.name + ".val")
            }
        }
        let manifest = Manifest(
            t0_us: (sets.first?.origin ?? 0) / 1_000, scale: Double(sets.first?.days ?? 30) / 30,
            sets: Dictionary(uniqueKeysWithValues: sets.map { ($0.name, .init(series: $0.series.map(\.name))) }))
        try disk.createFile(directory + "/manifest.json", Array(try JSONEncoder().encode(manifest)))
    }
}
