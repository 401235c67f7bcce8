// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

/// The combination of a cumulative type's samples if several sources have data of the same time.
struct MergingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Source that counts if several have data of the same time; repeat for an order.", valueName: "name"),
        completion: Completions.sources)
    var priority: [String] = []

    @Flag(help: "Add sources up, even if they recorded the same time.")
    var union = false

    @Flag(help: "With --sources: show only the part of each source that counts; the rows add up to the merged ones.")
    var merged = false

    /// Returns the merging; nil if no option is given.
    func resolved(bySource: Bool) throws -> SourceMerging? {
        if union, merged || !priority.isEmpty {
            throw Failure.usage("--union cannot be combined with --priority or --merged; omit one of the options")
        }
        if merged, !bySource {
            throw Failure.usage("--merged requires --sources; without --sources the sources are always merged")
        }
        return union ? .union : merged ? .byPriority : nil
    }

    /// Returns the stored source names that the options name, in order.
    func order(_ store: HealthStore, asOf commit: Int64?) throws -> [String] {
        try Self.order(priority, store, asOf: commit)
    }

    /// Returns the stored source names that some names mean, in order.
    static func order(_ priority: [String], _ store: HealthStore, asOf commit: Int64?) throws -> [String] {
        var names = [String]()
        for name in priority {
            let found = try SourceOption.matching([name], store, asOf: commit).sorted()
            names += found.filter { !names.contains($0) }
        }
        return names
    }
}
