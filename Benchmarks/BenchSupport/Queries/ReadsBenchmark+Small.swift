// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph

extension ReadsBenchmark {
    /// The ways to read a series with small calls.
    private enum Walk: String, CaseIterable {
        case scan = "scan-range"
        case limit = "scan-limit"
        case read = "read-range"

        var what: String {
            switch self {
            case .scan: "scan of a range of time"
            case .limit: "scan from an instant with a limit"
            case .read: "read of a range of time into reused arrays"
            }
        }
    }

    /// Measures consecutive small calls through a whole series: the time per call, and the time without the cost of its
    /// rows, which is their share of one scan of the whole series.
    func small(_ source: ReadsSource, _ size: Int) throws -> [BenchResult] {
        let all = ReadsSource.range(0..<size)
        let calls = Int64((size + batch - 1) / batch)
        return try Walk.allCases.flatMap { kind in
            var wall = (call: Stopwatch(), beside: Stopwatch())
            var processor = (call: Stopwatch(), beside: Stopwatch())
            var columns = ReadsSource.Columns()
            for run in 0...runs {
                let began = Moment()
                let whole = try source.count(all).count
                let middle = Moment()
                let found = try walk(kind, source, size, &columns)
                let ended = Moment()
                guard whole == size, found == size else {
                    throw BenchError("reads: \(found) samples of small calls, \(whole) of one call, not \(size)")
                }
                // The first run warms up.
                if run == 0 { continue }
                wall.call.add(nanoseconds: (ended.wall - middle.wall) / calls)
                wall.beside.add(nanoseconds: (ended.wall - 2 * middle.wall + began.wall) / calls)
                processor.call.add(nanoseconds: (ended.processor - middle.processor) / calls)
                processor.beside.add(nanoseconds: (ended.processor - 2 * middle.processor + began.processor) / calls)
            }
            func row(_ id: String, _ watch: Stopwatch, _ processor: Stopwatch, _ what: String) -> BenchResult {
                var row = BenchResult(
                    id: id, set: NumberWords.count(size), threads: 1, mode: kind.rawValue, watch: watch,
                    samples: min(batch, size), hash: nil, what: what)
                row.processorSeconds = processor.median
                return row
            }
            return [
                row("small", wall.call, processor.call, kind.what),
                row("beside", wall.beside, processor.beside, "the same without the time of its samples"),
            ]
        }
    }

    /// A point in time, by the clock and by the processor time of this process.
    private struct Moment {
        let processor = SystemClock.processorNanoseconds()
        let wall = SystemClock.monotonicNanoseconds()
    }

    /// Reads the first samples of a series with small calls. Returns the number of samples read.
    private func walk(
        _ kind: Walk, _ source: ReadsSource, _ size: Int, _ columns: inout ReadsSource.Columns
    ) throws -> Int {
        var count = 0
        var next = GrowthData.time(0)
        for first in stride(from: 0, to: size, by: batch) {
            let range = ReadsSource.range(first..<min(size, first + batch))
            switch kind {
            case .scan: count += try source.count(range).count
            case .limit:
                let found = try source.count(TimeRange(next, GrowthData.time(size)), limit: batch)
                count += found.count
                next = found.last + 1
            case .read:
                try source.read(range, &columns)
                count += columns.starts.count
            }
        }
        return count
    }
}
