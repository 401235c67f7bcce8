// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Attachments: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure additions and readings of attachments, beside copies of the same files.")

    @Flag(help: "Use 20 small files: takes a second.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Readings of all attachments, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @OptionGroup var output: OutputOptions
    @OptionGroup var work: WorkOptions

    func run() throws {
        try publishing(output, runs: runs) { try work.use { try rows($0) } }
    }

    func rows(_ work: String) throws -> Rows {
        var bounds = small ? AttachmentBenchmark.Bounds.small : AttachmentBenchmark.Bounds()
        bounds.runs = runs
        let benchmark = AttachmentBenchmark(work: work, bounds)
        return Rows(results: try Waiting.result { try await benchmark.run() })
    }
}
