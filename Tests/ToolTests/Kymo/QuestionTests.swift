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
}
