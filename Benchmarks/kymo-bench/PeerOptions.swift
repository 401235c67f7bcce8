// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import Foundation

/// What `compare` and `real` take: a Python, and where everything goes.
struct PeerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The Python environment; by default a cache that is kept.", valueName: "dir"))
    var venv: String?

    @Option(help: ArgumentHelp("The scripts, if they are not found in a checkout.", valueName: "dir"))
    var scripts: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    /// Throws unless a directory is there.
    static func require(_ directory: String, _ hint: String) throws {
        guard FileManager.default.fileExists(atPath: directory + "/.") else {
            throw BenchError("there is no directory \(directory); \(hint)")
        }
    }
}
