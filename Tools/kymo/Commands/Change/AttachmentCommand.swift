// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KymographHealth

struct AttachmentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attachment",
        abstract: "Write, add or remove the attachments of prescriptions.",
        discussion: """
            EXAMPLES
              kymo attachment get 0f3a1b2c scan.pdf       write an attachment to a file
              kymo attachment add UUID scan.pdf           attach a file to a prescription
              kymo attachment remove 0f3a1b2c             remove an attachment

            "kymo show UUID" lists the attachments of a prescription with their identities, and "kymo query \
            visionPrescription" lists prescriptions. The beginning of an attachment's identity is enough.
            """,
        subcommands: [AttachmentGetCommand.self, AttachmentAddCommand.self, AttachmentRemoveCommand.self])

    /// Returns the attachment whose identity begins with a text.
    static func find(
        _ text: String, _ store: HealthStore
    ) throws -> (object: UUID, attachment: HKAttachment) {
        let wanted = text.lowercased()
        let found = try store.attachments().filter {
            $0.attachment.identifier.uuidString.lowercased().hasPrefix(wanted)
        }
        guard let first = found.first, !wanted.isEmpty else {
            throw Failure(.failed, "no attachment \(text); \"kymo show UUID\" lists those of a prescription")
        }
        guard found.count == 1 else {
            throw Failure.usage("\(found.count) attachments begin with \(text); write more of the identity")
        }
        return first
    }
}
