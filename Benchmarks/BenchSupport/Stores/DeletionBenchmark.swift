// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

/// The cost of recorded deletions whose samples are already removed: opening the store and totals of one of its series,
/// while the deletions are recorded and after they expire.
package struct DeletionBenchmark {
    /// The directory for stores.
    package let work: String
    /// The number of recorded deletions: half delete a range of time, half single samples.
    package let deletions: Int
    package let runs: Int

    package init(work: String, deletions: Int, runs: Int) {
        self.work = work
        self.deletions = deletions
        self.runs = runs
    }

    private static let minute: Int64 = 60_000_000_000
    private static let day: Int64 = 86_400_000_000_000
    private static let series = 20

    package func rows() throws -> [BenchResult] {
        let path = "\(work)/deletions"
        BenchFiles.removeTree(path)
        defer { BenchFiles.removeTree(path) }
        var options = StoreOptions()
        options.compacts = false
        try fill(path, options)
        var hash = AnswerHash()
        let known = try measured(path, "known", options, &hash)
        options.deletionsKept = .zero
        let store = try TimeSeriesStore.open(at: path, options: options)
        var forget = Stopwatch()
        try forget.measure { _ = try store.compact() }
        guard try store.info().deletions == 1 else { throw BenchError("the deletions did not expire") }
        store.close()
        var again = AnswerHash()
        var rest = try measured(path, "forgotten", options, &again)
        guard hash.text == again.text else { throw BenchError("the expiry of deletions changed the store's samples") }
        for (i, one) in known.enumerated() where rest[i].medianSeconds > 0 {
            rest[i].ratio = rest[i].medianSeconds / one.medianSeconds
            rest[i].ratioTo = "known"
        }
        let step = BenchResult(
            id: "forget", set: NumberWords.count(deletions), mode: "once", watch: forget, samples: 0, hash: nil,
            what: "expiry of the deletions, by a compaction without other work")
        return known + rest + [step]
    }

    /// Creates series with a sample per minute; each deletion removes ten samples.
    private func fill(_ path: String, _ options: StoreOptions) throws {
        let store = try TimeSeriesStore.create(at: path, options: options)
        defer { store.close() }
        let each = max(2, deletions / Self.series)
        for number in 0..<Self.series {
            let id = try store.series("steps \(number)", kind: .cumulative).id
            let starts = (0..<each * 20).map { Int64($0) * Self.minute }
            let ends = starts.map { $0 + Self.minute }
            let values = starts.indices.map { Double($0 * 7_919 % 130) }
            try store.bulkLoad { try $0.append(to: id, starts: starts.span, ends: ends.span, values: values.span) }
            var identities = [SampleIdentity]()
            try store.snapshot().scan(id, including: .identity) { batch in
                for i in 0..<batch.count { if let one = batch.identity(at: i) { identities.append(one) } }
                return true
            }
            for i in 0..<each {
                let first = i * 20
                let range = TimeRange(starts[first], ends[first + 9])
                if i % 2 == 0 {
                    try store.delete(from: id, startingIn: range)
                } else {
                    try store.delete(Array(identities[first..<first + 10]), from: id, startingIn: range)
                }
            }
        }
        try store.compact()
        guard try store.info().deletions == each * Self.series, try store.info().deletedSamples == 0 else {
            throw BenchError("the store lacks deletions, or still holds deleted samples")
        }
    }

    private func measured(
        _ path: String, _ mode: String, _ options: StoreOptions, _ hash: inout AnswerHash
    ) throws -> [BenchResult] {
        var (open, first, warm) = (Stopwatch(), Stopwatch(), Stopwatch())
        var bytes = 0
        for _ in 0..<max(1, runs) {
            let store = try open.measure { try TimeSeriesStore.open(at: path, mode: .readOnly, options: options) }
            defer { store.close() }
            bytes = Int(try store.info().catalogBytes)
            let id = store.snapshot().series[0].id
            let cut = Buckets.calendar(.days(1), zone: "UTC")
            let found = try first.measure { try store.snapshot().buckets(of: id, cut) }
            warm = try Stopwatch.rounds(15, seconds: 0.001) { _ = try store.snapshot().buckets(of: id, cut) }
            hash = AnswerHash(found)
        }
        func row(_ id: String, _ watch: Stopwatch, _ what: String) -> BenchResult {
            var row = BenchResult(
                id: id, set: NumberWords.count(deletions), mode: mode, watch: watch, samples: 0, hash: hash, what: what)
            row.bytes = bytes
            return row
        }
        let how = mode == "known" ? "deletions are recorded" : "deletions have expired"
        return [
            row("open", open, "opening for reading; \(how); bytes of the catalog"),
            row("first", first, "daily totals of one of \(Self.series) series, first query"),
            row("warm", warm, "the same again"),
        ]
    }
}
