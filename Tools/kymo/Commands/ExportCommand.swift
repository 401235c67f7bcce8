// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes what the store holds: Apple's XML, CSV or JSON lines.",
        discussion: """
            EXAMPLES
              kymo export export.xml                        everything, as the Health app exports it
              kymo export heart.csv --types heartRate --from 2024-01
              kymo export --format jsonl --types stepCount,bodyMass | gzip > samples.jsonl.gz
              kymo export pressure.xml --types bloodPressure,bloodPressureSystolic,bloodPressureDiastolic

            XML has all that imports brought, text by text, with workouts, correlations and activity summaries, and \
            what programs have saved. CSV and JSON lines have the samples, as "kymo query" gives them, with their \
            type, "csv-safe" without texts that a spreadsheet would run as formulas. \
            Routes and other files beside the XML are not written.

            A sample belongs to the range that it starts in. \(RangeOptions.explanation)

            A file is written beside its place and takes its name when it is whole. Without a file, data goes to \
            standard output.
            """)

    /// What is written.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case xml, csv, jsonl
        case csvSafe = "csv-safe"
    }

    @OptionGroup var store: StoreOption

    @Argument(help: ArgumentHelp("The file; - or nothing for standard output.", valueName: "file"))
    var file: String?

    @Option(
        help: ArgumentHelp("xml, csv, csv-safe or jsonl. Default: by the file's name, else xml.", valueName: "format"))
    var format: Form?

    @Option(help: ArgumentHelp("Only these types, with commas between; several times for more.", valueName: "types"))
    var types: [String] = []

    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption

    func run() throws {
        try perform { output in
            Interrupt.catchRequests()
            let form = try form()
            let range = try range.resolved(try zone.resolved())
            let store = try store.open()
            defer { store.close() }
            let types = try TypeList.identifiers(types, store)
            if form != .xml { try TypeList.refuseCorrelations(types ?? []) }
            guard let file, file != "-" else {
                _ = try write(store, form, types, range, output)
                if Interrupt.isRequested { throw Failure(.interrupted, "interrupted; what was written is not whole") }
                return .done
            }
            // Where the directory is not there, making the file says so.
            if (try? RealDisk().isDirectory(NewFile.directory(of: file), in: store.path)) ?? false {
                throw Failure.usage("\(file) would lie in the directory of the store; name another place")
            }
            let target = try NewFile(file)
            do {
                let counts = try write(store, form, types, range, Output(target))
                if Interrupt.isRequested { throw Failure(.interrupted, "interrupted; \(file) is as it was") }
                try target.complete()
                Messages.line("\(TerminalText.printable(file)): \(Self.text(counts))")
            } catch {
                target.abandon()
                throw error
            }
            return .done
        }
    }

    private func write(
        _ store: HealthStore, _ form: Form, _ types: Set<String>?, _ range: TimeRange, _ output: Output
    ) throws -> ExportCounts {
        switch form {
        case .xml:
            let now = SystemClock.wallNanoseconds()
            let offset = zone.name == nil ? nil : try zone.resolved().offset(at: now / 1_000_000_000)
            let request = try ExportRequest(
                types: types, range: range, summaries: range.dates(zone.resolved()), offset: offset, date: now)
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
        var writer = SampleWriter(output, format, try zone.resolved(), withTypes: true)
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

    private func form() throws -> Form {
        if let format { return format }
        let name = (file ?? "").lowercased()
        if name.hasSuffix(".json") {
            throw Failure.usage("there is no JSON but JSON lines: name the file .jsonl, or say --format jsonl")
        }
        return name.hasSuffix(".csv") ? .csv : name.hasSuffix(".jsonl") ? .jsonl : .xml
    }

    private static func text(_ counts: ExportCounts) -> String {
        var parts = [NumberText.count(counts.records, "record")]
        if counts.correlations > 0 { parts.append(NumberText.count(counts.correlations, "correlation")) }
        if counts.elements > 0 { parts.append(NumberText.count(counts.elements, "other element")) }
        return parts.joined(separator: ", ")
    }
}

/// Types as the command line names them: identifiers or short names, those of correlations too.
enum TypeList {
    private static let correlations = [
        "HKCorrelationTypeIdentifierBloodPressure", "HKCorrelationTypeIdentifierFood",
    ]

    /// The type of correlation that a person means; nil where none has that name.
    static func correlation(_ name: String) -> String? {
        let wanted = plain(name)
        return correlations.first {
            plain($0) == wanted || plain($0.dropFirst("HKCorrelationTypeIdentifier".count)) == wanted
        }
    }

    /// Correlations are no rows: says which types have what is in them.
    static func refuseCorrelations(_ types: Set<String>) throws {
        for (type, members) in zip(
            correlations, ["bloodPressureSystolic,bloodPressureDiastolic", "dietaryEnergyConsumed,dietaryProtein,..."])
        where types.contains(type) {
            throw Failure.usage(
                "CSV and JSON lines have samples, and \(type) is a correlation; ask for its members: "
                    + "--types \(members)")
        }
    }

    private static func plain(_ name: some StringProtocol) -> String {
        String(name.lowercased().filter { $0.isLetter || $0.isNumber })
    }

    /// The identifiers of lists with commas; nil for no list.
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
