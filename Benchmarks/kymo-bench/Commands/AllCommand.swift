// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

struct All: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure ingest, size, queries, reads, kernels, growth to ten million samples and an import.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.publish { suites in
            var (rows, stores) = try suites.ingest()
            rows += try suites.size(stores)
            rows += try suites.query(stores, only: nil)
            for loaded in stores { BenchFiles.removeTree(loaded.store) }
            rows.results += try KernelBenchmark(runs: options.runs, small: options.small).run()
            let more = ["--runs", "\(options.runs)"] + (options.small ? ["--small"] : [])
            rows += try Reads.parse(more + ["--threads", options.threads]).rows(suites.work)
            rows += try Grow.parse(more).rows(suites.work)
            rows += try ManySeries.parse(more).rows(suites.work)
            let importing = try Import.parse(more)
            let prepared: Import.Prepared
            do {
                prepared = try importing.prepare(suites.work)
            } catch let error as BenchError {
                // All other suites are measured: only an import needs a program and a script beside this one.
                rows.notes.append("import: \(error)")
                return rows
            }
            rows += try importing.rows(prepared)
            return rows
        }
    }
}
