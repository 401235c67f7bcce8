// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-12 the days of kymo are those of the home zone")
struct KymoZoneTests {
    private struct Row: Decodable {
        var sum: Double?
        var recorded: Double?
        var counted: Double?
    }

    /// The commands that show days or times of a store.
    private static let commands = [
        ["stats", "stepCount", "--by", "day"], ["stats", "sleepAnalysis", "--by", "week"],
        ["query", "heartRate", "--limit", "20"], ["query", "heartRate", "--from", "2022-05-13", "--csv"],
        ["query", "ecg"], ["summaries"], ["types"], ["sources"], ["today"], ["sleep"], ["workouts"], ["info"],
        ["plot", "steps"], ["why", "steps"], ["delete", "steps", "--from", "2022-05-13", "--dry-run"],
        ["export", "--format", "csv", "--types", "steps", "--from", "2022-05-13"],
        ["watch", "bodyMass", "--all", "--once"],
    ]

    @Test("commands show days and times of the home zone in every zone of the system", arguments: commands)
    func home(command: [String]) throws {
        #expect(SampleStore.imported?.code == 0)
        let here = try Self.kymo(command, in: "Europe/Zurich")
        #expect(here.code == 0 && !here.output.isEmpty, "\(command): \(here.errors)")
        let away = try Self.kymo(command, in: "America/New_York")
        #expect(away.output == here.output && away.errors == here.errors, "\(command): \(away.output)")
    }

    private static func kymo(_ command: [String], in zone: String) throws -> Tool.Outcome {
        try Tool.kymo.run(command, environment: ["KYMO_STORE": SampleStore.path, "TZ": zone, "COLUMNS": "120"])
    }

    @Test("a day has the same total in stats and why, and --tz chooses another day")
    func total() throws {
        let day = ["stats", "steps", "--from", "2022-05-13", "--to", "2022-05-13", "--json"]
        func sum(_ more: String...) throws -> Double? {
            try decodeOutput([Row].self, Self.kymo(day + more, in: "America/New_York")).first?.sum
        }
        let why = try decodeOutput(
            [Row].self, Self.kymo(["why", "steps", "2022-05-13", "--json"], in: "America/New_York"))
        let total = why.reduce(0) { $0 + ($1.counted ?? 0) }
        #expect(try abs((sum() ?? 0) - total) < 1e-6 && total > 0)
        #expect(try sum("--tz", "Pacific/Auckland") != sum() && sum("--tz", "Europe/Zurich") == sum())
    }

    @Test("a set zone decides, also about samples that are added and deleted")
    func set() throws {
        let directory = try TemporaryDirectory()
        func run(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(
                arguments, environment: ["KYMO_STORE": directory.file("store"), "TZ": "America/New_York"])
        }
        // A new store has the system's zone.
        let first = try run("add", "weight", "70", "kg", "--start", "2024-01-31T07:30")
        #expect(first.errors.contains("2024-01-31 07:30:00 -0500"), "\(first.errors)")
        #expect(try run("zone", "Asia/Tokyo").code == 0)
        let second = try run("add", "weight", "71", "kg", "--start", "2024-02-01T01:00")
        #expect(second.errors.contains("2024-02-01 01:00:00 +0900"), "\(second.errors)")
        let days = try run("stats", "weight", "--by", "day", "--skip-empty", "--csv").output.split(separator: "\n")
        #expect(days.dropFirst().map { $0.prefix(25) } == ["2024-01-31T00:00:00+09:00", "2024-02-01T00:00:00+09:00"])
        let deleted = try run("delete", "weight", "--from", "2024-02-01", "--to", "2024-02-01")
        #expect((deleted.output + deleted.errors).contains("1 sample"), "\(deleted.output) \(deleted.errors)")
        let left = try run("query", "weight", "--csv").output
        #expect(left.contains("2024-01-31T21:30:00+09:00") && left.split(separator: "\n").count == 2, "\(left)")
        // A wrong range is refused before a store is opened for writing.
        #expect(try run("delete", "weight", "--from", "2024-13").code == 64)
    }
}
