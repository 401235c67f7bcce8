// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct Size: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the bytes per sample of a whole store, by column and encoding.")
    @OptionGroup var options: BenchOptions

    func run() throws { try options.publish { try $0.size($0.load(runs: 1)) } }
}
