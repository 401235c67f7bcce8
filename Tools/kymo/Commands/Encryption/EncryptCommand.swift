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
            let path = try store.resolved()
            let secret = try NewSecret.of(newKeyFile, "New passphrase of \(path): ")
            let isEncrypted = try StoreCopy.isEncrypted(path)
            let copy = StoreCopy(path, to: to, suffix: isEncrypted ? ".former" : ".plaintext")
            try copy.run { target throws(HealthStoreError) in
                try HealthStore.encrypt(from: path, to: target, key: KeyOnce(secret), options: Stores.options())
            }
            var options = StoreOptions()
            options.key = KeyOnce(secret)
            let place = copy.place
            let store = try HealthStore.open(at: place, mode: .shared, options: options)
            defer { store.close() }
            copy.say()
            return try RecoveryKeyText.add(to: KeysCommand.keys(of: store), "recovery", output)
        }
    }
}

/// A copy of a store that takes its place.
struct StoreCopy {
    private let path: String
    private let target: String?
    private let suffix: String

    /// - Parameters:
    ///   - path: the store.
    ///   - target: the place of the copy; nil for the place of the store.
    ///   - suffix: the end of the name that the store gets then.
    init(_ path: String, to target: String?, suffix: String) {
        var plain = path
        while plain.count > 1, plain.hasSuffix("/") { plain.removeLast() }
        (self.path, self.target, self.suffix) = (plain, target, suffix)
    }

    /// Where the copy is at the end.
    var place: String { target ?? path }

    static func isEncrypted(_ path: String) throws -> Bool { try RealDisk().exists(path + "/KEYS") }

    /// Makes the copy, and then changes the names.
    func run(_ make: (_ target: String) throws(HealthStoreError) -> Void) throws {
        if let target { return try make(target) }
        let disk = RealDisk()
        if try disk.kind(of: path + suffix) != nil {
            throw Failure(.failed, "\(path + suffix) exists; rename or remove it first")
        }
        let copy = path + ".partial"
        try make(copy)
        // Between the two, both stores are complete, and no store has the name.
        try disk.rename(path, to: path + suffix)
        try disk.rename(copy, to: path)
    }

    /// Says where the stores are.
    func say() {
        if target == nil {
            Messages.line("\(path) is the new store; the former one is \(path + suffix). Remove it when all is well.")
        }
    }
}
