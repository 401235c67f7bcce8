// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import Synchronization

/// The cost of following a store: a table of daily totals after a commit of a new sample, of a late sample and of a
/// deletion, over a short and a long history; the delay of commit notifications; a request for changes without changes.
package struct LiveBenchmark {
    /// The directory for stores.
    package let work: String
    /// The days of the long history; the short history has a tenth.
    package let days: Int
    package let commits: Int

    package init(work: String, days: Int, commits: Int) {
        self.work = work
        self.days = days
        self.commits = commits
    }

    package func rows() throws -> [BenchResult] {
        let short = try followed(days: max(1, days / 10))
        var long = try followed(days: days)
        for (i, base) in short.prefix(3).enumerated() where base.medianSeconds > 0 {
            long[i].ratio = long[i].medianSeconds / base.medianSeconds
            long[i].ratioTo = base.set
        }
        return short + long
    }

    private static let minute: Int64 = 60_000_000_000

    private func followed(days: Int) throws -> [BenchResult] {
        let path = "\(work)/live"
        BenchFiles.removeTree(path)
        let store = try TimeSeriesStore.create(at: path)
        defer {
            store.close()
            BenchFiles.removeTree(path)
        }
        let id = try store.series("steps", kind: .cumulative).id
        let count = days * 1_440
        let starts = (0..<count).map { Int64($0) * Self.minute }
        let values = (0..<count).map { Double($0 * 7_919 % 130) }
        let ends = starts.map { $0 + Self.minute }
        try store.bulkLoad { try $0.append(to: id, starts: starts.span, ends: ends.span, values: values.span) }
        var table = LiveBuckets(of: [id], .calendar(.days(1), zone: "UTC"))
        try table.update(to: store.snapshot())
        var random = BenchRandom(seed: 5)
        let newest = try steps("live", "a commit", days, store, &table) { i in
            let start = Int64(count + i) * Self.minute
            try store.append(to: id, [Sample(start: start, end: start + Self.minute, value: 1)])
        }
        let late = try steps("late", "a commit of a late sample on any day", days, store, &table) { _ in
            let start = Int64(random.below(count)) * Self.minute + 1
            try store.append(to: id, [Sample(start: start, end: start + Self.minute, value: 1)])
        }
        let deleted = try steps("deleted", "the deletion of an hour of any day", days, store, &table) { _ in
            let start = Int64(random.below(count)) * Self.minute
            try store.delete(from: id, startingIn: TimeRange(start, start + 60 * Self.minute))
        }
        let anchor = store.currentAnchor()
        let nothing = try Stopwatch.rounds(15, seconds: 0.001) {
            let page = try store.changes(since: anchor) { _ in true }
            if page.samples > 0 || !page.isComplete { throw BenchError("changes were reported without a commit") }
        }
        let notified = try notification(store, id, days, from: Int64(count + commits) * Self.minute)
        return [
            newest, late, deleted, notified,
            BenchResult(
                id: "changes", set: "\(days) days", mode: "live", watch: nothing, samples: 0, hash: nil,
                what: "changes since an anchor, without changes"),
        ]
    }

    /// Measures updates of the table after each commit, and compares the table with a query at the end.
    private func steps(
        _ id: String, _ after: String, _ days: Int, _ store: TimeSeriesStore, _ table: inout LiveBuckets,
        _ commit: (Int) throws -> Void
    ) throws -> BenchResult {
        var watch = Stopwatch()
        let before = table.computed
        for i in 0..<commits {
            try commit(i)
            let snapshot = store.snapshot()
            try watch.measure { _ = try table.update(to: snapshot) }
        }
        let all = try store.snapshot().buckets(of: table.ids, table.buckets)
        guard table.rows == Array(all) else { throw BenchError("the followed totals differ from a query") }
        // A deleted hour and a late minute may extend past midnight.
        guard table.computed - before <= 2 * commits else {
            throw BenchError("\(id): \(table.computed - before) totals were computed for \(commits) commits")
        }
        var hash = AnswerHash()
        for row in all { hash.add(row.sum) }
        var row = BenchResult(
            id: id, set: "\(days) days", mode: "live", watch: watch, samples: all.reduce(0) { $0 + $1.count },
            hash: hash, what: "daily totals, updated after \(after)")
        row.p99Seconds = watch.quantile(0.99)
        return row
    }

    /// Measures the delay from the commit call to the loop over commits in the same process.
    private func notification(_ store: TimeSeriesStore, _ id: SeriesID, _ days: Int, from: Int64) throws -> BenchResult
    {
        let count = commits
        let (heard, stream) = (Heard(), store.commits())
        let listener = Task {
            for await seq in stream { heard.note(seq) }
        }
        defer { listener.cancel() }
        heard.wait(for: store.snapshot().sequence)
        var (whole, after) = (Stopwatch(), Stopwatch())
        for i in 0..<count {
            let start = from + Int64(i) * Self.minute
            let begun = SystemClock.monotonicNanoseconds()
            let receipt = try store.append(to: id, [Sample(start: start, end: start + Self.minute, value: 1)])
            let returned = SystemClock.monotonicNanoseconds()
            let notified = heard.wait(for: receipt.sequence)
            whole.add(nanoseconds: notified - begun)
            after.add(nanoseconds: max(0, notified - returned))
        }
        var row = BenchResult(
            id: "notified", set: "\(days) days", mode: "live", watch: whole, samples: 1, hash: nil,
            what: "from an append of one sample to the loop over commits, "
                + "\(NumberWords.time(after.median)) of which after the append returned")
        row.p99Seconds = whole.quantile(0.99)
        return row
    }
}

/// The last commit received by a loop, with its time.
private final class Heard: Sendable {
    private let last = Mutex<(commit: Int64, at: Int64)>((-1, 0))
    private let news = DispatchSemaphore(value: 0)

    func note(_ commit: Int64) {
        let now = SystemClock.monotonicNanoseconds()
        last.withLock { $0 = (commit, now) }
        news.signal()
    }

    /// Waits until a commit or a later one is received. Returns the time of its arrival.
    @discardableResult
    func wait(for commit: Int64) -> Int64 {
        while true {
            let known = last.withLock { $0 }
            if known.commit >= commit { return known.at }
            news.wait()
        }
    }
}
