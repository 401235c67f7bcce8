// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-2 T-9 kymo tables: gaps, whole numbers, widths")
struct KymoTableTests {
    private let directory: TemporaryDirectory
    private var store: String { directory.file("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String..., columns: Int = 100) throws -> Tool.Outcome {
        let environment = ["KYMO_STORE": store, "TZ": "UTC", "COLUMNS": String(columns)]
        return try Tool.kymo.run(arguments, environment: environment)
    }

    /// Imports steps of two days that are four years apart; the second day has two samples.
    private func fill(source: String = "Pen") throws {
        let file = directory.file("export.xml")
        let records = [("2018-01-01", "1234.5"), ("2021-12-31", "12345.25"), ("2021-12-31", "7")].map {
            recordText("HKQuantityTypeIdentifierStepCount", $0.0, value: $0.1, source: source)
        }
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try run("import", file).code == 0)
    }

    @Test("a run of empty buckets is one line of a table, and rows in JSON and CSV unless --skip-empty is given")
    func gaps() throws {
        try fill()
        let table = try run("stats", "steps", "--by", "day", "--union").output.split(separator: "\n")
        #expect(table.count == 6 && table[4] == "… 1,459 days without data", "\(table)")
        #expect(
            table[3].hasPrefix("2018-01-01   1,235        1  ") && table[5].hasPrefix("2021-12-31  12,352        2  "))
        let apart = try run("stats", "steps", "--by", "day", "--sources").output
        #expect(apart.contains("… 1,459 days without data"))
        let months = try run("stats", "steps", "--by", "month", "--union").output
        #expect(months.contains("… 46 months without data"))
        let quarters = try run("stats", "steps", "--by", "quarter", "--union").output
        #expect(quarters.contains("… 14 quarters without data"), "\(quarters)")
        let pairs = try run("stats", "steps", "--by", "2d", "--union").output
        #expect(pairs.contains(" buckets of 2d without data"), "\(pairs)")
        let short = try run("stats", "steps", "--by", "day", "--from", "2017-12-31", "--to", "2018-01-01").output
        #expect(short.contains("\n2017-12-31") && !short.contains("without"), "one bucket is a row: \(short)")
        let lines = { (outcome: Tool.Outcome) in outcome.output.split(separator: "\n").count }
        #expect(try lines(run("stats", "steps", "--by", "day", "--csv")) == 1_462)
        for format in ["--csv", "--jsonl", "--json"] {
            let dense = try run("stats", "steps", "--by", "day", "--skip-empty", format)
            #expect(lines(dense) == (format == "--csv" ? 3 : format == "--jsonl" ? 2 : 4), "\(dense.output)")
        }
        #expect(try !run("stats", "steps", "--by", "day", "--skip-empty").output.contains("…"))
        let none = try run("stats", "steps", "--by", "day", "--from", "2019", "--to", "2019", "--skip-empty")
        #expect(none.output.isEmpty && none.errors.contains("no samples of stepCount"))
    }

    @Test("counts are rounded and grouped in tables, amounts have no averages without --more, and JSON has all")
    func whole() throws {
        try fill()
        let table = try run("stats", "steps", "--union").output
        #expect(table.contains("13,587        3\n") && !table.contains("average"), "\(table)")
        let more = try run("stats", "steps", "--union", "--more").output
        #expect(more.contains("average") && more.contains("12,345"))
        let json = try run("stats", "steps", "--union", "--json").output
        #expect(json.contains("\"sum\":13586.75,\"min\":7,\"max\":12345.25,\"average\":4528.9166"), "\(json)")
        let heart = try kymo("stats", "pulse").output
        #expect(heart.contains("average") && heart.contains("5,070"), "\(heart)")
        // The body mass index has the unit count and fractions.
        #expect(try run("add", "bmi", "22.4", "count").code == 0)
        #expect(try run("stats", "bmi").output.contains("22.4"))
    }

    @Test("types, sources and query fit the terminal: names are truncated first, then columns are omitted")
    func widths() throws {
        let source = String(repeating: "Long name ", count: 4)
        try fill(source: source)
        for width in [20, 40, 60, 80, 120] {
            for arguments in [["types"], ["sources"], ["query", "steps"], ["query", "steps", "--limit", "1"]] {
                let environment = ["KYMO_STORE": store, "TZ": "UTC", "COLUMNS": String(width)]
                let outcome = try Tool.kymo.run(arguments, environment: environment)
                // The narrowest table has the columns that are never omitted.
                let limit = max(width, 48)
                #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= limit }, "\(outcome.output)")
            }
        }
        let wide = try run("query", "steps", columns: 120).output.split(separator: "\n")
        #expect(wide[1] == "start                      length    value  unit   source", "\(wide[1])")
        let middle = try run("query", "steps", columns: 60).output
        #expect(middle.contains("length") && middle.contains("Long nam…"), "\(middle)")
        let narrow = try run("query", "steps", columns: 40).output
        #expect(narrow.contains("value") && !narrow.contains("source"), "\(narrow)")
        let types = try run("types", columns: 48).output
        #expect(types.contains("stepCount") && !types.contains("over time"), "\(types)")
        #expect(try run("types", columns: 100).output.contains("samples over time"))
        #expect(try run("sources", columns: 40).output.contains("…"))
        // Without a terminal and COLUMNS, a table has all columns.
        let shell = "unset COLUMNS"
        let all = try Tool.kymo.run(["types", "--store", store], after: shell).output
        #expect(all.contains("samples over time"))
    }

    @Test("remarks, notes and facts are folded at the width of the terminal, and in a pipe they are whole")
    func folds() throws {
        #expect(SampleStore.imported?.code == 0)
        func run(_ arguments: [String], _ columns: String) throws -> [Substring] {
            let environment = ["KYMO_STORE": SampleStore.path, "COLUMNS": columns]
            let outcome = try Tool.kymo.run(arguments, environment: environment)
            #expect(outcome.code == 0, "\(outcome.errors)")
            return (outcome.output + outcome.errors).split(separator: "\n")
        }
        for arguments in [["sleep"], ["info"], ["stats", "steps", "--by", "day"]] {
            let lines = try run(arguments, "80")
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(arguments): \(lines)")
        }
        #expect(try run(["info"], "80").contains { $0.hasPrefix("           ") })
        #expect(try run(["sleep"], "200").contains { $0.contains("18:00, times in Europe/Zurich") })
        let whole = try Tool.kymo.run(["info", "--store", SampleStore.path], after: "unset COLUMNS").output
        #expect(whole.split(separator: "\n").contains { $0.count > 100 }, "\(whole)")
    }

    @Test("an import prints what is new, what the store holds, and no advice without a terminal")
    func summary() throws {
        let file = directory.file("export.xml")
        func record(_ day: Int) -> String {
            recordText("HKQuantityTypeIdentifierStepCount", "2022-05-0\(day)", value: "5")
        }
        try exportText([record(1)]).write(toFile: file, atomically: true, encoding: .utf8)
        _ = try run("import", file)
        try exportText([record(1), record(2), record(3)]).write(toFile: file, atomically: true, encoding: .utf8)
        let lines = try run("import", file).output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains(": 3 records, 2 new, 1 known in "), "\(lines)")
        #expect(lines[1] == "from 1 May 2022 to 3 May 2022: 1 type, 1 source", "\(lines)")
        let json = try run("import", file, "--json").output
        #expect(json.contains("\"contents\": {\"first\":\"2022-05-01T10:00:00Z\""), "\(json)")
        #expect(json.contains("\"types\":1,\"sources\":1,\"workouts\":0,\"routes\":0,\"electrocardiograms\":0}"))
    }
}
