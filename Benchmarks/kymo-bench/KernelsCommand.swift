// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct Kernels: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kernels and codecs at every level of the processor, against the machine's memory bandwidth.")

    @Flag(help: "Seconds instead of a minute: smaller arrays, short rounds.")
    var small = false

    @Option(help: "How often each measurement is repeated.")
    var runs = 5

    @OptionGroup var output: OutputOptions

    func run() throws {
        try output.publish(Rows(results: try KernelBenchmark(runs: runs, small: small).run()))
    }
}
