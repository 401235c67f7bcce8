// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph

/// Loads data sets into new stores and says how fast, and how large they became.
package struct IngestBenchmark {
    /// A directory for stores.
    package let work: String
    package let runs: Int
    /// Commits of the durable rows.
    package let commits: Int

    package init(work: String, runs: Int, commits: Int) {
        self.work = work
        self.runs = runs
        self.commits = commits
    }

    /// Bulk-loads a set several times; the last store stays for queries. Its path and the row.
    package func bulk(_ set: BenchSet) throws -> (store: String, row: BenchResult) {
        var watch = Stopwatch()
        let path = "\(work)/\(set.name)"
        for _ in 0..<max(1, runs) {
            BenchFiles.removeTree(path)
            let store = try TimeSeriesStore.create(at: path)
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
        let store = try TimeSeriesStore.open(at: path, mode: .readOnly)
        defer { store.close() }
        let info = try store.info()
        var hash = AnswerHash()
        for one in set.series {
            guard let series = store.snapshot().series(named: one.name) else {
                throw BenchError("\(one.name) was lost")
            }
            let all = try store.snapshot().aggregate(of: series.id)
            try NaiveAnswers.check([all], [one], [Int64.min, Int64.max], "ingest of \(one.name)")
            hash.add(Int64(all.count))
            hash.add(all.sum)
        }
        return (
            path,
            BenchResult(
                id: "ingest", set: set.name, mode: "bulk", medianSeconds: watch.median, minSeconds: watch.min,
                samples: set.samples, hash: hash.text, samplesPerSecond: Double(set.samples) / watch.median,
                bytesPerSample: Double(info.bytes) / Double(set.samples), what: "columns in memory to durable segments")
        )
    }

    /// Durable commits of some samples each, by one caller.
    package func durable(_ set: BenchSet, batch: Int) throws -> BenchResult {
        let path = "\(work)/durable"
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(at: path)
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let one = set.series[0]
        let id = try store.series(one.name, kind: .discrete).id
        var watch = Stopwatch()
        var at = 0
        for _ in 0..<commits where at + batch <= one.times.count {
            let times = Array(one.times[at..<at + batch])
            let values = Array(one.values[at..<at + batch])
            _ = try watch.measure { try store.append(to: id, starts: times.span, values: values.span) }
            at += batch
        }
        let total = try store.snapshot().aggregate(of: id)
        guard total.count == at else { throw BenchError("\(at) samples appended, \(total.count) found") }
        var hash = AnswerHash()
        hash.add(total.sum)
        // With so few samples the catalog's own pages weigh most.
        let bytes = try store.info().bytes
        return BenchResult(
            id: "ingest", set: set.name, mode: "durable-\(batch)", medianSeconds: watch.median, minSeconds: watch.min,
            samples: batch, hash: hash.text, samplesPerSecond: Double(batch) / watch.median,
            bytesPerSample: Double(bytes) / Double(max(1, at)),
            what: "one durable append of \(batch)")
    }
}

/// Files of the benchmarks.
package enum BenchFiles {
    /// Removes a directory and everything in it; what cannot be removed stays.
    package static func removeTree(_ path: String) {
        let disk = RealDisk()
        if (try? disk.kind(of: path)) == .directory {
            for name in (try? disk.list(path)) ?? [] { removeTree(path + "/" + name) }
        }
        try? disk.remove(path)
    }

    /// Makes a directory unless it is there.
    package static func makeDirectory(_ path: String) throws {
        let disk = RealDisk()
        if try !disk.exists(path) { try disk.createDirectory(path) }
    }

    /// Writes a file in place of what was there.
    package static func write(_ text: String, to path: String) throws {
        let disk = RealDisk()
        if try disk.exists(path) { try disk.remove(path) }
        try disk.createFile(path, Array(text.utf8))
    }

    /// Asks the system to forget cached files; false where it does not let us.
    package static func dropCaches() -> Bool {
        guard let file = FileHandle(forWritingAtPath: "/proc/sys/vm/drop_caches") else { return false }
        defer { try? file.close() }
        return (try? file.write(contentsOf: Data("3".utf8))) != nil
    }
}
