// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-12 kymo why: the sources of a day and of a night")
struct KymoWhyTests {
    private struct Row: Decodable {
        struct Slice: Decodable {
            var start: String
            var recorded: Double
            var counted: Double
        }
        var day: String
        var source: String
        var recorded: Double
        var counted: Double
        var unit: String
        var slices: [Slice]
    }

    private struct Night: Decodable {
        var night: String
        var source: String
        var recorded: Double
        var counted: Double
        var inBed: Double?
    }

    private struct Sum: Decodable {
        var source: String?
        var sum: Double
    }

    /// Returns a text with plain blanks: the names in the sample export have others.
    private static func plain(_ text: String) -> String { text.replacingOccurrences(of: "\u{A0}", with: " ") }

    @Test("the parts of a day equal those of stats, and the lanes show them")
    func steps() throws {
        #expect(SampleStore.imported?.code == 0)
        let rows = try decodeOutput([Row].self, kymo("why", "stepCount", "2022-05-13", "--json"))
        func sums(_ more: String...) throws -> [Sum] {
            try decodeOutput(
                [Sum].self,
                Tool.kymo.run(
                    ["stats", "stepCount", "--by", "day", "--from", "2022-05-13", "--to", "2022-05-13", "--json"]
                        + ["--tz", "Europe/Zurich", "--store", SampleStore.path] + more))
        }
        #expect(rows.map { Self.plain($0.source) } == ["Alex’s Apple Watch", "Alex’s iPhone"])
        #expect(try rows.map(\.counted) == sums("--sources", "--merged").map(\.sum))
        #expect(try rows.map(\.recorded) == sums("--sources").map(\.sum))
        for row in rows {
            #expect(abs(row.slices.reduce(0) { $0 + $1.counted } - row.counted) < 1e-6)
            #expect(row.slices.allSatisfy { $0.start.hasPrefix("2022-05-13T") } && row.unit == "count")
        }
        let text = try kymo("why", "stepCount", environment: ["COLUMNS": "120"]).output
        let lines = text.split(separator: "\n")
        #expect(lines[0] == "stepCount, Friday 13 May 2022: 10,272")
        #expect(lines[1].hasSuffix("0h      4       8       12      16      20      24"))
        #expect(lines[2].contains("6,659   counts whole") && lines[3].contains("3,613   of 4,780; ░ hidden by Alex"))
        #expect(lines[3].contains("░▂") && lines.count == 5)
        #expect(lines[4].hasPrefix("together they recorded 11,439; 1,167 of them twice."))
        #expect(lines[4].hasSuffix("another order: kymo prefer stepCount \"Alex’s iPhone\""))
        // Narrow terminals get hours, and then no lanes.
        let narrow = try kymo("why", "stepCount", environment: ["COLUMNS": "60"]).output
        #expect(narrow.contains("0h  4   8   12  16  20  24\n") && narrow.contains("\n  counts whole\n"))
        #expect(try !kymo("why", "stepCount", environment: ["COLUMNS": "30"]).output.contains("░"))
    }

    @Test("a night by source equals the explanation of kymo sleep")
    func sleep() throws {
        let rows = try decodeOutput([Night].self, kymo("why", "sleepAnalysis", "2022-05-12", "--json"))
        #expect(rows.count == 1 && rows[0].night == "2022-05-12" && rows[0].recorded == rows[0].counted)
        let explained = try kymo("sleep", "--explain", "--tz", "Europe/Zurich").errors
        let text = try kymo("why", "sleepAnalysis").output
        #expect(text.hasPrefix("sleep, night to Saturday 14 May 2022: 1:46\n"))
        #expect(Self.plain(explained).contains("2022-05-14 Alex’s Apple Watch: asleep 1:46"))
        #expect(text.contains("another order: kymo prefer sleepAnalysis \"Alex’s iPhone\""))
        let none = try kymo("why", "sleepAnalysis", "1999-01-01")
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("no sleep"))
    }

    @Test("other types, periods of several days and days without data have messages")
    func refused() throws {
        let pulse = try kymo("why", "heartRate")
        #expect(pulse.code == 64 && pulse.errors.contains("has no sum"))
        let month = try kymo("why", "stepCount", "2022-05")
        #expect(month.code == 64 && month.errors.contains("not one day"))
        #expect(try kymo("why", "stepCount", "someday").code == 64)
        let none = try kymo("why", "stepCount", "2022-06-01")
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("2022-05-13"))
        #expect(try kymo("why", "stepCount", "2022-06-01", "--json").output == "[]\n")
        #expect(try kymo("why", "dietaryZinc").errors.contains("no samples of dietaryZinc"))
    }

    @Test("hostile source names are printed safely, also in the advice")
    func names() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let records = ["A", "it's $(rm) \u{1B}[31m"].map {
            recordText("HKQuantityTypeIdentifierStepCount", "2022-05-02", value: "10", source: $0)
        }
        try exportText(records.map { $0.replacingOccurrences(of: "\u{1B}", with: "\u{9B}") })
            .write(toFile: file, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", file, "--store", store])
        _ = try Tool.kymo.run(["prefer", "stepCount", "A", "--store", store])
        let text = try Tool.kymo.run(["why", "stepCount", "--store", store]).output
        #expect(text.contains(#"kymo prefer stepCount 'it'\''s $(rm) \u{9B}[31m'"#), "\(text)")
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0.value == 0x9B })
    }

    @Test("sums beyond all doubles stop no screen")
    func infinite() throws {
        let directory = try TemporaryDirectory()
        let (file, store) = (directory.file("export.xml"), directory.file("store"))
        let records = (1...9).flatMap { day in
            ["A", "B"].flatMap { source in
                (0..<2).map { hour in
                    recordText(
                        "HKQuantityTypeIdentifierStepCount", "2022-05-0\(day)",
                        value: day == 1 ? "1" : "1.7e308", source: source
                    ).replacingOccurrences(of: " 10:", with: " 1\(hour):")
                }
            }
        }
        let pulses = ["1.7e308", "-1.7e308"].map {
            recordText("HKQuantityTypeIdentifierHeartRate", "2022-05-02", value: $0, unit: "count/min")
        }
        try exportText(records + pulses).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Tool.kymo.run(["import", file, "--store", store]).code == 0)
        for command in [
            ["stats", "stepCount", "--by", "hour"], ["stats", "heartRate", "--by", "day"], ["plot", "heartRate"],
            [], ["today", "--json"], ["why", "stepCount"], ["why", "stepCount", "--json"], ["plot", "stepCount"],
            ["prefer", "stepCount", "B", "--dry-run"], ["prefer", "stepCount", "B"],
        ] {
            let outcome = try Tool.kymo.run(command + ["--store", store])
            #expect(outcome.code == 0 && !outcome.output.isEmpty, "\(command): \(outcome.errors)")
        }
    }
}
