// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct DenyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny",
        abstract: "Keep a program from reading or saving types.",
        discussion: """
            EXAMPLES
              kymo deny com.example.coach --read pulse
              kymo deny com.example.coach --read all --share all

            The program still reads the objects that it saved, except single ones that you deny with --object. It \
            cannot tell a refusal from missing data.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { _ in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            for change in try access.changes(false, store) { try store.decide(change) }
            return .done
        }
    }
}
