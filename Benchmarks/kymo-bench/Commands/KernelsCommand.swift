// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Kernels: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure kernels and codecs at every processor level, relative to the memory bandwidth.")

    @Flag(help: "Use smaller arrays and shorter rounds: seconds instead of a minute.")
    var small = false

    @Option(
        parsing: .unconditional, help: "Repetitions of each measurement, at most 10000. Default: 5.",
        transform: CountOption.runs)
    var runs = 5

    @OptionGroup var output: OutputOptions
    @OptionGroup var plots: PlotOptions

    func run() throws {
        try publishing(output, plots, runs: runs) {
            Rows(results: try KernelBenchmark(runs: runs, small: small).run())
        }
    }
}
