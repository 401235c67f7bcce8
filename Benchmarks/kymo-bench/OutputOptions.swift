// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import Foundation

/// The destinations of rows besides standard output.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the rows as JSON to this file (- for standard output).", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Also write the table to this file.", valueName: "file"))
    var markdown: String?

    /// Checks the destinations before anything is measured.
    func open(svg: String? = nil) throws -> Outputs {
        let outputs = Outputs(
            json: try json.map(OutputPlace.init), markdown: try markdown.map(OutputPlace.init), svg: svg)
        if let place = outputs.json, place.kind == outputs.markdown?.kind {
            throw ValidationError("--json and --markdown cannot both be written to \(place.name).")
        }
        if let svg { try OutputPlace.checkDirectory(svg) }
        return outputs
    }
}

/// The destination of plots.
struct PlotOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Draw plots into this directory; it is created if missing.", valueName: "dir"))
    var svg: String?
}

/// The directory for stores.
struct WorkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Directory for stores and other temporary files.", valueName: "dir"))
    var work: String?

    /// Runs a body with a new directory for stores.
    func use<R>(_ body: (String) throws -> R) throws -> R { try BenchFiles.withWorkDirectory(in: work, body) }
}

/// The destinations of reports.
struct Outputs {
    var json: OutputPlace?
    var markdown: OutputPlace?
    /// The directory for plots.
    var svg: String?

    /// Prints the table, then writes all files, even if one fails.
    ///
    /// - Throws: `BenchError` if a file could not be written.
    func publish(table: String, json text: () throws -> String, plots: [Plot] = []) throws {
        var failures: [String] = []
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch { failures.append("\(error)") }
        }
        if json?.isStandardOutput == true {
            StandardError.write(table)
        } else if markdown?.isStandardOutput != true {
            attempt { try OutputPlace.standardOutput.write(table) }
        }
        if let json { attempt { try json.write(try text()) } }
        if let markdown { attempt { try markdown.write(table) } }
        if let svg, !plots.isEmpty {
            attempt {
                try BenchFiles.makeDirectory(svg)
                for plot in plots { try BenchFiles.write(plot.svg, to: "\(svg)/\(plot.name).svg") }
            }
        }
        if !failures.isEmpty { throw BenchError(failures.joined(separator: "\n")) }
    }
}
