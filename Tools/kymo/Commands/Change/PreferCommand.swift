// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import HealthViews

struct PreferCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefer",
        abstract: "Set the source priority for a type.",
        discussion: """
            EXAMPLES
              kymo prefer steps                     show the order: first is preferred
              kymo prefer steps phone               put the phone before all others
              kymo prefer steps phone --dry-run     show what this would change
              kymo prefer steps "Ann's Phone" "Ann's Watch"
              kymo prefer sleep "Ann's Watch"       let the watch decide about sleep
              kymo prefer steps --reset             restore the default order

            If several sources recorded the same time, only the first in the order counts. The Health app has such an \
            order for each type, which exports do not contain. Unnamed sources follow the named ones: watches, phones, \
            others, and simulated samples last; among these, the source with the most recent sample first.

            A change first prints the totals of the last 7 and 365 days, or of all days, under both orders, and on how \
            many days they differ. Sleep is counted by night.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument

    @Argument(
        help: ArgumentHelp("Sources in order of priority.", valueName: "source"), completion: Completions.sources)
    var sources: [String] = []

    @Flag(help: "Restore the default order.")
    var reset = false

    @Flag(help: "Show what the order would change, and store nothing.")
    var dryRun = false

    @OptionGroup var format: FormatOptions

    private var isChange: Bool { reset || !sources.isEmpty }

    func validate() throws {
        if dryRun, !isChange { throw ValidationError("--dry-run requires sources or --reset.") }
        if reset && !sources.isEmpty { throw ValidationError("--reset cannot be combined with sources.") }
    }

    func run() throws {
        try perform { output in
            let writes = isChange && !dryRun
            let store = try Stores.open(at: store.resolved(), mode: writes ? .shared : .readOnly)
            defer { store.close() }
            let type = try type.resolved(store)
            guard type.mergesSources else {
                throw Failure.usage("\(type.shortName) has no sum, so it has no source priority")
            }
            let wanted = try chosen(store, type)
            let names = reset ? HealthStore.defaultOrder : wanted.map(\.bundleIdentifier)
            let preview = isChange ? try self.preview(store, type, names) : nil
            if writes { try store.prefer(wanted, of: type) }
            let (order, count) = try store.sourceOrder(of: type, preferring: dryRun ? names : [])
            if let format = format.format {
                try write(order, count, preview, RowWriter(output, format, columns: columns))
            } else if order.isEmpty {
                Messages.write("the store holds no samples of \(type.shortName)")
            } else {
                if let preview {
                    try PreferPreview(preview: preview).show(output)
                    try output.line()
                }
                try Self.table(order, count, output)
            }
            if dryRun {
                try output.finish()
                Messages.line("note: nothing is stored")
            }
            return .done
        }
    }

    /// Returns what an order would change. A store without readable totals can have an order, too.
    private func preview(_ store: HealthStore, _ type: HealthType, _ names: [String]) throws -> OrderPreview? {
        do throws(HealthStoreError) {
            return try store.previewOrder(
                of: type, names, now: SystemClock.wallNanoseconds(), in: store.homeZone())
        } catch {
            if dryRun { throw error }
            Messages.write("no preview: \(Failure(error as any Error).message)")
            return nil
        }
    }

    private var columns: [String] {
        ["place", "source", "isChosen"] + (isChange ? ["countedBefore", "counted", "daysChanged"] : [])
    }

    private func write(
        _ order: [HKSource], _ count: Int, _ preview: OrderPreview?, _ writer: consuming RowWriter
    ) throws(DiskError) {
        for (place, source) in order.enumerated() {
            let share = preview?.shares.first { $0.source == source.name }
            writer.beginRow()
            writer.integer("place", place + 1)
            writer.text("source", source.name)
            writer.integer("isChosen", place < count ? 1 : 0)
            if isChange {
                writer.number("countedBefore", share?.before)
                writer.number("counted", share?.after)
                writer.integer("daysChanged", preview?.periods.last?.changed)
            }
            try writer.endRow()
        }
        try writer.finish()
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
