// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct Size: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bytes of a store for each sample, everything counted, by column and encoding.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.output.publish(
            try options.output.withWork { work in
                let suites = Suites(options: options, work: work)
                return try suites.size(suites.load(runs: 1))
            })
    }
}
