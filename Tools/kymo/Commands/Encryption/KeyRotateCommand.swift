// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct KeyRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Encrypt later data by a new key. Older data keeps its key.",
        discussion: """
            "kymo encrypt" with the same key makes a copy in which all data is encrypted by new keys.
            """)

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { output in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            let keys = try KeysCommand.keys(of: store)
            try keys.rotate()
            try output.line("generation \(keys.generations.last ?? 0)")
            return .done
        }
    }
}
