// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Workouts: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure workouts, sessions and routes through the public API, compared with SQLite and GPX.",
        discussion: """
            A saved workout with a route, statistics of a running workout, notifications, a long session,
            and the search for activities. With --routes, also the stored size of each GPX file of a
            directory, beside the file and beside gzip.

            EXAMPLE
              kymo-bench workouts --routes recordings --markdown workouts.md
            """)

    @Flag(help: "Use a few hundred samples: takes seconds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of each measurement, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @Option(
        parsing: .unconditional, help: "Seconds of the session with fifty samples a second. Default: 43200.",
        transform: { try CountOption.parse($0, "--seconds", 10...86_400) })
    var seconds: Int?

    @Option(help: ArgumentHelp("Directory of GPX files.", valueName: "dir"))
    var routes: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        if let routes { try PeerOptions.require(routes, "give a directory with GPX files") }
        try publishing(output, runs: runs) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        var bounds = small ? WorkoutBenchmark.Bounds.small : WorkoutBenchmark.Bounds()
        bounds.runs = runs
        bounds.routes = routes
        bounds.sessionSeconds = seconds ?? bounds.sessionSeconds
        let benchmark = WorkoutBenchmark(work: work, bounds)
        return Rows(results: try Waiting.result { try await benchmark.run() })
    }
}
