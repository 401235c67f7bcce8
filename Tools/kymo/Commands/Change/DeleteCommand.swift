// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import KymographHealth

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete samples of a type, or of a source.",
        discussion: """
            EXAMPLES
              kymo delete heartRate --from 2024-01-01 --to 2024-01-31
              kymo delete stepCount --source "Ann's Phone" --all
              kymo delete bodyMass --to 2019 --dry-run
              kymo delete --source "Simulated watch" --all   samples of every type
              kymo delete workouts --id 9a03de               one workout of a list

            A sample belongs to the range that contains its start. \(RangeOptions.explanation)

            Without a type, --source is required: the samples of all types of these sources are deleted, in one \
            commit. Workouts, electrocardiograms and heartbeat series remain; "workouts" and "ecg" as the type delete \
            them. The samples of a deleted workout remain, its route does not. --source takes only whole names.

            Deleted samples come back only from a backup or by importing their export again. Until their bytes are \
            removed, for instance by "kymo compact", "kymo query TYPE --as-of COMMIT" still shows them.
            """)

    @OptionGroup var store: StoreOption

    @Argument(
        help: ArgumentHelp(
            "The type, such as steps or stepCount. Default: all types of --source.",
            valueName: "type"),
        completion: Completions.types)
    var type: String?

    @Option(
        name: .customLong("id"),
        help: ArgumentHelp(
            "Delete the workout or electrocardiogram with this identity; may be repeated.", valueName: "id"),
        completion: Completions.identities)
    var identities: [String] = []

    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption

    @Flag(help: "Delete all samples; required if no range is given.")
    var all = false

    @Flag(help: "Print the number of samples without deleting them.")
    var dryRun = false

    @OptionGroup var source: SourceOption

    @Flag(help: "Write a JSON object.")
    var json = false

    func validate() throws {
        if type == nil, source.names.isEmpty {
            throw ValidationError("give a type, or --source to delete the samples of all types of a source.")
        }
        if !identities.isEmpty {
            if range.isGiven || all || !source.names.isEmpty {
                throw ValidationError("--id cannot be combined with --all, --source and a range.")
            }
            return
        }
        if !range.isGiven && !all {
            throw ValidationError("give --from, --to or --last; or --all to delete everything.")
        }
        if range.isGiven && all { throw ValidationError("--all cannot be combined with --from, --to or --last.") }
    }

    func run() throws {
        try perform { output in
            let path = try store.resolved()
            // Checks the range before opening the store for writing.
            let range = try range.resolved(zone.resolved(at: path))
            let store = try Stores.open(at: path, mode: dryRun ? .readOnly : .shared)
            defer { store.close() }
            if let listed = type.flatMap({ ListedType.find($0) }) { return try delete(listed, range, store, output) }
            if !identities.isEmpty {
                throw Failure.usage(
                    "--id selects workouts and electrocardiograms; use a range for samples with a value")
            }
            let type = try type.map { try TypeArgument.type($0, store) }
            // A part of a name could select another source than the person means, and deletions are final.
            let sources = try source.resolved(store, wholeNames: true)
            let count =
                if dryRun {
                    try Self.count(store, type, range, sources)
                } else if let type {
                    try store.delete(type, startingIn: range, sources: sources).count
                } else {
                    try store.deleteAllTypes(startingIn: range, sources: sources ?? []).count
                }
            let what = NumberText.count(count, "sample")
            let whose = type?.shortName ?? (sources ?? []).sorted().joined(separator: ", ")
            try report(
                "\(what) of \(TerminalText.printable(whose))", type?.identifier, sources, count, store, output)
            return .done
        }
    }

    /// Deletes samples without a value.
    private func delete(
        _ type: ListedType, _ range: TimeRange, _ store: HealthStore, _ output: Output
    ) throws -> ExitStatus {
        var wanted = Set(try identities.map { try ListedType.find(identity: $0, in: [type], store) })
        if identities.isEmpty {
            let sources =
                try source.names.isEmpty
                ? nil : SourceOption.matching(source.names, among: type.sources(store), wholeNames: true)
            try store.list(type.sampleType, startingIn: range) { one in
                if sources?.contains(one.sample.sourceRevision.source.name) ?? true { wanted.insert(one.sample.uuid) }
                return true
            }
        }
        var count = wanted.count
        if !dryRun, count > 0 { count = try store.deleteObjects(of: type.sampleType, .uuids(wanted), as: nil) }
        try report(type.count(count), type.identifier, nil, count, store, output)
        return .done
    }

    /// Returns the number of samples that a deletion of a type, or of all types, would delete.
    private static func count(
        _ store: HealthStore, _ type: HealthType?, _ range: TimeRange, _ sources: Set<String>?
    ) throws -> Int {
        var count = 0
        for type in try type.map({ [$0] }) ?? store.types().map(\.type) {
            try store.samples(SampleRequest(type, range: range, sources: sources)) { batch throws(HealthStoreError) in
                count += batch.count
                return true
            }
        }
        return count
    }

    /// Prints the number of deleted samples.
    ///
    /// - Parameters:
    ///   - what: the samples in words.
    ///   - type: the identifier of the type; nil for the samples of all types of the sources.
    private func report(
        _ what: String, _ type: String?, _ sources: Set<String>?, _ count: Int, _ store: HealthStore, _ output: Output
    ) throws {
        guard json else { return try output.line("\(dryRun ? "would delete" : "deleted") \(what)") }
        var json = JSONWriter(lines: 1)
        json.beginObject()
        if let type { json.field("type", type) } else { json.field("sources", (sources ?? []).sorted()) }
        json.field("deleted", count)
        json.field("dryRun", dryRun)
        json.field("sequence", Int(store.engine.snapshot().sequence))
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }
}
