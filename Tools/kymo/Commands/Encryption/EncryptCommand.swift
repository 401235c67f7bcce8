// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
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
            gets the name STORE.plaintext, or STORE.former if it was encrypted. Remove that one when the copy is in \
            use. On a flash disk and in earlier backups its content may stay readable.
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
            var path = try store.resolved()
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            let secret = try NewSecret.of(newKeyFile, "New passphrase of \(path): ")
            let former = path + (try Self.isEncrypted(path) ? ".former" : ".plaintext")
            if let to {
                try HealthStore.encrypt(from: path, to: to, key: KeyOnce(secret), options: Stores.options())
            } else {
                try HealthStore.encrypt(
                    at: path, keepingFormerAt: former, key: KeyOnce(secret), options: Stores.options())
            }
            var options = StoreOptions()
            options.key = KeyOnce(secret)
            let store = try HealthStore.open(at: to ?? path, mode: .shared, options: options)
            defer { store.close() }
            if to == nil {
                Messages.line("\(path) is encrypted now. The former store is \(former); remove it when all is well.")
            }
            return try RecoveryKeyText.add(to: KeysCommand.keys(of: store), "recovery", output)
        }
    }

    private static func isEncrypted(_ path: String) throws -> Bool {
        let disk = RealDisk()
        return try disk.exists(path + "/KEYS") || disk.exists(path + "/KEYS.2")
    }
}
