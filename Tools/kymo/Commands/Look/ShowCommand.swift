// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Foundation
import HealthViews
import KymographHealth

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an object with all its properties.",
        discussion: """
            EXAMPLES
              kymo show 0F3A1B2C-4D5E-8F60-8000-000000000017
              kymo show UUID --format json
              kymo show UUID --parts 1000        more parts of a series
              kymo show 9a03de                   an object in the list of workouts or ECGs
              kymo show last                     the latest workout

            An identity is the uuid in the output of "kymo query", or the output of "kymo add". A correlation is shown \
            with its members, a series with its first quantities or beats (--parts), a quantity of a series with the \
            series, a workout with its statistics, parts and events. "kymo workouts ID" draws a workout. \
            Finding a sample reads the identities of all samples.
            """)

    /// The output format of an object.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case text, json
    }

    @OptionGroup var store: StoreOption

    @Argument(
        help: ArgumentHelp("The identities of the objects.", valueName: "uuid"), completion: Completions.identities)
    var identities: [String]

    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("text or json (an array). Default: text.", valueName: "format"))
    var format = Form.text

    @Option(help: ArgumentHelp("Maximum number of quantities, beats or events.", valueName: "n"))
    var parts = 20

    func validate() throws {
        if parts < 0 { throw ValidationError("--parts must be at least 0; got \(parts).") }
        for text in identities where UUID(uuidString: text) == nil && !Self.isShort(text) {
            throw ValidationError(
                "\"\(text)\" is not a UUID; write 32 hexadecimal digits, as 0F3A1B2C-4D5E-8F60-8000-000000000017.")
        }
    }

    /// Returns whether a text may be the beginning of an identity, as lists show it.
    private static func isShort(_ text: String) -> Bool {
        WorkoutsCommand.isLatest(text)
            || (4...36).contains(text.count) && text.allSatisfy { $0.isHexDigit || $0 == "-" }
    }

    /// Returns the identity that a text means: of the latest workout, a UUID, or the beginning of one.
    private static func identity(_ text: String, _ store: HealthStore) throws -> UUID {
        if WorkoutsCommand.isLatest(text) { return try WorkoutsCommand.latestWorkout(store.workouts(), store).id.uuid }
        return try UUID(uuidString: text) ?? ListedType.find(identity: text, in: ListedType.allCases, store)
    }

    func run() throws {
        try perform { output in
            let store = try store.open()
            defer { store.close() }
            let zone = try zone.resolved(store)
            var found = [StoredObject]()
            // Finds all objects before showing any.
            for text in identities {
                let uuid = try Self.identity(text, store)
                guard let object = try store.object(uuid, parts: parts) else {
                    throw Failure(.failed, "no object \(uuid); \"kymo query TYPE --json\" lists identities")
                }
                found.append(object)
            }
            switch format {
            case .text:
                for (number, object) in found.enumerated() {
                    if number > 0 { try output.line() }
                    try ObjectText(object, zone, limit: parts).write(output)
                }
            case .json:
                var json = JSONWriter(lines: 2)
                json.beginArray()
                for object in found { ObjectJSON(object, zone, limit: parts).write(&json) }
                json.endArray()
                json.endLine()
                try output.write(json.take())
            }
            return .done
        }
    }
}
