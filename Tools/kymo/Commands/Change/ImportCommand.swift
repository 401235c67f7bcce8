// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import Apple Health exports.",
        discussion: """
            EXAMPLES
              kymo import export.zip
              kymo import ~/Downloads/export.xml --store ~/health
              kymo import old.zip new.zip --json
              kymo import ~/Downloads/apple_health_export
              kymo import export.zip --encrypt          asks for a passphrase
              ssh phone-backup cat export.zip | kymo import -

            The files are export.zip from the Health app, the folder that it was unpacked into, or the XML in it, of \
            any age; malformed files are accepted. An XML is imported with the folders of routes and recordings beside \
            it; a note counts the files that the XML names and that are missing. "-" is standard input.

            Each file is stored completely or not at all. Data already in the store is unchanged, so a file may be \
            imported again, and next month's export adds only new data. The store is created if it does not exist; \
            --tz then sets its home zone, for whose days statistics are fastest.

            EXIT STATUS
              0    success
              1    a file was rejected or could not be stored
              2    elements were repaired or skipped; they are listed with their positions
              130  interrupted; no part of the current file was stored
            """)

    @OptionGroup var store: StoreOption

    @Argument(
        help: ArgumentHelp("The export files or folders; - for standard input.", valueName: "file"),
        completion: .file(extensions: ["zip", "xml"]))
    var files: [String]

    @OptionGroup var zone: ZoneOption

    @Flag(help: "List all repaired and skipped elements, not only the first \(ImportReport.listed).")
    var allIssues = false

    @Flag(help: "Encrypt the new store, with the key of --key-file or a passphrase. Prints a recovery key.")
    var encrypt = false

    @OptionGroup var reporting: ReportOptions

    /// The argument for standard input.
    private static let dash = "-"

    func validate() throws {
        if files.count(where: { $0 == Self.dash }) > 1 {
            throw ValidationError("Standard input can be imported only once: give - once.")
        }
    }

    func run() throws {
        try perform { output in
            let path = try store.resolved()
            // Checks all names first, so that a mistyped name does not create an empty store.
            for file in files { try Self.requireFile(file) }
            Interrupt.catchRequests()
            let zone = try zone.resolved()
            let isNew = try RealDisk().kind(of: StoreOption.catalog(in: path)) == nil
            if encrypt, !isNew {
                throw Failure(
                    .usage, "--encrypt is for a new store, and \(path) exists; \"kymo encrypt\" encrypts it")
            }
            let store = try Self.open(path, homeZone: zone.identifier, encrypts: encrypt)
            // A rejected file does not leave an empty store either.
            defer { store.engine.closeAndRemoveIfUnused() }
            var report = ImportReport(path: path, listsAll: allIssues, isJSON: reporting.json)
            for file in files {
                if Interrupt.isRequested {
                    report.isInterrupted = true
                    break
                }
                let name = file == Self.dash ? "standard input" : file
                switch importFile(file, into: store) {
                case .success(let outcome): try report.add(name, outcome, output)
                case .failure(let error): report.add(name, Failure(error))
                }
            }
            // A store without a commit is removed.
            let isKept = store.engine.snapshot().sequence > 0
            guard encrypt, isKept else {
                try report.finish(store, zone, output)
                return report.status
            }
            try Self.finish(report, store, zone, output)
            return report.status
        }
    }

    /// Writes the report with a new recovery key, and adds the slot of the key, also if some files were rejected.
    private static func finish(
        _ report: ImportReport, _ store: HealthStore, _ zone: CivilZone, _ output: Output
    ) throws {
        let keys = try KeysCommand.keys(of: store)
        let key = try NewRecoveryKey()
        try report.finish(store, zone, output, recoveryKey: report.isJSON ? key.text : nil)
        if report.isJSON {
            NewRecoveryKey.note()
            try key.requirePrinted(output)
        } else {
            try key.print(output)
        }
        try key.add(to: keys, "recovery")
    }

    private func importFile(_ file: String, into store: HealthStore) -> Result<ImportOutcome, ImportError> {
        let isInput = file == Self.dash
        let progress = Progress(isInput ? "standard input" : Self.name(of: file), isShown: !reporting.quiet)
        defer { progress.clear() }
        func show(_ state: ImportProgress) -> Bool {
            progress.show(done: state.bytesRead, of: state.bytesTotal, records: state.records)
            return !Interrupt.isRequested
        }
        do throws(ImportError) {
            return .success(
                isInput
                    ? try AppleHealthImporter.importStandardInput(into: store, progress: show)
                    : try AppleHealthImporter.importFile(file, into: store, progress: show))
        } catch {
            return .failure(error)
        }
    }

    private static func requireFile(_ file: String) throws {
        if file == dash { return try requireInput() }
        if try RealDisk().kind(of: file) == nil { throw Failure(.failed, "\(file): no such file") }
    }

    /// Checks that standard input is open, before a file of the store takes its number.
    private static func requireInput() throws {
        do {
            _ = try FileReader.openStandardInput()
        } catch {
            throw Failure(.failed, "standard input cannot be read: \(error.message)")
        }
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }

    /// Opens the store; creates it with its parent directories if it does not exist.
    private static func open(_ path: String, homeZone: String, encrypts: Bool) throws -> HealthStore {
        var options = try Stores.options(creating: path, encrypts: encrypts)
        try StoreOption.makeParents(of: path)
        options.homeZone = homeZone
        // Parsing XML dominates the time: more threads would only use more memory.
        options.threads = 1
        return try HealthStore.openOrCreate(at: path, mode: .shared, options: options)
    }
}
