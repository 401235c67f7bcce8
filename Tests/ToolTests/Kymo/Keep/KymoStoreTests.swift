// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 kymo query, types, sources")
struct KymoQueryTests {
    private struct Item: Decodable, Equatable {
        var start: String
        var end: String
        var value: Double
        var valueName: String?
        var unit: String?
        var source: String
        var created: String?
        var metadata: [String: String]?
        var uuid: String
    }

    private struct Overview: Decodable {
        var type: String
        var unit: String?
        var samples: Int
        var first: String
        var last: String
    }

    @Test("types equal the manifest's")
    func types() throws {
        let all = try decodeOutput([Overview].self, kymo("types", "--json"))
        let others = ["HKDataType", "HKWorkout", "HKVision", "HKClinical"]
        let types = all.filter { one in !others.contains { one.type.hasPrefix($0) } }
        #expect(all.contains { $0.type == "HKVisionPrescriptionTypeIdentifier" && $0.samples == 1 })
        let manifest = try SampleManifest.load()
        #expect(Dictionary(uniqueKeysWithValues: types.map { ($0.type, $0.samples) }) == manifest.count)
        #expect(types.first { $0.type.hasSuffix("StepCount") }?.unit == "count")
        #expect(types.allSatisfy { $0.first < $0.last && $0.first.hasPrefix("2022-0") })
        let table = try kymo("types").output.split(separator: "\n")
        #expect(table.count == all.count + 1)
    }

    @Test("sources are listed with their samples")
    func sources() throws {
        let lines = try kymo("sources", "--csv").output.split(separator: "\n")
        #expect(lines[0] == "name,samples,first,last,types,versions,devices")
        let samples = lines.dropFirst().compactMap { Int($0.split(separator: ",")[1]) }
        #expect(samples.reduce(0, +) == (try SampleManifest.load().records))
        #expect(try kymo("sources").output.contains("Watch"))
    }

    @Test("samples are sorted, forward and backward, within a range")
    func order() throws {
        let all = try decodeOutput([Item].self, kymo("query", "bodyMass", "--json"))
        let back = try decodeOutput([Item].self, kymo("query", "bodyMass", "--json", "--reverse"))
        #expect(all.count == (try SampleManifest.load().count["HKQuantityTypeIdentifierBodyMass"]))
        #expect(back.map(\.start) == all.map(\.start).reversed())
        #expect(Set(back.map(\.uuid)) == Set(all.map(\.uuid)))
        #expect(Set(all.map(\.uuid)).count == all.count)
        let few = try decodeOutput([Item].self, kymo("query", "bodyMass", "--json", "--limit", "3"))
        #expect(few == Array(all.prefix(3)))
        let day = try decodeOutput(
            [Item].self, kymo("query", "bodyMass", "--json", "--from", "2022-05-03", "--to", "2022-05-04"))
        #expect(day == all.filter { $0.start >= "2022-05-03" && $0.start < "2022-05-05" })
        let pounds = try decodeOutput([Item].self, kymo("query", "bodyMass", "--json", "--unit", "lb", "--limit", "1"))
        #expect(abs(pounds[0].value * 0.45359237 - all[0].value) < 1e-9)
    }

    @Test("category values have names")
    func categories() throws {
        let sleep = try decodeOutput([Item].self, kymo("query", "sleepAnalysis", "--json"))
        #expect(sleep.allSatisfy { $0.valueName?.hasPrefix("HKCategoryValueSleepAnalysis") == true && $0.unit == nil })
        let table = try kymo("query", "sleepAnalysis")
        #expect(table.output.contains("AsleepCore"))
        #expect(table.output.split(separator: "\n").count == 22)
        #expect(table.errors.contains("\(sleep.count - 20) more"))
    }

    @Test("CSV quotes cells where necessary")
    func csv() throws {
        let lines = try kymo("query", "stepCount", "--csv", "--limit", "1").output.split(separator: "\n")
        #expect(lines[0] == "start,end,value,valueName,unit,source,version,device,created,metadata,beats,uuid")
        #expect(lines[1].contains(",\"<<HKDevice: >, name:"))
    }

    @Test("a closed pipe is not an error")
    func closedPipe() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let tool = Tool.directory.appendingPathComponent("kymo").path
        let script = "{ \"$0\" query activeEnergyBurned --jsonl --store \"$1\"; echo $? >&2; } | head -n 1"
        process.arguments = ["-c", script, tool, SampleStore.path]
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        try process.run()
        let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errors = String(decoding: err.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.split(separator: "\n").count == 1)
        #expect(errors == "0\n")
    }

    @Test("names from an export cannot control the terminal")
    func hostileNames() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("hostile.xml")
        let bad = recordText(
            "HKQuantityTypeIdentifierStepCount", "2022-01-02", value: "7",
            source: "&#x9B;31mRed, \u{85}\"".replacingOccurrences(of: "\"", with: "&quot;"))
        try Data(exportText([bad]).utf8).write(to: URL(fileURLWithPath: file))
        let store = directory.file("store")
        #expect(try [0, 2].contains(Tool.kymo.run(["import", file, "--store", store]).code))
        let table = try Tool.kymo.run(["sources", "--store", store]).output
        #expect(table.contains("31mRed"))
        #expect(!table.unicodeScalars.contains { (0x7F..<0xA0).contains($0.value) })
        let csv = try Tool.kymo.run(["sources", "--csv", "--store", store]).output
        #expect(csv.contains("Red, "))
        #expect(csv.contains("\"\""))
    }
}

@Suite("T-5 kymo info and verify")
struct KymoVerifyTests {
    private struct Info: Decodable {
        var samples: Int
        var series: Int
        var bytes: Int
        var locations: Int
        var bytesPerSample: Double
        var segments: Int
        var blocks: Int
        var tailSamples: Int
        var sequence: Int
        var storeID: String
        var homeZone: String
        var blockZone: String
        var path: String
        var documents: Int
    }

    private struct Report: Decodable {
        struct Problem: Decodable {
            var message: String
            var path: String?
            var offset: Int?
            var type: String?
            var from: String?
        }
        var sound: Bool
        var samples: Int
        var problems: [Problem]
    }

    @Test("info counts the contents of the store")
    func info() throws {
        let info = try decodeOutput(Info.self, kymo("info", "--json"))
        #expect(info.samples == (try SampleManifest.load().records))
        #expect(info.homeZone == "Europe/Zurich" && info.blockZone == "Europe/Zurich")
        #expect(info.path == SampleStore.path)
        #expect(abs(info.bytesPerSample - Double(info.bytes) / Double(info.samples + info.locations)) < 1e-9)
        #expect(UUID(uuidString: info.storeID) != nil)
        #expect(info.documents == 5)
        #expect(try kymo("info").output.contains("25,000 of 27 types"))
    }

    private struct Usage: Decodable {
        struct Column: Decodable {
            var column: String
            var encoding: String
            var samples: Int
            var bytes: Int
        }
        struct OfType: Decodable {
            var type: String
            var samples: Int
            var bytes: Int
            var columns: [Column]
        }
        var segmentBytes: Int
        var columns: [OfType]
    }

    @Test("E-17 info --columns lists the bytes of each type by column")
    func columns() throws {
        let usage = try decodeOutput(Usage.self, kymo("info", "--columns", "--json"))
        let types = usage.columns.filter { $0.type != "HKWorkoutRouteTypeIdentifier" }
        #expect(types.count == 27)
        #expect(types.reduce(0) { $0 + $1.samples } == (try SampleManifest.load().records))
        #expect(usage.columns.map(\.bytes) == usage.columns.map(\.bytes).sorted(by: >))
        for type in usage.columns {
            #expect(type.columns.reduce(0) { $0 + $1.bytes } == type.bytes, "\(type.type)")
        }
        #expect(types.allSatisfy { $0.columns.contains { $0.column == "value" && !$0.encoding.isEmpty } })
        let route = try #require(usage.columns.first { $0.type == "HKWorkoutRouteTypeIdentifier" })
        #expect(route.samples == (try decodeOutput(Info.self, kymo("info", "--json")).locations))
        for name in ["latitude", "longitude", "altitude", "latitude start"] {
            #expect(route.columns.contains { $0.column == name && !$0.encoding.isEmpty }, "\(name)")
        }
        let text = try kymo("info", "--columns").output
        #expect(text.contains("HKQuantityTypeIdentifierHeartRate") && text.contains("bytes/sample"))
    }

    @Test("an undamaged store is sound, and a flipped bit is located with status 3")
    func verify() throws {
        let sound = try kymo("verify", "--json")
        #expect(try decodeOutput(Report.self, sound).samples == (try SampleManifest.load().records))
        #expect(try decodeOutput(Report.self, sound).sound)

        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        try FileManager.default.copyItem(atPath: SampleStore.path, toPath: store)
        let segments = URL(fileURLWithPath: store + "/segments")
        let names = try FileManager.default.contentsOfDirectory(atPath: segments.path)
        let file = segments.appendingPathComponent(try #require(names.first { $0.hasSuffix(".kseg") }))
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 3] ^= 4
        try bytes.write(to: file)
        let damaged = try Tool.kymo.run(["verify", "--store", store, "--json"])
        #expect(damaged.code == 3)
        let report = try JSONDecoder().decode(Report.self, from: Data(damaged.output.utf8))
        #expect(!report.sound)
        let problem = try #require(report.problems.first)
        #expect(problem.path?.hasSuffix(".kseg") == true)
        #expect((problem.offset ?? 0) > 0)
        #expect(problem.type?.hasPrefix("HK") == true)
        #expect(problem.from?.hasPrefix("2022-0") == true)
        let text = try Tool.kymo.run(["verify", "--store", store])
        #expect(text.code == 3)
        #expect(text.output.hasPrefix("damaged: 1 problem"))
        // A query of the damaged data ends with the same status, without an answer.
        let name = String((problem.type ?? "").drop { !$0.isLowercase })
        let query = try Tool.kymo.run(["query", problem.type ?? name, "--jsonl", "--store", store])
        #expect(query.code == 3)
    }

    @Test("a missing store is an error with advice and status 1")
    func noStore() throws {
        for command in [["types"], ["stats", "stepCount"], ["info"], ["verify"]] {
            let outcome = try Tool.kymo.run(command + ["--store", "/nowhere/at/all"])
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("kymo import"))
        }
    }
}

@Suite("T-9 kymo: help, completion, streams")
struct KymoHelpTests {
    private static let commands = ["import", "types", "sources", "stats", "query", "info", "verify"]

    @Test("every command has help with examples on standard output", arguments: commands)
    func help(_ command: String) throws {
        let outcome = try Tool.kymo.run([command, "--help"])
        #expect(outcome.code == 0)
        #expect(outcome.output.contains("EXAMPLES\n  kymo \(command)"))
        #expect(outcome.errors.isEmpty)
        #expect(try Tool.kymo.run(["help", command]).output == outcome.output)
    }

    @Test("the program has a version, help, completion scripts and suggestions")
    func program() throws {
        #expect(try Tool.kymo.run(["--version"]).output.split(separator: ".").count == 3)
        let help = try Tool.kymo.run(["--help"]).output
        for command in Self.commands { #expect(help.contains("  \(command) ")) }
        for shell in ["bash", "zsh", "fish"] {
            let script = try Tool.kymo.run(["--generate-completion-script", shell])
            #expect(script.code == 0)
            #expect(script.output.contains("kymo"))
        }
        let typo = try Tool.kymo.run(["stat", "stepCount"])
        #expect(typo.code == 64)
        #expect(typo.errors.contains("did you mean stats?"))
    }

    @Test("--store may precede the command, and has priority over the environment")
    func storeFirst() throws {
        let first = try Tool.kymo.run(
            ["--store", SampleStore.path, "info", "--json"], environment: ["KYMO_STORE": "/nowhere"])
        #expect(first.code == 0)
        let equals = try Tool.kymo.run(["--store=\(SampleStore.path)", "types", "--json"])
        #expect(equals.code == 0)
    }
}
