// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

/// What becomes of a cumulative type's samples where several sources have data of the same time.
struct MergingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The source that counts where several have data; several times for an order.", valueName: "name"))
    var priority: [String] = []

    @Flag(help: "Add sources up, also where two counted the same.")
    var union = false

    @Flag(help: "With --sources: of each source only what counts of it; the rows add up to the merged ones.")
    var merged = false

    /// Nil: as it is without options.
    func resolved(bySource: Bool) throws -> SourceMerging? {
        if union, merged || !priority.isEmpty {
            throw Failure.usage("--union adds all sources up, so that none comes first; leave out one of the options")
        }
        if merged, !bySource {
            throw Failure.usage("--merged goes with --sources; without it sources are merged anyway")
        }
        return union ? .union : merged ? .byPriority : nil
    }

    /// The names in the store that the options name, in their order.
    func order(_ store: HealthStore, asOf commit: Int64?) throws -> [String] {
        var names = [String]()
        for name in priority {
            let found = try SourceOption.matching([name], store, asOf: commit).sorted()
            names += found.filter { !names.contains($0) }
        }
        return names
    }
}
