// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// The Python for the peers, in a separate environment or the system's, with the scripts in `Benchmarks/peers`.
package struct PeerPython: Sendable {
    /// The directory of the environment; nil for the system's Python, if the standard library suffices.
    package let environment: String?
    /// The directory of the scripts.
    package let scripts: String
    /// The directory for temporary files of scripts.
    private let work: String

    /// Finds the scripts without creating the environment. Throws if there are no scripts.
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

    /// The default directory of the environment: `$XDG_CACHE_HOME/kymograph/peers`.
    package static var defaultEnvironment: String {
        let home = Environment.value("HOME") ?? NSHomeDirectory()
        return (Environment.value("XDG_CACHE_HOME") ?? home + "/.cache") + "/kymograph/peers"
    }

    /// Returns the given scripts; otherwise the scripts of a checkout, searched upwards from the current directory,
    /// then from the program.
    private static func scripts(_ named: String?) throws -> String {
        func hasScripts(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/worker.py") }
        if let named {
            guard hasScripts(named) else { throw BenchError("no worker.py in \(named)") }
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
        throw BenchError("Benchmarks/peers not found; run from a checkout, or give the directory with --scripts")
    }

    /// Creates the directory of the environment, if it does not exist.
    package func makeDirectory() throws {
        guard let environment else { return }
        let hint = "give a writable directory with --venv"
        do {
            try Self.makeTree(URL(fileURLWithPath: environment))
        } catch {
            throw BenchError("the Python environment's directory \(environment) cannot be created (\(error));  \(hint)")
        }
        guard FileManager.default.isWritableFile(atPath: environment) else {
            throw BenchError("the Python environment's directory \(environment) is not writable;  \(hint)")
        }
    }

    /// Creates a directory with its parents.
    private static func makeTree(_ url: URL) throws {
        if FileManager.default.fileExists(atPath: url.path + "/.") { return }
        if url.path != "/" { try makeTree(url.deletingLastPathComponent()) }
        try RealDisk().createDirectory(url.path)
    }

    /// Creates the environment, if it does not exist. A failed attempt in an empty directory is removed.
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
                "a Python environment cannot be created in \(environment): \(outcome.reason); on Debian install "
                    + "python3-venv")
        }
    }

    /// The outcome of a program.
    package struct Outcome: Sendable {
        package let code: Int32
        /// The standard error or, if it is empty, the standard output.
        package let errors: String

        /// The lines without blank lines and notices.
        private var lines: [String] {
            let lines = errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let notices = ["[notice]", "WARNING:"]
            return lines.filter { line in !line.isEmpty && !notices.contains { line.hasPrefix($0) } }
        }

        /// The last relevant line.
        package var reason: String { lines.last ?? end }

        /// All relevant lines, joined into one line.
        package var reasons: String {
            lines.isEmpty ? end : lines.joined(separator: "; ").replacingOccurrences(of: ":; ", with: ": ")
        }

        private var end: String {
            code > 128 ? "ended by signal \(code - 128)" : "exited with status \(code)"
        }
    }

    /// Installs the requirements of a peer in the versions of `requirements.txt`, unless they are installed.
    package func install(_ peer: String) throws {
        let outcome = try run("install.py", [peer])
        guard outcome.code == 0 else { throw BenchError(outcome.reasons) }
    }

    /// Runs a script and waits for its end; throws an error with the last line of a failed script.
    package func call(_ script: String, _ arguments: [String]) throws {
        let outcome = try run(script, arguments)
        guard outcome.code == 0 else { throw BenchError("\(script): \(outcome.reason)") }
    }

    /// Runs a script and waits for its end.
    private func run(_ script: String, _ arguments: [String]) throws -> Outcome {
        let command = ["\(scripts)/\(script)"] + arguments
        guard let environment else { return try Self.run("/usr/bin/env", ["python3"] + command, work) }
        return try Self.run(environment + "/bin/python", command, work)
    }

    private static func run(_ program: String, _ arguments: [String], _ work: String) throws -> Outcome {
        // Unfinished files are below `work`, so an interruption removes them.
        let child = try ChildProcess(
            program, arguments, work: work,
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "TMPDIR": work])
        return Outcome(code: child.status, errors: child.errors.isEmpty ? child.output : child.errors)
    }
}
