// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify the whole store, or a backup, or compare two stores.",
        discussion: """
            EXAMPLES
              kymo verify && echo sound
              kymo verify --json | jq '.problems[] | .type, .from'
              kymo verify /media/disk/health      another store, or a backup
              kymo verify --against /media/disk/health

            Every checksum is recomputed, every block is decoded and compared with its summary, every object is \
            decompressed. A store that cannot be opened is scanned as "kymo repair" would. The files of a backup are \
            also compared with its list. Nothing is changed. The exit status is 0 for a sound store, 3 for a damaged \
            one, 1 if there is neither a store nor a backup, or if a part could not be read for a reason other than \
            damage, such as too few file descriptors.

            With --against, the content of two stores is compared, whatever the layout of their files: samples, \
            objects, imports, attachments, characteristics and settings. The exit status is 0 if they are equal, and 1 \
            if they differ.
            """)

    @Argument(
        help: ArgumentHelp("The store or the backup. Default: the store of --store.", valueName: "store"),
        completion: .directory)
    var place: String?

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Flag(help: "Check only the checksums of an encrypted store or backup, which needs no key.")
    var withoutKey = false

    @Option(help: BackupText.keysHelp, completion: .file())
    var keys: String?

    @Option(
        help: ArgumentHelp("Compare the store with another store.", valueName: "other"), completion: .directory)
    var against: String?

    @Option(
        help: ArgumentHelp("A file with the key of the other store, if it is encrypted.", valueName: "file"),
        completion: .file())
    var otherKeyFile: String?

    @Option(help: ArgumentHelp("With --against: list at most this many differences. Default: 20.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        try perform { output in
            let zone = try zone.resolved()
            if let against { return try compare(with: against, output, zone) }
            if otherKeyFile != nil || limit != nil {
                throw Failure.usage("give --other-key-file and --limit with --against")
            }
            if withoutKey, keys != nil { throw Failure.usage("give either --without-key or --keys") }
            let path = try store.resolved(or: place, warns: false)
            let report =
                withoutKey
                ? try HealthStore.verifyWithoutKey(at: path)
                : try HealthStore.verify(at: path, keys: keys, options: Stores.options())
            let all =
                report.engine.problems.map { FoundProblem($0) } + report.problems.map { FoundProblem(message: $0) }
            if json {
                try Self.write(report, all, output, zone)
            } else {
                try Self.say(report, all, output, zone, withoutKey)
            }
            return report.isSound ? .done : report.isDamaged ? .corrupt : .failed
        }
    }

    private static func write(
        _ report: HealthVerifyReport, _ problems: [FoundProblem], _ output: Output, _ zone: CivilZone
    ) throws {
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("sound", report.isSound)
        json.field("backup", report.engine.isBackup)
        json.field("segments", report.engine.segments)
        json.field("blocks", report.engine.blocks)
        json.field("samples", report.engine.samples - report.locationNumbers)
        json.field("locations", report.locations)
        json.field("bytes", Int(report.engine.bytes))
        json.field("metadata", report.metadata)
        json.field("objects", report.objects)
        json.field("documents", report.documents)
        json.field("attachments", report.attachments)
        json.key("problems")
        json.beginArray()
        for problem in problems { problem.write(&json, zone) }
        json.endArray()
        json.key("unread")
        json.beginArray()
        for one in report.engine.unread { FoundProblem(one).write(&json, zone) }
        json.endArray()
        json.field("remarks", report.engine.remarks)
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    private static func say(
        _ report: HealthVerifyReport, _ problems: [FoundProblem], _ output: Output, _ zone: CivilZone,
        _ withoutKey: Bool
    ) throws {
        let engine = report.engine
        let samples = NumberText.count(engine.samples - report.locationNumbers, "sample")
        let places = report.locations > 0 ? " and \(NumberText.count(report.locations, "location"))" : ""
        let keyless =
            NumberText.count(engine.segments, "segment") + ", "
            + NumberText.count(engine.attachedFiles, "attachment") + ", " + NumberText.bytes(engine.bytes)
        let read =
            withoutKey
            ? keyless
            : [
                "\(samples)\(places) in \(NumberText.count(engine.blocks, "block"))",
                "\(NumberText.count(engine.segments, "segment")) (\(NumberText.bytes(engine.bytes)))",
                NumberText.count(report.metadata, "metadata set"), NumberText.count(report.objects, "object"),
                NumberText.count(report.documents, "document"),
                report.attachments > 0 ? NumberText.count(report.attachments, "attachment") : nil,
            ].compactMap(\.self).joined(separator: ", ")
        for remark in report.engine.remarks { Messages.write(remark) }
        if report.isSound {
            let plain = engine.isBackup ? "sound backup" : "sound"
            let what = withoutKey ? plain + ", as far as it can be checked without the key" : plain
            try output.line(output.style.green(what) + ": " + read)
            return
        }
        if report.isDamaged {
            try output.line(output.style.red("damaged") + ": \(NumberText.count(problems.count, "problem")) in \(read)")
            for problem in problems { try output.line("  " + problem.text(zone)) }
        }
        if !engine.unread.isEmpty {
            let count = NumberText.count(engine.unread.count, "part")
            try output.line(output.style.red("incomplete") + ": \(count) could not be read; checked \(read)")
            for one in engine.unread { try output.line("  " + FoundProblem(one).text(zone)) }
        }
        try output.finish()
        if !report.isDamaged {
            Messages.write("no damage in the readable parts; fix the reason and verify again")
        } else if engine.isBackup {
            Messages.write("the backup is damaged; \"kymo backup\" of the store into it replaces the damaged files")
        } else {
            Messages.write(
                "the store is damaged; \"kymo repair --to DIR\" creates a new store from its intact parts")
        }
    }
}
