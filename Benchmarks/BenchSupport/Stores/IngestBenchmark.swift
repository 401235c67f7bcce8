// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// Measures loading data sets into new stores.
package struct IngestBenchmark {
    /// The directory for stores.
    package let work: String
    package let runs: Int
    /// The number of threads of the store.
    package let threads: Int

    private let isEncrypted: Bool

    /// - Parameter isEncrypted: whether the stores are encrypted.
    package init(work: String, runs: Int, threads: Int = 1, isEncrypted: Bool = false) {
        self.work = work
        self.runs = runs
        self.threads = threads
        self.isEncrypted = isEncrypted
    }

    private func storeOptions() throws -> StoreOptions {
        var options = try BenchKey.options(isEncrypted: isEncrypted)
        options.threads = threads
        // The ballast holds no data, and no other engine reserves space for a full disk.
        options.ballastBytes = 0
        // Queries must read late data as it was stored.
        options.compacts = false
        return options
    }

    /// Bulk-loads a set several times. Returns the path of the last store, for queries, and the row.
    ///
    /// The time begins with columns in memory and ends when all samples are durable; it excludes creating the store and
    /// its series.
    package func bulk(_ set: BenchSet) throws -> (store: String, row: BenchResult) {
        var watch = Stopwatch()
        let path = "\(work)/\(set.name)-\(threads)"
        for _ in 0..<max(1, runs) {
            BenchFiles.removeTree(path)
            let store = try TimeSeriesStore.create(at: path, options: storeOptions())
            let ids = try set.series.map { try store.series($0.name, kind: .discrete).id }
            _ = try watch.measure {
                try store.bulkLoad { loader in
                    for (id, one) in zip(ids, set.series) {
                        try loader.append(to: id, starts: one.times.span, values: one.values.span)
                    }
                }
            }
            store.close()
        }
        let (hash, bytes) = try check(path, set)
        var row = BenchResult(
            id: "ingest", set: set.name, threads: threads, mode: "bulk", watch: watch, samples: set.samples,
            hash: hash, what: "columns in memory to durable segments")
        row.samplesPerSecond = Double(set.samples) / watch.median
        row.bytesPerSample = Double(bytes) / Double(set.samples)
        return (path, row)
    }

    /// Loads a set without one sample in a hundred, then these samples in a second load: late data, not merged yet.
    package func late(_ set: BenchSet) throws -> (store: String, row: BenchResult) {
        let path = "\(work)/\(set.name)-late"
        let parts = set.series.map { one -> (early: BenchSeries, late: BenchSeries) in
            var random = BenchRandom(seed: 99)
            let isLate = one.times.map { _ in random.below(100) == 0 }
            func part(_ late: Bool) -> BenchSeries {
                let rows = one.times.indices.filter { isLate[$0] == late }
                return BenchSeries(
                    name: one.name, times: rows.map { one.times[$0] }, values: rows.map { one.values[$0] })
            }
            return (part(false), part(true))
        }
        let count = parts.reduce(0) { $0 + $1.late.times.count }
        var watch = Stopwatch()
        for _ in 0..<max(1, runs) {
            BenchFiles.removeTree(path)
            let store = try TimeSeriesStore.create(at: path, options: storeOptions())
            let ids = try set.series.map { try store.series($0.name, kind: .discrete).id }
            func load(_ which: [BenchSeries]) throws {
                try store.bulkLoad { loader in
                    for (id, one) in zip(ids, which) {
                        try loader.append(to: id, starts: one.times.span, values: one.values.span)
                    }
                }
            }
            try load(parts.map(\.early))
            try watch.measure { try load(parts.map(\.late)) }
            store.close()
        }
        let (hash, _) = try check(path, set)
        var row = BenchResult(
            id: "ingest", set: set.name, threads: threads, mode: "late", watch: watch, samples: count, hash: hash,
            what: "one sample in a hundred, after all other samples")
        row.samplesPerSecond = Double(count) / watch.median
        return (path, row)
    }

    /// Compares count, sum, minimum and maximum of every series with plain recomputation.
    private func check(_ path: String, _ set: BenchSet) throws -> (hash: AnswerHash, bytes: Int64) {
        let store = try TimeSeriesStore.open(at: path, mode: .readOnly, options: storeOptions())
        defer { store.close() }
        var hash = AnswerHash()
        for one in set.series {
            guard let series = store.snapshot().series(named: one.name) else {
                throw BenchError("\(one.name) is missing in the store")
            }
            let all = try store.snapshot().aggregate(of: series.id)
            try NaiveAnswers.check([all], [one], [Int64.min, Int64.max], "ingest of \(one.name)")
            hash.add(Int64(all.count))
            hash.add(all.sum)
        }
        return (hash, try store.info().bytes)
    }
}
