// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph

struct KeyNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Create a file with a new random key, which only you can read.")

    @Argument(help: ArgumentHelp("A file that does not exist.", valueName: "file"))
    var file: String

    func run() throws {
        try perform { output in
            do { try KeyFile.create(at: file) } catch {
                throw Failure(.failed, "the key file was not created: \(error)")
            }
            Messages.line("Data encrypted with this key cannot be read without it. Keep a copy on another machine.")
            return .done
        }
    }
}
