// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export the store as Apple's XML, CSV or JSON lines.",
        discussion: """
            EXAMPLES
              kymo export export.xml                   all, as the Health app exports it
              kymo export heart.csv --types heartRate --from 2024-01
              kymo export --format jsonl --types steps,weight | gzip > samples.gz
              kymo export pressure.xml --types bp,systolic,diastolic

            XML contains all imported elements with their original text, including workouts, correlations and activity \
            summaries, and the objects saved by programs. CSV and JSON lines contain the samples as in "kymo query", \
            with their type; "csv-safe" defuses texts that a spreadsheet would run as formulas. Routes and other files \
            beside the XML are not exported.

            The suffix of the file selects the format: .xml, .csv or .jsonl. Another suffix, or none, requires \
            --format. An existing file is replaced only with --force. Standard output is XML unless --format is given.

            A sample belongs to the range that contains its start. \(RangeOptions.explanation)

            The file gets its name when it is complete; until then the data is in a temporary file beside it. Without \
            a file, the data goes to standard output.
            """)

    @OptionGroup var store: StoreOption

    @Argument(help: ArgumentHelp("The file to write. Default: standard output (-).", valueName: "file"))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "xml, csv, csv-safe or jsonl. Default: by file suffix; xml for standard output.", valueName: "format"))
    var format: ExportForm?

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @Option(
        help: ArgumentHelp("Export only these comma-separated types; may be repeated.", valueName: "types"),
        completion: Completions.typeLists)
    var types: [String] = []

    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption

    func run() throws {
        try perform { output in
            Interrupt.catchRequests()
            let store = try store.open()
            defer { store.close() }
            let range = try range.resolved(zone.resolved(store))
            let types = try TypeList.identifiers(types, store)
            let file = file == "-" ? nil : file
            if let file { try check(file, store) }
            let form = try file.map { try ExportForm.of(file: $0, format) } ?? format ?? .xml
            if form != .xml { try TypeList.refuseCorrelations(types ?? []) }
            guard let file else {
                _ = try write(store, form, types, range, output)
                if Interrupt.isRequested { throw Failure(.interrupted, "interrupted; the output is incomplete") }
                return .done
            }
            let target = try NewFile(file, replaces: force)
            do {
                let counts = try write(store, form, types, range, Output(target))
                if Interrupt.isRequested { throw Failure(.interrupted, "interrupted; \(file) is unchanged") }
                try target.complete()
                Messages.line("\(TerminalText.printable(file)): \(Self.text(counts))")
            } catch {
                target.abandon()
                throw error
            }
            return .done
        }
    }

    /// Throws if the file must not be written.
    private func check(_ file: String, _ store: HealthStore) throws {
        // If the directory does not exist, creating the file reports the error.
        if (try? RealDisk().isDirectory(NewFile.directory(of: file), in: store.path)) ?? false {
            throw Failure.usage("\(file) is inside the store's directory; choose another directory")
        }
        try NewFile.check(file, replaces: force)
    }

    private func write(
        _ store: HealthStore, _ form: ExportForm, _ types: Set<String>?, _ range: TimeRange, _ output: Output
    ) throws -> ExportCounts {
        switch form {
        case .xml:
            let now = SystemClock.wallNanoseconds()
            let offset = zone.name == nil ? nil : try zone.resolved().offset(at: now / 1_000_000_000)
            let request = try ExportRequest(
                types: types, range: range, summaries: range.dates(zone.resolved(store)), offset: offset, date: now)
            return try AppleHealthExporter.write(store, request) { bytes in
                try output.write(bytes)
                return output.isOpen && !Interrupt.isRequested
            }
        case .csv: return try rows(store, types, range, output, .csv)
        case .csvSafe: return try rows(store, types, range, output, .csvSafe)
        case .jsonl: return try rows(store, types, range, output, .jsonl)
        }
    }

    private func rows(
        _ store: HealthStore, _ types: Set<String>?, _ range: TimeRange, _ output: Output, _ format: RowFormat
    ) throws -> ExportCounts {
        let export = try HealthExport(store)
        var counts = ExportCounts()
        var writer = SampleWriter(output, format, try zone.resolved(store), withTypes: true)
        for type in export.types where types?.contains(type.identifier) ?? true {
            try export.records(type, range: range) { sample in
                try writer.append(sample)
                counts.records += 1
                return output.isOpen && !Interrupt.isRequested
            }
        }
        try writer.finish()
        return counts
    }

    private static func text(_ counts: ExportCounts) -> String {
        var parts = [NumberText.count(counts.records, "record")]
        if counts.correlations > 0 { parts.append(NumberText.count(counts.correlations, "correlation")) }
        if counts.elements > 0 { parts.append(NumberText.count(counts.elements, "other element")) }
        return parts.joined(separator: ", ")
    }
}

/// Types as named on the command line: identifiers or short names, including correlations.
enum TypeList {
    private static let correlations = [
        "HKCorrelationTypeIdentifierBloodPressure", "HKCorrelationTypeIdentifierFood",
    ]

    /// Returns the correlation type with this name or alias; nil if there is none.
    static func correlation(_ name: String) -> String? {
        let wanted = plain(TypeAlias.expanded(name))
        return correlations.first {
            plain($0) == wanted || plain($0.dropFirst("HKCorrelationTypeIdentifier".count)) == wanted
        }
    }

    /// Throws for correlation types, which have no rows; the error names the types of their members.
    static func refuseCorrelations(_ types: Set<String>) throws {
        for (type, members) in zip(
            correlations, ["bloodPressureSystolic,bloodPressureDiastolic", "dietaryEnergyConsumed,dietaryProtein,..."])
        where types.contains(type) {
            throw Failure.usage(
                "CSV and JSON lines cannot hold the correlation \(type); export its members: "
                    + "--types \(members)")
        }
    }

    private static func plain(_ name: some StringProtocol) -> String {
        String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// Returns the identifiers in comma-separated lists; nil without a list.
    static func identifiers(_ lists: [String], _ store: HealthStore) throws -> Set<String>? {
        if lists.isEmpty { return nil }
        var found: Set<String> = []
        for name in lists.joined(separator: ",").split(separator: ",") {
            let name = String(name.drop { $0 == " " })
            found.insert(try correlation(name) ?? TypeArgument.type(name, store).identifier)
        }
        if found.isEmpty { throw Failure.usage("--types names no type") }
        return found
    }
}
