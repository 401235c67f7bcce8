// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-12 kymo sleep and stats sleepAnalysis")
struct KymoSleepTests {
    private struct Night: Decodable {
        var night: String
        var asleep: Double?
        var inBed: Double?
        var deep: Double?
        var core: Double?
        var rem: Double?
        var unspecified: Double?
        var awake: Double?
        var sources: [String]
    }

    private struct Month: Decodable {
        var nights: Int
        var asleep: Double?
    }

    private struct Value: Decodable {
        var value: String
        var nights: Int
        var total: Double
    }

    private static let type = "HKCategoryTypeIdentifierSleepAnalysis"
    private static let sources = ["Ann\u{2019}s Watch", "Ring", "Ann\u{2019}s Phone"]
    private static let values = ["InBed", "AsleepUnspecified", "Awake", "AsleepCore", "AsleepDeep", "AsleepREM"]

    private static func record(_ source: String, _ value: String, _ start: Int, _ end: Int) -> String {
        func text(_ second: Int) -> String {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 3_600)
            formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
            return formatter.string(from: Date(timeIntervalSince1970: Double(second)))
        }
        return """
            <Record type="\(type)" sourceName="\(source)" creationDate="\(text(end))" startDate="\(text(start))" \
            endDate="\(text(end))" value="HKCategoryValueSleepAnalysis\(value)"/>
            """
    }

    /// Returns records of random nights: overlapping sources, gaps, naps, time in bed.
    private static func random(nights: Int, seed: UInt64) -> [String] {
        var random = SeededGenerator(seed: seed)
        var records: [String] = []
        for night in 0..<nights {
            let evening = 1_672_592_400 + night * 86_400
            for source in sources where Int.random(in: 0..<5, using: &random) > 0 {
                var at = evening + Int.random(in: -9_000...20_000, using: &random)
                let end = at + Int.random(in: 600...40_000, using: &random)
                if Bool.random(using: &random) { records.append(record(source, "InBed", at - 900, end)) }
                while at < end {
                    let length = Int.random(in: 1...5_400, using: &random)
                    let value = values[Int.random(in: 1...5, using: &random)]
                    let early = Int.random(in: 0..<10, using: &random) == 0 ? 700 : 0
                    if Int.random(in: 0..<9, using: &random) > 0 {
                        records.append(record(source, value, at - early, at + length))
                    }
                    at += length
                }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    records.append(record(source, "AsleepUnspecified", evening + 68_000, evening + 75_000))
                }
            }
        }
        return records
    }

    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("1,000 random nights equal the nights that an independent script computes from the XML")
    func script() throws {
        let python = try #require(Self.python, "the independent script needs python3")
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        try exportText(Self.random(nights: 1_000, seed: 24)).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        let order = Self.sources.flatMap { ["--priority", $0] }
        let nights = try decodeOutput(
            [Night].self,
            Tool.kymo.run(
                ["sleep", "--from", "2000", "--json", "--tz", "Europe/Zurich", "--store", store] + order))
        let script = repository.appendingPathComponent("Tests/Oracles/nights.py").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [script, file, "Europe/Zurich"] + Self.sources
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let truth = try JSONDecoder().decode([String: [String: Double]].self, from: data)
        #expect(truth.count >= 990)
        #expect(nights.map(\.night) == truth.keys.sorted())
        for night in nights {
            let own = try #require(truth[night.night])
            let asleep = own.filter { $0.key.hasPrefix("Asleep") }.values.reduce(0, +)
            let hasStages = own.keys.contains { $0 != "InBed" }
            #expect(night.asleep == (hasStages ? asleep : nil), "\(night.night)")
            #expect(night.inBed == own["InBed"], "\(night.night)")
            #expect(night.deep ?? 0 == own["AsleepDeep"] ?? 0, "\(night.night)")
            #expect(night.core ?? 0 == own["AsleepCore"] ?? 0, "\(night.night)")
            #expect(night.rem ?? 0 == own["AsleepREM"] ?? 0, "\(night.night)")
            #expect(night.unspecified ?? 0 == own["AsleepUnspecified"] ?? 0, "\(night.night)")
            #expect(night.awake ?? 0 == own["Awake"] ?? 0, "\(night.night)")
        }
        // The same nights by month and by value.
        let common = ["--tz", "Europe/Zurich", "--store", store] + order
        let months = try decodeOutput(
            [Month].self, Tool.kymo.run(["stats", "sleepAnalysis", "--by", "month", "--json"] + common))
        #expect(months.reduce(0) { $0 + $1.nights } == nights.count { $0.asleep != nil })
        let total = months.reduce(0) { $0 + ($1.asleep ?? 0) * Double($1.nights) }
        let sum = nights.reduce(0) { $0 + ($1.asleep ?? 0) }
        #expect(abs(total - sum) < 1e-3)
        let values = try decodeOutput([Value].self, Tool.kymo.run(["stats", "sleepAnalysis", "--json"] + common))
        #expect(values.first { $0.value == "asleep" }?.total == sum)
        #expect(values.first { $0.value == "inBed" }?.total == nights.reduce(0) { $0 + ($1.inBed ?? 0) })
        let days = try Tool.kymo.run(["stats", "sleepAnalysis", "--by", "day", "--json"] + common)
        #expect(try decodeOutput([Night].self, days).map(\.asleep) == nights.map(\.asleep))
    }

    @Test("the screen: the last nights with stages over the clock, averages, sources")
    func screen() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        func at(_ day: Int, _ minute: Int) -> Int { 1_705_617_000 + day * 86_400 + minute * 60 }
        let records = (0..<16).flatMap { day in
            [
                Self.record("Watch", "AsleepCore", at(day, 0), at(day, 120)),
                Self.record("Watch", "AsleepDeep", at(day, 120), at(day, 180)),
                Self.record("Watch", "Awake", at(day, 180), at(day, 190)),
                Self.record("Phone", "InBed", at(day, -20), at(day, 200)),
                Self.record("Phone", "AsleepUnspecified", at(day, 0), at(day, 200)),
            ]
        }
        try exportText(records).write(toFile: file, atomically: true, encoding: .utf8)
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        _ = try run("import", file)
        let table = try run("sleep", "--tz", "Europe/Berlin", "--priority", "Watch", "--explain")
        #expect(table.code == 0 && table.output.contains("Fri 2024-02-02"), "\(table.output) \(table.errors)")
        #expect(!table.output.contains("2024-01-20") && table.errors.contains("the last 14 of 16 nights"))
        #expect(table.output.contains("3:10") && table.output.contains("3:40") && table.output.contains("▓▓"))
        #expect(table.errors.contains("Phone: asleep 3:20, 3:10 hidden by sources before it; in bed 3:40"))
        #expect(try run("sleep", "--from", "2024-01-19").output.contains("2024-01-20"))
        // Part of a day selects the night to this day, before and after its noon.
        for (from, to) in [("T00:00", "T09:00"), ("T13:00", "T14:00"), ("T09:00", "T18:30")] {
            let part = try run(
                "sleep", "--from", "2024-01-25\(from)", "--to", "2024-01-25\(to)", "--tz", "Europe/Berlin")
            let rows = part.output.split(separator: "\n").filter { $0.contains("2024-") }
            #expect(rows.count == 1 && rows[0].contains("2024-01-25"), "\(part.output) \(part.errors)")
        }
        #expect(try run("prefer", "sleepAnalysis", "Phone").output.contains("chosen"))
        #expect(try run("sleep", "--tz", "Europe/Berlin").output.contains("3:20"))
        #expect(try run("verify").code == 0)
    }

    @Test("the home zone is shown, set and derived again")
    func zone() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        func run(_ arguments: String...) throws -> Tool.Outcome { try Tool.kymo.run(arguments + ["--store", store]) }
        #expect(try run("zone", "Europe/Zurich").code == 1)
        _ = try run("add", "bodyMass", "70", "kg")
        #expect(try run("zone").output.contains("(derived)"))
        #expect(try run("zone", "Europe/Zurich").output == "Europe/Zurich (set)\n")
        #expect(try run("zone").output == "Europe/Zurich (set)\n")
        #expect(try run("zone", "--reset").output.contains("(derived)"))
        #expect(try run("zone", "Nowhere").code == 64 && run("zone", "UTC", "--reset").code == 64)
    }

    @Test("wrong arguments and empty ranges have clear messages")
    func refused() throws {
        for wrong in [
            ["sleep", "--night-from", "25:00"], ["sleep", "--night-from", "6"], ["sleep", "--priority", "Nobody"],
            ["stats", "sleepAnalysis", "--by", "hour"], ["stats", "sleepAnalysis", "--sources"],
            ["stats", "sleepAnalysis", "--quantiles", "0.5"], ["stats", "sleepAnalysis", "--unit", "h"],
        ] {
            #expect(try Tool.kymo.run(wrong + ["--store", SampleStore.path]).code == 64, "\(wrong)")
        }
        let none = try kymo("sleep", "--from", "1990", "--to", "1991")
        #expect(
            none.code == 0 && none.output.isEmpty
                && none.errors.contains("no samples of sleepAnalysis in this range; all are from 2022-05-01"))
        #expect(try kymo("sleep", "--from", "1990", "--to", "1991", "--json").output == "[]\n")
    }
}
