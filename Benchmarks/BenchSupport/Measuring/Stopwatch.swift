// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The times of repeated runs.
package struct Stopwatch: Sendable {
    private var unsorted: [Double] = []

    package init() {}

    /// Creates a stopwatch with runs measured elsewhere.
    package init(seconds: [Double]) { unsorted = seconds }

    /// Measures one run; `repeats` is the number of operations in the body.
    package mutating func measure<R>(repeats: Int = 1, _ body: () throws -> R) rethrows -> R {
        let before = SystemClock.monotonicNanoseconds()
        let result = try body()
        let after = SystemClock.monotonicNanoseconds()
        unsorted.append(Double(after - before) / 1e9 / Double(max(1, repeats)))
        return result
    }

    /// Adds a measured run.
    mutating func add(nanoseconds: Int64) { unsorted.append(Double(nanoseconds) / 1e9) }

    /// The seconds of each run, ascending.
    package var runs: [Double] { unsorted.sorted() }

    package var median: Double { quantile(0.5) }
    package var min: Double { unsorted.min() ?? 0 }
    package var total: Double { unsorted.reduce(0, +) }

    /// Returns the time of the run at this fraction of all runs, from 0 to 1.
    package func quantile(_ part: Double) -> Double {
        let runs = runs
        return runs.isEmpty ? 0 : runs[Swift.min(runs.count - 1, Int(Double(runs.count) * part))]
    }

    /// Measures several rounds, each long enough for the clock: a body of nanoseconds is repeated until a round takes
    /// about `seconds`.
    package static func rounds(_ count: Int, seconds: Double, _ body: () throws -> Void) rethrows -> Stopwatch {
        var watch = Stopwatch()
        try watch.measure(body)
        let repeats = Swift.max(1, Swift.min(1 << 24, Int(seconds / Swift.max(watch.min, 1e-9))))
        watch = Stopwatch()
        for _ in 0..<Swift.max(1, count) {
            try watch.measure(repeats: repeats) {
                for _ in 0..<repeats { try body() }
            }
        }
        return watch
    }
}
