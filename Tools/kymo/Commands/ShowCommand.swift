// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Foundation
import KymographHealth

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an object with everything that is known of it.",
        discussion: """
            EXAMPLES
              kymo show 0F3A1B2C-4D5E-8F60-8000-000000000017
              kymo show UUID --format json
              kymo show UUID --parts 1000                    more of a series

            The identities of samples are what "kymo query" gives as uuid and "kymo add" prints. A correlation is \
            shown with its members; of a series so many quantities or beats as --parts says; a quantity of a series \
            leads to the series. Finding a sample reads the identities of the store's samples.
            """)

    /// How an object is written.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case text, json
    }

    @OptionGroup var store: StoreOption

    @Argument(help: ArgumentHelp("The identities.", valueName: "uuid"))
    var identities: [String]

    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("text or json; json is an array.", valueName: "format"))
    var format = Form.text

    @Option(help: ArgumentHelp("The most quantities or beats of a series.", valueName: "n"))
    var parts = 20

    func validate() throws {
        if parts < 0 { throw ValidationError("--parts is a number from 0; got \(parts).") }
        for text in identities where UUID(uuidString: text) == nil {
            throw ValidationError(
                "\"\(text)\" is no UUID; it has 32 hexadecimal digits, as 0F3A1B2C-4D5E-8F60-8000-000000000017.")
        }
    }

    func run() throws {
        try perform { output in
            let zone = try zone.resolved()
            let store = try store.open()
            defer { store.close() }
            var found = [StoredObject]()
            // All are found before any is shown.
            for uuid in identities.compactMap({ UUID(uuidString: $0) }) {
                guard let object = try store.object(uuid, parts: parts) else {
                    throw Failure(.failed, "there is no object \(uuid); \"kymo query TYPE --json\" lists identities")
                }
                found.append(object)
            }
            switch format {
            case .text:
                for (number, object) in found.enumerated() {
                    if number > 0 { try output.line() }
                    try ObjectText(object, zone).write(output)
                }
            case .json:
                var json = JSONWriter(lines: 2)
                json.beginArray()
                for object in found { ObjectJSON(object, zone).write(&json) }
                json.endArray()
                json.endLine()
                try output.write(json.take())
            }
            return .done
        }
    }
}
