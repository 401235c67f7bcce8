// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import HealthViews

struct ElectrocardiogramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ecg",
        abstract: "List electrocardiograms, or draw one.",
        discussion: """
            EXAMPLES
              kymo ecg                         list all
              kymo ecg 72994c                  draw the one with this identity
              kymo ecg 72994c --csv            its voltages by time
              kymo query electrocardiogram     the list with whole identities

            The scale is the same in all lines of a drawing.
            """)

    @OptionGroup var store: StoreOption

    @Argument(
        help: ArgumentHelp("The first digits of an identity in the list.", valueName: "id"),
        completion: Completions.electrocardiograms)
    var identity: String?

    @OptionGroup var zone: ZoneOption
    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store, asOf: nil)
            let list = try store.electrocardiograms()
            guard let identity else {
                let answer = ElectrocardiogramTable(list: list, zone: zone)
                if let format = format.format {
                    try answer.write(RowWriter(output, format, columns: ElectrocardiogramTable.columns))
                } else if list.all.isEmpty {
                    Messages.write("no electrocardiogram is stored; watches record them, and exports contain them")
                } else {
                    try answer.show(output)
                }
                return .done
            }
            let one = try Self.find(identity, list)
            let voltages = try store.voltages(of: one)
            if let format = format.format {
                var writer = RowWriter(output, format, columns: ["time", "millivolts"])
                for voltage in voltages {
                    writer.beginRow()
                    writer.number("time", voltage.time)
                    writer.number("millivolts", voltage.millivolts)
                    try writer.endRow()
                }
                try writer.finish()
            } else {
                try ElectrocardiogramScreen(one: one, voltages: voltages, zone: zone).show(output)
            }
            return .done
        }
    }

    /// Returns the electrocardiogram with an identity. Throws if there is none, or several.
    private static func find(_ identity: String, _ list: ElectrocardiogramList) throws -> Electrocardiogram {
        let found = list.matching(identity)
        guard let one = found.first else {
            throw Failure.usage(
                "no electrocardiogram has an identity that begins with \"\(identity)\"; see \"kymo ecg\"")
        }
        guard found.count == 1 else {
            throw Failure.ambiguous(identity, found.map { list.short($0) })
        }
        return one
    }
}
