// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// A Python for the peers, an environment of our own or the system's, and the scripts in `Benchmarks/peers`.
package struct PeerPython: Sendable {
    /// The directory of the environment; nil for the system's Python as it is, for what needs the standard library
    /// alone.
    package let environment: String?
    /// The directory of the scripts.
    package let scripts: String
    /// Where scripts put what they need for a while.
    private let work: String

    /// Nothing is made yet. Throws if there are no scripts.
    package init(environment: String?, scripts: String? = nil, work: String) throws {
        self.environment = environment
        self.scripts = try Self.scripts(scripts)
        self.work = work
    }

    private init(systemLike other: PeerPython) {
        environment = nil
        scripts = other.scripts
        work = other.work
    }

    /// The system's Python with the same scripts.
    package var system: PeerPython { PeerPython(systemLike: self) }

    /// Where the environment lies unless something else is said: `$XDG_CACHE_HOME/kymograph/peers`.
    package static var defaultEnvironment: String {
        let home = Environment.value("HOME") ?? NSHomeDirectory()
        return (Environment.value("XDG_CACHE_HOME") ?? home + "/.cache") + "/kymograph/peers"
    }

    /// The scripts that are named; otherwise those of a checkout, looked for upwards from the current directory and
    /// then from the program.
    private static func scripts(_ named: String?) throws -> String {
        func hasScripts(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/worker.py") }
        if let named {
            guard hasScripts(named) else { throw BenchError("there is no worker.py in \(named)") }
            return named
        }
        let program = URL(fileURLWithPath: CommandLine.arguments.first ?? "").resolvingSymlinksInPath()
        for start in [URL(fileURLWithPath: FileManager.default.currentDirectoryPath), program] {
            var url = start
            while url.path != "/" {
                let scripts = url.appendingPathComponent("Benchmarks/peers").path
                if hasScripts(scripts) { return scripts }
                url.deleteLastPathComponent()
            }
        }
        throw BenchError("Benchmarks/peers was not found; run from a checkout, or name the directory with --scripts")
    }

    /// Makes the environment's directory, if there is none.
    package func makeDirectory() throws {
        guard let environment else { return }
        let hint = "name a directory that can be written with --venv"
        do {
            try Self.makeTree(URL(fileURLWithPath: environment))
        } catch {
            throw BenchError("the Python environment's directory \(environment) cannot be made (\(error)); \(hint)")
        }
        guard FileManager.default.isWritableFile(atPath: environment) else {
            throw BenchError("nothing can be made in the Python environment's directory \(environment); \(hint)")
        }
    }

    /// A directory, and those that it is in.
    private static func makeTree(_ url: URL) throws {
        if FileManager.default.fileExists(atPath: url.path + "/.") { return }
        if url.path != "/" { try makeTree(url.deletingLastPathComponent()) }
        try RealDisk().createDirectory(url.path)
    }

    /// Makes the environment unless it is there. What is left of one that could not be made is removed.
    package func makeEnvironment() throws {
        guard let environment else { return }
        let interpreter = environment + "/bin/python"
        if FileManager.default.isExecutableFile(atPath: interpreter) { return }
        try makeDirectory()
        let isNew = (try? FileManager.default.contentsOfDirectory(atPath: environment).isEmpty) ?? false
        let outcome = try Self.run("/usr/bin/env", ["python3", "-m", "venv", environment], work)
        guard outcome.code == 0 else {
            if isNew { BenchFiles.removeTree(environment) }
            throw BenchError(
                "a Python environment cannot be made in \(environment): \(outcome.reason); Debian's package is "
                    + "python3-venv")
        }
    }

    /// How a program ended.
    package struct Outcome: Sendable {
        package let code: Int32
        /// What it said: on its standard error or, if it said nothing there, on its standard output.
        package let errors: String

        /// Lines that say something.
        private var lines: [String] {
            let lines = errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let notices = ["[notice]", "WARNING:"]
            return lines.filter { line in !line.isEmpty && !notices.contains { line.hasPrefix($0) } }
        }

        /// The last line that says something.
        package var reason: String { lines.last ?? end }

        /// All of them, as one line.
        package var reasons: String {
            lines.isEmpty ? end : lines.joined(separator: "; ").replacingOccurrences(of: ":; ", with: ": ")
        }

        private var end: String {
            code > 128 ? "it was ended by signal \(code - 128)" : "it ended with code \(code)"
        }
    }

    /// Installs what a peer needs, in the versions that `requirements.txt` pins, unless it is there.
    package func install(_ peer: String) throws {
        let outcome = try run("install.py", [peer])
        guard outcome.code == 0 else { throw BenchError(outcome.reasons) }
    }

    /// Runs a script to its end; a failure is an error with the script's last words.
    package func call(_ script: String, _ arguments: [String]) throws {
        let outcome = try run(script, arguments)
        guard outcome.code == 0 else { throw BenchError("\(script): \(outcome.reason)") }
    }

    /// Runs a script to its end.
    private func run(_ script: String, _ arguments: [String]) throws -> Outcome {
        let command = ["\(scripts)/\(script)"] + arguments
        guard let environment else { return try Self.run("/usr/bin/env", ["python3"] + command, work) }
        return try Self.run(environment + "/bin/python", command, work)
    }

    private static func run(_ program: String, _ arguments: [String], _ work: String) throws -> Outcome {
        // What is half done when the run is interrupted lies below `work`, and is removed with it.
        let child = try ChildProcess(
            program, arguments, work: work,
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "TMPDIR": work])
        return Outcome(code: child.status, errors: child.errors.isEmpty ? child.output : child.errors)
    }
}
