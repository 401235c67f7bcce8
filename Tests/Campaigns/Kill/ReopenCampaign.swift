// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// Measures the time to open a store of 100 MB after its writer was killed, with the maximum content of the tail and of
/// SQLite's log.
package enum ReopenCampaign: Campaign {
    package static let name = "reopen"
    package static let summary = "the time to open after a kill, with 100 MB of segments and tail"

    /// The maximum of the median of the openings and of the 99th percentile of their processor time, which other
    /// programs on the machine do not change; and the least number of openings to judge them.
    private static let milliseconds = 250
    private static let fewest = 90
    /// The number of kills of one store: each adds two rows to the tail, which must stay below the limit.
    private static let killsOfAStore = 100

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var times = OpeningTimes()
        while result.cases < plan.cases, !clock.isOver {
            let path = "\(plan.work)/large"
            let seed = plan.seed &+ UInt64(result.cases)
            defer { LeakWatch.removeTree(path) }
            var held = try fill(path, seed, plan.program)
            for _ in 0..<min(killsOfAStore, plan.cases - result.cases) where !clock.isOver {
                try reopen(path, seed, plan.program, &held, &times, &result)
            }
        }
        result.record(times.wall, as: "microseconds to reopen")
        result.record(times.processor, as: "microseconds of processor time to reopen")
        let judged = [
            ("median of the openings", "microseconds to reopen, p50"),
            ("99th percentile of the processor time", "microseconds of processor time to reopen, p99"),
        ]
        for (what, key) in judged where times.wall.count >= fewest {
            let time = result.counts[key] ?? 0
            if time > milliseconds * 1_000 { result.fail("the \(what) is \(time) microseconds") }
        }
        result.seconds = clock.elapsed
        return result
    }

    /// Creates the store in a child. Returns its number of samples.
    private static func fill(_ path: String, _ seed: UInt64, _ program: String) throws -> Int {
        let child = try ChildProgram(program, ["worker", "filler", path, "\(seed)"])
        let lines = child.rest().map { $0.split(separator: " ") }
        guard let line = lines.last, line.count == 2, line[0] == "filled", let held = Int(line[1]) else {
            throw CampaignError("cannot fill the store: \(lines.last ?? [])")
        }
        return held
    }

    /// Opens the store in a child that saves to it, kills the child, and checks its report.
    private static func reopen(
        _ path: String, _ seed: UInt64, _ program: String, _ held: inout Int, _ times: inout OpeningTimes,
        _ result: inout CampaignResult
    ) throws {
        let child = try ChildProgram(program, ["worker", "filler", path, "\(seed)"])
        var saved = 0
        let end = SystemClock.monotonicNanoseconds() + 60_000_000_000
        while !child.isAtEnd, saved < 2, SystemClock.monotonicNanoseconds() < end {
            for line in child.lines() {
                let words = line.split(separator: " ")
                if words[0] == "opened", words.count == 6, let time = Int64(words[1]), let work = Int64(words[2]),
                    let found = Int(words[3])
                {
                    // The first opening follows a writer that closed the store.
                    if result.cases > 0 {
                        times.wall.append(time)
                        times.processor.append(work)
                    }
                    if found != held { result.fail("\(found) samples were found, \(held) were acknowledged") }
                    result.counts["megabytes of the store"] = (Int(words[4]) ?? 0) >> 20
                    result.counts["rows of the tail"] = Int(words[5])
                } else if words[0] == "saved", words.count == 2 {
                    saved += 1
                    held = Int(words[1]) ?? held
                } else if words[0] == "error" {
                    result.fail("unexpected line of the child: \(line)")
                }
            }
        }
        child.kill()
        result.cases += 1
    }
}

/// The times of openings, in nanoseconds.
private struct OpeningTimes {
    var wall: [Int64] = []
    /// The processor time of each.
    var processor: [Int64] = []
}

/// A store of 100 MB: 8 million samples in segments, 1,792 rows of 1,000 samples in the tail.
enum LargeStore {
    private static let series = 256

    static func fill(_ store: TimeSeriesStore, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = try (0..<series).map { try store.series("canary \($0)", kind: .discrete).id }
        try store.bulkLoad { loader in
            for id in ids {
                let samples = columns(&random, 32_000)
                try loader.append(to: id, starts: samples.starts.span, values: samples.values.span)
            }
        }
        for _ in 0..<7 {
            for id in ids {
                let samples = columns(&random, 1_000)
                try store.append(to: id, starts: samples.starts.span, values: samples.values.span)
            }
        }
    }

    /// Returns incompressible samples.
    private static func columns(_ random: inout SeededGenerator, _ count: Int) -> (starts: [Int64], values: [Double]) {
        var start: Int64 = 1_600_000_000_000_000_000 + random.number(in: 0...1_000_000_000_000_000)
        var starts: [Int64] = []
        var values: [Double] = []
        for _ in 0..<count {
            start += random.number(in: 1...2_000_000_000)
            starts.append(start)
            values.append(random.fraction() * 1e3)
        }
        return (starts, values)
    }
}
