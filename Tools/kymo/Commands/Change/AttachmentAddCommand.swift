// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KymographHealth

struct AttachmentAddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Attach a file to a prescription.",
        discussion: """
            EXAMPLES
              kymo attachment add 0F3A1B2C-4D5E-8F60-8000-000000000017 scan.pdf
              kymo attachment add UUID photo.jpg --name "front side"

            The file is an image, except GIF, or a PDF document of at most 50 MiB; its extension decides. It is copied \
            into the store. The output is the identity of the attachment.
            """)

    @Argument(help: ArgumentHelp("The identity of the prescription.", valueName: "object"))
    var object: String

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The name of the attachment. Default: the name of the file.", valueName: "text"))
    var name: String?

    @OptionGroup var store: StoreOption

    func validate() throws {
        guard UUID(uuidString: object) != nil else {
            throw ValidationError(
                "\"\(object)\" is not a UUID; \"kymo query visionPrescription --json\" lists prescriptions.")
        }
    }

    func run() throws {
        try perform { output in
            guard let uuid = UUID(uuidString: object) else { return .usage }
            let draft = try AttachmentDraft(file: file, name: name)
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            let added = try store.attach(draft, to: uuid, as: nil)
            try output.line(added.identifier.uuidString)
            return .done
        }
    }
}
