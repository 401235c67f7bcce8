// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Brings exports of Apple Health into the store.",
        discussion: """
            EXAMPLES
              kymo import export.zip
              kymo import ~/Downloads/export.xml --store ~/health
              kymo import old.zip new.zip --json

            The files are export.zip as the Health app shares it, or the XML out of one, of any age, malformed ones \
            too. Each is stored as a whole or not at all. What is stored already is left as it is, so a file may be \
            imported again, and next month's export brings only what is new. The store is made if it is not there; \
            --tz is then its home zone, the one whose days are fastest.

            EXIT STATUS
              0    all is well
              1    a file was refused or could not be stored
              2    something was repaired or left out: it is listed with its place
              130  interrupted: nothing of that file was stored
            """)

    @OptionGroup var store: StoreOption

    @Argument(help: ArgumentHelp("The exports.", valueName: "file"), completion: .file(extensions: ["zip", "xml"]))
    var files: [String]

    @OptionGroup var zone: ZoneOption

    @Flag(help: "List all that was repaired or left out, not only the first \(ImportReport.listed).")
    var allIssues = false

    @OptionGroup var reporting: ReportOptions

    func run() throws {
        try perform { output in
            let path = try store.resolved()
            // A mistyped name must not leave an empty store behind.
            for file in files { try Self.requireFile(file) }
            Interrupt.catchRequests()
            let store = try Self.open(path, homeZone: try zone.resolved().identifier)
            // Nor must a file that is refused.
            defer { store.engine.closeAndRemoveIfUnused() }
            var report = ImportReport(path: path, listsAll: allIssues, isJSON: reporting.json)
            for file in files {
                if Interrupt.isRequested {
                    report.isInterrupted = true
                    break
                }
                switch importFile(file, into: store) {
                case .success(let outcome): try report.add(file, outcome, output)
                case .failure(let error): report.add(file, Failure(error))
                }
            }
            try report.finish(output)
            return report.status
        }
    }

    private func importFile(_ file: String, into store: HealthStore) -> Result<ImportOutcome, ImportError> {
        let progress = Progress(Self.name(of: file), isShown: !reporting.quiet)
        defer { progress.clear() }
        do throws(ImportError) {
            return .success(
                try AppleHealthImporter.importFile(file, into: store) { state in
                    progress.show(done: state.bytesRead, of: state.bytesTotal, records: state.records)
                    return !Interrupt.isRequested
                })
        } catch {
            return .failure(error)
        }
    }

    private static func requireFile(_ file: String) throws {
        if try RealDisk().kind(of: file) == nil { throw Failure(.failed, "\(file): no such file") }
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }

    /// Opens the store, which is made with its parent directories where it is not there.
    private static func open(_ path: String, homeZone: String) throws -> HealthStore {
        try StoreOption.makeParents(of: path)
        var options = StoreOptions()
        options.homeZone = homeZone
        // Reading XML is what takes the time: more threads would take only memory.
        options.threads = 1
        return try HealthStore.openOrCreate(at: path, mode: .shared, options: options)
    }
}
