// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

/// Measures the stored size of real recordings, compared with pcodec, zstd and LZ4 on the same columns.
struct Real: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the stored size of real recordings, compared with pcodec, zstd and LZ4.",
        discussion: """
            Reads electrocardiograms, pulse waves, accelerometers, routes and activities
            from the folders ecg, heart, motion, routes and fit of a directory
            (Docs/Internals/Performance.md lists the files), stores each channel as a series, compares
            every bit of the stored samples, and reports the bytes by column. numpy,
            pcodec, zstandard and lz4 are installed into a separate Python environment.

            EXAMPLE
              kymo-bench real --data recordings --markdown real.md

            EXIT STATUS
              0    at least one recording was read, stored and verified
              1    no recording was verified, or requirements cannot be installed
              64   the command line is invalid
            """)

    @Option(help: ArgumentHelp("Directory of the recordings.", valueName: "dir"))
    var data: String

    @Option(
        parsing: .unconditional, help: "Repetitions of each reading. Default: 3.",
        transform: CountOption.runs)
    var runs = 3

    @OptionGroup var options: PeerOptions

    func run() throws {
        let outputs = try options.output.open()
        try PeerOptions.require(data, "Docs/Internals/Performance.md lists the recordings")
        try RealSeries.requireFolders(data)
        let run = BenchReport.Run.now(runs: runs)
        let report = try options.work.use { work in
            let python = try PeerPython(
                environment: options.venv ?? PeerPython.defaultEnvironment, scripts: options.scripts, work: work)
            BenchFiles.say("checking readers of recordings and compressors")
            try python.makeEnvironment()
            do {
                try python.install("anchors")
            } catch let problem as BenchError {
                throw BenchError("numpy, pcodec, zstandard and lz4 are required: \(problem)")
            }
            BenchFiles.say("reading \(data)")
            try python.call("real_series.py", ["--data", data, "--out", work + "/columns"])
            let (series, missing) = try RealSeries.load(work + "/columns")
            guard !series.isEmpty else {
                throw BenchError("no recording in \(data) is readable:\n  " + missing.joined(separator: "\n  "))
            }
            BenchFiles.say("storing \(series.count) series")
            let store = try RealStore(at: work + "/store", series, runs: runs)
            let anchors = work + "/anchors.json"
            BenchFiles.say("compressing the columns with pcodec, zstd and LZ4")
            try python.call("real_anchors.py", ["--data", work + "/columns", "--out", anchors, "--runs", "\(runs)"])
            return try RealReport(series, store, anchors: anchors, missing: missing, run: run)
        }
        try outputs.publish(table: report.markdown(), json: report.json)
    }
}
