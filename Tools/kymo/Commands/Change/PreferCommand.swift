// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

struct PreferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefer",
        abstract: "Set the source priority for a type.",
        discussion: """
            EXAMPLES
              kymo prefer steps                     show the order: first is preferred
              kymo prefer steps phone               put the phone before all others
              kymo prefer steps "Ann's Phone" "Ann's Watch"
              kymo prefer sleep "Ann's Watch"       let the watch decide about sleep
              kymo prefer steps --reset             restore the default order

            If several sources recorded the same time, only the first in the order counts. The Health app has such an \
            order for each type, which exports do not contain. Unnamed sources follow the named ones: watches, phones, \
            others, and simulated samples last; among these, the source with the most recent sample first.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument

    @Argument(
        help: ArgumentHelp("Sources in order of priority.", valueName: "source"), completion: Completions.sources)
    var sources: [String] = []

    @Flag(help: "Restore the default order.")
    var reset = false

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if reset && !sources.isEmpty { throw ValidationError("--reset cannot be combined with sources.") }
    }

    func run() throws {
        try perform { output in
            let changes = reset || !sources.isEmpty
            let store = try HealthStore.open(at: store.resolved(), mode: changes ? .shared : .readOnly)
            defer { store.close() }
            let type = try type.resolved(store)
            guard type.mergesSources else {
                throw Failure.usage("\(type.shortName) has no sum, so it has no source priority")
            }
            if changes { try store.prefer(chosen(store, type), of: type) }
            let (order, count) = try store.sourceOrder(of: type)
            if let format = format.format {
                var writer = RowWriter(output, format, columns: ["place", "source", "isChosen"])
                for (place, source) in order.enumerated() {
                    writer.beginRow()
                    writer.integer("place", place + 1)
                    writer.text("source", source.name)
                    writer.integer("isChosen", place < count ? 1 : 0)
                    try writer.endRow()
                }
                try writer.finish()
            } else if order.isEmpty {
                Messages.write("the store holds no samples of \(type.shortName)")
            } else {
                try Self.table(order, count, output)
            }
            return .done
        }
    }

    /// Returns the named sources. Throws if one has no samples of the type.
    private func chosen(_ store: HealthStore, _ type: HealthType) throws -> [HKSource] {
        let known = try store.sourceOrder(of: type).sources
        var found: [HKSource] = []
        for name in sources {
            let meant = try SourceOption.matching([name], store)
            let more = known.filter { meant.contains($0.name) && !found.contains($0) }
            if more.isEmpty, !found.contains(where: { meant.contains($0.name) }) {
                throw Failure.usage("\"\(name)\" has no samples of \(type.shortName); \"kymo prefer\" lists them")
            }
            found += more
        }
        return found
    }

    private static func table(_ order: [HKSource], _ count: Int, _ output: Output) throws {
        var table = Table([
            .init(title: "", alignment: .right), .init(title: "source", limit: 60), .init(title: ""),
        ])
        for (place, source) in order.enumerated() {
            table.append([String(place + 1), source.name, place < count ? "chosen" : ""])
        }
        try table.write(to: output)
    }
}
