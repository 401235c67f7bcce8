// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

struct ZoneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zone",
        abstract: "Show or set the home zone, for days and nights.",
        discussion: """
            EXAMPLES
              kymo zone                      show the zone
              kymo zone Europe/Zurich        set it
              kymo zone --reset              derive it from the data again

            Without a set zone, the zone that most of the latest sleep samples name is used, else that of the first \
            import, else the system's.
            """)

    @OptionGroup var store: StoreOption

    @Argument(
        help: ArgumentHelp("A name such as Europe/Zurich, or an offset such as +02:00.", valueName: "zone"),
        completion: Completions.zones)
    var zone: String?

    @Flag(help: "Derive the zone from the data again.")
    var reset = false

    func validate() throws {
        if reset, zone != nil { throw ValidationError("--reset cannot be combined with a zone.") }
    }

    func run() throws {
        try perform { output in
            let changes = reset || zone != nil
            let store = try Stores.open(at: store.resolved(), mode: changes ? .shared : .readOnly)
            defer { store.close() }
            if changes { try store.setHomeZone(zone.map { name throws(Failure) in try ZoneOption.zone(name) }) }
            let known = try store.homeZone()
            let origin = try store.chosenHomeZone() == nil ? "derived" : "set"
            try output.line("\(known.identifier) (\(origin))")
            return .done
        }
    }
}
