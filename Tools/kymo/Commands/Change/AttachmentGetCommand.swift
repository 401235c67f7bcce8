// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import KymographHealth

struct AttachmentGetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Write an attachment to a file.",
        discussion: """
            EXAMPLES
              kymo attachment get 0f3a1b2c scan.pdf
              kymo attachment get 0f3a1b2c > scan.pdf

            Every byte is verified. The file gets its name when it is complete. An existing file is replaced only with \
            --force.
            """)

    @Argument(help: ArgumentHelp("The identity of the attachment, or its beginning.", valueName: "id"))
    var identity: String

    @Argument(help: ArgumentHelp("The new file. Default: standard output.", valueName: "file"), completion: .file())
    var file: String?

    @OptionGroup var store: StoreOption

    @Flag(help: "Replace an existing file.")
    var force = false

    func validate() throws {
        if force, file == nil { throw ValidationError("--force requires a file.") }
    }

    func run() throws {
        try perform { output in
            if file == nil, Terminal.isTerminal(.output) {
                throw Failure.usage("an attachment is no text for a terminal; name a file")
            }
            let store = try store.open()
            defer { store.close() }
            let attachment = try AttachmentCommand.find(identity, store).attachment
            let read = try store.open(attachment: attachment.identifier)
            guard let file else {
                while let pieces = try read.next() { for piece in pieces { try output.write([UInt8](piece)) } }
                return .done
            }
            let target = try NewFile(file, replaces: force)
            do {
                while let pieces = try read.next() { for piece in pieces { try target.write([UInt8](piece)) } }
                try target.complete()
            } catch {
                target.abandon()
                throw error
            }
            return .done
        }
    }
}
