// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

/// What encryption costs: each operation on a plain and on an encrypted store, in turn, in one run.
package struct EncryptionBenchmark {
    /// The directory for stores.
    let work: String
    let runs: Int
    /// The minimum duration of a measurement in seconds; faster operations are repeated within it.
    let seconds: Double

    package init(work: String, runs: Int, seconds: Double) {
        self.work = work
        self.runs = runs
        self.seconds = seconds
    }

    /// The two kinds of stores.
    enum Kind: String, CaseIterable {
        case plain
        case encrypted

        func options() throws -> StoreOptions {
            var options = try BenchKey.options(isEncrypted: self == .encrypted)
            if self == .plain { options.key = nil }
            (options.threads, options.ballastBytes, options.compacts) = (1, 0, false)
            return options
        }
    }

    /// Measures the set: its load, its queries, and for `hr` also opening and durable appends.
    package func run(_ set: BenchSet) throws -> [BenchResult] {
        var rows = try load(set)
        for name in QueryBenchmark.names(for: set.name) where name.hasPrefix("Q") { rows += try query(name, set) }
        if set.name == "hr" {
            rows += try creation(set)
            rows += try opening(set)
            rows += try appends(set)
        }
        for kind in Kind.allCases { BenchFiles.removeTree(path(set, kind)) }
        return rows
    }

    private func path(_ set: BenchSet, _ kind: Kind) -> String { "\(work)/\(set.name)-\(kind.rawValue)" }

    /// Measures bodies of both kinds in turn, and returns a row of each; the second has the ratio of the medians.
    ///
    /// - Parameters:
    ///   - processorTime: whether to measure the processor time of the process instead of the wall time. Each run of a
    ///     body is then one measurement.
    ///   - prepare: runs before each measurement and is not measured.
    private func rows(
        _ id: String, _ set: BenchSet, samples: Int, _ what: String, processorTime: Bool = false,
        prepare: (Kind) throws -> Void = { _ in }, _ body: (Kind) throws -> (() throws -> Void)
    ) throws -> [BenchResult] {
        let bodies = try Kind.allCases.map { try body($0) }
        var watches = [Stopwatch(), Stopwatch()]
        var repeats = 1
        for (place, body) in bodies.enumerated() {
            var watch = Stopwatch()
            try prepare(Kind.allCases[place])
            try watch.measure(body)
            if place == 0 { repeats = max(1, min(1 << 20, Int(seconds / max(watch.min, 1e-9)))) }
        }
        for _ in 0..<max(1, runs) {
            for (place, body) in bodies.enumerated() {
                try prepare(Kind.allCases[place])
                if processorTime {
                    let before = ProcessCost.processorSeconds()
                    try body()
                    watches[place].add(nanoseconds: Int64((ProcessCost.processorSeconds() - before) * 1e9))
                } else {
                    try watches[place].measure(repeats: repeats) { for _ in 0..<repeats { try body() } }
                }
            }
        }
        return zip(Kind.allCases, watches).map { kind, watch in
            var row = BenchResult(
                id: id, set: set.name, threads: 1, mode: kind.rawValue, watch: watch, samples: samples,
                hash: AnswerHash(), what: what)
            if kind == .encrypted {
                (row.ratio, row.ratioTo) = (watch.median / max(watches[0].median, 1e-12), Kind.plain.rawValue)
            }
            return row
        }
    }

    /// Measures the processor time of loading a set into a new store, and the sizes.
    private func load(_ set: BenchSet) throws -> [BenchResult] {
        var open: [Kind: (store: TimeSeriesStore, ids: [SeriesID])] = [:]
        func create(_ kind: Kind) throws {
            open.removeValue(forKey: kind)?.store.close()
            BenchFiles.removeTree(path(set, kind))
            let store = try TimeSeriesStore.create(at: path(set, kind), options: kind.options())
            open[kind] = (store, try set.series.map { try store.series($0.name, kind: .discrete).id })
        }
        var rows = try rows(
            "ingest", set, samples: set.samples, "columns in memory to durable segments, processor time",
            processorTime: true, prepare: create
        ) { kind in
            return {
                guard let (store, ids) = open[kind] else { throw BenchError("a load without a store") }
                try store.bulkLoad { loader in
                    for (id, one) in zip(ids, set.series) {
                        try loader.append(to: id, starts: one.times.span, values: one.values.span)
                    }
                }
            }
        }
        for one in open.values { one.store.close() }
        for (place, kind) in Kind.allCases.enumerated() {
            let store = try TimeSeriesStore.open(at: path(set, kind), mode: .readOnly, options: kind.options())
            let info = try store.info()
            store.close()
            rows[place].bytes = Int(info.segmentBytes)
            rows[place].bytesPerSample = Double(info.segmentBytes) / Double(max(1, set.samples))
        }
        return rows
    }

    /// Measures the processor time of creating and closing a store.
    private func creation(_ set: BenchSet) throws -> [BenchResult] {
        func place(_ kind: Kind) -> String { "\(work)/create-\(kind.rawValue)" }
        let rows = try rows(
            "create", set, samples: 0, "creating a store, processor time", processorTime: true,
            prepare: { BenchFiles.removeTree(place($0)) },
            { kind in
                let options = try kind.options()
                return { try TimeSeriesStore.create(at: place(kind), options: options).close() }
            })
        for kind in Kind.allCases { BenchFiles.removeTree(place(kind)) }
        return rows
    }

    private func query(_ name: String, _ set: BenchSet) throws -> [BenchResult] {
        var open: [QueryBenchmark] = []
        defer { for one in open { one.close() } }
        return try rows(name, set, samples: set.samples, "the query of the command query") { kind in
            let settings = QueryBenchmark.Settings(runs: 1)
            let one = try QueryBenchmark(
                store: path(set, kind), set: set, settings: settings, isEncrypted: kind == .encrypted)
            open.append(one)
            return try one.question(name)
        }
    }

    private func opening(_ set: BenchSet) throws -> [BenchResult] {
        try rows("open", set, samples: 0, "opening for reading, with the key of a file") { kind in
            let options = try kind.options()
            return { try TimeSeriesStore.open(at: path(set, kind), mode: .readOnly, options: options).close() }
        }
    }

    /// Measures durable appends of one sample.
    private func appends(_ set: BenchSet) throws -> [BenchResult] {
        var stores: [TimeSeriesStore] = []
        defer { for one in stores { one.close() } }
        let series = set.series[0]
        return try rows("append", set, samples: 1, "a durable append of one sample") { kind in
            let place = "\(work)/append-\(kind.rawValue)"
            BenchFiles.removeTree(place)
            let store = try TimeSeriesStore.create(at: place, options: kind.options())
            stores.append(store)
            let id = try store.series(series.name, kind: .discrete).id
            var next = 0
            return {
                let (start, value) = (series.times[next % series.times.count], series.values[next % series.times.count])
                try store.append(to: id, [Sample(start: start, value: value)])
                next += 1
            }
        }
    }
}
