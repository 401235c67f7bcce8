// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import Foundation
import KymographHealth

struct AllowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow",
        abstract: "Let a program read or save types.",
        discussion: """
            EXAMPLES
              kymo allow com.example.coach --read pulse,steps --share workout
              kymo allow com.example.coach --read all --from 2026-01-01
              kymo allow com.example.optician --object UUID   one prescription

            The decision holds in the modes enforced and guest; "kymo privacy" shows the mode. With --from the program \
            reads the objects of other programs that end on that day or later.
            """)

    @OptionGroup var access: AccessOptions

    @Option(help: ArgumentHelp("The first day of readable objects of other programs.", valueName: "day"))
    var from: String?

    @OptionGroup var store: StoreOption

    func validate() throws {
        if from != nil, access.read == nil { throw ValidationError("--from requires --read.") }
    }

    func run() throws {
        try perform { _ in
            let store = try Stores.open(at: store.resolved(), mode: .shared)
            defer { store.close() }
            for var change in try access.changes(true, store) {
                if let from, !change.read.isEmpty {
                    let zone = try store.homeZone()
                    let period = try Civil.period(from, now: SystemClock.wallNanoseconds(), zone: zone)
                    change.readFrom = Date(timeIntervalSince1970: Double(period.lowerBound) / 1e9)
                }
                try store.decide(change)
            }
            return .done
        }
    }
}
