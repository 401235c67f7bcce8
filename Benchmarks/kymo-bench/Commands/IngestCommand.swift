// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct Ingest: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure bulk loading, late data and durable appends, compared with plain SQLite.")
    @OptionGroup var options: BenchOptions

    func run() throws { try options.publish { try $0.ingest().rows } }
}
