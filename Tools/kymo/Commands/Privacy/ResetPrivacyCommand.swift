// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct ResetPrivacyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-privacy",
        abstract: "Forget what you allowed and denied.",
        discussion: """
            EXAMPLES
              kymo reset-privacy com.example.coach    the decisions about one program
              kymo reset-privacy --all                the decisions about all programs

            The programs have to ask again.
            """)

    @Argument(help: "The bundle identifier of the program.")
    var client: String?

    @Flag(help: "Forget the decisions about all programs.")
    var all = false

    @OptionGroup var store: StoreOption

    func validate() throws {
        if (client == nil) != all { throw ValidationError("Give a program, or --all.") }
    }

    func run() throws {
        try perform { _ in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            try store.resetAuthorization(client: client)
            return .done
        }
    }
}
