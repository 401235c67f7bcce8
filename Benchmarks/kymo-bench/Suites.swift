// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BenchSupport

/// The rows of the commands on data sets.
struct Suites {
    /// A set, the path of its store, and the row of its load.
    struct Loaded {
        let set: BenchSet
        let store: String
        let threads: Int
        let row: BenchResult
    }

    let options: BenchOptions
    /// The directory for stores.
    let work: String

    /// Loads every set with each number of threads.
    func load(runs: Int) throws -> [Loaded] {
        let sets = try options.load()
        return try options.threadCounts.flatMap { threads in
            let benchmark = IngestBenchmark(work: work, runs: runs, threads: threads)
            return try sets.map { set in
                let (store, row) = try benchmark.bulk(set)
                return Loaded(set: set, store: store, threads: threads, row: row)
            }
        }
    }

    func ingest() throws -> (rows: Rows, stores: [Loaded]) {
        let stores = try load(runs: options.runs)
        var rows = Rows(results: stores.map(\.row))
        guard let first = stores.first else { return (rows, stores) }
        rows.results.append(
            try IngestBenchmark(work: work, runs: options.runs, threads: first.threads).late(first.set).row)
        rows.results += try DurableBenchmark(work: work, commits: options.small ? 48 : 2_000).run(first.set)
        return (rows, stores)
    }

    /// Returns the rows of bytes by column and encoding; the files are the same for any number of threads.
    func size(_ stores: [Loaded]) throws -> Rows {
        var rows = Rows()
        for loaded in stores where loaded.threads == stores.first?.threads {
            rows.results += try SizeBenchmark(store: loaded.store).rows(loaded.set.name)
        }
        return rows
    }

    /// Returns the rows of queries.
    ///
    /// - Parameter only: names of queries; nil for all.
    func query(_ stores: [Loaded], only: [String]?) throws -> Rows {
        let wanted = only ?? []
        var rows = Rows()
        for loaded in stores {
            var settings = QueryBenchmark.Settings(
                runs: options.runs * 3, threads: loaded.threads, runSeconds: options.small ? 0.0002 : 0.005)
            rows.results += try warm(loaded.store, loaded.set, settings, wanted)
            if loaded.set.name == "hr", wanted.isEmpty, loaded.threads == stores.first?.threads {
                settings.mode = "late"
                let late = try IngestBenchmark(work: work, runs: 1, threads: loaded.threads).late(loaded.set)
                rows.results += try warm(late.store, loaded.set, settings, ["Q2", "Q4"]).map { row in
                    compared(row, with: rows.results)
                }
            }
            if wanted.isEmpty { try cold(loaded, &rows) }
        }
        if wanted.isEmpty {
            let live = LiveBenchmark(work: work, days: options.small ? 300 : 3_650, commits: options.small ? 20 : 500)
            rows.results += try live.rows()
        }
        rows.results += try merged(stores, wanted)
        for name in wanted where !rows.results.contains(where: { $0.id == name }) {
            rows.notes.append("\(name): its set is not in --sets")
        }
        return rows
    }

    /// Returns the rows of totals over merged sources, in separate stores.
    private func merged(_ stores: [Loaded], _ wanted: [String]) throws -> [BenchResult] {
        if !wanted.isEmpty, !wanted.contains(where: MergeBenchmark.names.contains) { return [] }
        return try Set(stores.map(\.threads)).sorted().flatMap { threads in
            try MergeBenchmark(
                work: work, runs: options.runs * 3, threads: threads, runSeconds: options.small ? 0.0002 : 0.005,
                days: options.small ? 60 : 3_650
            ).run(only: Set(wanted))
        }
    }

    private func warm(
        _ store: String, _ set: BenchSet, _ settings: QueryBenchmark.Settings, _ wanted: [String]
    ) throws -> [BenchResult] {
        let benchmark = try QueryBenchmark(store: store, set: set, settings: settings)
        defer { benchmark.close() }
        return try benchmark.run(only: Set(wanted))
    }

    /// Returns the row with the ratio to the same warm query on ordered data; a small run is too short for a ratio.
    private func compared(_ row: BenchResult, with others: [BenchResult]) -> BenchResult {
        var row = row
        let same = others.first { $0.id == row.id && $0.mode == "warm" && $0.threads == row.threads }
        if !options.small, let same, same.minSeconds > 0 {
            row.ratio = row.minSeconds / same.minSeconds
            row.ratioTo = "warm"
        }
        row.what += ", one sample in a hundred came late"
        return row
    }

    private func cold(_ loaded: Loaded, _ rows: inout Rows) throws {
        guard loaded.set.name == "hr" else { return }
        if options.small {
            rows.notes.append("cold queries: omitted in a small run")
        } else if let cold = try QueryBenchmark.cold(
            store: loaded.store, set: loaded.set, runs: options.runs, threads: loaded.threads)
        {
            rows.results += cold
        } else {
            rows.notes.append("cold queries: only root can drop the file cache")
        }
    }
}
