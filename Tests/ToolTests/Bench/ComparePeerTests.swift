// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-2 kymo-bench compare names a missing peer and compares the others")
struct ComparePeerTests {
    private struct Report: Decodable {
        struct Line: Decodable { let peers: [String: Cell] }
        struct Cell: Decodable { let best: Double }
        struct Peer: Decodable {
            let peer, note: String
            let problem: String?
        }
        let lines: [Line]
        let peers: [Peer]
        let notCompared: [String: String]
    }

    /// Runs a comparison on the smallest set, with an installation that fails.
    private func run(_ peers: String, _ more: [String] = []) throws -> (outcome: Tool.Outcome, report: Report?) {
        let scripts = try PeerScripts(["install.py": PeerScripts.failingInstall, "worker.py": PeerScripts.realWorker])
        let json = scripts.directory.file("compare.json")
        let outcome = try Tool.kymoBench.run(
            ["compare", "--small", "--sets", "energy", "--runs", "1", "--commits", "5", "--peers", peers]
                + ["--json", json] + scripts.options + more)
        let data = FileManager.default.contents(atPath: json)
        return (outcome, try data.map { try JSONDecoder().decode(Report.self, from: $0) })
    }

    private let reason = "pip could not install it: no route to the registry"

    @Test("without a registry SQLite and the engine are measured, and the other peers are named in table and JSON")
    func missing() throws {
        let (outcome, found) = try run("sqlite,polars,duckdb")
        #expect(outcome.code == 0, "\(outcome.errors)")
        let report = try #require(found)
        #expect(report.notCompared.keys.sorted() == ["duckdb", "duckdb-parquet", "duckdb-tables", "polars"])
        #expect(report.notCompared.values.allSatisfy { $0 == reason }, "\(report.notCompared)")
        #expect(report.lines.count == 2 && report.lines.allSatisfy { $0.peers.keys.sorted() == ["sqlite"] })
        let sqlite = try #require(report.peers.first { $0.peer == "sqlite" })
        #expect(sqlite.problem == nil && sqlite.note.contains("the system's Python, because \(reason)"))
        #expect(outcome.output.contains("4 of 5 peers could not be compared"))
        #expect(outcome.output.contains("- polars: \(reason)"))
        #expect(outcome.output.contains("Of 2 lines"))
    }

    @Test("a run without a compared peer reports this, prints the engine's figures and fails")
    func none() throws {
        let (outcome, found) = try run("polars")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("no peer was compared") && outcome.errors.contains("polars: \(reason)"))
        #expect(!outcome.errors.contains("Usage:"))
        #expect(outcome.output.contains("Nothing was compared: no peer has a result."))
        #expect(outcome.output.contains("| ingest of energy |"))
        #expect(try #require(found).notCompared == ["polars": reason])
    }

    @Test("with --require-all-peers a missing peer is an error before anything is measured")
    func all() throws {
        let (outcome, report) = try run("sqlite,polars", ["--require-all-peers"])
        #expect(outcome.code == 1 && report == nil && outcome.output.isEmpty)
        #expect(outcome.errors.contains("1 of 2 peers cannot be compared") && outcome.errors.contains(reason))
        #expect(try run("sqlite", ["--require-all-peers"]).outcome.code == 0)
    }

    @Test("child processes of a crashed worker are ended")
    func leftovers() throws {
        let worker = """
            import os, subprocess, sys
            child = subprocess.Popen(['sleep', '60'])
            open(sys.argv[0] + '.child', 'w').write(str(child.pid))
            os.abort()
            """
        let scripts = try PeerScripts(["worker.py": worker])
        let outcome = try Tool.kymoBench.run(
            ["compare", "--small", "--sets", "energy", "--runs", "1", "--peers", "polars"] + scripts.options)
        #expect(outcome.code == 1 && outcome.errors.contains("signal 6"), "\(outcome.errors)")
        let child = try String(contentsOfFile: scripts.directory.file("worker.py.child"), encoding: .utf8)
        #expect(!isRunning(try #require(Int32(child))))
    }

    @Test("an environment that cannot be created is named, with advice")
    func environment() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("ecg"), withIntermediateDirectories: false, attributes: nil)
        for command in [["compare"], ["real"]] {
            let outcome = try Tool.kymoBench.run(
                command + ["--data", directory.path, "--scripts", PeerScripts.real],
                environment: ["XDG_CACHE_HOME": "/dev/null/cache"])
            #expect(outcome.code == 1, "\(outcome.errors)")
            #expect(outcome.errors.contains("directory /dev/null/cache/kymograph/peers cannot be created"))
            #expect(outcome.errors.contains("--venv") && !outcome.errors.contains("Cocoa"), "\(outcome.errors)")
        }
    }

    @Test("the lines of pip's output that state the cause are kept")
    func lastLines() throws {
        let outputs = [
            """
            WARNING: Retrying (Retry(total=1)) after connection broken by 'NewConnectionError('<pip.Connection object \
            at 0x7f30c56a3810>: Failed to establish a new connection: [Errno 111] Connection refused')': /simple/numpy/
            ERROR: Cannot install numpy==2.4.6 because these package versions have conflicting dependencies.
            ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics/

            """,
            """
            ERROR: Could not find a version that satisfies the requirement numpy==9 (from versions: 1, 2)
            ERROR: No matching distribution found for numpy==9
            [notice] A new release of pip is available

            """,
            "ERROR: Exception:\nTraceback (most recent call last):\nOSError: [Errno 28] No space left on device\n",
        ]
        let script = "import install, json, sys; print(json.dumps(install.last_lines(sys.argv[1])))"
        let reported = try outputs.map { output in
            try JSONDecoder().decode([String].self, from: Data(try python(["-c", script, output]).utf8))
        }
        #expect(reported[0] == ["Failed to establish a new connection: [Errno 111] Connection refused"])
        #expect(
            reported[1] == ["Could not find a version that satisfies the requirement numpy==9 (from versions: 1, 2)"])
        #expect(reported[2].last == "OSError: [Errno 28] No space left on device")
    }

    /// Returns the output of the system's Python in the directory of the scripts.
    private func python(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: PeerScripts.real)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}

/// Whether a process exists and has not ended.
func isRunning(_ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    // An ended process may remain until its parent reads its status.
    return text.split(separator: ")").last?.split(separator: " ").first != "Z"
}
