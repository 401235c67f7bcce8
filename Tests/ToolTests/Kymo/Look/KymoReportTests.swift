// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-8 kymo report")
struct KymoReportTests {
    private static func page(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// A page without scripts that loads nothing.
    private static func isAlone(_ page: String) -> Bool {
        let plain = page.replacingOccurrences(of: "http-equiv", with: "")
        let loading = ["http", "//", "url(", "<script", "@import", "<link", "<iframe", "javascript:"]
        return !loading.contains { plain.contains($0) }
            && page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\"")
    }

    @Test("the page has the numbers of the store, is readable only by its owner, and loads nothing")
    func page() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("year.html")
        let made = try Tool.kymo.run([
            "report", "--store", SampleStore.path, "--tz", "Europe/Zurich", "-o", file,
        ])
        #expect(made.code == 0 && made.output == "\(file)\n", "\(made.errors)")
        let page = try Self.page(file)
        #expect(Self.isAlone(page))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let steps = try Tool.kymo.run([
            "stats", "stepCount", "--from", "2022", "--to", "2022", "--tz", "Europe/Zurich", "--csv", "--store",
            SampleStore.path,
        ])
        let sum = try #require(Double(steps.output.split(separator: "\n")[1].split(separator: ",")[3]))
        let text = Int(sum.rounded()) / 1_000
        #expect(page.contains("<b>") && page.contains("\(text),"), "\(sum)")
        for title in [
            "Steps, every day", "Rings", "Heart rate", "Sleep", "Electrocardiogram", "Body mass", "Why this total?",
            "This is no medical report.", "as a table",
        ] {
            #expect(page.contains(title), "\(title)")
        }
        #expect(page.contains("Alex\u{2019}s Apple\u{A0}Watch") || page.contains("Alex\u{2019}s Apple Watch"))
        let drawings = page.components(separatedBy: "<svg ").count - 1
        #expect(drawings > 8 && page.components(separatedBy: "role=\"img\"").count - 1 == drawings)
    }

    @Test("names are hidden, and no text of an export becomes markup")
    func hides() throws {
        let directory = try TemporaryDirectory()
        let (export, store, file) = (directory.file("export.xml"), directory.file("store"), directory.file("a.html"))
        let evil = "&lt;img src=x onerror=alert(1)&gt; Watch"
        let records = (1...28).flatMap { day in
            [(evil, 7), ("Bob's Phone", 9)].map { source, value in
                recordText(
                    "HKQuantityTypeIdentifierStepCount", "2022-05-\(day < 10 ? "0" : "")\(day)", value: "\(value)",
                    source: source)
            }
        }
        try exportText(records).write(toFile: export, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", export, "--store", store])
        func run(_ more: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(["report", "--store", store, "-o", file] + more)
        }
        #expect(try run().code == 0)
        let open = try Self.page(file)
        #expect(open.contains("&lt;img src=x onerror=alert") && !open.contains("<img"))
        #expect(try run("--names", "hide").code == 1)
        #expect(try run("--names", "hide", "--force").code == 0)
        let hidden = try Self.page(file)
        #expect(!hidden.contains("onerror") && !hidden.contains("Bob") && hidden.contains(">Phone<"))
        #expect(Self.isAlone(hidden))
    }

    @Test("a record with a unit of another dimension does not hide the other types")
    func units() throws {
        let directory = try TemporaryDirectory()
        let (export, store, file) = (directory.file("export.xml"), directory.file("store"), directory.file("a.html"))
        let records = (1...12).flatMap { day in
            let date = "2022-05-\(day < 10 ? "0" : "")\(day)"
            return [
                recordText("HKQuantityTypeIdentifierStepCount", date, value: "700"),
                recordText("HKQuantityTypeIdentifierRestingHeartRate", date, value: "60", unit: "kg"),
                recordText("HKQuantityTypeIdentifierHeartRate", date, value: "60", unit: "nonsense"),
            ]
        }
        try exportText(records).write(toFile: export, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", export, "--store", store])
        let made = try Tool.kymo.run(["report", "--store", store, "-o", file])
        #expect(made.code == 0, "\(made.errors)")
        let page = try Self.page(file)
        #expect(page.contains("Steps, every day") && page.contains("8,400 steps") && !page.contains("Heart rate"))
    }

    @Test("sums beyond all integers and records centuries apart are drawn")
    func extremes() throws {
        let directory = try TemporaryDirectory()
        let (export, store, file) = (directory.file("export.xml"), directory.file("store"), directory.file("a.html"))
        let units = [
            "StepCount": "count", "DistanceWalkingRunning": "km", "RestingHeartRate": "count/min", "BodyMass": "kg",
        ]
        var records: [String] = []
        for date in ["1700-02-01", "2022-05-01", "2022-05-02", "2250-02-01"] {
            for (type, unit) in units {
                for (source, value) in [("Watch", "1e300"), ("Phone", "-1e300")] {
                    records.append(
                        recordText(
                            "HKQuantityTypeIdentifier" + type, date, value: value, unit: unit, source: source))
                }
            }
        }
        try exportText(records).write(toFile: export, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", export, "--store", store])
        for arguments in [
            ["report", "--year", "2022", "-o", file], ["report", "--year", "2250", "-o", file, "--force"],
        ] {
            let made = try Tool.kymo.run(arguments + ["--store", store])
            #expect(made.code == 0, "\(made.errors)")
            let page = try Self.page(file)
            #expect(page.contains("Steps, every day") && page.contains("Resting heart rate"))
        }
        let types = try Tool.kymo.run(["types", "--store", store], environment: ["COLUMNS": "120"])
        #expect(types.code == 0 && types.output.contains("█"), "\(types.errors)")
    }

    @Test("the night in lanes is the latest with sleep")
    func lastNight() throws {
        let directory = try TemporaryDirectory()
        let (export, store, file) = (directory.file("export.xml"), directory.file("store"), directory.file("a.html"))
        let values = ["AsleepCore", "AsleepDeep", "Awake"]
        let records = zip(["2022-05-02", "2022-05-03", "2022-05-04"], values).map { day, value in
            recordText(
                "HKCategoryTypeIdentifierSleepAnalysis", day, value: "HKCategoryValueSleepAnalysis\(value)")
        }
        try exportText(records).write(toFile: export, atomically: true, encoding: .utf8)
        _ = try Tool.kymo.run(["import", export, "--store", store])
        #expect(try Tool.kymo.run(["report", "--store", store, "-o", file]).code == 0)
        let page = try Self.page(file)
        #expect(page.contains("3 nights") && page.contains("The night to Tuesday, 3 May 2022"), "\(page)")
        #expect(!page.contains("The night to Wednesday") && !page.contains("asleep 0 min"))
    }

    @Test("the days of a long span are drawn year by year")
    func years() throws {
        let directory = try TemporaryDirectory()
        let (store, file) = (directory.file("store"), directory.file("a.html"))
        let made = try Tool.kymo.run(["simulate", "--from", "2021-12-20", "--days", "420", "--store", store])
        #expect(made.code == 0, "\(made.errors)")
        for (last, years) in [("2022-12-31", []), ("2023-02-12", ["2021", "2022", "2023"])] {
            let report = try Tool.kymo.run([
                "report", file, "--from", "2021-12-20", "--to", last, "--tz", "UTC", "--force", "--store", store,
            ])
            #expect(report.code == 0, "\(report.errors)")
            let page = try Self.page(file)
            let headings = page.components(separatedBy: "<h3>").dropFirst().map { String($0.prefix(4)) }
            #expect(headings == years)
        }
    }

    @Test("workouts with a route have a small map with sport, day and distance")
    func routes() async throws {
        let store = try await WorkoutStore()
        let made = try store.run("report", "-", "--year", "2023", "--types", "workouts")
        #expect(made.code == 0 && Self.isAlone(made.output), "\(made.errors)")
        #expect(made.output.components(separatedBy: "<figure>").count == 2)
        #expect(made.output.contains("-t\">Cycling, 14 September 2023, 11.1 km</title>"), "\(made.output)")
        #expect(made.output.contains("<figcaption>Cycling, 14 September 2023, 11.1 km</figcaption>"))
        #expect(made.output.contains("2.8 km from north to south and 2.8 km from west to east.</desc>"))
        // The four corners of a square, and the start again.
        let lines = made.output.components(separatedBy: "<polyline points=\"").dropFirst().map {
            String($0.prefix { $0 != "\"" })
        }
        #expect(lines.contains { $0.split(separator: " ").count == 5 }, "\(lines)")
        let without = try store.run("report", "-", "--year", "2024", "--types", "workouts")
        #expect(without.output.contains("<h2>Workouts") && !without.output.contains("<figure>"), "\(without.errors)")
    }

    @Test("wrong arguments, an empty range and an existing file have clear messages")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("x.html")
        func run(_ more: [String]) throws -> Tool.Outcome {
            try Tool.kymo.run(["report", "--store", SampleStore.path, "-o", file] + more)
        }
        #expect(try run(["--year", "1"]).code == 64 && run(["--year", "2022", "--last", "1y"]).code == 64)
        #expect(try run(["--from", "1900", "--to", "2022"]).code == 64)
        #expect(try run(["--types", "nothing"]).code == 64 && run(["--names", "blue"]).code == 64)
        let none = try run(["--year", "1999"])
        #expect(none.code == 0 && none.errors.contains("no samples") && !FileManager.default.fileExists(atPath: file))
        #expect(none.errors.contains("the store has samples from 2022-05-01 to 2022-05-14"), "\(none.errors)")
        #expect(try run([file]).code == 64)
        func write(_ path: String) throws -> Tool.Outcome {
            try Tool.kymo.run(["report", path, "--store", SampleStore.path])
        }
        let format = try write(directory.file("a.pdf"))
        #expect(format.code == 64 && format.errors.contains("a report is HTML; use the suffix .html"))
        let lost = try write(directory.file("none/a.html"))
        #expect(lost.code == 1 && lost.errors.contains("none: no such directory"), "\(lost.errors)")
        let piped = try write("-")
        #expect(piped.code == 0 && piped.output.hasPrefix("<!doctype html>"))
        #expect(try write(directory.file("b.html")).code == 0)
        #expect(try run(["--types", "stepCount,heartRate"]).code == 0)
        #expect(try !Self.page(file).contains("Body mass") && !Self.page(file).contains("Electrocardiogram"))
        let objects = directory.file("objects.html")
        func sections(_ types: String) throws -> String {
            let made = try Tool.kymo.run([
                "report", objects, "--types", types, "--force", "--store", SampleStore.path,
            ])
            #expect(made.code == 0, "\(made.errors)")
            return try Self.page(objects)
        }
        let recordings = try sections("ecg")
        #expect(recordings.contains("Electrocardiogram, ") && !recordings.contains("<h2>Workouts"))
        let both = try sections("steps, workouts")
        #expect(
            both.contains("<h2>Workouts") && both.contains("Steps, every day") && !both.contains("Electrocardiogram"))
        let again = try run([])
        #expect(again.code == 1 && again.errors.contains("--force"))
    }
}
