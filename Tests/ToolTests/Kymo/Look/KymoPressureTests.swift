// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-2 kymo query bloodPressure: pairs")
struct KymoPressureTests {
    private struct Row: Decodable, Equatable {
        var start: String
        var end: String
        var systolic: Double?
        var diastolic: Double?
        var unit: String?
        var source: String
        var uuid: String
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String...) throws -> Tool.Outcome {
        let environment = ["KYMO_STORE": directory.file("store"), "TZ": "UTC", "COLUMNS": "100", "LANG": "en_GB.UTF-8"]
        return try Tool.kymo.run(arguments, environment: environment)
    }

    private func rows(_ arguments: String...) throws -> [Row] {
        let environment = ["KYMO_STORE": directory.file("store"), "TZ": "UTC"]
        return try decodeOutput(
            [Row].self, Tool.kymo.run(["query", "bloodPressure"] + arguments + ["--json"], environment: environment))
    }

    @Test("the pairs of an export are those of its two types, in one row each")
    func export() throws {
        struct Sample: Decodable {
            var start: String
            var value: Double
        }
        let pairs = try decodeOutput([Row].self, kymo("query", "HKCorrelationTypeIdentifierBloodPressure", "--json"))
        #expect(pairs.count == 7 && pairs.allSatisfy { $0.unit == "mmHg" })
        for (type, value) in [("bloodPressureSystolic", \Row.systolic), ("bloodPressureDiastolic", \Row.diastolic)] {
            let single = try decodeOutput([Sample].self, kymo("query", type, "--json"))
            #expect(
                single.map(\.start) == pairs.map(\.start) && single.map(\.value) == pairs.map { $0[keyPath: value] })
        }
        let table = try kymo("query", "blood-pressure", "--limit", "2")
        let lines = table.output.split(separator: "\n")
        #expect(lines.count == 4 && lines[2].contains("mmHg") && lines[2].contains("/"))
        #expect(table.errors == "... and 5 more; --limit 7 shows all\n")
    }

    @Test("a pair is shown as 120/80 mmHg, in another unit, and in a range; a deleted member leaves a gap")
    func pairs() throws {
        for (value, start) in [("120/80", "2024-01-30T08:00"), ("118.5/77", "2024-01-31T08:00")] {
            #expect(try run("add", "bloodPressure", value, "mmHg", "--start", start).code == 0)
        }
        let table = try run("query", "bloodPressure").output
        #expect(table.contains("2024-01-30 08:00:00 +0000    120/80 mmHg  kymo\n"), "\(table)")
        #expect(table.contains("118.5/77 mmHg"))
        let latest = try rows("--reverse", "--limit", "1")
        #expect(latest.map(\.systolic) == [118.5] && latest.map(\.diastolic) == [77] && latest.map(\.unit) == ["mmHg"])
        #expect(try run("show", latest[0].uuid).output.contains("HKCorrelation"))
        let kilopascals = try rows("--unit", "kPa", "--to", "2024-01-30")
        #expect(kilopascals.count == 1 && kilopascals[0].unit == "kPa")
        #expect(abs((kilopascals[0].systolic ?? 0) - 15.9986842) < 1e-6)
        let csv = try run("query", "bloodPressure", "--csv").output.split(separator: "\n")
        #expect(csv.first == "start,end,systolic,diastolic,unit,source,uuid" && csv.count == 3)
        #expect(csv[1].contains(",120,80,mmHg,kymo,"))
        #expect(try rows("--source", "kymo").count == 2)

        #expect(try run("delete", "bloodPressureDiastolic", "--to", "2024-01-30").code == 0)
        #expect(try run("query", "bloodPressure").output.contains("120/– mmHg"))
        let first = try rows()[0]
        #expect(first.systolic == 120 && first.diastolic == nil)
    }

    @Test("options that need one value, and statistics, name both types")
    func usage() throws {
        for arguments in [
            ["query", "bloodPressure", "--points", "10"], ["stats", "bloodPressure"], ["stats", "blood-pressure"],
        ] {
            let outcome = try Tool.kymo.run(arguments, environment: ["KYMO_STORE": SampleStore.path])
            #expect(outcome.code == 64, "\(arguments)")
            for type in ["bloodPressureSystolic", "bloodPressureDiastolic"] {
                #expect(outcome.errors.contains(type), "\(outcome.errors)")
            }
        }
        let unit = try kymo("query", "bloodPressure", "--unit", "kg")
        #expect(unit.code == 64 && unit.errors.contains("does not fit"))
        #expect(try kymo("query", "bloodPressure", "--source", "nobody").code == 64)
        let none = try kymo("query", "bloodPressure", "--to", "1999")
        #expect(none.code == 0 && none.errors.contains("no blood pressures in this range"))
    }
}
