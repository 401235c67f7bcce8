// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph
import KymographHealth

struct KeyChangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Change the secret of a slot.",
        discussion: """
            A copy of the files KEYS and KEYS.2 from before still opens with the old secret.
            """)

    @Argument(help: ArgumentHelp("The slot; \"kymo key list\" lists slots.", valueName: "label"))
    var label: String

    @Option(
        help: ArgumentHelp("Take the key of this file, for the slot of a key file.", valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { _ in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            let keys = try KeysCommand.keys(of: store)
            try keys.replace(label, with: NewSecret.of(newKeyFile, "New passphrase of the slot \(label): "))
            return .done
        }
    }
}
