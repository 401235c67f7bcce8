// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import Kymograph
import KymographHealth

struct KeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the slots of an encrypted store. Needs no key.",
        discussion: """
            Each slot opens the whole store. A generation is a data key. New data is encrypted with the newest \
            generation; "kymo key rotate" begins a new one.
            """)

    @OptionGroup var store: StoreOption

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        try perform { output in
            let image = try read(store.resolved())
            if json {
                try write(image, output)
            } else {
                for slot in image.slots { try output.line("\(slot.kind.rawValue)  \(slot.label)") }
                let count = NumberText.count(image.generations.count, "generation")
                try output.line("\(count) of data keys, the latest of \(image.generations.last?.day ?? "")")
            }
            return .done
        }
    }

    /// Reads the encrypted keys.
    private func read(_ path: String) throws -> KeysImage {
        if let found = try KeysFiles(RealDisk(), path).read() { return found.image }
        // Opening reports that there is no store, that the store is a backup, or that its keys are missing.
        try Stores.open(at: path, mode: .readOnly, asks: false).close()
        throw KeysCommand.plain
    }

    private func write(_ image: KeysImage, _ output: Output) throws {
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.key("slots")
        json.beginArray()
        for slot in image.slots {
            json.beginObject()
            json.field("kind", slot.kind.rawValue)
            json.field("label", slot.label)
            json.endObject()
        }
        json.endArray()
        json.key("generations")
        json.beginArray()
        for generation in image.generations {
            json.beginObject()
            json.field("number", Int(generation.number))
            json.field("day", generation.day)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }
}
