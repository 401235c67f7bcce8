// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import HealthViews

/// The output of what a new order of sources changes.
struct PreferPreview {
    let preview: OrderPreview

    func show(_ output: Output) throws(DiskError) {
        let unit = ShownUnit(preview.unit).name
        let name = TerminalText.printable(preview.type.isSleep ? "asleep, h:mm" : unit)
        try output.line(
            output.style.bold(preview.type.shortName) + output.style.dim(name.isEmpty ? "" : " (\(name))"))
        let noun = preview.type.isSleep ? "nights" : "days"
        var table = Table(
            [.init(title: "")]
                + ["present order", "new order", "\(noun) that differ"].map { .init(title: $0, alignment: .right) })
        for period in preview.periods {
            let count = NumberText.grouped(period.days.count)
            table.append([
                period.isAll ? "all \(count) \(noun)" : "last \(count) \(noun)", amount(period.before),
                amount(period.after), "\(NumberText.grouped(period.changed)) of \(count)",
            ])
        }
        try table.write(to: output)
        guard let days = preview.periods.last?.days else { return }
        try output.line(output.style.dim("\(noun) to \(DayText.dated(days.last)), in \(days.zone.identifier)"))
    }

    private func amount(_ value: Double) -> String {
        preview.type.isSleep ? DurationText.hours(.seconds(value)) : AmountText.text(value, preview.unit)
    }
}
