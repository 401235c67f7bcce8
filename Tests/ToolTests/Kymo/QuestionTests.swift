// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-12 the first questions of a person, each with one command")
struct QuestionTests {
    private struct Pulse: Decodable {
        var value: Double
        var clock: String
    }

    /// The answers of an independent script.
    private struct Truth: Decodable {
        var steps: Double
        var distance: Double
        var resting: Double
        var pulse: Pulse
        var pounds: Double
        var glucose: Double
        var pressures: Int
        var rhythms: [String]
    }

    private struct Row: Decodable {
        var sum: Double?
        var average: Double?
        var value: Double?
        var count: Int?
        var unit: String?
        var classification: String?
        var systolic: Double?
    }

    private struct Night: Decodable {
        var night: String
        var asleep: Double
        var inBed: Double?
        var deep: Double?
        var core: Double?
        var rem: Double?
        var unspecified: Double?
        var awake: Double?
    }

    private struct Workout: Decodable {
        var activity: String
        var duration: Double
        var distance: Double?
        var energy: Double?
        var source: String
    }

    /// A workout of the independent script: nanoseconds, and numbers with their units.
    private struct TrueWorkout: Decodable {
        struct Amount: Decodable {
            var number: Double
            var unit: String

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                number = try list.decode(Double.self)
                unit = try list.decode(String.self)
            }
        }

        var activity: String
        var duration: Double
        var distance: Amount?
        var energy: Amount?
        var source: String
    }

    private static func python(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(arguments)")
        return data
    }

    @Test("kymo and an independent script give the same answers for an export")
    func answers() throws {
        let directory = try TemporaryDirectory()
        let (zip, store) = (directory.file("export.zip"), directory.file("store"))
        let place = repository.path
        _ = try Self.python([
            "\(place)/Benchmarks/data/gen_export_xml.py", "--records", "20000", "--ecg", "--zip", zip,
        ])
        let truth = try JSONDecoder().decode(
            Truth.self, from: Self.python(["\(place)/Tests/Oracles/questions.py", zip, "Europe/Zurich"]))
        #expect(try Tool.kymo.run(["import", zip, "--store", store]).code == 0)
        func ask(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(arguments + ["--tz", "Europe/Zurich", "--store", store])
        }
        func rows(_ outcome: Tool.Outcome) throws -> [Row] { try decodeOutput([Row].self, outcome) }
        func isNear(_ a: Double?, _ b: Double) -> Bool { abs((a ?? .nan) - b) <= 1e-9 * abs(b) }

        let steps = try rows(ask("stats", "steps", "--from", "2022-01-03", "--to", "2022-01-09", "--json"))
        #expect(isNear(steps.first?.sum, truth.steps), "\(steps) \(truth.steps)")
        let resting = try rows(ask("stats", "rhr", "--by", "month", "--json"))
        #expect(isNear(resting.first?.average, truth.resting))
        let walked = try rows(ask("stats", "distance", "--by", "week", "--unit", "km", "--json"))
        #expect(walked.contains { isNear($0.sum, truth.distance) }, "\(walked) \(truth.distance)")
        let pulse = try ask("plot", "pulse", "--from", "2022-01-01", "--to", "2022-12-31")
        let clock = truth.pulse.clock.split(separator: " ")
        let day = try #require(clock.first?.split(separator: "-").last.flatMap { Int($0) })
        let highest = "greatest \(Int(truth.pulse.value)) on \(day) January at \(clock.last ?? "")"
        #expect(pulse.output.contains(highest), "\(highest): \(pulse.output) \(pulse.errors)")
        let weight = try rows(ask("query", "weight", "--reverse", "--limit", "1", "--unit", "lb", "--json"))
        #expect(isNear(weight.first?.value, truth.pounds) && weight.first?.unit == "lb")
        let rhythms = try rows(ask("query", "ecg", "--json")).map(\.classification)
        #expect(rhythms == truth.rhythms.map { $0 == "Sinus Rhythm" ? "sinusRhythm" : $0 })
        #expect(try rows(ask("query", "bp", "--json")).count == truth.pressures)
        let glucose = try rows(ask("stats", "glucose", "--unit", "mg/dL", "--json"))
        #expect(isNear(glucose.first?.average, truth.glucose))
    }

    /// An export, its XML beside the archive, and a store of the export.
    private struct Imported {
        let directory: TemporaryDirectory
        let zip: String
        let xml: String

        init() throws {
            directory = try TemporaryDirectory()
            zip = directory.file("export.zip")
            xml = directory.file("files/apple_health_export/export.xml")
            _ = try QuestionTests.python([
                "\(repository.path)/Benchmarks/data/gen_export_xml.py", "--records", "20000", "--zip", zip,
            ])
            _ = try QuestionTests.python(["-m", "zipfile", "-e", zip, directory.file("files")])
            let outcome = try Tool.kymo.run(["import", zip, "--store", directory.file("store")])
            #expect(outcome.code == 0, "\(outcome.errors)")
        }

        func ask(_ arguments: String...) throws -> Tool.Outcome {
            try Tool.kymo.run(
                arguments + ["--json", "--tz", "Europe/Zurich", "--store", directory.file("store")])
        }
    }

    @Test("how long did I sleep in each night")
    func nights() throws {
        let export = try Imported()
        let sources = ["Alex\u{2019}s Apple\u{A0}Watch", "Alex\u{2019}s iPhone"]
        let truth = try JSONDecoder().decode(
            [String: [String: Double]].self,
            from: Self.python(
                ["\(repository.path)/Tests/Oracles/nights.py", export.xml, "Europe/Zurich"] + sources))
        let nights = try decodeOutput([Night].self, export.ask("sleep", "--from", "2021", "--to", "2022"))
        #expect(nights.map(\.night) == truth.keys.sorted() && nights.count > 9)
        for night in nights {
            let parts = truth[night.night] ?? [:]
            let found = [
                "InBed": night.inBed, "Awake": night.awake, "AsleepDeep": night.deep, "AsleepCore": night.core,
                "AsleepREM": night.rem, "AsleepUnspecified": night.unspecified,
            ].compactMapValues { $0 }.filter { $0.value > 0 }
            #expect(found == parts, "\(night.night)")
            #expect(night.asleep == parts.reduce(0) { $0 + ($1.key.hasPrefix("Asleep") ? $1.value : 0) })
        }
        // Time awake over the stages of the same source shortens the night: the union of the stages is 6:08.
        let one = try decodeOutput([Night].self, export.ask("sleep", "--from", "2022-01-01", "--to", "2022-01-01"))
        #expect(one.map(\.asleep) == [14_003])
    }

    @Test("what were my workouts, how long and how far")
    func workouts() throws {
        let export = try Imported()
        let truth = try JSONDecoder().decode(
            [TrueWorkout].self, from: Self.python(["\(repository.path)/Tests/Oracles/workouts.py", export.zip]))
        let workouts = try decodeOutput([Workout].self, export.ask("workouts", "--from", "2021", "--to", "2022"))
        #expect(workouts.count == truth.count && truth.count > 4)
        // The latest is the first.
        for (one, wanted) in zip(workouts.reversed(), truth) {
            #expect(one.activity == wanted.activity && one.source == wanted.source)
            #expect(abs(one.duration - wanted.duration / 1e9) < 1e-6)
            #expect((one.distance == nil) == (wanted.distance == nil))
            if let distance = wanted.distance {
                #expect(distance.unit == "km" && abs((one.distance ?? 0) - distance.number * 1_000) < 1e-6)
            }
            #expect((one.energy == nil) == (wanted.energy == nil))
            if let energy = wanted.energy {
                #expect(["kcal", "Cal"].contains(energy.unit) && abs((one.energy ?? 0) - energy.number) < 1e-9)
            }
        }
    }
}
