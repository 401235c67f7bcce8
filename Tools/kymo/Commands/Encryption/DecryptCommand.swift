// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct DecryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Make a copy of an encrypted store that is not encrypted.",
        discussion: """
            EXAMPLES
              kymo decrypt --to ~/plain --key-file ~/health.key

            The encrypted store stays as it is.
            """)

    @Option(help: ArgumentHelp("Make the copy here: an empty or missing directory.", valueName: "dir"))
    var to: String

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { _ in
            try HealthStore.decrypt(from: store.resolved(), to: to, options: Stores.options())
            return .done
        }
    }
}
