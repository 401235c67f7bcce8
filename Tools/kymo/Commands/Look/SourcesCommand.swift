// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

struct SourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "List the apps and devices that recorded samples.",
        discussion: """
            EXAMPLES
              kymo sources
              kymo sources --csv > sources.csv
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption
    @OptionGroup var format: FormatOptions

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store)
            let sources = try store.sources()
            if let format = format.format {
                try Self.write(sources, zone, RowWriter(output, format, columns: Self.columns))
            } else if sources.isEmpty {
                Messages.write("the store holds no samples yet; \"kymo import export.zip\" adds some")
            } else {
                try Self.table(sources, zone, output)
            }
            return .done
        }
    }

    private static let columns = ["name", "samples", "first", "last", "types", "versions", "devices"]

    private static func write(_ sources: [SourceOverview], _ zone: CivilZone, _ writer: consuming RowWriter) throws {
        for source in sources {
            writer.beginRow()
            writer.text("name", source.name)
            writer.integer("samples", source.samples)
            writer.instant("first", source.first, zone)
            writer.instant("last", source.last, zone)
            writer.list("types", source.types.map(\.identifier))
            writer.list("versions", source.versions)
            writer.list("devices", source.devices)
            try writer.endRow()
        }
        try writer.finish()
    }

    private static func table(_ sources: [SourceOverview], _ zone: CivilZone, _ output: Output) throws {
        var table = Table([
            .init(title: "source", limit: 36, least: 20), .init(title: "samples", alignment: .right),
            .init(title: "first", omission: 1),
            .init(title: "last"), .init(title: "types", alignment: .right),
            .init(title: "most samples of", limit: 60, least: 16, omission: 2),
        ])
        for source in sources {
            table.append([
                source.name, NumberText.grouped(source.samples), Civil.formatDate(source.first, zone: zone),
                Civil.formatDate(source.last, zone: zone), String(source.types.count),
                source.types.prefix(3).map(\.shortName).joined(separator: ", "),
            ])
        }
        table.fit(output.tableWidth)
        try table.write(to: output)
    }
}
