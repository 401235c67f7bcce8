// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph
import KymographHealth

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Create key files and manage the slots of an encrypted store.",
        discussion: """
            EXAMPLES
              kymo key new ~/health.key                 make a file with a new key
              kymo import export.zip --encrypt --key-file ~/health.key
              kymo key list                             list the slots of the store
              kymo key add --recovery paper             add a recovery key, and print it
              kymo key add --new-key-file usb.key usb   add the key of a file
              kymo key change passphrase                change the secret of a slot
              kymo key remove usb                       remove a slot
              kymo key rotate                           encrypt later data by a new key
              kymo key export keys.kymo                 copy KEYS to a safe place

            Each slot opens the whole store: a passphrase, a key file or a recovery key. A copy of the store from \
            before a change still opens with the old secret.
            """,
        subcommands: [
            KeyNewCommand.self, KeyListCommand.self, KeyAddCommand.self, KeyChangeCommand.self, KeyRemoveCommand.self,
            KeyRotateCommand.self, KeyExportCommand.self, KeyRestoreCommand.self,
        ])

    /// Returns the keys of an open store.
    static func keys(of store: HealthStore) throws -> StoreKeyring {
        guard let keys = store.engine.keys else { throw plain }
        return keys
    }

    /// The error of a store that is not encrypted.
    static var plain: Failure {
        Failure(.failed, "the store is not encrypted; \"kymo encrypt\" makes an encrypted copy")
    }

    /// Returns the slot of a label.
    static func slot(_ label: String, of keys: StoreKeyring) throws(Failure) -> KeySlot {
        if let slot = keys.slots.first(where: { $0.label == label }) { return slot }
        let labels = keys.slots.map(\.label).joined(separator: ", ")
        throw .usage("the store has no slot \"\(label)\", only: \(labels)")
    }
}
