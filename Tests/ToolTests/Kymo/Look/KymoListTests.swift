// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 kymo types and query: electrocardiograms and series of heartbeats")
struct KymoListTests {
    private struct Row: Decodable {
        var start: String
        var end: String
        var classification: String
        var averageHeartRate: Double?
        var count: Int
        var source: String
        var uuid: String
    }

    private struct Shown: Decodable {
        struct Voltage: Decodable { var time: Double }
        var count: Int
        var classification: String
        var averageHeartRate: Double?
        var start: String
        var voltages: [Voltage]
    }

    private static let identifier = "HKDataTypeIdentifierElectrocardiogram"

    @Test("the word last shows the latest workout")
    func latest() throws {
        struct Workout: Decodable { var uuid: String }
        let latest = try #require(try decodeOutput([Workout].self, kymo("workouts", "--json")).first)
        let shown = try decodeOutput([Workout].self, kymo("show", "last", "--format", "json"))
        #expect(shown.map(\.uuid) == [latest.uuid])
        let directory = try TemporaryDirectory()
        _ = try Tool.kymo.run(["add", "steps", "5", "--store", directory.file("store")])
        let none = try Tool.kymo.run(["show", "last", "--store", directory.file("store")])
        #expect(none.code == 1 && none.errors.contains("no workout is stored"), "\(none.errors)")
    }

    @Test("an electrocardiogram is listed, and its identity gives its voltages")
    func electrocardiograms() throws {
        let all = try decodeOutput([Row].self, kymo("query", "electrocardiogram", "--json"))
        #expect(all.count == 1)
        let row = try #require(all.first)
        #expect(row.count > 100 && row.start < row.end && !row.source.isEmpty)
        let shown = try decodeOutput([Shown].self, kymo("show", row.uuid, "--format", "json", "--parts", "7"))[0]
        #expect(shown.count == row.count && shown.voltages.count == 7 && shown.start == row.start)
        #expect(shown.classification == row.classification && shown.averageHeartRate == row.averageHeartRate)
        let csv = try kymo("query", Self.identifier, "--csv").output.split(separator: "\n")
        #expect(csv.count == 2 && csv[0] == "start,end,classification,averageHeartRate,count,source,uuid")
        #expect(csv[1].hasSuffix(row.uuid))
        #expect(try kymo("query", "electrocardiogram", "--jsonl").output.contains(row.uuid))
        let table = try kymo("query", "electrocardiogram", "--reverse").output
        #expect(table.hasPrefix("electrocardiogram, times in Europe/Zurich\n") && table.contains(row.uuid))
        let none = try kymo("query", "electrocardiogram", "--to", "1999")
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("no electrocardiograms in this range"))
        #expect(try kymo("query", "electrocardiogram", "--source", row.source, "--csv").output.contains(row.uuid))
        let types = try kymo("types", "--csv").output.split(separator: "\n")
        #expect(types.contains { $0.hasPrefix("\(Self.identifier),,,1,") })
        #expect(try kymo("types").output.contains("\nelectrocardiogram "))
    }

    @Test("types without values have no curve, unit or statistics")
    func refused() throws {
        for wrong in [["--points", "9"], ["--unit", "mV"]] {
            let outcome = try Tool.kymo.run(["query", "electrocardiogram", "--store", SampleStore.path] + wrong)
            #expect(outcome.code == 64 && outcome.errors.contains("has no values"), "\(outcome.errors)")
        }
        let stats = try kymo("stats", "electrocardiogram")
        #expect(stats.code == 64 && stats.errors.contains("\"kymo ecg\""), "\(stats.errors)")
        let none = try kymo("query", "heartbeatSeries")
        #expect(none.code == 0 && none.errors.contains("no samples of heartbeatSeries"), "\(none.errors)")
    }
}
