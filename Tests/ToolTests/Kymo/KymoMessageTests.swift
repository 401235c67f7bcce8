// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

@testable import kymo

@Suite("T-9 kymo: messages and terminal output")
struct KymoMessageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "the error says if the path of the store is a file",
        arguments: [
            ["types"], ["delete", "heartRate", "--all"], ["import", SampleStore.export],
            ["add", "bodyMass", "70", "kg"],
            ["info"], ["simulate", "--days", "1"],
        ])
    func fileAsStore(_ command: [String]) throws {
        let file = directory.file("file")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        let outcome = try Tool.kymo.run(command + ["--store", file])
        #expect(outcome.code == 1 && outcome.errors.contains("\(file) is a file"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("choose other days"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
        let place = try Tool.kymo.run(["compact", file])
        #expect(place.code == 1 && place.errors.contains("is a file"), "\(place.errors)")
    }

    @Test("repair accepts a link to a store, and refuses a target inside the store")
    func repairLink() throws {
        let link = directory.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: SampleStore.path)
        let inside = try Tool.kymo.run(["repair", "--store", SampleStore.path, "--to", link + "/new"])
        #expect(inside.code == 64 && inside.errors.contains("cannot lie inside"), "\(inside.errors)")
        let outcome = try Tool.kymo.run(["repair", "--store", link, "--to", directory.file("repaired")])
        #expect(outcome.code == 0, "\(outcome.errors)")
    }

    @Test("a missing right has no advice that only programs can follow")
    func rights() {
        let error = HKError(
            .errorDatabaseInaccessible, reason: "open failed", place: "store",
            advice: "run as the user whose files these are, or open for reading only")
        let message = Failure(error).message
        #expect(message.contains("run as the user whose files these are"), "\(message)")
        #expect(!message.contains("reading only"), "\(message)")
    }

    @Test("an error from damaged data advises to run verify and repair")
    func damage() throws {
        let store = directory.file("store")
        try FileManager.default.copyItem(atPath: SampleStore.path, toPath: store)
        let segments = URL(fileURLWithPath: store + "/segments")
        for name in try FileManager.default.contentsOfDirectory(atPath: segments.path) {
            let file = segments.appendingPathComponent(name)
            var bytes = try Data(contentsOf: file)
            for at in stride(from: 4_096, to: bytes.count, by: 512) { bytes[at] ^= 4 }
            try bytes.write(to: file)
        }
        for command in [["stats", "heartRate", "--by", "day", "--quantiles", "0.5"], ["export", "--format", "csv"]] {
            let outcome = try Tool.kymo.run(command + ["--store", store])
            #expect(outcome.code == 3, "\(outcome.errors)")
            #expect(outcome.errors.contains("kymo verify") && outcome.errors.contains("kymo repair --to"))
        }
    }

    @Test("help of an unknown command is wrong usage, and help of a command works for any store")
    func help() throws {
        let wrong = try Tool.kymo.run(["help", "tipes"])
        #expect(wrong.code == 64 && wrong.output.isEmpty && wrong.errors.contains("did you mean types?"))
        #expect(try Tool.kymo.run(["help", "nope"]).code == 64)
        let types = try Tool.kymo.run(["--store", "x", "help", "types"])
        #expect(types.code == 0 && types.output.contains("EXAMPLES\n  kymo types"), "\(types.errors)")
        #expect(try Tool.kymo.run(["help"]).code == 0)
    }

    @Test("help fits 80 columns, lists the commands in groups, and breaks no example")
    func width() throws {
        let environment = ["COLUMNS": "80"]
        let all = try Tool.kymo.run(["--help"], environment: environment).output
        let groups = all.components(separatedBy: " SUBCOMMANDS:\n").dropFirst().map { group in
            group.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap { line in
                line.split(separator: " ").first.map { String($0) }
            }
        }
        #expect(groups.count == 5 && groups[0].contains("stats") && groups[1].first == "import", "\(groups)")
        let commands = groups.joined().filter { $0 != "See" }
        let folder = repository.appendingPathComponent("Tools/kymo/Commands")
        for (name, group) in zip(["Look", "Change", "Keep", "Encryption", "Privacy"], groups) {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path)
            let others = [
                "key": "Keys", "restore": "Backup", "ecg": "Electrocardiogram", "reset-privacy": "ResetPrivacy",
            ]
            for command in group where command != "See" {
                let file = (others[command] ?? command.capitalized) + "Command.swift"
                #expect(files.contains(file), "\(command) is not in \(name)")
            }
        }
        #expect(commands.count > 20)
        for command in commands {
            let narrow = try Tool.kymo.run(["help", command], environment: environment).output.split(separator: "\n")
            #expect(narrow.allSatisfy { $0.count <= 80 }, "\(command): \(narrow.filter { $0.count > 80 })")
            let wide = try Tool.kymo.run(["help", command], environment: ["COLUMNS": "200"]).output
            for line in wide.split(separator: "\n") where line.hasPrefix("  kymo ") {
                #expect(narrow.contains(line), "\(command): \(line)")
            }
        }
    }

    @Test("a backup creates missing directories of its path")
    func backup() throws {
        let place = directory.file("x/y/z")
        let outcome = try kymo("backup", place)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try Tool.kymo.run(["restore", place, directory.file("again")]).code == 0)
    }

    @Test("a step that is too long is reported in years")
    func longStep() throws {
        let outcome = try kymo("stats", "stepCount", "--by", "99999weeks")
        #expect(outcome.code == 64 && outcome.errors.contains("about the year 39"), "\(outcome.errors)")
        #expect(!outcome.errors.contains(" ns "))
    }

    @Test("the page shows the program's real output")
    func page() throws {
        let page = try String(
            contentsOf: repository.appendingPathComponent("Docs/Guide/kymo.md"), encoding: .utf8)
        let day = ["stats", "stepCount", "--by", "day", "--tz", "Europe/Zurich", "--from", "2022-05-02", "--to"]
        let environment = ["KYMO_STORE": SampleStore.path, "COLUMNS": "80"]
        let table = try Tool.kymo.run(day + ["2022-05-05"], environment: environment)
        // Names in exports contain no-break spaces.
        let text = (table.output + table.errors).replacingOccurrences(of: "\u{A0}", with: " ")
        #expect(page.contains(text), "\(text)")
        let json = try Tool.kymo.run(day + ["2022-05-02", "--json"], environment: environment)
        func dense(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        #expect(dense(page).contains(dense(json.output)), "\(json.output)")
        let arguments = ["import", SampleStore.export, "--store", directory.file("store")]
        let line = try Tool.kymo.run(arguments, environment: ["TZ": "Europe/Zurich"]).output
        let counts = line.components(separatedBy: ".zip: ").last?.components(separatedBy: " in ").first ?? "?"
        #expect(page.contains("export.zip: \(counts) in "), "\(line)")
        #expect(page.contains("\n" + line.split(separator: "\n")[1] + "\n"), "\(line)")
    }

    /// Whether a text contains terminal control characters.
    private func gives(orders text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
            default: false
            }
        }
    }

    @Test("units, types and errors cannot control the terminal")
    func orders() throws {
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let type = "HKQuantityTypeIdentifierFlux\u{9B}2J"
        let records = [
            recordText(type, "2022-05-02", value: "4", unit: "V\u{202E}"),
            recordText(type, "2022-05-03", value: "5", unit: "V\u{202E}"),
            recordText("HKQuantityTypeIdentifierStepCount", "2022-05-03", value: "5", unit: "\u{9B}31m"),
        ]
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", file, "--store", store])
        let uuids = try Tool.kymo.run(["query", type, "--csv", "--store", store]).output.split(separator: "\n")
        let uuid = String(try #require(uuids.last?.split(separator: ",").last))
        for command in [
            ["query", type], ["query", type, "--points", "3"], ["stats", type, "--explain"], ["show", uuid],
            ["watch", type, "--all", "--once"], ["watch", "stepCount", "--all", "--once"], ["types"],
            ["stats", "stepCount", "--explain"], ["query", "stepCount", "--unit", "\u{9B}31m"],
            ["query", "\u{9B}2J\u{202E}"], ["delete", type, "--all"], ["add", "bodyMass", "70", "\u{9B}"],
            ["query", type],
        ] {
            let outcome = try Tool.kymo.run(command + ["--store", store])
            #expect(!(outcome.output + outcome.errors).isEmpty, "\(command)")
            #expect(!gives(orders: outcome.output), "\(command): \(outcome.output.debugDescription)")
            #expect(!gives(orders: outcome.errors), "\(command): \(outcome.errors.debugDescription)")
        }
    }

    @Test("the longest possible sample has a length")
    func longest() throws {
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let record = recordText("HKQuantityTypeIdentifierBodyMass", "1690-01-01", value: "70", unit: "kg")
            .replacingOccurrences(of: "endDate=\"1690-01-01 10:05", with: "endDate=\"2251-01-01 10:05")
        try exportText([record]).write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Tool.kymo.run(["import", file, "--store", store])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let table = try Tool.kymo.run(["query", "bodyMass", "--store", store], environment: ["TZ": "UTC"]).output
        #expect(table.contains("  4917600:05:00  "), "\(table)")
    }
}
