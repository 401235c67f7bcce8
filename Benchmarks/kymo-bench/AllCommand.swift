// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ingest, size, queries, kernels, growth to ten million samples and an import in one run.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.output.publish(
            try options.output.withWork { work in
                let suites = Suites(options: options, work: work)
                var (rows, stores) = try suites.ingest()
                rows += try suites.size(stores)
                rows += try suites.query(stores, only: nil)
                for loaded in stores { BenchFiles.removeTree(loaded.store) }
                rows.results += try KernelBenchmark(runs: options.runs, small: options.small).run()
                let more = ["--runs", "\(options.runs)"] + (options.small ? ["--small"] : [])
                rows += try Grow.parse(more).rows(work)
                do {
                    rows += try Import.parse(more).rows(work)
                } catch let error as ValidationError {
                    // Everything else was measured: an import needs a program and a script beside this one.
                    rows.notes.append("import: \(error.message)")
                }
                return rows
            })
    }
}
