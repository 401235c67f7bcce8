// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import KymographHealth

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into a directory, and verify it.",
        discussion: """
            EXAMPLES
              kymo backup /media/disk/health
              kymo backup ~/health /media/disk/health
              kymo backup --without-keys ~/health /media/disk/health

            Creates the directory, or updates an earlier backup of the same store in it: only new segments are copied. \
            The store may be in use meanwhile. Every checksum is verified; a damaged store never replaces an intact \
            backup. If the command is interrupted, even by a power failure, the earlier backup remains intact.

            EXIT STATUS
              0    the backup is complete and durable
              1    the backup failed; an earlier backup is unchanged
              3    the store is damaged
              130  interrupted
            """)

    @Argument(
        help: ArgumentHelp("The store, if not the default one, and the backup.", valueName: "store> <backup"),
        completion: .directory)
    var places: [String] = []

    @Flag(
        help: """
            Leave the keys of an encrypted store out. The backup can then be read only with the keys that "kymo key \
            export" wrote after their last change; without them it is lost.
            """)
    var withoutKeys = false

    @OptionGroup var store: StoreOption

    @OptionGroup var reporting: ReportOptions

    func run() throws {
        try perform { output in
            guard let place = places.last, places.count <= 2, places.count == 1 || store.path == nil else {
                throw Failure.usage("give the backup's directory, preceded by at most one store")
            }
            let path = try places.count == 2 ? places[0] : store.resolved()
            let store = try Stores.open(at: path, mode: .readOnly)
            Interrupt.catchRequests()
            try StoreOption.makeParents(of: place)
            let report = try BackupText.watched("backup", isShown: !reporting.quiet) { progress throws(StoreError) in
                try store.engine.backup(to: place, includesKeys: !withoutKeys, progress: progress)
            }
            try BackupText.say(report, place, isJSON: reporting.json, output)
            return .done
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a store from a backup.",
        discussion: """
            EXAMPLES
              kymo restore /media/disk/health
              kymo restore /media/disk/health ~/health
              kymo restore /media/disk/health ~/health --keys health.keys

            Everything is copied and verified before the store becomes visible under its name. Nothing is overwritten: \
            the store's directory must be empty or not exist. The backup is only read.

            EXIT STATUS
              0    the store is restored
              1    the restore failed; nothing was created
              3    the backup is damaged
              130  interrupted
            """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "backup"), completion: .directory)
    var backup: String

    @Argument(
        help: ArgumentHelp("The store to create, if not the default one.", valueName: "store"), completion: .directory)
    var target: String?

    @Option(help: BackupText.keysHelp, completion: .file())
    var keys: String?

    @OptionGroup var store: StoreOption

    @OptionGroup var reporting: ReportOptions

    func run() throws {
        try perform { output in
            let place = try target ?? store.resolved()
            if let target, target.isEmpty || store.path != nil { throw Failure.usage("give only one store to create") }
            Interrupt.catchRequests()
            let report = try BackupText.watched("restore", isShown: !reporting.quiet) { progress throws(StoreError) in
                try TimeSeriesStore.restore(
                    from: backup, to: place, keys: keys, options: Stores.options(), progress: progress)
            }
            try BackupText.say(report, place, isJSON: reporting.json, output)
            return .done
        }
    }
}

/// Texts of the commands for backups.
enum BackupText {
    static let keysHelp = ArgumentHelp(
        "The keys that \"kymo key export\" wrote, for a backup that was made without keys.", valueName: "file")

    /// Runs a copy with progress on the terminal; a request to stop ends it.
    static func watched(
        _ title: String, isShown: Bool, _ work: (@escaping (BackupProgress) -> Bool) throws(StoreError) -> BackupReport
    ) throws(StoreError) -> BackupReport {
        let line = Progress(title, isShown: isShown)
        defer { line.clear() }
        return try work { state in
            line.show(done: state.bytesDone, of: state.bytesTotal, records: 0)
            return !Interrupt.isRequested
        }
    }

    static func say(_ report: BackupReport, _ place: String, isJSON: Bool, _ output: Output) throws {
        if isJSON {
            var json = JSONWriter(lines: 1)
            json.beginObject()
            json.field("path", place)
            json.field("sequence", Int(report.sequence))
            json.field("segments", report.segments)
            json.field("segmentsCopied", report.segmentsCopied)
            json.field("bytes", Int(clamping: report.bytes))
            json.field("bytesCopied", Int(clamping: report.bytesCopied))
            json.endObject()
            json.endLine()
            return try output.write(json.take())
        }
        let all = "\(NumberText.count(report.segments, "segment")), \(NumberText.bytes(Int64(clamping: report.bytes)))"
        let copied = "\(report.segmentsCopied) and \(NumberText.bytes(Int64(clamping: report.bytesCopied))) copied"
        try output.line("\(TerminalText.printable(place)): commit \(report.sequence), \(all); \(copied)")
    }
}
