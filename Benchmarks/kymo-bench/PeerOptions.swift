// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import Foundation

/// The options of `compare` and `real`: the Python environment and the destinations.
struct PeerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Directory of the Python environment. Default: a persistent cache.", valueName: "dir"))
    var venv: String?

    @Option(help: ArgumentHelp("Directory of the scripts, if no checkout is found.", valueName: "dir"))
    var scripts: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    /// Throws if a directory does not exist.
    static func require(_ directory: String, _ hint: String) throws {
        guard FileManager.default.fileExists(atPath: directory + "/.") else {
            throw BenchError("no directory \(directory); \(hint)")
        }
    }
}
