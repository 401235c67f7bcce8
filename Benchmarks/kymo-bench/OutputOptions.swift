// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport
import Foundation

/// Where rows go, beside standard output.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Write the rows as JSON to this file; - is standard output.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the table to this file, too.", valueName: "file"))
    var markdown: String?

    /// Looks at the places before anything is measured.
    func open(svg: String? = nil) throws -> Outputs {
        let outputs = Outputs(
            json: try json.map(OutputPlace.init), markdown: try markdown.map(OutputPlace.init), svg: svg)
        if let place = outputs.json, place.kind == outputs.markdown?.kind {
            throw ValidationError("--json and --markdown are both to be written to \(place.name).")
        }
        if let svg { try OutputPlace.checkDirectory(svg) }
        return outputs
    }
}

/// Where plots go.
struct PlotOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Draw plots into this directory, which is made if it is not there.", valueName: "dir"))
    var svg: String?
}

/// Where stores are made.
struct WorkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A directory for stores and other files; they are removed again.", valueName: "dir"))
    var work: String?

    /// Runs a body with a new directory for stores.
    func use<R>(_ body: (String) throws -> R) throws -> R { try BenchFiles.withWorkDirectory(in: work, body) }
}

/// Places that reports can be written to.
struct Outputs {
    var json: OutputPlace?
    var markdown: OutputPlace?
    /// A directory.
    var svg: String?

    /// Prints the table, then writes the files: each of them, whatever becomes of the others.
    /// - Throws: `BenchError` if one of them could not be written.
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
