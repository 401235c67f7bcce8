// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

/// A reader that the row "durable appends beside readers" starts.
struct ReadBeside: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-beside", abstract: "Reads a store until a file is there.", shouldDisplay: false)

    @Option var store: String
    @Option var until: String

    func run() throws { try OutputPlace.standardOutput.write("\(ReaderLoad.run(store: store, until: until))\n") }
}
