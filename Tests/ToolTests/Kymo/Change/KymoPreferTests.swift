// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 X-1 kymo prefer")
struct KymoPreferTests {
    private struct Row: Decodable, Equatable {
        var place: Int
        var source: String
        var isChosen: Int
    }

    private struct Total: Decodable {
        var sum: Double
    }

    @Test("the chosen source counts in all answers where sources overlap, until it is reset")
    func chooses() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let type = "HKQuantityTypeIdentifierStepCount"
        let records = [("Ann\u{2019}s Phone", 10), ("Pedometer", 4), ("Watch", 7)].map { source, value in
            recordText(type, "2022-05-02", value: "\(value)", unit: "count", source: source)
        }
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", file, "--store", store])
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        func order(_ more: String...) throws -> [Row] {
            try decodeOutput(
                [Row].self, Tool.kymo.run(["prefer", "stepCount"] + more + ["--json", "--store", store]))
        }
        func total() throws -> Double {
            try decodeOutput([Total].self, run("stats", "stepCount", "--json"))[0].sum
        }
        let begin = try order()
        #expect(begin.map(\.place) == [1, 2, 3] && begin.allSatisfy { $0.isChosen == 0 })
        let first = try total()
        #expect(try order("pedometer").map(\.source).first == "Pedometer")
        #expect(try total() == 4)
        let both = try order("ANN'S PHONE", "Watch")
        #expect(both.map(\.source) == ["Ann\u{2019}s Phone", "Watch", "Pedometer"])
        #expect(both.map(\.isChosen) == [1, 1, 0])
        #expect(try total() == 10 && order() == both)
        #expect(try run("stats", "stepCount", "--priority", "Pedometer", "--csv").output.contains(",4,"))
        #expect(try run("prefer", "stepCount").output.contains("chosen"))
        #expect(try order("--reset") == begin && total() == first)
        #expect(try run("verify").code == 0)
    }

    @Test("sources without samples of the type and types that are not cumulative are refused")
    func refused() throws {
        let nobody = try kymo("prefer", "stepCount", "Nobody")
        #expect(nobody.code == 64 && nobody.errors.contains("Nobody"))
        #expect(try kymo("prefer", "heartRate").code == 64)
        #expect(try kymo("prefer", "bodyMass").code == 64)
        #expect(try kymo("prefer", "stepCount", "Nobody", "--reset").code == 64)
        #expect(try kymo("prefer", "dietaryZinc").errors.contains("no samples of dietaryZinc"))
    }

    private struct Change: Decodable {
        var source: String
        var countedBefore: Double?
        var counted: Double?
        var daysChanged: Int?
    }

    @Test("a change is shown before it is stored, and --dry-run stores nothing")
    func preview() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let records = (1...9).flatMap { day in
            [("Phone", 100), ("Watch", 60)].filter { $0.0 == "Phone" || day > 3 }.map { source, value in
                recordText(
                    "HKQuantityTypeIdentifierStepCount", "2022-05-0\(day)", value: "\(value)", unit: "count",
                    source: source)
            }
        }
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", file, "--store", store])
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        #expect(try run("prefer", "stepCount", "Phone").code == 0)
        let before = try run("prefer", "stepCount", "--json").output
        let shown = try run("prefer", "stepCount", "Watch", "--dry-run")
        #expect(shown.code == 0 && shown.errors.contains("nothing is stored"))
        // Days 3 to 9 and 1 to 9; the watch recorded days 4 to 9.
        #expect(shown.output.contains("last 7 days            700        460            6 of 7"), "\(shown.output)")
        #expect(shown.output.contains("all 9 days             900        660            6 of 9"), "\(shown.output)")
        #expect(try run("prefer", "stepCount", "--json").output == before)
        let rows = try decodeOutput([Change].self, run("prefer", "stepCount", "Watch", "--json"))
        #expect(rows.map(\.source) == ["Watch", "Phone"] && rows.map(\.daysChanged) == [6, 6])
        #expect(rows.map(\.countedBefore) == [0, 900] && rows.map(\.counted) == [360, 300])
        #expect(try decodeOutput([Total].self, run("stats", "stepCount", "--json"))[0].sum == 660)
        let reset = try run("prefer", "stepCount", "--reset", "--dry-run", "--csv").output
        #expect(reset.hasPrefix("place,source,isChosen,countedBefore,counted,daysChanged\n"))
        #expect(try run("prefer", "stepCount", "--csv").output.hasPrefix("place,source,isChosen\n"))
        #expect(try run("prefer", "stepCount", "--dry-run").code == 64)
    }
}
