// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 S-56 kymo summaries")
struct KymoSummariesTests {
    private struct Day: Decodable, Equatable {
        var day: String
        var activeEnergyBurned: Double
        var activeEnergyBurnedGoal: Double?
        var activeEnergyBurnedUnit: String
        var appleMoveTime: Double
        var appleExerciseTime: Double
        var appleExerciseTimeGoal: Double?
        var appleStandHours: Double
        var isImported: Int
    }

    @Test("imported days have the values of the export, and the range consists of days")
    func imported() throws {
        let all = try decodeOutput([Day].self, kymo("summaries", "--json", "--tz", "Europe/Zurich"))
        #expect(all.map(\.day) == all.map(\.day).sorted() && all.count >= 12)
        let second = try #require(all.first { $0.day == "2022-05-02" })
        #expect(second.activeEnergyBurned == 801.72 && second.activeEnergyBurnedGoal == 500)
        #expect(second.activeEnergyBurnedUnit == "kcal" && second.isImported == 1)
        #expect(second.appleExerciseTime == 52 && second.appleExerciseTimeGoal == 30 && second.appleStandHours == 9)
        let some = try kymo("summaries", "--csv", "--from", "2022-05-02", "--to", "2022-05-04")
        let lines = some.output.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("day,activeEnergyBurned,activeEnergyBurnedGoal,"))
        #expect(lines[1].hasPrefix("2022-05-02,801.72,500,kcal,0,0,52,30,9,12,1"))
        let table = try kymo("summaries", "--from", "2022-05-02", "--to", "2022-05-02").output
        #expect(table.contains("801.7 kcal") && table.contains("52 min") && table.contains("import"))
        #expect(!table.contains("motion"))
        #expect(try kymo("summaries", "--from", "1999").output.contains("2022-05-02"))
        #expect(try kymo("summaries", "--to", "1999").errors.contains("in this range; all are from 2022-0"))
    }

    @Test("days without an imported summary are computed from samples")
    func computed() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let type = "HKQuantityTypeIdentifierActiveEnergyBurned"
        let records = [
            recordText(type, "2022-05-02", value: "12.5", unit: "kcal"),
            recordText("HKQuantityTypeIdentifierAppleMoveTime", "2022-05-02", value: "5", unit: "min"),
            recordText(type, "2022-05-03", value: "3", unit: "kcal"),
        ]
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", file, "--store", store])
        let days = try decodeOutput(
            [Day].self, Tool.kymo.run(["summaries", "--json", "--tz", "UTC", "--store", store]))
        #expect(days.map(\.day) == ["2022-05-02", "2022-05-03"])
        #expect(days.map(\.activeEnergyBurned) == [12.5, 3] && days.map(\.appleMoveTime) == [5, 0])
        #expect(days.allSatisfy { $0.isImported == 0 && $0.activeEnergyBurnedGoal == nil })
        let table = try Tool.kymo.run(["summaries", "--tz", "UTC", "--store", store]).output
        #expect(table.contains("motion") && table.contains("samples"))
    }

    @Test("wrong usage ends with status 64")
    func usage() throws {
        #expect(try kymo("summaries", "--from", "2022-05-03", "--to", "2022-05-01").code == 64)
        #expect(try kymo("summaries", "--tz", "Nowhere/Land").code == 64)
        #expect(try kymo("summaries", "extra").code == 64)
    }
}
