// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import FileSystem

/// Compares Kymograph and the peers on the same files in one run.
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare with DuckDB, ClickHouse, Parquet, ArcticDB, TsFile, SQLite, SQLCipher and VictoriaMetrics.",
        discussion: """
            Pinned versions of the peers are installed into a separate Python environment
            and measured one after the other; Kymograph is measured before, between and
            after them. If a peer cannot be installed or fails, the report gives the reason
            and the other peers are measured. Docs/Internals/Performance.md describes settings and
            fairness. All peers take ten minutes, and 1.4 GB for their libraries.

            EXAMPLES
              kymo-bench compare --data data --markdown compare.md --json compare.json
              kymo-bench compare --data data --peers duckdb,polars --threads 1 --runs 3
              kymo-bench compare --small              # seconds: plain SQLite on small sets

            EXIT STATUS
              0    at least one peer was compared; with --require-all-peers, all peers
              1    no peer was compared, or the data is unusable
              64   the command line is invalid
            """)

    @Option(help: ArgumentHelp("Directory written by Benchmarks/data/gen.py.", valueName: "dir"))
    var data: String?

    @Flag(
        help: """
            Use small generated sets, by default with one thread and only plain SQLite; nothing is measured cold, and \
            without --venv nothing is installed.
            """)
    var small = false

    @Flag(help: "Encrypt Kymograph's stores, with a key; nothing is measured cold. Only SQLCipher is encrypted, too.")
    var encrypted = false

    @Option(help: "Comma-separated sets. Default: all.")
    var sets: String?

    @Option(help: "Comma-separated peers. Default: all: \(PeerRun.names.joined(separator: ", ")).")
    var peers: String?

    @Flag(help: "Stop if a peer cannot be installed; fail if a peer fails.")
    var requireAllPeers = false

    @Option(
        parsing: .unconditional, help: "Comma-separated numbers of threads. Default: 1,2, with --small 1.")
    var threads: String?

    @Option(
        parsing: .unconditional,
        help: "Repetitions of each measurement, fewer for slow measurements of a peer. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @Option(
        parsing: .unconditional, help: "Maximum number of small appends of each size. Default: 1000.",
        transform: { try CountOption.parse($0, "--commits", 1...100_000) })
    var commits = 1_000

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Time limit of a peer. Default: 300.", valueName: "seconds"),
        transform: { try CountOption.parse($0, "--limit", 1...86_400) })
    var limit = 300

    @Flag(inversion: .prefixedNo, help: "Measure with a cold file cache, too (needs root).")
    var cold = true

    @OptionGroup var options: PeerOptions

    func validate() throws {
        if small, data != nil { throw ValidationError("--small generates its own data: omit --data or --small.") }
        if !small, data == nil { throw ValidationError("Give the data directory (--data DIR), or use --small.") }
        for name in try setNames ?? [] where small && !BenchSet.names.contains(name) {
            let all = BenchSet.names.joined(separator: ", ")
            throw ValidationError("No small set \"\(name)\"; available: \(all).")
        }
        _ = try (threadCounts, peerNames)
    }

    private var threadCounts: [Int] {
        get throws { try CountOption.list(threads ?? (small ? "1" : "1,2"), "--threads", CountOption.threads) }
    }

    private var peerNames: [String] {
        get throws {
            guard let peers else { return small ? ["sqlite"] : PeerRun.names }
            let wanted = try NameOption.list(peers, "--peers").flatMap { PeerRun.groups[$0] ?? [$0] }
            if let unknown = wanted.first(where: { !PeerRun.names.contains($0) }) {
                throw ValidationError(
                    "No peer \(unknown); available: \(PeerRun.names.joined(separator: ", ")).")
            }
            return PeerRun.names.filter { wanted.contains($0) }
        }
    }

    /// The names in `--sets`; nil for all sets.
    private var setNames: [String]? {
        get throws { try sets.map { try NameOption.list($0, "--sets") } }
    }

    private func load() throws -> [BenchSet] {
        let wanted = try setNames
        if small { return try BenchSet.small(wanted) }
        do {
            return try BenchSet.load(data ?? "", sets: wanted)
        } catch let error as BenchError where error.isUsage {
            throw ValidationError(error.description)
        }
    }

    func run() throws {
        let outputs = try options.output.open()
        if let data { try PeerOptions.require(data, "create it with Benchmarks/data/gen.py --out \(data)") }
        let report = try options.work.use { work in
            let environment = small ? options.venv : options.venv ?? PeerPython.defaultEnvironment
            let python = try PeerPython(environment: environment, scripts: options.scripts, work: work)
            // All peers except SQLite need the environment.
            if try peerNames != ["sqlite"] { try python.makeDirectory() }
            let sets = try load()
            let files = small ? work + "/data" : data ?? ""
            if small { try BenchSet.write(sets, to: files) }
            let commits = small ? min(commits, 50) : commits
            let peers = try PeerRun(
                python: python, data: files, work: work, sets: sets, runs: runs, commits: commits,
                cold: cold && !small && !encrypted && BenchFiles.dropCaches(), limit: limit)
            try prepare(peers)
            return try measure(sets, peers, commits, work)
        }
        try outputs.publish(table: report.markdown(), json: report.json)
        try judge(report.notCompared, isNone: report.compared.isEmpty)
    }

    /// Installs the requirements of the peers before anything is measured.
    private func prepare(_ peers: PeerRun) throws {
        var missing: [String: String] = [:]
        for name in try peerNames {
            progress("\(name): checking requirements")
            guard let problem = peers.prepare(name) else { continue }
            progress("  \(problem)")
            missing[name] = "\(problem)"
        }
        try judge(missing, isNone: false)
    }

    /// Throws if no peer was compared, or if required peers are missing.
    private func judge(_ missing: [String: String], isNone: Bool) throws {
        guard isNone || requireAllPeers && !missing.isEmpty else { return }
        let reasons = missing.sorted { $0.key < $1.key }.map { "\n  \($0.key): \($0.value)" }.joined()
        if isNone { throw BenchError("no peer was compared:" + reasons) }
        throw BenchError("\(missing.count) of \(try peerNames.count) peers cannot be compared:" + reasons)
    }

    private func measure(
        _ sets: [BenchSet], _ peers: PeerRun, _ commits: Int, _ work: String
    ) throws -> CompareReport {
        var ours: [Int: [[BenchResult]]] = [:]
        var outcomes: [PeerOutcome] = []
        let counts = try threadCounts
        let run = BenchReport.Run.now(runs: runs)
        let begun = SystemClock.monotonicNanoseconds()
        for threads in counts {
            let own = CompareOurs(
                work: work, sets: sets, runs: runs, commits: commits, threads: threads, isEncrypted: encrypted)
            let isFirst = threads == counts.first
            let words = CompareReport.threads(threads)
            progress("ours, \(words)")
            try own.load()
            try own.ask()
            if peers.cold { try own.askCold() }
            if isFirst { try own.append() }
            for name in try peerNames where isFirst || !PeerRun.askedOnce.contains(name) {
                guard peers.prepare(name) == nil else {
                    outcomes.append(peers.measure(name, threads: threads))
                    continue
                }
                progress("\(name), \(words)")
                let start = SystemClock.monotonicNanoseconds()
                let outcome = peers.measure(name, threads: threads)
                let seconds = (SystemClock.monotonicNanoseconds() - start) / 1_000_000_000
                let found = "\(outcome.rows.count) results, \(outcome.failures.count) failed"
                progress("  \(seconds) s: \(outcome.problem ?? found)")
                outcomes.append(outcome)
                try own.ask()
                if isFirst { try own.append() }
            }
            progress("ours again, \(words)")
            try own.load()
            try own.ask()
            if peers.cold { try own.askCold() }
            ours[threads] = own.passes
        }
        let isMissing = cold && !small && !peers.cold
        var notes = ["The run took \((SystemClock.monotonicNanoseconds() - begun) / 1_000_000_000) s."]
        if isMissing { notes.append("Nothing was measured cold: only root can drop the file cache.") }
        return CompareReport(ours, outcomes, notes: notes, run: run)
    }

    private func progress(_ text: String) { BenchFiles.say(text) }
}
