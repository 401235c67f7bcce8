// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A store with hostile texts everywhere: type, unit, source, version, device, metadata, and its own path.
private struct HostileStore {
    static let bad = "\u{9B}2J\u{202E}\u{7F}\u{200B}\u{2028}\u{FEFF}"
    static let type = "HKQuantityTypeIdentifierFlux\(bad)"
    static let steps = "HKQuantityTypeIdentifierStepCount"

    let directory: TemporaryDirectory
    /// The path also contains ASCII control characters, which XML cannot contain.
    let path: String
    let uuid: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("store\u{1B}[31m\n\(Self.bad)")
        let file = directory.file("export\u{1B}[1m\(Self.bad).xml")
        let about =
            "sourceName=\"Pen\(Self.bad)\" sourceVersion=\"1\(Self.bad)\" "
            + "device=\"&lt;&lt;HKDevice: 0x1&gt;, name:W\(Self.bad)&gt;\""
        func record(_ type: String, _ day: Int, _ unit: String) -> String {
            """
            <Record type="\(type)" \(about) unit="\(unit)" creationDate="2022-05-0\(day) 10:00:00 +0000" \
            startDate="2022-05-0\(day) 10:00:00 +0000" endDate="2022-05-0\(day) 10:05:00 +0000" value="4\(day)">\
            <MetadataEntry key="key\(Self.bad)" value="value\(Self.bad)"/></Record>
            """
        }
        let sleep = """
            <Record type="HKCategoryTypeIdentifierSleepAnalysis" \(about) startDate="2022-05-02 10:00:00 +0000" \
            endDate="2022-05-02 11:00:00 +0000" value="Dream\(Self.bad)"/>
            """
        let workout = """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning\(Self.bad)" \(about) \
            startDate="2022-05-02 10:00:00 +0000" endDate="2022-05-02 11:00:00 +0000"/>
            """
        let records = (1...4).flatMap { [record(Self.type, $0, "V\(Self.bad)"), record(Self.steps, $0, "count")] }
        try exportText(records + [record(Self.steps, 5, "V\(Self.bad)"), sleep, workout])
            .write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Tool.kymo.run(["import", file, "--store", path])
        #expect(outcome.code == 0, "\(outcome.errors)")
        expectNoOrders(outcome, "import")
        let rows = try Tool.kymo.run(["query", Self.type, "--jsonl", "--store", path]).output.split(separator: "\n")
        struct Row: Decodable { var uuid: String }
        uuid = try JSONDecoder().decode(Row.self, from: Data(try #require(rows.first).utf8)).uuid
    }
}

/// Returns the characters that terminals interpret or do not show, from a list independent of the tools.
private func hidden(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }
}

private func expectNoOrders(_ outcome: Tool.Outcome, _ what: String) {
    #expect(hidden(outcome.output).isEmpty, "\(what): \(outcome.output.debugDescription)")
    #expect(hidden(outcome.errors).isEmpty, "\(what): \(outcome.errors.debugDescription)")
}

@Suite("T-9 hostile names in every column of every command")
struct HostileTextTests {
    private let store: HostileStore

    init() throws { store = try HostileStore() }

    private func run(_ command: [String]) throws -> Tool.Outcome {
        let outcome = try Tool.kymo.run(command + ["--store", store.path], environment: ["TZ": "UTC"])
        // Without summaries the output of JSON lines is empty.
        if command != ["summaries", "--jsonl"] { #expect(!(outcome.output + outcome.errors).isEmpty, "\(command)") }
        expectNoOrders(outcome, "\(command)")
        return outcome
    }

    @Test("tables, messages and errors of kymo contain no control or invisible characters")
    func tables() throws {
        let (type, bad) = (HostileStore.type, HostileStore.bad)
        for command in [
            ["types"], ["sources"], ["info"], ["verify"], ["summaries"], ["query", type],
            ["query", type, "--points", "3"],
            ["query", type, "--points", "2", "--envelope"], ["query", "sleepAnalysis"], ["stats", type, "--explain"],
            ["stats", type, "--by", "day", "--sources"], ["stats", "stepCount", "--explain"],
            ["stats", "sleepAnalysis"],
            ["show", store.uuid], ["watch", type, "--all", "--once"], ["watch", "sleepAnalysis", "--all", "--once"],
            ["delete", type, "--all", "--dry-run"], ["prefer", "stepCount"], ["prefer", "stepCount", "Pen" + bad],
            ["prefer", "stepCount", "nobody" + bad], ["query", "x" + bad], ["stats", "stepCount", "--unit", "V" + bad],
            ["stats", "stepCount", "--tz", "Mars/" + bad], ["query", type, "--from", bad], ["add", "x" + bad, "7"],
            ["add", "bodyMass", "70", "kg" + bad], ["show", bad], ["types", "--x" + bad], [bad], ["help", bad],
            ["query", type, "--source", "nobody" + bad], ["export", store.directory.file("x" + bad) + "/y.csv"],
            ["export", store.directory.file("out\(bad).csv")], ["import", store.directory.file("none" + bad)],
            ["simulate", "--days", "1"], ["simulate", "--days", "1", "--with-other-sources"], ["compact"],
        ] {
            _ = try run(command)
        }
        let copy = store.directory.file("copy" + bad)
        _ = try run(["backup", copy])
        for command in [
            ["verify", copy], ["restore", copy, store.directory.file("again" + bad)], ["types", "--store", "no" + bad],
            ["repair", "--store", store.path, "--to", store.directory.file("new" + bad)],
        ] {
            expectNoOrders(try Tool.kymo.run(command), "\(command)")
        }
    }

    @Test("JSON is valid and escapes hidden characters; CSV has the original texts")
    func forms() throws {
        let type = HostileStore.type
        for command in [
            ["types"], ["sources"], ["summaries"], ["query", type], ["query", type, "--points", "3"],
            ["stats", type, "--by", "day", "--sources"], ["query", "sleepAnalysis"],
        ] {
            let json = try run(command + ["--json"])
            #expect(throws: Never.self, "\(command)") { try JSONSerialization.jsonObject(with: Data(json.output.utf8)) }
            for line in try run(command + ["--jsonl"]).output.split(separator: "\n") {
                #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            }
            let csv = try Tool.kymo.run(command + ["--csv", "--store", store.path])
            #expect(csv.code == 0 && hidden(csv.errors).isEmpty)
            if command[0] != "summaries" { #expect(csv.output.contains(HostileStore.bad), "\(command): \(csv.output)") }
        }
        for command in [["info", "--json"], ["verify", "--json"], ["show", store.uuid, "--format", "json"]] {
            let json = try run(command)
            #expect(throws: Never.self, "\(command)") { try JSONSerialization.jsonObject(with: Data(json.output.utf8)) }
        }
        let rows = try run(["export", "--format", "jsonl"]).output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let row = rows.first { $0?["type"] as? String == type } ?? nil
        for (key, text) in ["source": "Pen", "unit": "V", "version": "1"] {
            #expect(row?[key] as? String == text + HostileStore.bad)
        }
        #expect((row?["device"] as? String)?.contains(HostileStore.bad) == true)
    }

    @Test("the output and errors of chunk-dump on every level contain no control or invisible characters")
    func dump() throws {
        func dump(_ arguments: [String]) throws -> Tool.Outcome {
            let outcome = try Tool.chunkDump.run(arguments)
            #expect(!(outcome.output + outcome.errors).isEmpty, "\(arguments)")
            expectNoOrders(outcome, "chunk-dump \(arguments)")
            return outcome
        }
        let text = try dump([store.path, "--verify"]).output
        #expect(text.contains("Flux\\u{9B}2J\\u{202E}"), "\(text)")
        for level in 0...4 {
            _ = try dump([store.path, "--level", "\(level)"])
            let json = try dump([store.path, "--level", "\(level)", "--json"]).output
            if level == 0 {
                let tree = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                let catalog = tree?["catalog"] as? [String: Any]
                let names = (catalog?["series"] as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
                #expect(names.contains(HostileStore.type) && tree?["path"] as? String == store.path)
            }
        }
        let bad = HostileStore.bad
        for arguments in [
            [store.path + "/no" + bad], ["--level", "x" + bad, store.path], ["--x" + bad], [store.path + "/LOCK"],
        ] {
            #expect(try dump(arguments).code != 0)
        }
        let segment = store.path + "/segments/odd\(bad).kseg"
        try Data("no segment".utf8).write(to: URL(fileURLWithPath: segment))
        #expect(try dump([store.path, "--verify"]).code == 3)
        _ = try dump([store.path, "--level", "2"])
        _ = try dump([segment])
    }

    @Test("the errors of kymo-bench show names of files and options without control or invisible characters")
    func bench() throws {
        let bad = store.directory.file("no\u{1B}[1m" + HostileStore.bad)
        for arguments in [["diff", bad, bad], ["query", "--data", bad], ["size", "--x" + HostileStore.bad], [bad]] {
            let outcome = try Tool.kymoBench.run(arguments)
            #expect(outcome.code != 0)
            expectNoOrders(outcome, "kymo-bench \(arguments)")
        }
    }
}

@Suite("T-9 CSV and spreadsheets")
struct KymoCSVTests {
    private static let texts = ["=1+1", "+1", "-1", "@SUM(A1)", "'quoted", "＝1", "plain", "a=b", ""]

    /// Returns the rows of CSV as defined by RFC 4180.
    private func cells(_ csv: String) -> [[String]] {
        var rows: [[String]] = [[""]]
        var isQuoted = false
        var scalars = Array(csv.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            let at = rows.count - 1
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"":
                scalars.removeFirst()
                rows[at][rows[at].count - 1].unicodeScalars.append("\"")
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: rows[at].append("")
            case "\n" where !isQuoted: rows.append([""])
            default: rows[at][rows[at].count - 1].unicodeScalars.append(scalar)
            }
        }
        return Array(rows.dropLast())
    }

    private func run(_ command: [String], _ store: String, _ form: String) throws -> [[String]] {
        let outcome = try Tool.kymo.run(command + ["--store", store, form], environment: ["TZ": "UTC"])
        #expect(outcome.code == 0, "\(command): \(outcome.errors)")
        return cells(outcome.output)
    }

    @Test("--csv has the original texts, --csv-safe has no formulas, and numbers stay numbers in both")
    func safe() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let type = "HKQuantityTypeIdentifierAppleSleepingWristTemperature"
        let records = Self.texts.enumerated().map { at, text in
            recordText(type, "2022-05-0\(at + 1)", value: "-\(at + 1).5", unit: "degC", source: text)
        }
        let sleep = """
            <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="=2" sourceVersion="-2" \
            startDate="2022-05-02 10:00:00 +0000" endDate="2022-05-02 11:00:00 +0000" value="=cmd">\
            <MetadataEntry key="=k" value="=v"/></Record>
            """
        try exportText(records + [sleep]).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        let starts = ["=", "+", "-", "@", "＝"]
        for command in [
            ["query", type], ["query", "sleepAnalysis"], ["sources"], ["types"], ["stats", type, "--sources"],
            ["query", type, "--points", "3"], ["summaries"], ["export"],
        ] {
            let plain = try run(command, store, command == ["export"] ? "--format=csv" : "--csv")
            let safe = try run(command, store, command == ["export"] ? "--format=csv-safe" : "--csv-safe")
            #expect(plain.count == safe.count && plain.map(\.count) == safe.map(\.count), "\(command)")
            for (before, after) in zip(plain.joined(), safe.joined()) {
                let isNumber = Double(before) != nil && before == after
                let isFormula = starts.contains { after.hasPrefix($0) }
                #expect(!isFormula || isNumber, "\(command): \(after)")
                #expect(before == after || "'" + before == after, "\(command): \(before) \(after)")
            }
        }
        let rows = try run(["query", type], store, "--csv-safe").dropFirst()
        #expect(rows.map { $0[2] } == Self.texts.indices.map { "-\($0 + 1).5" })
        #expect(rows.map { $0[5] } == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "''quoted", "'＝1", "plain", "a=b", ""])
        #expect(try run(["query", type], store, "--csv").dropFirst().map { $0[5] } == Self.texts)
        let named = directory.file("safe.csv")
        #expect(try Tool.kymo.run(["export", named, "--format", "csv-safe", "--store", store]).code == 0)
        #expect(try String(contentsOfFile: named, encoding: .utf8).contains(",'=1+1,"))
    }
}

@Suite("T-9 units of exports that HealthKit's grammar does not have")
struct KymoUnitTests {
    @Test("--unit accepts the spelling of the file, both spellings are one unit, and an export has the original text")
    func spellings() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let type = "HKQuantityTypeIdentifierVO2Max"
        let records = [
            recordText(type, "2022-05-01", value: "40", unit: "ml/kg/min"),
            recordText(type, "2022-05-02", value: "44", unit: "mL/min·kg"),
        ]
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        for unit in ["ml/kg/min", "mL/min/kg", "mL/(kg*min)"] {
            let rows = try run("query", "vo2Max", "--unit", unit, "--jsonl")
            #expect(rows.code == 0 && rows.output.contains("\"value\":40,") && rows.output.contains("\"value\":44,"))
        }
        let stats = try run("stats", "vo2Max", "--json", "--tz", "UTC")
        #expect(stats.output.contains("\"average\":42,"), "\(stats.output)\(stats.errors)")
        #expect(!stats.errors.contains("omitted"))
        let export = try run("export").output
        #expect(export.contains("unit=\"ml/kg/min\"") && export.contains("unit=\"mL/min·kg\""))
        let refused = try run("query", "vo2Max", "--unit", "ml/kg*min/s")
        #expect(refused.code == 64 && refused.errors.contains("mL/kg*min"), "\(refused.errors)")
    }
}

@Suite("T-9 a store that other users can change")
struct KymoRightsTests {
    @Test("kymo warns and verify remarks on a writable directory, and a new store removes the others' permissions")
    func rights() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let manager = FileManager.default
        try manager.createDirectory(atPath: store, withIntermediateDirectories: false)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: store)
        let made = try Tool.kymo.run(["simulate", "--days", "1", "--store", store])
        #expect(made.code == 0 && !made.errors.contains("other users"), "\(made.errors)")
        func mode() throws -> Int? { try manager.attributesOfItem(atPath: store)[.posixPermissions] as? Int }
        #expect(try mode() == 0o700)
        #expect(try Tool.kymo.run(["types", "--store", store]).errors.isEmpty)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: store)
        for command in [["types", "--store", store], ["verify", store], ["verify", "--store", store]] {
            let outcome = try Tool.kymo.run(command)
            let times = outcome.errors.components(separatedBy: "other users may replace files").count - 1
            #expect(outcome.code == 0 && times == 1, "\(command): \(outcome.errors)")
        }
        #expect(try mode() == 0o777)
        let backup = directory.file("backup")
        #expect(try Tool.kymo.run(["backup", "--store", store, backup]).code == 0)
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: backup)
        let checked = try Tool.kymo.run(["verify", backup])
        #expect(checked.code == 0 && checked.output.hasPrefix("sound backup"))
        #expect(checked.errors.contains("\(backup): other users may replace files"), "\(checked.errors)")
    }

    @Test("a store that a group shares gives no warning, and verify remarks on the group", arguments: [0o770, 0o2775])
    func shared(_ mode: Int) throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        #expect(try Tool.kymo.run(["simulate", "--days", "1", "--store", store]).code == 0)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: store)
        for command in [["types"], ["add", "bodyMass", "70", "kg"], ["info"]] {
            let outcome = try Tool.kymo.run(command + ["--store", store])
            #expect(outcome.code == 0 && !outcome.errors.contains("replace files"), "\(command): \(outcome.errors)")
        }
        let checked = try Tool.kymo.run(["verify", store])
        #expect(checked.code == 0 && checked.errors.contains("directory's group"), "\(checked.errors)")
        #expect(!checked.errors.contains("other users"))
    }
}
