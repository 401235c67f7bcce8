// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Foundation
import KymographHealth

struct MedicationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "medications",
        abstract: "List the medications.",
        discussion: """
            EXAMPLES
              kymo medications
              kymo medications --json
              kymo allow com.example.app --object UUID    let a program read one

            Programs add medications; "kymo query medicationDoseEvent" lists their doses.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption
    @OptionGroup var format: FormatOptions

    private static let columns = ["uuid", "name", "nickname", "form", "archived", "scheduled", "changed"]

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store)
            let all = try store.listedMedications()
            if let format = format.format {
                var writer = RowWriter(output, format, columns: Self.columns)
                for one in all {
                    let medication = one.medication
                    writer.beginRow()
                    writer.text("uuid", one.identity.uuidString)
                    writer.text("name", medication.medication.displayText)
                    writer.text("nickname", medication.nickname)
                    writer.text("form", medication.medication.generalForm.rawValue)
                    writer.integer("archived", medication.isArchived ? 1 : 0)
                    writer.integer("scheduled", medication.hasSchedule ? 1 : 0)
                    writer.instant("changed", one.changed, zone)
                    try writer.endRow()
                }
                try writer.finish()
            } else if all.isEmpty {
                Messages.write("the store has no medications")
            } else {
                var table = Table([
                    .init(title: "medication", limit: 36), .init(title: "form"), .init(title: ""),
                    .init(title: "changed"), .init(title: "uuid"),
                ])
                for one in all {
                    let medication = one.medication
                    table.append([
                        medication.nickname ?? medication.medication.displayText,
                        medication.medication.generalForm.rawValue,
                        medication.isArchived ? "archived" : medication.hasSchedule ? "scheduled" : "",
                        Civil.formatDate(one.changed, zone: zone), one.identity.uuidString,
                    ])
                }
                table.fit(output.tableWidth)
                try table.write(to: output)
            }
            return .done
        }
    }
}
