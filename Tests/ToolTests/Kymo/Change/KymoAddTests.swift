// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-3 S-28 kymo add: units, versions, negative numbers, new types")
struct KymoAddTests {
    private struct Item: Decodable {
        var type: String
        var start: String
        var value: Double?
        var unit: String?
    }

    private let directory: TemporaryDirectory
    private var store: String { directory.file("store") }

    init() throws { directory = try TemporaryDirectory() }

    private func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.kymo.run(arguments, environment: ["KYMO_STORE": store, "TZ": "UTC"])
    }

    /// Returns the added object.
    private func added(_ outcome: Tool.Outcome) throws -> Item {
        #expect(outcome.code == 0, "\(outcome.errors)")
        let uuid = outcome.output.trimmingCharacters(in: .newlines)
        #expect(UUID(uuidString: uuid) != nil, "standard output is not just the identity")
        return try #require(try decodeOutput([Item].self, run("show", uuid, "--format", "json")).first)
    }

    @Test("the default unit is a common one, and the added sample is reported")
    func usualUnits() throws {
        let outcome = try run("add", "heartRate", "72", "--start", "2024-01-31T07:30")
        #expect(outcome.errors == "added 72 count/min of heartRate at 2024-01-31 07:30:00 +0000\n")
        let item = try added(outcome)
        #expect(item.value == 72 && item.unit == "count/min")
        for type in ["respiratoryRate", "restingHeartRate", "cyclingCadence"] {
            #expect(try added(run("add", type, "15")).unit == "count/min", "\(type)")
        }
        let meal = try run("add", "food", "dietaryProtein=12")
        #expect(meal.errors.hasPrefix("added 12 g of dietaryProtein at "), "\(meal.errors)")
        // The unit of stored samples is preferred to the common one.
        #expect(try added(run("add", "bodyTemperature", "98", "degF")).unit == "degF")
        #expect(try added(run("add", "bodyTemperature", "97")).unit == "degF")
        let night = try run(
            "add", "sleepAnalysis", "asleepREM", "--start", "2024-01-30T23:10", "--end", "2024-01-31T06:40")
        #expect(
            night.errors == "added asleepREM of sleepAnalysis"
                + " from 2024-01-30 23:10:00 +0000 to 2024-01-31 06:40:00 +0000\n")
    }

    @Test("a stage of sleep is enough, and other values get suggestions or the list of short names")
    func stages() throws {
        for (word, name) in [("core", "asleepCore"), ("deep", "asleepDeep"), ("REM", "asleepREM"), ("awake", "awake")] {
            let outcome = try run("add", "sleep", word, "--start", "2024-01-30T23:10", "--end", "2024-01-31T00:10")
            #expect(
                outcome.code == 0 && outcome.errors.hasPrefix("added \(name) of sleepAnalysis"), "\(outcome.errors)")
        }
        let refused = [
            (["sleep", "nap"], "\"nap\" is not a value of sleepAnalysis; use one of inBed, "),
            (["sleep", "bed"], "did you mean inBed?"), (["sleep", "asleepCoer"], "did you mean asleepCore?"),
            (["menstrualFlow", "extreme"], "use one of unspecified, light, medium, heavy, none"),
        ]
        for (words, text) in refused {
            let outcome = try Tool.kymo.run(["add"] + words, environment: ["KYMO_STORE": store, "TZ": "UTC"])
            #expect(outcome.code == 64 && outcome.errors.contains(text), "\(words): \(outcome.errors)")
            #expect(!outcome.errors.contains("HKCategoryValue"))
        }
    }

    @Test("a diastolic pressure above the systolic one needs --anyway")
    func swapped() throws {
        let refused = try run("add", "bp", "80/120")
        #expect(refused.code == 64 && refused.errors.contains("write 120/80, or add --anyway"), "\(refused.errors)")
        #expect(try run("add", "bp", "80/120", "--anyway").code == 0 && run("add", "bp", "90/90").code == 0)
    }

    @Test("the reported time has milliseconds if the sample has them")
    func storedTime() throws {
        let outcome = try run("add", "heartRate", "72", "--start", "2024-01-31T07:30:00.122668958")
        let item = try added(outcome)
        let fraction = try #require(item.start.split(separator: ".").last?.prefix { $0.isNumber })
        #expect(fraction != "122668958", "a date cannot have this nanosecond")
        #expect(outcome.errors.contains(" 07:30:00.\(fraction.prefix(3)) +"), "\(outcome.errors) and \(item.start)")
        #expect(try run("query", "heartRate").output.contains(" 07:30:00.\(fraction.prefix(3)) +"))
        let whole = try run("add", "heartRate", "72", "--start", "2024-01-31T07:30:00.000400")
        #expect(whole.errors.contains(" 07:30:00 +"), "\(whole.errors)")
    }

    @Test("adding a version that is not newer is an error and not reported as added")
    func passedOver() throws {
        func version(_ number: String, _ type: String, _ value: String) throws -> Tool.Outcome {
            try run(
                "add", type, value, "--start", "2024-02-01", "--metadata", "HKMetadataKeySyncIdentifier=a-\(type)",
                "--metadata", "HKMetadataKeySyncVersion=\(number)")
        }
        for (type, value) in [("bodyMass", "70"), ("bloodPressure", "120/80")] {
            #expect(try version("2", type, value).code == 0)
            for old in ["2", "1"] {
                let outcome = try version(old, type, value)
                #expect(outcome.code == 1 && outcome.output.isEmpty, "\(outcome.output)")
                #expect(outcome.errors.contains("this or a newer version of \"a-\(type)\""))
            }
            #expect(try version("3", type, value).code == 0)
        }
    }

    @Test("negative numbers and offsets are values, not options")
    func negative() throws {
        let item = try added(
            run(
                "add", "waterTemperature", "--tz", "-05:00", "-1.5", "degC", "--start", "2024-01-31T07:00",
                "--device", "Buoy"))
        #expect(item.value == -1.5 && item.unit == "degC" && item.start.hasPrefix("2024-01-31T12:00:00"))
        #expect(try added(run("add", "waterTemperature", "-2")).value == -2)
        let steps = try run("add", "stepCount", "-5")
        #expect(
            steps.code == 64 && steps.output.isEmpty && steps.errors.contains("cannot be negative"), "\(steps.errors)")
        #expect(try run("add", "stepCount", "-5", "--colour", "red").errors.contains("--colour"))
        let limit = try run("query", "waterTemperature", "--limit", "-1")
        #expect(limit.code == 64 && limit.errors.contains("--limit must be at least 1; got -1"), "\(limit.errors)")
        let days = try run("stats", "waterTemperature", "--by", "day", "--tz", "-05:00", "--csv")
        #expect(days.code == 0 && days.output.contains("T00:00:00-05:00"), "\(days.errors)")
    }

    @Test("a value outside of the possible range needs --anyway, and the error names the range")
    func impossible() throws {
        let wrong: [([String], String)] = [
            (["heartRate", "900"], "heartRate is 10 to 350 count/min; 900 is outside: add --anyway to store it"),
            (["heartRate", "9"], "9 is outside"), (["bodyTemperature", "300", "degF"], "300 degF is outside"),
            (["oxygenSaturation", "101", "%"], "oxygenSaturation is 0 to 100 %; 101 is outside"),
            (["bodyFatPercentage", "-5%"], "-5 is outside"), (["height", "180", "m"], "height is 0.2 to 2.8 m; 180"),
            (["bloodPressure", "600/80"], "bloodPressureSystolic is 20 to 500 mmHg; 600 is outside"),
        ]
        for (arguments, what) in wrong {
            let outcome = try Tool.kymo.run(["add", "--store", store] + arguments)
            #expect(outcome.code == 64 && outcome.errors.contains(what), "\(arguments): \(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: store))
        }
        for arguments in wrong.map(\.0) {
            let outcome = try Tool.kymo.run(["add", "--store", store] + arguments + ["--anyway"])
            #expect(outcome.code == 0, "\(arguments): \(outcome.errors)")
        }
        #expect(try run("add", "stepCount", "-5", "--anyway").errors.contains("cannot be negative"))
        let recovery = try run("add", "heartRateRecoveryOneMinute", "--anyway", "-400", "count/min")
        #expect(try added(recovery).value == -400)
        for value in ["10", "350"] { #expect(try added(run("add", "restingHeartRate", value)).unit == "count/min") }
        #expect(try added(run("add", "bodyMass", "1500", "lb")).value == 1_500)
    }

    @Test("types that the program does not know are found if the store has them")
    func newTypes() throws {
        let type = "HKQuantityTypeIdentifierFluxCapacity"
        let none = try run("add", "fluxCapacity", "5", "V")
        #expect(none.code == 64 && none.errors.contains("no type"), "\(none.errors)")
        let file = directory.file("export.xml")
        try exportText([recordText(type, "2022-05-02", value: "4", unit: "V")])
            .write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try run("import", file).code == 0)
        for name in ["fluxCapacity", type] {
            let item = try added(run("add", name, "5"))
            #expect(item.type == type && item.value == 5 && item.unit == "V")
        }
        #expect(try run("query", "fluxCapacity", "--csv").output.split(separator: "\n").count == 4)
    }
}
