// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph
import KymographHealth

struct KeyChangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Change the secret of a slot.",
        discussion: """
            EXAMPLES
              kymo key change passphrase                asks for a new passphrase
              kymo key change --new-key-file usb2.key usb
              kymo key change paper                     prints a new recovery key, once

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
        try perform { output in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            let keys = try KeysCommand.keys(of: store)
            let kind = try KeysCommand.slot(label, of: keys).kind
            if kind == .recovery, newKeyFile == nil {
                let key = try NewRecoveryKey()
                try key.print(output)
                try key.replace(label, of: keys)
                return .done
            }
            if kind == .file, newKeyFile == nil {
                throw Failure.usage("the slot \"\(label)\" is that of a key file; give the new one with --new-key-file")
            }
            try keys.replace(label, with: NewSecret.of(newKeyFile, "New passphrase of the slot \(label): "))
            return .done
        }
    }
}
