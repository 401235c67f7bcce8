// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

/// What following a store costs: a table of daily totals after each commit, over a short and a long history, and
/// asking for changes when there are none.
package struct LiveBenchmark {
    /// A directory for stores.
    package let work: String
    /// Days of the long history; the short one is a tenth of it.
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
        if let base = short.first, base.medianSeconds > 0 {
            long[0].ratio = long[0].medianSeconds / base.medianSeconds
            long[0].ratioTo = base.set
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
        var watch = Stopwatch()
        for i in 0..<commits {
            let start = Int64(count + i) * Self.minute
            try store.append(to: id, [Sample(start: start, end: start + Self.minute, value: 1)])
            let snapshot = store.snapshot()
            try watch.measure { _ = try table.update(to: snapshot) }
        }
        let all = try store.snapshot().buckets(of: id, .calendar(.days(1), zone: "UTC"))
        guard table.rows == Array(all) else { throw BenchError("the followed totals are not those of a query") }
        var hash = AnswerHash()
        for row in all { hash.add(row.sum) }
        var live = BenchResult(
            id: "live", set: "\(days) days", mode: "live", watch: watch, samples: count, hash: hash,
            what: "daily totals, brought up to date after a commit")
        live.p99Seconds = watch.quantile(0.99)
        let anchor = store.currentAnchor()
        let nothing = try Stopwatch.rounds(15, seconds: 0.001) {
            let page = try store.changes(since: anchor) { _ in true }
            if page.samples > 0 || !page.isComplete { throw BenchError("there are changes where there are none") }
        }
        return [
            live,
            BenchResult(
                id: "changes", set: "\(days) days", mode: "live", watch: nothing, samples: 0, hash: nil,
                what: "changes since an anchor, when there are none"),
        ]
    }
}
