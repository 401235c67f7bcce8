// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// A program run to its end.
package struct ChildProcess {
    /// The code that it ended with; 128 and the signal's number if a signal ended it.
    package let status: Int32
    package let output: String
    package let errors: String

    /// This program's own path.
    package static var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// Runs a program; nothing is read from standard input. What it prints goes through files under `work`, because a
    /// pipe that nobody empties would stop it. Programs that it started itself end with it, and all of them when the
    /// run is interrupted (`Interruption`).
    package init(
        _ path: String, _ arguments: [String], work: String, directory: String? = nil,
        environment more: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        if !more.isEmpty { process.environment = ProcessInfo.processInfo.environment.merging(more) { $1 } }
        if let directory { process.currentDirectoryURL = URL(fileURLWithPath: directory) }
        process.standardInput = FileHandle.nullDevice
        let files = ["out", "err"].map { "\(work)/\($0)-\(Environment.processIdentifier)" }
        for file in files { try BenchFiles.write("", to: file) }
        defer { for file in files { BenchFiles.removeTree(file) } }
        let handles = try files.map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        do {
            try Interruption.run(process) { process.waitUntilExit() }
        } catch {
            throw BenchError("\(path) cannot be started: \(error.localizedDescription)")
        }
        for handle in handles { try handle.close() }
        let texts = try files.map { String(decoding: try RealDisk().contents(of: $0, limit: 1 << 28), as: UTF8.self) }
        output = texts[0]
        errors = texts[1]
        status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    /// Throws, with what the program wrote to standard error, unless its status is one of these.
    package func require(_ what: String, allowing allowed: Set<Int32> = [0]) throws {
        guard allowed.contains(status) else {
            throw BenchError("\(what) ended with \(status): \(errors.isEmpty ? output : errors)")
        }
    }

    /// Where a program of this name stands in one of the directories of PATH.
    package static func find(_ name: String) -> String? {
        let places = (Environment.value("PATH") ?? "").split(separator: ":")
        return places.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
