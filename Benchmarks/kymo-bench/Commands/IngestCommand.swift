// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct Ingest: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bulk loading, late data, durable appends, and plain SQLite beside them.")
    @OptionGroup var options: BenchOptions

    func run() throws { try options.publish { try $0.ingest().rows } }
}
