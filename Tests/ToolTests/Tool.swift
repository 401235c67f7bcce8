// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program of this package, run like by a user.
enum Tool: String {
    case kymo
    case chunkDump = "chunk-dump"
    case kymoBench = "kymo-bench"

    /// The output and exit status of a run.
    struct Outcome {
        var output: String
        var errors: String
        var code: Int32
    }

    /// The directory of the built programs, which contains the test bundle.
    static var directory: URL {
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            return URL(fileURLWithPath: argument).deletingLastPathComponent()
        }
        return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    }

    /// Runs the program to its end. Nothing is read from standard input.
    ///
    /// - Parameter shell: shell commands to run before the program starts, such as setting a limit.
    func run(
        _ arguments: [String], environment: [String: String] = [:], after shell: String? = nil
    ) throws -> Outcome {
        let process = Process()
        let program = Self.directory.appendingPathComponent(rawValue)
        process.executableURL = shell == nil ? program : URL(fileURLWithPath: "/bin/sh")
        process.arguments = (shell.map { ["-c", "\($0); exec \"$0\" \"$@\"", program.path] } ?? []) + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        // Files instead of pipes, since a full pipe would block the program.
        let place = FileManager.default.temporaryDirectory.appendingPathComponent("kymograph-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let files = [place.appendingPathComponent("out"), place.appendingPathComponent("err")]
        for file in files { try Data().write(to: file) }
        let handles = try files.map { try FileHandle(forWritingTo: $0) }
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        try process.run()
        process.waitUntilExit()
        for handle in handles { try handle.close() }
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return Outcome(output: texts[0], errors: texts[1], code: process.terminationStatus)
    }
}

/// The root of the repository.
let repository: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { url.deleteLastPathComponent() }
    return url
}()
