// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct AttachmentRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an attachment of a prescription.",
        discussion: """
            EXAMPLES
              kymo attachment remove 0f3a1b2c

            The bytes are deleted, too. The attachment comes back only from a backup.
            """)

    @Argument(help: ArgumentHelp("The identity of the attachment, or its beginning.", valueName: "id"))
    var identity: String

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { _ in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            let found = try AttachmentCommand.find(identity, store)
            try store.detach(found.attachment.identifier, from: found.object, as: nil)
            return .done
        }
    }
}
