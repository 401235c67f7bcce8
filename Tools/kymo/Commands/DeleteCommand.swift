// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import KymographHealth

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete samples of a type.",
        discussion: """
            EXAMPLES
              kymo delete heartRate --from 2024-01-01 --to 2024-01-31
              kymo delete stepCount --source "Ann's Phone" --all
              kymo delete bodyMass --to 2019 --dry-run

            A sample belongs to the range that contains its start. \(RangeOptions.explanation)

            Deleted samples come back only from a backup or by importing their export again. Until their bytes are \
            removed, for instance by "kymo compact", "kymo query TYPE --as-of COMMIT" still shows them.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument
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
        let hasRange = range.from != nil || range.to != nil
        if !hasRange && !all { throw ValidationError("give --from, --to or both; or --all to delete everything.") }
        if hasRange && all { throw ValidationError("--all cannot be combined with --from or --to.") }
    }

    func run() throws {
        try perform { output in
            let range = try range.resolved(zone.resolved())
            let store = try HealthStore.open(at: store.resolved(), mode: dryRun ? .readOnly : .shared)
            defer { store.close() }
            let type = try type.resolved(store)
            let sources = try source.resolved(store)
            var count = 0
            if dryRun {
                let request = SampleRequest(type, range: range, sources: sources)
                try store.samples(request) { batch throws(HealthStoreError) in
                    count += batch.count
                    return true
                }
            } else {
                count = try store.delete(type, startingIn: range, sources: sources).count
            }
            try say(type, count, store.engine.snapshot().sequence, output)
            return .done
        }
    }

    private func say(_ type: HealthType, _ count: Int, _ sequence: Int64, _ output: Output) throws {
        guard json else {
            let what = NumberText.count(count, "sample")
            let line = "\(dryRun ? "would delete" : "deleted") \(what) of \(TerminalText.printable(type.shortName))\n"
            return try output.write(Array(line.utf8))
        }
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("type", type.identifier)
        json.field("deleted", count)
        json.field("dryRun", dryRun)
        json.field("sequence", Int(sequence))
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }
}
