// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

/// Real recordings: what they take, beside pcodec, zstd and LZ4 on the same columns.
struct Real: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sizes of real recordings, beside pcodec, zstd and LZ4.",
        discussion: """
            Reads electrocardiograms, pulse waves, accelerometers, routes and activities from the folders ecg, heart,
            motion, routes and fit of a directory (Docs/Peers.md names the files), stores each channel as a series,
            compares every bit that comes back, and says where the bytes are.

            EXAMPLE
              kymo-bench real --data recordings --markdown real.md
            """)

    @Option(help: ArgumentHelp("A directory with the recordings.", valueName: "dir"))
    var data: String

    @Option(help: "How often each reading is repeated.")
    var runs = 3

    @Option(help: ArgumentHelp("The Python environment; by default a cache that is kept.", valueName: "dir"))
    var venv: String?

    @Option(help: ArgumentHelp("The scripts, if they are not found in a checkout.", valueName: "dir"))
    var scripts: String?

    @Option(help: ArgumentHelp("Write everything as JSON to this file.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the tables as Markdown to this file.", valueName: "file"))
    var markdown: String?

    @Option(help: ArgumentHelp("A directory for stores; they are removed again.", valueName: "dir"))
    var work: String?

    func run() throws {
        let python = try PeerPython(environment: venv ?? PeerPython.defaultEnvironment, scripts: scripts)
        try python.install("anchors")
        let report = try BenchFiles.withWork(work) { work in
            try python.call("real_series.py", ["--data", data, "--out", work + "/columns"])
            let (series, missing) = try RealSeries.load(work + "/columns")
            let store = try RealStore(at: work + "/store", series, runs: runs)
            let anchors = work + "/anchors.json"
            try python.call("real_anchors.py", ["--data", work + "/columns", "--out", anchors, "--runs", "\(runs)"])
            return try RealReport(series, store, anchors: anchors, missing: missing)
        }
        if let json { try BenchFiles.write(try report.json(), to: json) }
        if let markdown { try BenchFiles.write(report.markdown(), to: markdown) }
        print(report.markdown(), terminator: "")
    }
}
