// SPDX-License-Identifier: Apache-2.0
// kymo-bench: measures ingest, queries and size on data sets, and checks every answer.

import ArgumentParser
import BenchSupport
import FileSystem

@main
struct KymoBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kymo-bench",
        abstract:
            "Measures ingest, queries and size of the engine; every answer is checked against plain recomputation.",
        discussion: """
            EXAMPLES
              python3 Benchmarks/data/gen.py --out data         # the full data sets: 530 MB, needs numpy
              kymo-bench ingest --data data --json ingest.json
              kymo-bench query --data data --json query.json --markdown query.md
              kymo-bench size --small                           # seconds, on small sets made on the spot
            """,
        subcommands: [Ingest.self, Query.self, Size.self, All.self])
}

/// What all commands take.
struct BenchOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A directory written by Benchmarks/data/gen.py.", valueName: "dir"))
    var data: String?

    @Flag(help: "Small sets made on the spot: seconds instead of minutes.")
    var small = false

    @Option(help: ArgumentHelp("Write the rows as JSON to this file.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the rows as a Markdown table to this file.", valueName: "file"))
    var markdown: String?

    @Option(help: "The sets, with commas between them.")
    var sets = "hr,ecg,dist,energy"

    @Option(help: "How often each measurement is repeated.")
    var runs = 5

    @Option(help: ArgumentHelp("A directory for the stores.", valueName: "dir"))
    var work: String?

    @Option(help: ArgumentHelp("Only these queries, with commas between them, and none cold.", valueName: "ids"))
    var only: String?

    func load() throws -> [BenchSet] {
        if small { return BenchSet.small() }
        guard let data else { throw ValidationError("Say where the data is (--data DIR), or ask for --small.") }
        let found = try BenchSet.load(data, sets: sets.split(separator: ",").map(String.init))
        if found.isEmpty { throw ValidationError("None of the sets \(sets) is in \(data).") }
        return found
    }

    /// Runs a body with a directory for stores that is removed afterwards.
    func withWork<R>(_ body: (String) throws -> R) throws -> R {
        let parent = work ?? Environment.value("TMPDIR") ?? "/tmp"
        let path = "\(parent)/kymo-bench-\(Environment.processIdentifier)"
        try BenchFiles.makeDirectory(path)
        defer { BenchFiles.removeTree(path) }
        return try body(path)
    }

    func publish(_ rows: [BenchResult]) throws {
        let report = BenchReport(rows)
        if let json { try BenchFiles.write(try report.json(), to: json) }
        if let markdown { try BenchFiles.write(report.markdown(), to: markdown) }
        print(report.markdown(), terminator: "")
    }
}

struct Ingest: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Bulk loading and durable appends.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.publish(try options.withWork { work in try Suites.ingest(options, work).rows })
    }
}

struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The queries Q1 to Q10, warm and (as root) cold.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.publish(
            try options.withWork { work in
                var quick = options
                quick.runs = 1
                return try Suites.query(options, Suites.load(quick, work))
            })
    }
}

struct Size: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Bytes of a store for each sample, everything counted.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.publish(
            try options.withWork { work in
                var quick = options
                quick.runs = 1
                return Suites.size(try Suites.load(quick, work))
            })
    }
}

struct All: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Ingest, size and queries in one run.")
    @OptionGroup var options: BenchOptions

    func run() throws {
        try options.publish(
            try options.withWork { work in
                let (rows, stores) = try Suites.ingest(options, work)
                return try rows + Suites.size(stores) + Suites.query(options, stores)
            })
    }
}

/// The rows of each command.
enum Suites {
    typealias Loaded = [(set: BenchSet, store: String, row: BenchResult)]

    static func load(_ options: BenchOptions, _ work: String) throws -> Loaded {
        let benchmark = IngestBenchmark(work: work, runs: options.runs, commits: 0)
        return try options.load().map { set in
            let (store, row) = try benchmark.bulk(set)
            return (set, store, row)
        }
    }

    static func ingest(_ options: BenchOptions, _ work: String) throws -> (rows: [BenchResult], stores: Loaded) {
        let stores = try load(options, work)
        var rows = stores.map(\.row)
        let durable = IngestBenchmark(work: work, runs: 1, commits: options.small ? 50 : 1_000)
        if let first = stores.first {
            rows.append(try durable.durable(first.set, batch: 1))
            rows.append(try durable.durable(first.set, batch: 100))
        }
        return (rows, stores)
    }

    static func size(_ stores: Loaded) -> [BenchResult] {
        stores.map { loaded in
            var row = loaded.row
            row.id = "size"
            row.mode = "all files"
            row.medianSeconds = 0
            row.minSeconds = 0
            row.samplesPerSecond = nil
            row.what = "bytes of the store's directory"
            return row
        }
    }

    static func query(_ options: BenchOptions, _ stores: Loaded) throws -> [BenchResult] {
        var rows = [BenchResult]()
        for (set, store, _) in stores {
            let benchmark = try QueryBenchmark(store: store, set: set, runs: max(3, options.runs * 3))
            rows += try benchmark.run(only: Set((options.only ?? "").split(separator: ",").map(String.init)))
            benchmark.close()
            if options.only != nil { continue }
            rows += try QueryBenchmark.cold(store: store, set: set, runs: options.runs)
        }
        return rows
    }
}
