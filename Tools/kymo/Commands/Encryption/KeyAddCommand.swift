// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph
import KymographHealth

struct KeyAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a slot: a passphrase, a key file or a recovery key.",
        discussion: """
            EXAMPLES
              kymo key add mine                         asks for a new passphrase
              kymo key add --new-key-file usb.key usb
              kymo key add --recovery paper             prints a recovery key, once
            """)

    @Argument(help: ArgumentHelp("The name of the slot.", valueName: "label"))
    var label: String

    @Flag(help: "Make a recovery key, and print it.")
    var recovery = false

    @Option(help: ArgumentHelp("Add the key of this file.", valueName: "file"), completion: .file())
    var newKeyFile: String?

    @OptionGroup var store: StoreOption

    func validate() throws {
        if recovery, newKeyFile != nil { throw ValidationError("Give --recovery or --new-key-file, not both.") }
    }

    func run() throws {
        try perform { output in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            let keys = try KeysCommand.keys(of: store)
            // Checked before a person types a passphrase.
            try requireFree(keys)
            if recovery { return try NewRecoveryKey.add(to: keys, label, output) }
            try keys.add(NewSecret.of(newKeyFile, "New passphrase of the slot \(label): "), label: label)
            return .done
        }
    }

    private func requireFree(_ keys: StoreKeyring) throws(Failure) {
        guard KeySlot.isLabel(label) else {
            throw .usage("a label has 1 to 64 bytes, without quotation marks, backslashes and control characters")
        }
        if keys.slots.contains(where: { $0.label == label }) {
            throw .usage("the store has a slot \"\(label)\"; choose another label, or use \"kymo key change\"")
        }
        if keys.slots.count >= KeysImage.maximumSlots {
            throw .usage("the store has \(keys.slots.count) slots, the maximum; \"kymo key remove\" removes one")
        }
    }
}

/// A secret for a slot.
enum NewSecret {
    /// Returns the key of a file, else a passphrase from the terminal.
    static func of(_ file: String?, _ prompt: String) throws -> StoreSecret {
        if let file { return try KeyFile(file).secret() }
        guard let secret = try GivenKey.secret(prompt, isNew: true) else {
            throw Failure(.failed, "there is no terminal to ask for a passphrase; use --new-key-file FILE")
        }
        return secret
    }
}
