// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct KeyRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a slot. The last slot cannot be removed.",
        discussion: """
            A copy of the files KEYS and KEYS.2 from before still opens with the secret of the slot.
            """)

    @Argument(help: ArgumentHelp("The slot; \"kymo key list\" lists slots.", valueName: "label"))
    var label: String

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { _ in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            try KeysCommand.keys(of: store).remove(label)
            return .done
        }
    }
}
