// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

/// A reader process started for the row "durable appends beside readers".
struct ReadBeside: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-beside", abstract: "Read a store until a file exists.", shouldDisplay: false)

    @Option var store: String
    @Option var until: String
    @Flag var encrypted = false

    func run() throws {
        let rounds = try ReaderLoad.run(store: store, until: until, isEncrypted: encrypted)
        try OutputPlace.standardOutput.write("\(rounds)\n")
    }
}
