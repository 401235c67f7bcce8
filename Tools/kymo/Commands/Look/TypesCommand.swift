// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

struct TypesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "types",
        abstract: "List the types with samples.",
        discussion: """
            EXAMPLES
              kymo types                 with a sparkline of the samples over time
              kymo types --json | jq -r '.[].type'
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption
    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store)
            let types = try store.types()
            let listed = try ListedType.overviews(store)
            if let format = format.format {
                try Self.write(types, listed, zone, RowWriter(output, format, columns: Self.columns))
            } else if types.isEmpty, listed.isEmpty {
                Messages.write("the store holds no samples yet; \"kymo import export.zip\" adds some")
            } else {
                try Self.table(types, listed, store, zone, output)
            }
            return .done
        }
    }

    private static let columns = ["type", "unit", "units", "samples", "first", "last", "sources"]

    private static func write(
        _ types: [TypeOverview], _ listed: [ListedType.Overview], _ zone: CivilZone, _ writer: consuming RowWriter
    ) throws {
        for type in types {
            writer.beginRow()
            writer.text("type", type.type.identifier)
            writer.text("unit", type.unit)
            writer.list("units", type.units)
            writer.integer("samples", type.samples)
            writer.instant("first", type.first, zone)
            writer.instant("last", type.last, zone)
            writer.list("sources", type.sources)
            try writer.endRow()
        }
        for one in listed {
            writer.beginRow()
            writer.text("type", one.type.identifier)
            writer.text("unit", nil)
            writer.list("units", [])
            writer.integer("samples", one.count)
            writer.instant("first", one.first, zone)
            writer.instant("last", one.last, zone)
            writer.list("sources", one.sources)
            try writer.endRow()
        }
        try writer.finish()
    }

    private static func table(
        _ types: [TypeOverview], _ listed: [ListedType.Overview], _ store: HealthStore, _ zone: CivilZone,
        _ output: Output
    ) throws {
        var rows: [[String]] = []
        for type in types {
            rows.append([
                type.type.shortName, type.units.map { ShownUnit($0).name }.joined(separator: " "),
                NumberText.grouped(type.samples),
                Civil.formatDate(type.first, zone: zone), Civil.formatDate(type.last, zone: zone),
            ])
        }
        for one in listed {
            rows.append([
                one.type.rawValue, "", NumberText.grouped(one.count), Civil.formatDate(one.first, zone: zone),
                Civil.formatDate(one.last, zone: zone),
            ])
        }
        let columns: [Table.Column] = [
            .init(title: "type", limit: 44, least: 16), .init(title: "unit", limit: 16, omission: 2),
            .init(title: "samples", alignment: .right), .init(title: "first", omission: 1), .init(title: "last"),
        ]
        var narrow = Table(columns)
        for row in rows { narrow.append(row) }
        let room = min(pictureWidth, output.tableWidth - narrow.width - 2)
        guard room >= leastPicture else {
            narrow.fit(output.tableWidth)
            return try narrow.write(to: output)
        }
        let title = TextWidth.cut("samples over time", to: room)
        var table = Table(columns + [.init(title: title, isAccent: true)])
        for (at, row) in rows.enumerated() {
            table.append(row + [at < types.count ? try picture(types[at], store, width: room) : ""])
        }
        try table.write(to: output)
    }

    /// The width of a sparkline, and the least width.
    private static let pictureWidth = 20
    private static let leastPicture = 8

    /// Returns a sparkline of the number of samples, from the first to the last, in equal parts.
    private static func picture(_ type: TypeOverview, _ store: HealthStore, width: Int) throws -> String {
        let parts = Int64(width)
        guard type.samples > 1, type.last / parts - type.first / parts > 0 else { return "" }
        let step = type.last / parts - type.first / parts + 1
        // A product may exceed Int64; the edge does not.
        let edges = (0...parts).map { type.first &+ $0 &* step }
        let report = try store.statistics(StatisticsRequest(type.type, buckets: .edges(edges), merging: .union))
        let counts = report.rows.map { $0.count > 0 ? Double($0.count) : nil }
        return Sparkline.text(counts, width: width, fromZero: true)
    }
}
