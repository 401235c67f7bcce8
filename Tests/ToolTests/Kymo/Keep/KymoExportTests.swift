// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-4 kymo export")
struct KymoExportTests {
    @Test("Another store imports exported XML completely, from a file or standard output")
    func xml() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("out.xml")
        let outcome = try kymo("export", file)
        #expect(outcome.code == 0 && outcome.output.isEmpty, "\(outcome.errors)")
        let records = try SampleManifest.load().records
        #expect(outcome.errors.contains("7 correlations"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["out.xml"])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData ["))
        let store = directory.file("store")
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        let types = try Tool.kymo.run(["types", "--csv", "--store", store], environment: ["TZ": "UTC"])
        // Electrocardiograms, routes and the resources of clinical records are separate files beside the XML.
        let all = try kymo("types", "--csv").output.split(separator: "\n")
        let files = ["HKDataTypeIdentifierElectrocardiogram", "HKWorkoutRoute", "HKClinical"]
        func inXML(_ rows: [Substring]) -> [Substring] { rows.filter { row in !files.contains { row.hasPrefix($0) } } }
        #expect(inXML(types.output.split(separator: "\n")) == inXML(all) && all.count > 10)
        let again = try Tool.kymo.run(["import", SampleStore.export, "--store", store, "--json"])
        #expect(again.output.contains("\"added\": 0") && again.output.contains("\"unchanged\": \(records)"))
        // The date of the export is the second in which it is made.
        let streamed = try kymo("export", "-").output
        func undated(_ text: String) -> [Substring] {
            text.split(separator: "\n").filter { !$0.contains("<ExportDate ") }
        }
        #expect(undated(streamed) == undated(text))
    }

    private struct Row: Decodable {
        var type: String
        var start: String
        var value: Double
        var uuid: String
    }

    @Test("CSV and JSON lines have every sample with its type")
    func rows() throws {
        let manifest = try SampleManifest.load()
        let lines = try kymo("export", "--format", "jsonl").output.split(separator: "\n")
        #expect(lines.count == manifest.records)
        let rows = try lines.prefix(500).map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        #expect(Set(rows.map(\.uuid)).count == 500)
        let directory = try TemporaryDirectory()
        let file = directory.file("mass.csv")
        #expect(try kymo("export", file, "--types", "bodyMass,stepCount", "--from", "2022-05-03").code == 0)
        let csv = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(csv[0].hasPrefix("type,start,end,value,"))
        let types = Set(csv.dropFirst().map { String($0.prefix { $0 != "," }) })
        #expect(types == ["HKQuantityTypeIdentifierBodyMass", "HKQuantityTypeIdentifierStepCount"])
        #expect(csv.dropFirst().allSatisfy { $0.contains(",2022-05-") })
    }

    @Test("--types selects types, and correlations by their short names")
    func types() throws {
        let text = try kymo("export", "--types", "bloodPressure").output
        #expect(text.components(separatedBy: "<Correlation ").count == 8 && !text.contains("\n <Record "))
    }

    @Test("an interrupted export to standard output ends with status 130", arguments: ["xml", "jsonl"])
    func interrupted(format: String) throws {
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent("kymo")
        process.arguments = ["export", "--format", format, "--store", SampleStore.path]
        let (pipe, errors) = (Pipe(), Pipe())
        process.standardOutput = pipe
        process.standardError = errors
        try process.run()
        // The export waits for a reader: a pipe holds less than the export.
        #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1)
        process.interrupt()
        let rest = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == 130)
        let message = try errors.fileHandleForReading.readToEnd() ?? Data()
        #expect(String(decoding: message, as: UTF8.self).contains("interrupted"))
        #expect(!String(decoding: rest, as: UTF8.self).contains("</HealthData>"))
    }

    @Test("an export into the store's directory is refused, also by links and relative paths")
    func ownDirectory() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        try FileManager.default.copyItem(atPath: SampleStore.path, toPath: store)
        try FileManager.default.createSymbolicLink(atPath: directory.file("link"), withDestinationPath: "store")
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("inner"), withDestinationPath: store + "/segments")
        try FileManager.default.createDirectory(atPath: directory.file("beside"), withIntermediateDirectories: false)
        for place in [
            "store/kymograph.sqlite", "store/new.csv", "store/segments/new.csv", "link/kymograph.sqlite",
            "link/segments/new.csv", "inner/new.csv", "beside/../store/LOCK", "inner/../new.csv",
        ] {
            for path in [store, directory.file("link")] {
                let outcome = try Tool.kymo.run(["export", directory.file(place), "--store", path])
                #expect(outcome.code == 64, "\(place): \(outcome.errors)")
                #expect(outcome.errors.contains("the store's directory"), "\(outcome.errors)")
            }
        }
        // A relative path in a program whose current directory is the store.
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent("kymo")
        process.arguments = ["export", "kymograph.sqlite", "--store", "."]
        process.currentDirectoryURL = URL(fileURLWithPath: store)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 64)
        let names = try FileManager.default.subpathsOfDirectory(atPath: store)
        #expect(!names.contains { $0.hasSuffix(".csv") || $0.hasSuffix(".part") }, "\(names)")
        #expect(try Tool.kymo.run(["verify", "--store", store]).code == 0)
        #expect(try Tool.kymo.run(["export", directory.file("beside/a.csv"), "--store", store]).code == 0)
    }

    @Test("the suffix of the file selects the format, unless --format is given and agrees")
    func suffixes() throws {
        let directory = try TemporaryDirectory()
        func export(_ name: String, _ more: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(
                ["export", directory.file(name), "--types", "bodyMass", "--store", SampleStore.path] + more)
        }
        for (name, format) in [
            ("out.xlsx", ""), ("out", ""), (".xml", ""), ("out.", ""), ("out.xml.gz", ""), ("out.zip", ""),
            ("out.zip", "xml"), ("out.csv", "xml"), ("out.csv", "jsonl"), ("out.XML", "csv-safe"), ("out.jsonl", "csv"),
            ("out.json", "xml"), ("out.json", ""),
        ] {
            let outcome =
                try format.isEmpty ? export(name) : export(name, "--format", format)
            #expect(outcome.code == 64, "\(name) \(format): \(outcome.errors)")
            let isDisagreement = !format.isEmpty && name != "out.zip"
            let what = isDisagreement ? "but the format is \(format)" : ".jsonl"
            #expect(outcome.errors.contains(what), "\(name) \(format): \(outcome.errors)")
        }
        #expect(try export("out.xlsx").errors.contains("no format has the suffix .xlsx; use .xml, .csv or .jsonl"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        for (name, format, start) in [
            ("a.xml", "xml", "<?xml"), ("a.CSV", "csv-safe", "type,"), ("a.jsonl", "", "{\"type\""),
            ("a", "csv", "type,"),
            ("a.txt", "xml", "<?xml"), ("a.json", "jsonl", "{\"type\""), ("a.csv", "", "type,"),
        ] {
            let outcome =
                try format.isEmpty ? export(name) : export(name, "--format", format)
            #expect(outcome.code == 0, "\(name): \(outcome.errors)")
            #expect(try String(contentsOfFile: directory.file(name), encoding: .utf8).hasPrefix(start), "\(name)")
        }
    }

    @Test("an existing file is replaced only with --force")
    func existing() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("a.csv")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        let refused = try kymo("export", file, "--types", "bodyMass")
        #expect(refused.code == 1 && refused.errors.contains("exists already; add --force"), "\(refused.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a.csv"])
        #expect(try kymo("export", file, "--types", "bodyMass", "--force").code == 0)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("type,"))
        #expect(try kymo("export", directory.file("b.csv"), "--types", "bodyMass", "--force").code == 0)
    }

    @Test("a wrong type, format or file is an error and leaves no file")
    func refusals() throws {
        let directory = try TemporaryDirectory()
        #expect(try kymo("export", directory.file("a.xml"), "--types", "stepCont").errors.contains("stepCount"))
        #expect(try kymo("export", directory.file("a.xml"), "--types", "stepCont").code == 64)
        #expect(try kymo("export", "--format", "yaml").code == 64)
        let json = try kymo("export", directory.file("a.json"))
        #expect(json.code == 64 && json.errors.contains("--format jsonl"), "\(json.errors)")
        let rows = try kymo("export", directory.file("a.csv"), "--types", "heartRate,bloodPressure")
        #expect(rows.code == 64 && rows.errors.contains("bloodPressureSystolic,bloodPressureDiastolic"))
        #expect(try kymo("export", "--format", "jsonl", "--types", "food").errors.contains("dietaryProtein"))
        let kind = try kymo("export", directory.path)
        #expect(kind.code == 1 && kind.errors.contains("not a regular file"), "\(kind.errors)")
        #expect(try kymo("export", directory.file("none/a.xml")).code == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        let file = directory.file("kept.xml")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try kymo("export", file, "--store", directory.file("nowhere")).code == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
    }
}
