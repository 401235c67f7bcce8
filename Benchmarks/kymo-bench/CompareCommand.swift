// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

/// Ours and the peers on the same files in one run.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ours beside DuckDB, ClickHouse, Parquet, ArcticDB, TsFile, SQLite and VictoriaMetrics.",
        discussion: """
            Peers are installed into a Python environment of their own, in pinned versions, and measured one after the
            other; ours before, between and after them. Docs/Peers.md says with which settings, and what is fair.

            EXAMPLES
              kymo-bench compare --data data --markdown compare.md --json compare.json
              kymo-bench compare --data data --peers duckdb,polars --threads 1 --runs 3
              kymo-bench compare --small                        # seconds: plain SQLite on small sets
            """)

    @Option(help: ArgumentHelp("A directory written by Benchmarks/data/gen.py.", valueName: "dir"))
    var data: String?

    @Flag(help: "Small sets made on the spot and plain SQLite alone; nothing is installed, nothing is measured cold.")
    var small = false

    @Option(help: "The sets, with commas between them; by default all.")
    var sets: String?

    @Option(help: "The peers, with commas between them; by default all.")
    var peers: String?

    @Option(help: "Numbers of threads, with commas between them.")
    var threads = "1,2"

    @Option(help: "How often each measurement is repeated; a peer's slow ones less often.")
    var runs = 5

    @Option(help: "The most small appends of each size.")
    var commits = 1_000

    @Option(help: ArgumentHelp("After so long, a peer is asked nothing more.", valueName: "seconds"))
    var limit = 300

    @Flag(inversion: .prefixedNo, help: "Measure also after the system forgot its files (as root).")
    var cold = true

    @Option(help: ArgumentHelp("The Python environment; by default a cache that is kept.", valueName: "dir"))
    var venv: String?

    @Option(help: ArgumentHelp("The scripts, if they are not found in a checkout.", valueName: "dir"))
    var scripts: String?

    @Option(help: ArgumentHelp("Write everything as JSON to this file.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the tables as Markdown to this file.", valueName: "file"))
    var markdown: String?

    @Option(help: ArgumentHelp("A directory for stores and databases; they are removed again.", valueName: "dir"))
    var work: String?

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be at least 1.") }
        if commits < 0 { throw ValidationError("--commits must not be negative.") }
        if !small && data == nil {
            throw ValidationError("Say where the data is (--data DIR), or ask for --small.")
        }
        _ = try (threadCounts, peerNames)
    }

    private var threadCounts: [Int] {
        get throws {
            let counts = BenchOptions.list(small ? "1" : threads).map { Int($0) ?? 0 }
            guard !counts.isEmpty, counts.allSatisfy({ (1...64).contains($0) }) else {
                throw ValidationError("--threads takes numbers from 1 to 64 with commas between them, not \(threads).")
            }
            return counts
        }
    }

    private var peerNames: [String] {
        get throws {
            guard let peers else { return small ? ["sqlite"] : PeerRun.names }
            let wanted = BenchOptions.list(peers).flatMap { PeerRun.groups[$0] ?? [$0] }
            if let unknown = wanted.first(where: { !PeerRun.names.contains($0) }) {
                throw ValidationError(
                    "There is no peer \(unknown); there are \(PeerRun.names.joined(separator: ", ")).")
            }
            return wanted
        }
    }

    func run() throws {
        let report = try BenchFiles.withWork(work) { work in
            let python =
                try small
                ? PeerPython(systemWithScripts: scripts)
                : PeerPython(environment: venv ?? PeerPython.defaultEnvironment, scripts: scripts)
            let wanted = sets.map(BenchOptions.list)
            let sets = try small ? BenchSet.small(wanted) : BenchSet.load(data ?? "", sets: wanted)
            let files = small ? work + "/data" : data ?? ""
            if small { try BenchSet.write(sets, to: files) }
            let commits = small ? min(commits, 50) : commits
            let peers = try PeerRun(
                python: python, installs: !small, data: files, work: work, sets: sets, runs: runs, commits: commits,
                cold: cold && !small && BenchFiles.dropCaches(), limit: limit)
            return try measure(sets, peers, commits, work)
        }
        if let json { try BenchFiles.write(try report.json(), to: json) }
        if let markdown { try BenchFiles.write(report.markdown(), to: markdown) }
        print(report.markdown(), terminator: "")
    }

    private func measure(
        _ sets: [BenchSet], _ peers: PeerRun, _ commits: Int, _ work: String
    ) throws -> CompareReport {
        var ours: [Int: [[BenchResult]]] = [:]
        var outcomes: [PeerOutcome] = []
        let counts = try threadCounts
        let begun = SystemClock.monotonicNanoseconds()
        for threads in counts {
            let own = CompareOurs(work: work, sets: sets, runs: runs, commits: commits, threads: threads)
            let isFirst = threads == counts.first
            progress("ours, \(threads) threads")
            try own.load()
            try own.ask()
            if peers.cold { try own.askCold() }
            if isFirst { try own.append() }
            for name in try peerNames where isFirst || !PeerRun.askedOnce.contains(name) {
                progress("\(name), \(threads) threads")
                let start = SystemClock.monotonicNanoseconds()
                let outcome = peers.measure(name, threads: threads)
                let seconds = (SystemClock.monotonicNanoseconds() - start) / 1_000_000_000
                let found = "\(outcome.rows.count) figures, \(outcome.failures.count) refused"
                progress("  \(seconds) s: \(outcome.problem ?? found)")
                outcomes.append(outcome)
                try own.ask()
                if isFirst { try own.append() }
            }
            progress("ours again, \(threads) threads")
            try own.load()
            try own.ask()
            if peers.cold { try own.askCold() }
            ours[threads] = own.passes
        }
        let isMissing = cold && !small && !peers.cold
        var notes = ["The run took \((SystemClock.monotonicNanoseconds() - begun) / 1_000_000_000) s."]
        if isMissing { notes.append("Nothing was measured cold: only root may make the system forget its files.") }
        return CompareReport(ours, outcomes, notes: notes)
    }

    private func progress(_ text: String) { BenchFiles.say(text) }
}
