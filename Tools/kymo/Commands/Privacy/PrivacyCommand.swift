// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct PrivacyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "privacy",
        abstract: "Show or set who may read and save.",
        discussion: """
            EXAMPLES
              kymo privacy                 show the mode
              kymo privacy enforced        enforce what you allowed to each program
              kymo privacy open            let every program do everything
              kymo privacy guest           enforce it, and refuse to save

            The mode applies to programs that use the HealthKit API. kymo itself acts for you and sees everything.
            """)

    @Argument(help: "The new mode: open, enforced or guest. Default: show the mode.")
    var mode: String?

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { output in
            let store = try Stores.open(at: store.resolved(), mode: mode == nil ? .readOnly : .shared)
            defer { store.close() }
            if let mode {
                guard let new = HealthAuthorizationMode(rawValue: mode) else {
                    throw Failure.usage("no mode \"\(mode)\"; use open, enforced or guest")
                }
                try store.setAuthorizationMode(new)
            }
            try output.line(store.authorizationMode().rawValue)
            if let policy = store.authorizationPolicy() {
                try ClientsCommand.explain(policy, store)
            }
            return .done
        }
    }
}
