// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A store with the sample export, imported once for all tests that only read.
enum SampleStore {
    static var path: String { made.path }
    /// The outcome of the import; nil if the program could not be run.
    static var imported: Tool.Outcome? { made.outcome }

    private static let made: (path: String, outcome: Tool.Outcome?) = {
        let path = NSTemporaryDirectory() + "kymograph-kymo-tests-\(UUID().uuidString)"
        let outcome = try? Tool.kymo.run(["import", export, "--store", path, "--tz", "Europe/Zurich", "--json"])
        atexit { try? FileManager.default.removeItem(atPath: SampleStore.path) }
        return (path, outcome)
    }()

    static let export = repository.appendingPathComponent("Docs/Samples/sample-export.zip").path
}

/// The contents of the sample export according to its generator.
struct SampleManifest: Decodable {
    let records: Int
    let count: [String: Int]
    let sum: [String: Double]
    let naive_steps: Double
    let merged_steps_watch_first_prorated: Double

    static func load() throws -> SampleManifest {
        let url = repository.appendingPathComponent("Docs/Samples/sample-export.json")
        return try JSONDecoder().decode(SampleManifest.self, from: Data(contentsOf: url))
    }
}

/// Runs `kymo` on the sample store.
func kymo(_ arguments: String..., environment: [String: String] = [:]) throws -> Tool.Outcome {
    let environment = ["KYMO_STORE": SampleStore.path, "TZ": "UTC", "COLUMNS": "100"].merging(environment) { $1 }
    return try Tool.kymo.run(arguments, environment: environment)
}

func decodeOutput<T: Decodable>(_ type: T.Type, _ outcome: Tool.Outcome) throws -> T {
    #expect(outcome.code == 0, "\(outcome.errors)")
    return try JSONDecoder().decode(type, from: Data(outcome.output.utf8))
}

/// Returns the text of an export with these records.
func exportText(_ records: [String]) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <HealthData locale="en_GB">
     <ExportDate value="2022-08-21 04:34:18 +0200"/>
    \(records.joined(separator: "\n"))
    </HealthData>

    """
}

func recordText(
    _ type: String, _ day: String, value: String, unit: String = "count", source: String = "Pen"
) -> String {
    let date = "\(day) 10:00:00 +0000"
    return "<Record type=\"\(type)\" sourceName=\"\(source)\" unit=\"\(unit)\" creationDate=\"\(date)\""
        + " startDate=\"\(date)\" endDate=\"\(day) 10:05:00 +0000\" value=\"\(value)\"/>"
}

private struct Row: Decodable, Equatable {
    var source: String?
    var start: String
    var end: String
    var count: Int
    var sum: Double?
    var min: Double?
    var max: Double?
    var average: Double?
    var unit: String?
    var duration: Double?
}

private func rows(_ arguments: String...) throws -> [Row] {
    let environment = ["KYMO_STORE": SampleStore.path, "TZ": "UTC"]
    return try decodeOutput([Row].self, Tool.kymo.run(["stats"] + arguments + ["--json"], environment: environment))
}

@Suite("T-2 kymo stats: buckets, formats, zones")
struct KymoStatsTests {
    @Test("counts and sums of every type equal the manifest's")
    func manifest() throws {
        let manifest = try SampleManifest.load()
        for (type, sum) in manifest.sum {
            let all = try rows(type, "--union")
            #expect(all.count == 1)
            #expect(all[0].count == manifest.count[type], "\(type)")
            #expect(abs((all[0].sum ?? 0) - sum) <= 1e-9 * Swift.max(1, abs(sum)), "\(type)")
        }
        #expect(try rows("stepCount", "--union")[0].sum == manifest.naive_steps)
    }

    @Test("days are sorted, adjoin, have the zone's offset, and add up to the total")
    func days() throws {
        let days = try rows(
            "stepCount", "--by", "day", "--from", "2022-04-30", "--to", "2022-05-15", "--tz", "Europe/Zurich")
        #expect(days.count == 16)
        #expect(days.first?.start == "2022-04-30T00:00:00+02:00")
        #expect(days.last?.end == "2022-05-16T00:00:00+02:00")
        for (day, next) in zip(days, days.dropFirst()) { #expect(day.end == next.start) }
        let whole = try rows("stepCount")[0]
        #expect(days.reduce(0) { $0 + $1.count } == whole.count)
        #expect(abs(days.reduce(0) { $0 + ($1.sum ?? 0) } - (whole.sum ?? 0)) < 1e-6)
        // A day without samples has a row with a count of zero and no values.
        #expect(days[0] == Row(start: days[0].start, end: days[0].end, count: 0, unit: "count"))
    }

    @Test("a date as the end includes its day, and an instant as the end is excluded")
    func end() throws {
        let week = try rows("stepCount", "--by", "day", "--from", "2022-05-02", "--to", "2022-05-08")
        let more = try rows("stepCount", "--by", "day", "--from", "2022-05-02", "--to", "2022-05-09")
        #expect(week.count == 7)
        #expect(Array(more.prefix(7)) == week)
        let exact = try rows("stepCount", "--by", "day", "--from", "2022-05-02T00:00", "--to", "2022-05-09T00:00")
        #expect(exact == week)
        let month = try rows("stepCount", "--by", "month", "--from", "2022-05", "--to", "2022-05")
        #expect(month.count == 1)
        #expect(month[0].end == "2022-06-01T00:00:00+02:00")
    }

    @Test("weeks begin on Monday, quarters of an hour at the hour, and steps of several days at the first day")
    func steps() throws {
        let weeks = try rows("heartRate", "--by", "week", "--tz", "Europe/Zurich")
        #expect(weeks.allSatisfy { $0.start.hasSuffix("T00:00:00+02:00") })
        #expect(weeks.map { $0.start.prefix(10) }.contains("2022-05-02"))
        let quarters = try rows("heartRate", "--by", "15m", "--from", "2022-05-03", "--to", "2022-05-03")
        #expect(quarters.count == 96)
        #expect(quarters[1].start == "2022-05-03T00:15:00+02:00")
        let pairs = try rows("heartRate", "--by", "2d", "--from", "2022-05-03", "--to", "2022-05-06")
        #expect(pairs.map(\.start) == ["2022-05-03T00:00:00+02:00", "2022-05-05T00:00:00+02:00"])
        let quarter = try rows("heartRate", "--by", "quarter", "--from", "2022-05-03", "--to", "2022-05-06")
        #expect(quarter.map(\.start) == ["2022-04-01T00:00:00+02:00"])
        let spring = try rows(
            "heartRate", "--by", "hour", "--from", "2022-03-27", "--to", "2022-03-27", "--tz", "Europe/Zurich")
        #expect(spring.count == 23)
    }

    @Test("sources have rows of their own that add up, and units are converted")
    func sourcesAndUnits() throws {
        let all = try rows("distanceWalkingRunning", "--union")[0]
        let apart = try rows("distanceWalkingRunning", "--sources")
        #expect(apart.count == 2)
        #expect(Set(apart.compactMap(\.source)).count == 2)
        #expect(apart.reduce(0) { $0 + $1.count } == all.count)
        let one = try rows("distanceWalkingRunning", "--source", apart[0].source ?? "")
        #expect(one[0].sum == apart[0].sum)
        let metres = try rows("distanceWalkingRunning", "--unit", "m", "--union")[0]
        #expect(metres.unit == "m")
        #expect(abs((metres.sum ?? 0) - 1000 * (all.sum ?? 0)) < 1e-6)
    }

    @Test("X-1 the sum of steps equals the generator's merged sum, and --explain lists each source's part")
    func merged() throws {
        let manifest = try SampleManifest.load()
        let all = try rows("stepCount")[0]
        // The generator rounds to three decimals.
        #expect(((all.sum ?? 0) * 1_000).rounded() / 1_000 == manifest.merged_steps_watch_first_prorated)
        let days = try rows("stepCount", "--by", "day")
        #expect(abs(days.reduce(0) { $0 + ($1.sum ?? 0) } - (all.sum ?? 0)) < 1e-9)
        let parts = try rows("stepCount", "--sources", "--merged")
        #expect(parts.map(\.sum).contains(103_759))
        #expect(abs(parts.reduce(0) { $0 + ($1.sum ?? 0) } - (all.sum ?? 0)) < 1e-9)
        let phone = try #require(parts.compactMap(\.source).first { $0.hasSuffix("iPhone") })
        let other = try rows("stepCount", "--priority", phone)[0].sum
        #expect(other != all.sum && (other ?? 0) > 91_918)
        let explained = try kymo("stats", "stepCount", "--explain").errors
        #expect(explained.contains("Watch: 103759 of 103759 count"))
    }

    @Test("CSV and JSON lines have the same values as JSON")
    func formats() throws {
        let json = try rows("heartRate", "--by", "day")
        let lines = try kymo("stats", "heartRate", "--by", "day", "--jsonl").output.split(separator: "\n")
        #expect(try lines.map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) } == json)
        let csv = try kymo("stats", "heartRate", "--by", "day", "--csv").output.split(separator: "\n")
        #expect(csv.first == "start,end,count,sum,min,max,average,unit")
        #expect(csv.count == json.count + 1)
        for (line, row) in zip(csv.dropFirst(), json) {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            #expect(cells.count == 8)
            #expect(cells[0] == row.start)
            #expect(Double(cells[3]) == row.sum)
            #expect(Double(cells[6]) == row.average)
        }
    }

    @Test("a type is found by its identifier, its short name or other spellings")
    func names() throws {
        let by = ["HKQuantityTypeIdentifierStepCount", "stepCount", "StepCount", "step-count"]
        let answers = try by.map { try rows($0) }
        #expect(answers.allSatisfy { $0 == answers[0] })
        let typo = try kymo("stats", "stepCont")
        #expect(typo.code == 64)
        #expect(typo.output.isEmpty)
        #expect(typo.errors == "kymo: no type \"stepCont\"; did you mean stepCount?\n")
    }

    @Test("the table has a sparkline, the time zone and bars, and categories have durations")
    func table() throws {
        let steps = try kymo("stats", "stepCount", "--by", "day", "--tz", "Europe/Zurich")
        let lines = steps.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "stepCount (count) by day, times in Europe/Zurich")
        #expect(lines[1].contains { "▁▂▃▄▅▆▇█".contains($0) })
        #expect(lines[2].split(separator: " ").prefix(3) == ["start", "sum", "samples"])
        #expect(lines[3].hasPrefix("2022-05-01 "))
        #expect(steps.output.contains("█"))
        #expect(!steps.output.contains("\u{1B}"), "colours without a terminal")
        #expect(steps.errors.contains("Watch, Alex\u{2019}s iPhone;\n  --priority changes it\n"))
        #expect(try kymo("stats", "stepCount", "--union").errors.contains("2 sources are added up"))
        #expect(lines.allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })
        let pulse = try kymo("stats", "heartRate", "--by", "day").output
        #expect(pulse.split(separator: "\n")[2].split(separator: " ").prefix(4) == ["start", "average", "min", "max"])
        #expect(pulse.contains("●"))
        let stood = try rows("appleStandHour")
        #expect((stood[0].duration ?? 0) > 3600)
        #expect(stood[0].sum == nil && stood[0].unit == nil)
    }

    @Test("--explain reports the cost, and days in the home time zone decode no block")
    func explain() throws {
        let outcome = try kymo("stats", "heartRate", "--explain", "--json")
        #expect(outcome.code == 0)
        #expect(outcome.errors.contains("runs: 1"))
        #expect(outcome.errors.contains("blocks decoded: 0"))
        #expect(outcome.errors.contains("index pages: "))
        #expect(outcome.errors.contains("bytes read: 0"))
    }

    @Test("wrong usage is one line on standard error, with status 64")
    func usage() throws {
        let wrong: [[String]] = [
            ["stats", "stepCount", "--by", "fortnight"], ["stats", "stepCount", "--from", "2022-13-01"],
            ["stats", "stepCount", "--from", "2022-02-01", "--to", "2022-01-01"],
            ["stats", "stepCount", "--tz", "Mars"],
            ["stats", "stepCount", "--unit", "km"], ["stats", "stepCount", "--unit", "foo"], ["stats"],
            ["stats", "stepCount", "--source", "nobody"], ["stats", "stepCount", "--priority", "nobody"],
            ["stats", "stepCount", "--merged"], ["stats", "stepCount", "--sources", "--merged", "--union"],
            ["stats", "stepCount", "--json", "--csv"], ["stat"],
            ["query", "stepCount", "--limit", "0"], ["stats", "stepCount", "--nonsense"],
        ]
        for arguments in wrong {
            let outcome = try Tool.kymo.run(arguments, environment: ["KYMO_STORE": SampleStore.path])
            #expect(outcome.code == 64, "\(arguments)")
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors.hasPrefix("kymo: ") && outcome.errors.split(separator: "\n").count == 1,
                "\(outcome.errors)")
        }
    }
}
