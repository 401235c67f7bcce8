// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph
import KymographHealth

struct EncryptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt",
        abstract: "Encrypt a store, or give an encrypted store new keys.",
        discussion: """
            EXAMPLES
              kymo encrypt                              asks for a new passphrase
              kymo encrypt --new-key-file ~/health.key
              kymo encrypt --to /safe/health            leaves the store as it is

            An encrypted copy is made and compared with the store. Then the copy takes the place of the store, which \
            gets the name STORE.plaintext, or STORE.former if it was encrypted. Remove it after you have checked the \
            copy. On a flash disk and in earlier backups its content may stay readable.
            """)

    @Option(help: ArgumentHelp("Make the copy here, and leave the store as it is.", valueName: "dir"))
    var to: String?

    @Option(
        help: ArgumentHelp("Take the new key from this file, not from the terminal.", valueName: "file"),
        completion: .file())
    var newKeyFile: String?

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { output in
            let old = try FormerStore(store.resolved())
            let secret = try NewSecret.of(newKeyFile, "New passphrase of \(old.path): ")
            let key = KeyOnce(secret)
            if let to {
                try HealthStore.encrypt(from: old.path, to: to, key: key, options: Stores.options())
            } else {
                try HealthStore.encrypt(
                    at: old.path, keepingFormerAt: old.former, key: key, options: Stores.options())
            }
            var options = StoreOptions()
            options.key = key
            let store = try HealthStore.open(at: to ?? old.path, mode: .shared, options: options)
            defer { store.close() }
            if to == nil { old.say() }
            return try NewRecoveryKey.add(to: KeysCommand.keys(of: store), "recovery", output)
        }
    }
}
