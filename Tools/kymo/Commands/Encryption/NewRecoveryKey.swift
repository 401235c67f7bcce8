// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// A new recovery key.
///
/// The key is printed before a slot has it. So a store never has a slot whose key was not printed, and a printed key
/// without a slot opens nothing.
struct NewRecoveryKey {
    private let secret: StoreSecret
    /// The key as 13 groups of four letters.
    let text: String

    init() throws {
        secret = try StoreSecret.random()
        guard let text = try secret.recoveryText() else { throw Failure(.failed, "a recovery key cannot be made") }
        self.text = text
    }

    /// Prints the key, with a note on standard error.
    func print(_ output: Output) throws {
        Self.note()
        try output.line(text)
        try requirePrinted(output)
    }

    /// Writes the note about recovery keys to standard error.
    static func note() {
        Messages.line("Recovery key: write it down and keep it apart from this machine. It is not shown again.")
    }

    /// Throws if the output, which contains the key, has no reader.
    func requirePrinted(_ output: Output) throws {
        try output.finish()
        output.look()
        if !output.isOpen {
            throw Failure(
                .failed,
                "the recovery key cannot be printed, because standard output is closed; no recovery key was stored: "
                    + "make one with \"kymo key add --recovery LABEL\"")
        }
    }

    /// Prints a new recovery key, and adds a slot for it.
    static func add(to keys: StoreKeyring, _ label: String, _ output: Output) throws -> ExitStatus {
        let key = try NewRecoveryKey()
        try key.print(output)
        try key.add(to: keys, label)
        return .done
    }

    /// Adds a slot with the key.
    ///
    /// - Ordering: after the key is printed.
    func add(to keys: StoreKeyring, _ label: String) throws {
        try store { try keys.add(secret, label: label, isRecovery: true) }
    }

    /// Replaces the key of a slot.
    ///
    /// - Ordering: after the key is printed.
    func replace(_ label: String, of keys: StoreKeyring) throws {
        try store { try keys.replace(label, with: secret) }
    }

    private func store(_ change: () throws -> Void) throws {
        do { try change() } catch {
            let failure = Failure(error)
            throw Failure(
                failure.status, "the printed recovery key was not stored and opens nothing: \(failure.message)")
        }
    }
}
