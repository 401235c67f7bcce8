// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Kernels: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kernels and codecs at every level of the processor, against the machine's memory bandwidth.")

    @Flag(help: "Seconds instead of a minute: smaller arrays, short rounds.")
    var small = false

    @Option(
        parsing: .unconditional, help: "How often each measurement is repeated, at most 10000 times.",
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
