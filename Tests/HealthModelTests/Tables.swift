// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The tables that the generated code was made from.
enum Tables {
    /// The root of the package.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the rows of a table by column name. The tables contain no quotes.
    static func rows(_ name: String) throws -> [[String: String]] {
        let text = try String(contentsOf: root.appendingPathComponent("Tools/tables/\(name)"), encoding: .utf8)
        var lines = text.split(separator: "\n").map { line in
            line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let columns = lines.removeFirst()
        return lines.map { Dictionary(uniqueKeysWithValues: zip(columns, $0)) }
    }

    /// Runs a command of the package and returns its status and output; nil if the command cannot be started.
    static func run(_ arguments: [String]) -> (status: Int32, output: String)? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        guard (try? process.run()) != nil else { return nil }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// Whether python3 can be run.
    static let hasPython = run(["python3", "-c", ""])?.status == 0
}
