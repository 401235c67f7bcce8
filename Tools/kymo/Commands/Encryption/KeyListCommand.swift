// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct KeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the slots of an encrypted store.")

    @OptionGroup var store: StoreOption
    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            defer { store.close() }
            let keys = try KeysCommand.keys(of: store)
            guard let format = format.format else {
                for slot in keys.slots { try output.line("\(slot.kind.rawValue)  \(slot.label)") }
                let count = keys.generations.count
                try output.line(count == 1 ? "1 generation of data keys" : "\(count) generations of data keys")
                return .done
            }
            var writer = RowWriter(output, format, columns: ["kind", "label"])
            for slot in keys.slots {
                writer.beginRow()
                writer.text("kind", slot.kind.rawValue)
                writer.text("label", slot.label)
                try writer.endRow()
            }
            try writer.finish()
            return .done
        }
    }
}
