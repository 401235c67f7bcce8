// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-8 the size of a report")
struct KymoReportSizeTests {
    /// Returns an export with values of all sections on each day.
    private static func export(from first: String, days: Int) throws -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "yyyy-MM-dd"
        let begin = try #require(format.date(from: first))
        var dice = SeededGenerator(seed: 24)
        var records: [String] = []
        for day in 0..<days {
            let date = format.string(from: begin + Double(day) * 86_400)
            func add(_ type: String, _ values: ClosedRange<Double>, _ unit: String, source: String = "Watch") {
                records.append(
                    recordText(
                        "HKQuantityTypeIdentifier" + type, date, value: "\(Double.random(in: values, using: &dice))",
                        unit: unit, source: source))
            }
            add("StepCount", 1_000...16_000, "count")
            add("StepCount", 1_000...16_000, "count", source: "Phone")
            add("DistanceWalkingRunning", 1...9, "km")
            for _ in 0..<3 { add("HeartRate", 45...170, "count/min") }
            add("RestingHeartRate", 50...60, "count/min")
            add("HeartRateVariabilitySDNN", 20...80, "ms")
            add("BodyMass", 70...75, "kg")
            add("BloodPressureSystolic", 110...130, "mmHg")
            add("BloodPressureDiastolic", 70...85, "mmHg")
            add("BloodGlucose", 80...120, "mg/dL")
            add("OxygenSaturation", 0.93...0.99, "%")
            let minutes = (0..<2).map { _ in Int.random(in: 10...59, using: &dice) }
            records.append(
                "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"Watch\" "
                    + "creationDate=\"\(date) 10:00:00 +0000\" startDate=\"\(date) 00:\(minutes[0]):00 +0000\" "
                    + "endDate=\"\(date) 07:\(minutes[1]):00 +0000\" value=\"HKCategoryValueSleepAnalysisAsleepCore\"/>"
            )
            let shares = (0..<3).map { _ in Int.random(in: 10...60, using: &dice) }
            records.append(
                "<ActivitySummary dateComponents=\"\(date)\" activeEnergyBurned=\"\(shares[0] * 10)\" "
                    + "activeEnergyBurnedGoal=\"400\" activeEnergyBurnedUnit=\"Cal\" "
                    + "appleExerciseTime=\"\(shares[1])\" "
                    + "appleExerciseTimeGoal=\"30\" appleStandHours=\"\(shares[2] / 5)\" appleStandHoursGoal=\"12\"/>")
        }
        return exportText(records)
    }

    @Test("ten years with values of all sections on each day are at most 1.5 MB; three years are drawn by day")
    func size() throws {
        let directory = try TemporaryDirectory()
        let (export, store, file) = (directory.file("export.xml"), directory.file("store"), directory.file("a.html"))
        try Self.export(from: "2013-01-01", days: 3_652).write(toFile: export, atomically: true, encoding: .utf8)
        let imported = try Tool.kymo.run(["import", export, "--store", store, "--tz", "UTC"])
        #expect(imported.code == 0, "\(imported.errors)")
        func page(_ first: String, _ last: String) throws -> String {
            let made = try Tool.kymo.run(["report", file, "--from", first, "--to", last, "--force", "--store", store])
            #expect(made.code == 0, "\(made.errors)")
            return try String(contentsOfFile: file, encoding: .utf8)
        }
        let sections = [
            "Steps, every day", "Rings, every", "Resting heart rate", "Heart rate, every", "Heart rate variability",
            "All nights", "Body mass", "Blood pressure systolic", "Blood glucose", "Oxygen saturation", "day by day",
            "Why this total?",
        ]
        let (long, short) = (try page("2013", "2022"), try page("2020", "2022"))
        for name in sections { #expect(long.contains(name) && short.contains(name), "\(name)") }
        #expect(long.utf8.count < 1_500_000 && short.utf8.count < 1_500_000, "\(long.utf8.count) \(short.utf8.count)")
        #expect(long.contains("Heart rate, every week") && long.contains("Rings, every month"))
        #expect(short.contains("Heart rate, every day") && short.contains("Rings, every day"))
        // A ring for each of 120 months, a column for each of 522 weeks.
        #expect(long.components(separatedBy: " on average</title>").count == 120 + 522 + 1)
        #expect(long.contains("days of 3,652 with all three closed") && long.contains("3,652 days · last"))
        #expect(short.contains("<title>Wed 2020-01-01: ") && !long.contains("<title>Wed 2020-01-01: "))
    }
}
