// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct KeyRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Encrypt later data by a new key, or all data now.",
        discussion: """
            EXAMPLES
              kymo key rotate         data that is already stored keeps its key
              kymo key rotate --now   all data gets a new key

            With --now, a copy whose data has a new key takes the place of the store, which gets the name \
            STORE.former. The slots stay. Remove STORE.former when the copy is in use.
            """)

    @Flag(help: "Encrypt all data by the new key.")
    var now = false

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { output in
            let path = try store.resolved()
            if now {
                let old = try FormerStore(path)
                try HealthStore.rotateKeys(
                    at: old.path, keepingFormerAt: old.former, options: Stores.options())
                old.say()
            }
            let store = try Stores.open(at: path, mode: .shared)
            defer { store.close() }
            let keys = try KeysCommand.keys(of: store)
            if !now { try keys.rotate() }
            try output.line("generation \(keys.generations.last ?? 0)")
            return .done
        }
    }
}
