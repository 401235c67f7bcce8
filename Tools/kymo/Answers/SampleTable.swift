// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import KymographHealth

/// The table output of samples.
struct SampleTable {
    private let type: HealthType
    private let zone: CivilZone
    private let output: Output
    private var waiting: [HealthSample] = []
    /// The table, created from the first page, whose widths determine the columns; nil before.
    private var table: Table?
    private(set) var count = 0
    private let valuePrefix: String
    /// The number of samples whose column widths and digits are chosen together.
    private static let page = 500
    /// The minimum width in characters of a metadata column.
    private static let leastRoom = 16

    init(_ type: HealthType, _ zone: CivilZone, _ output: Output) {
        self.type = type
        self.zone = zone
        self.output = output
        valuePrefix = Self.commonPrefix(type)
    }

    mutating func append(_ sample: HealthSample) throws(DiskError) {
        count += 1
        waiting.append(sample)
        if waiting.count >= Self.page { try flush() }
    }

    mutating func finish() throws(DiskError) { if !waiting.isEmpty { try flush() } }

    private mutating func flush() throws(DiskError) {
        let isFirst = table == nil
        if isFirst {
            let name = TerminalText.printable(type.shortName)
            try output.line(output.style.bold(name) + output.style.dim(", times in \(zone.identifier)"))
        }
        let rows = cells()
        var table = self.table ?? self.table(for: rows)
        for row in rows { table.append(row) }
        table.fit(output.tableWidth)
        try table.write(to: output, header: isFirst)
        self.table = table
        waiting.removeAll()
    }

    private var isCategory: Bool { type.kind == .category }

    private func table(for rows: [[String]]) -> Table {
        var columns: [Table.Column] = [
            .init(title: "start"), .init(title: "length", alignment: .right, omission: 3),
            .init(title: "value", alignment: isCategory ? .left : .right),
        ]
        if !isCategory { columns.append(.init(title: "unit", limit: 20, omission: 1)) }
        columns.append(.init(title: "source", limit: 32, least: 8, omission: 2))
        var widths = Table(columns)
        for row in rows { widths.append(row) }
        let room = output.columns - widths.width - 2
        let hasMetadata = rows.contains { $0.last?.isEmpty == false }
        if room >= Self.leastRoom, hasMetadata { columns.append(.init(title: "metadata", limit: room, omission: 4)) }
        return Table(columns)
    }

    /// Returns the cells of the waiting samples, metadata last.
    private func cells() -> [[String]] {
        var numbers = NumberText.column(waiting.map { ShownUnit($0.unit).number($0.value) })
        if type.isCumulative, waiting.allSatisfy({ $0.unit == "count" && $0.value == $0.value.rounded() }) {
            numbers = waiting.map { NumberText.whole($0.value) }
        }
        return waiting.enumerated().map { at, sample in
            // The longest duration exceeds a signed number of nanoseconds.
            let length = Double(UInt64(bitPattern: sample.end &- sample.start)) / 1e9
            var cells = [
                TimeText.table(sample.start, zone),
                sample.start == sample.end ? "" : NumberText.clock(seconds: length),
            ]
            if isCategory {
                cells.append(sample.valueName.map { short($0) } ?? numbers[at])
            } else {
                cells += [numbers[at], ShownUnit(sample.unit).name]
            }
            let metadata = sample.metadata.entries.map { "\($0.key)=\($0.value)" }
            return cells + [sample.source, metadata.joined(separator: " ")]
        }
    }

    private func short(_ name: String) -> String {
        name.hasPrefix(valuePrefix) ? String(name.dropFirst(valuePrefix.count)) : name
    }

    /// Returns the common prefix of the names of a category's values: `HKCategoryValueSleepAnalysis`.
    private static func commonPrefix(_ type: HealthType) -> String {
        guard type.kind == .category else { return "" }
        let values = HealthCategoryValues.values(of: HKCategoryTypeIdentifier(rawValue: type.identifier))
        let names = values.map { Array($0.name) }
        guard let first = names.first else { return "" }
        if names.count == 1 { return "HKCategoryValue" }
        var count = first.count
        for name in names { count = min(count, zip(name, first).prefix { $0 == $1 }.count) }
        // Shortens the prefix to the beginning of a word.
        while count > 0, !names.allSatisfy({ count < $0.count && $0[count].isUppercase }) { count -= 1 }
        return String(first.prefix(count))
    }
}
