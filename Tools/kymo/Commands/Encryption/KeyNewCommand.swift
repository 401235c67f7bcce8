// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph

struct KeyNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a file with a new random key, which only you can read.")

    @Argument(help: ArgumentHelp("A file that does not exist.", valueName: "file"))
    var file: String

    func run() throws {
        try perform { output in
            do { try KeyFile.create(at: file) } catch {
                throw Failure(.failed, "the key file was not made: \(error)")
            }
            Messages.line("\(file): a new key. Without it, nothing that it encrypts can be read; keep a copy apart.")
            return .done
        }
    }
}
