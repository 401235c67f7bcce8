// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// A finished child process.
package struct ChildProcess {
    /// The exit status; 128 plus the signal number if a signal ended the process.
    package let status: Int32
    package let output: String
    package let errors: String

    /// The path of this program.
    package static var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// Runs a program without standard input and waits for its end. Its output goes through files under `work`, because
    /// a full pipe would block it. Processes that it started end with it, and all end if the run is interrupted
    /// (`Interruption`).
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
            throw BenchError("\(path) failed to start:  \(error.localizedDescription)")
        }
        for handle in handles { try handle.close() }
        let texts = try files.map { String(decoding: try RealDisk().contents(of: $0, limit: 1 << 28), as: UTF8.self) }
        output = texts[0]
        errors = texts[1]
        status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    /// Throws an error with the program's standard error unless the status is allowed.
    package func require(_ what: String, allowing allowed: Set<Int32> = [0]) throws {
        guard allowed.contains(status) else {
            throw BenchError("\(what) failed with status \(status): \(errors.isEmpty ? output : errors)")
        }
    }

    /// Returns the path of a program in one of the directories of PATH; nil if there is none.
    package static func find(_ name: String) -> String? {
        let places = (Environment.value("PATH") ?? "").split(separator: ":")
        return places.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
