// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// A Python environment of our own for the peers, and the scripts in `Benchmarks/peers`.
package struct PeerPython: Sendable {
    /// The environment's interpreter.
    package let interpreter: String
    /// The directory of the scripts.
    package let scripts: String

    /// The environment in a directory, which is made if it is not there.
    package init(environment: String, scripts: String? = nil) throws {
        self.scripts = try Self.scripts(scripts)
        interpreter = environment + "/bin/python"
        if try RealDisk().exists(interpreter) { return }
        try FileManager.default.createDirectory(atPath: environment, withIntermediateDirectories: true)
        let outcome = try Self.run("/usr/bin/env", ["python3", "-m", "venv", environment])
        guard outcome.code == 0 else {
            throw BenchError(
                "a Python environment cannot be made in \(environment): \(outcome.reason); Debian's package is "
                    + "python3-venv")
        }
    }

    /// The system's Python as it is: for what needs the standard library alone.
    package init(systemWithScripts scripts: String? = nil) throws {
        self.scripts = try Self.scripts(scripts)
        interpreter = "/usr/bin/env"
    }

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

    /// How a program ended.
    package struct Outcome: Sendable {
        package let code: Int32
        /// What it said on its standard error.
        package let errors: String

        /// The last line that says something.
        package var reason: String {
            let lines = errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let notices = ["[notice]", "WARNING:"]
            let telling = lines.last { line in !line.isEmpty && !notices.contains { line.hasPrefix($0) } }
            return telling ?? "it ended with code \(code)"
        }
    }

    /// Installs what a peer needs, in the versions that `requirements.txt` pins, unless it is there.
    package func install(_ peer: String) throws {
        try call("install.py", [peer])
    }

    /// Runs a script to its end; a failure is an error with the script's last words.
    package func call(_ script: String, _ arguments: [String]) throws {
        let outcome = try run(script, arguments)
        guard outcome.code == 0 else { throw BenchError("\(script): \(outcome.reason)") }
    }

    /// Runs a script to its end.
    package func run(_ script: String, _ arguments: [String]) throws -> Outcome {
        let prefix = interpreter == "/usr/bin/env" ? ["python3"] : []
        return try Self.run(interpreter, prefix + ["\(scripts)/\(script)"] + arguments)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardError = pipe
        do {
            try process.run()
        } catch {
            throw BenchError("\(program) cannot be started: \(error.localizedDescription)")
        }
        let errors = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(code: process.terminationStatus, errors: errors)
    }
}
