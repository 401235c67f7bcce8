// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-12 kymo without a command: the screen of today")
struct KymoTodayTests {
    private struct Day: Decodable {
        struct Measure: Decodable {
            var day: String
            var value: Double
            var unit: String?
            var average: Double?
            var recent: [Double?]
        }
        struct Activity: Decodable {
            var move: Double
            var exercise: Double
            var stand: Double
            var exerciseGoal: Double?
        }
        struct Sleep: Decodable {
            var night: String
            var asleep: Double
        }
        var day: String
        var isToday: Bool
        var steps: Measure?
        var activity: Activity?
        var restingPulse: Measure?
        var sleep: Sleep?
        var weight: Measure?
        var samples: Int
    }

    private struct Sum: Decodable {
        var sum: Double
    }

    private struct Night: Decodable {
        var night: String
        var asleep: Double?
    }

    @Test("the sample export: the latest day, its values equal other commands")
    func sample() throws {
        #expect(SampleStore.imported?.code == 0)
        let day = try decodeOutput(Day.self, kymo("today", "--json", "--tz", "Europe/Zurich"))
        #expect(day.day == "2022-05-13" && !day.isToday && day.samples == 25_000)
        let range = ["--from", "2022-05-07", "--to", "2022-05-13", "--tz", "Europe/Zurich", "--json"]
        let store = ["--store", SampleStore.path]
        let sums = try decodeOutput(
            [Sum].self, Tool.kymo.run(["stats", "stepCount", "--by", "day"] + range + store))
        #expect(day.steps?.recent == sums.map { Optional($0.sum) } && day.steps?.value == sums.last?.sum)
        #expect(abs((day.steps?.average ?? 0) - sums.reduce(0) { $0 + $1.sum } / 7) < 1e-6)
        let nights = try decodeOutput([Night].self, Tool.kymo.run(["sleep"] + range + store))
        #expect(day.sleep?.night == "2022-05-13" && day.sleep?.asleep == nights.last?.asleep)
        #expect(day.activity?.exercise == 35 && day.activity?.stand == 7)
        #expect(day.restingPulse?.value == 57 && day.weight?.day == "2022-05-12" && day.weight?.unit == "kg")
    }

    @Test("kymo alone prints the screen, with and without --store")
    func screen() throws {
        let text = try kymo().output
        #expect(text.hasPrefix("Friday, 13 May 2022, the latest day with data"))
        for words in ["25,000 samples since 2022", "7 days   average 11,906", "exercise 35 min   stand 7 h", "12 May"] {
            #expect(text.contains(words), "\(words): \(text)")
        }
        #expect(!text.contains("import is"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        let page = try String(
            contentsOf: repository.appendingPathComponent("Docs/Guide/kymo.md"), encoding: .utf8)
        // A long path of the store has a line of its own.
        for line in text.split(separator: "\n").dropFirst() where !line.hasPrefix("store ") {
            #expect(page.contains("\n\(line)\n"), "\(line)")
        }
        #expect(try kymo("today").output == text)
        let named = try Tool.kymo.run(["--store", SampleStore.path], environment: ["TZ": "UTC", "COLUMNS": "100"])
        #expect(named.output == text)
        #expect(try kymo("--help").output.contains("SUBCOMMANDS") && kymo("help").output.contains("SUBCOMMANDS"))
        // Narrow terminals get the header in two lines.
        let narrow = try kymo(environment: ["COLUMNS": "60"]).output
        #expect(narrow.split(separator: "\n")[1].hasPrefix("store "))
    }

    @Test("data of today are today's, and types without data have no line")
    func today() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        #expect(try Tool.kymo.run(["add", "stepCount", "1200", "count", "--store", store]).code == 0)
        let outcome = try Tool.kymo.run(["--store", store])
        #expect(outcome.code == 0 && !outcome.output.contains("latest day"))
        #expect(outcome.output.contains("steps  1,200  ") && !outcome.output.contains("weight"))
        #expect(try decodeOutput(Day.self, Tool.kymo.run(["today", "--json", "--store", store])).isToday)
    }

    @Test("without a store there are three lines of what to do; a store without such data has a message")
    func nothing() throws {
        let directory = try TemporaryDirectory()
        let none = try Tool.kymo.run(["--store", directory.file("none")])
        #expect(none.code == 0 && none.errors.isEmpty && none.output.split(separator: "\n").count == 3)
        #expect(none.output.contains("kymo import export.zip"))
        #expect(try Tool.kymo.run(["today", "--json", "--store", directory.file("none")]).code == 1)
        let store = directory.file("store")
        _ = try Tool.kymo.run(["add", "heartRate", "61", "count/min", "--store", store])
        let other = try Tool.kymo.run(["--store", store])
        #expect(other.code == 0 && other.output.isEmpty && other.errors.contains("no steps"))
    }
}
