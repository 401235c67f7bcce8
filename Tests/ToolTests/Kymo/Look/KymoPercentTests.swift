// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 T-9 kymo shows and takes per cent, and stores shares")
struct KymoPercentTests {
    private struct Item: Decodable {
        var value: Double
        var unit: String
        var uuid: String
    }

    private let directory: TemporaryDirectory
    private var store: String { directory.file("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.kymo.run(arguments, environment: ["KYMO_STORE": store, "TZ": "UTC", "NO_COLOR": "1"])
    }

    /// Adds 97, 57 and 77 % on three days.
    private func fill() throws {
        for (day, value) in [(1, "97"), (2, "57"), (3, "77")] {
            #expect(try run("add", "oxygenSaturation", value, "%", "--start", "2024-02-0\(day)").code == 0)
        }
    }

    @Test("97 % in any spelling is stored as the share 0.97")
    func adds() throws {
        for words in [["97", "%"], ["97%"], ["97 %"], ["97", "percent"], ["97", "per cent"], ["0.97", "count"]] {
            let outcome = try Tool.kymo.run(["add", "oxygenSaturation", "--store", store] + words)
            let text = words.last == "count" ? "0.97 count" : "97 %"
            #expect(outcome.code == 0 && outcome.errors.hasPrefix("added \(text) of"), "\(words): \(outcome.errors)")
            let uuid = outcome.output.trimmingCharacters(in: .newlines)
            let shown = try run("show", uuid).output
            #expect(shown.contains("value     \(text)\n"), "\(shown)")
            let stored = try #require(try decodeOutput([Item].self, run("show", uuid, "--format", "json")).first)
            #expect(stored.value == 0.97 && stored.unit == (words.last == "count" ? "count" : "%"), "\(words)")
        }
    }

    @Test("a number without a unit is refused, and the error says how to write it")
    func bare() throws {
        for (value, advice) in [
            ("0.97", "for the share 0.97 say 97 %"), ("97", "needs a unit: say 97 %"), ("0.07", "say 7 %"),
            ("99.5", "say 99.5 %"),
        ] {
            let outcome = try run("add", "oxygenSaturation", value)
            #expect(outcome.code == 64 && outcome.errors.contains(advice), "\(outcome.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: store))
        let wrong = try run("add", "bodyMass", "97%")
        #expect(wrong.code == 64 && wrong.errors.contains("does not fit bodyMass"), "\(wrong.errors)")
    }

    @Test("tables of all commands show per cent")
    func tables() throws {
        try fill()
        for arguments in [["query", "oxygenSaturation"], ["query", "oxygenSaturation", "--unit", "%"]] {
            let lines = try Tool.kymo.run(arguments + ["--store", store]).output.split(separator: "\n")
            let values = lines.dropFirst(2).map {
                $0.split(separator: " ").dropFirst(3).prefix(2).joined(separator: " ")
            }
            #expect(values == ["97 %", "57 %", "77 %"], "\(lines)")
        }
        #expect(try run("query", "oxygenSaturation", "--unit", "count").output.contains("0.57  count"))
        let curve = try run("query", "oxygenSaturation", "--points", "3").output
        #expect(curve.contains("oxygenSaturation (%)") && curve.contains("    57\n"), "\(curve)")
        let slices = try run("query", "oxygenSaturation", "--points", "1", "--envelope").output
        #expect(slices.hasSuffix("97   57   97    77\n"), "\(slices)")
        let stats = try run(
            "stats", "oxygenSaturation", "--unit", "percent", "--deviation", "--quantiles", "0.5", "--more")
        let row = try #require(stats.output.split(separator: "\n").last).split(separator: " ")
        for number in ["77", "57", "97", "16.33", "20", "266.67"] {
            #expect(row.contains(Substring(number)), "\(row)")
        }
        #expect(stats.output.contains("oxygenSaturation (%)"))
        let changes = try run("watch", "oxygenSaturation", "--all", "--once").output
        #expect(changes.contains("+ 57 %  kymo"), "\(changes)")
    }

    @Test("JSON, CSV, exports and chunk-dump keep the share and its unit")
    func shares() throws {
        try fill()
        let items = try decodeOutput([Item].self, run("query", "oxygenSaturation", "--json"))
        #expect(items.map(\.value) == [0.97, 0.57, 0.77] && items.allSatisfy { $0.unit == "%" })
        for arguments in [
            ["query", "oxygenSaturation", "--csv"], ["query", "oxygenSaturation", "--jsonl", "--unit", "%"],
            ["query", "oxygenSaturation", "--points", "3", "--csv"],
            ["stats", "oxygenSaturation", "--by", "day", "--csv"],
            ["watch", "oxygenSaturation", "--all", "--once", "--jsonl"], ["export", "--format", "csv"], ["export"],
        ] {
            let outcome = try Tool.kymo.run(arguments + ["--store", store])
            #expect(outcome.code == 0 && outcome.output.contains("0.57"), "\(arguments): \(outcome.errors)")
            #expect(outcome.output.contains("%") && !outcome.output.contains("57 %"), "\(arguments)")
        }
        #expect(try run("compact").code == 0)
        let segments = store + "/segments"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments).first)
        let dump = try Tool.chunkDump.run([segments + "/" + name, "--level", "4"])
        let words = dump.output.split { $0 == " " || $0.isNewline }
        #expect(words.contains("0.57") && !words.contains("57"), "\(dump.output) \(dump.errors)")
    }

    @Test("an imported share is shown in per cent")
    func imported() throws {
        let file = directory.file("export.xml")
        let record = recordText("HKQuantityTypeIdentifierOxygenSaturation", "2022-05-02", value: "0.955", unit: "%")
        try exportText([record]).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try run("import", file).code == 0)
        #expect(try run("query", "oxygenSaturation").output.contains("95.5  %"))
    }
}
