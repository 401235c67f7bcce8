// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import KymographHealth

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the store, consistently and checked, into a directory.",
        discussion: """
            EXAMPLES
              kymo backup /media/disk/health
              kymo backup ~/health /media/disk/health

            The directory is made, or holds an earlier backup of the same store, which becomes this one: only what is \
            new is copied. The store may be in use meanwhile. Every checksum is verified on the way; a damaged store \
            is not backed up over a sound backup. What interrupts it, the power included, leaves the earlier backup.

            EXIT STATUS
              0    the backup is complete and on the disk
              1    it could not be made; an earlier one is as it was
              3    the store is damaged
              130  interrupted
            """)

    @Argument(
        help: ArgumentHelp("The store, if it is not the usual one, and the backup.", valueName: "store> <backup"),
        completion: .directory)
    var places: [String]

    @OptionGroup var store: StoreOption

    @OptionGroup var reporting: ReportOptions

    func run() throws {
        try perform { output in
            guard let place = places.last, places.count <= 2, places.count == 1 || store.path == nil else {
                throw Failure.usage("name the backup's directory, and at most one store before it")
            }
            let path = try places.count == 2 ? places[0] : store.resolved()
            let store = try HealthStore.open(at: path, mode: .readOnly)
            Interrupt.catchRequests()
            try StoreOption.makeParents(of: place)
            let report = try BackupText.watched("backup", isShown: !reporting.quiet) { progress throws(StoreError) in
                try store.engine.backup(to: place, progress: progress)
            }
            try BackupText.say(report, place, isJSON: reporting.json, output)
            return .done
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a store of a backup.",
        discussion: """
            EXAMPLES
              kymo restore /media/disk/health
              kymo restore /media/disk/health ~/health

            Everything is copied and checked before the store gets its name. Nothing is overwritten: the store's \
            directory must not exist, or be empty. The backup is only read.

            EXIT STATUS
              0    the store is there
              1    it could not be made; nothing was left
              3    the backup is damaged
              130  interrupted
            """)

    @Argument(help: ArgumentHelp("The backup.", valueName: "backup"), completion: .directory)
    var backup: String

    @Argument(
        help: ArgumentHelp("The store to make, if not the usual one.", valueName: "store"), completion: .directory)
    var target: String?

    @OptionGroup var store: StoreOption

    @OptionGroup var reporting: ReportOptions

    func run() throws {
        try perform { output in
            let place = try target ?? store.resolved()
            if let target, target.isEmpty || store.path != nil { throw Failure.usage("name one store to make") }
            Interrupt.catchRequests()
            let report = try BackupText.watched("restore", isShown: !reporting.quiet) { progress throws(StoreError) in
                try TimeSeriesStore.restore(from: backup, to: place, progress: progress)
            }
            try BackupText.say(report, place, isJSON: reporting.json, output)
            return .done
        }
    }
}

/// What both commands say.
private enum BackupText {
    /// Runs a work that tells how far it is, on the terminal, until somebody asks to stop.
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
        try output.line("\(TerminalText.printable(place)): commit \(report.sequence), \(all), of it \(copied)")
    }
}
