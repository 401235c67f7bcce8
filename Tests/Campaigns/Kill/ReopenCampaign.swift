// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// Measures how long it takes to open a store of 100 MB after its writer was killed, with as much in the tail and in
/// SQLite's log as the engine lets stand.
package enum ReopenCampaign: Campaign {
    package static let name = "reopen"
    package static let summary = "how long opening takes after a kill, with 100 MB of segments and tail"

    /// What 99 of 100 openings may take at most, of so many or more.
    private static let milliseconds = 250
    private static let fewest = 90
    /// Kills of one store: its tail grows by two rows with each and may not be tidied up.
    private static let killsOfAStore = 100

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var times: [Int64] = []
        while result.cases < plan.cases, !clock.isOver {
            let path = "\(plan.work)/large"
            let seed = plan.seed &+ UInt64(result.cases)
            defer { TemporaryDirectory.removeTree(path, RealDisk()) }
            var held = try fill(path, seed, plan.program)
            for _ in 0..<min(killsOfAStore, plan.cases - result.cases) where !clock.isOver {
                try reopen(path, seed, plan.program, &held, &times, &result)
            }
        }
        result.record(times, as: "microseconds to reopen")
        let slowest = result.counts["microseconds to reopen, p99"] ?? 0
        if times.count >= fewest, slowest > milliseconds * 1_000 {
            result.fail("the opening that is slower than 99 of 100 took \(slowest) microseconds")
        }
        result.seconds = clock.elapsed
        return result
    }

    /// Lets a child make the store; how many samples are in it.
    private static func fill(_ path: String, _ seed: UInt64, _ program: String) throws -> Int {
        let child = try ChildProgram(program, ["worker", "filler", path, "\(seed)"])
        let lines = child.rest().map { $0.split(separator: " ") }
        guard let line = lines.last, line.count == 2, line[0] == "filled", let held = Int(line[1]) else {
            throw CampaignError("the store cannot be filled: \(lines.last ?? [])")
        }
        return held
    }

    /// Lets a child open the store and save to it, kills it, and looks at what it found.
    private static func reopen(
        _ path: String, _ seed: UInt64, _ program: String, _ held: inout Int, _ times: inout [Int64],
        _ result: inout CampaignResult
    ) throws {
        let child = try ChildProgram(program, ["worker", "filler", path, "\(seed)"])
        var saved = 0
        let end = SystemClock.monotonicNanoseconds() + 60_000_000_000
        while !child.isAtEnd, saved < 2, SystemClock.monotonicNanoseconds() < end {
            for line in child.lines() {
                let words = line.split(separator: " ")
                if words[0] == "opened", words.count == 5, let time = Int64(words[1]), let found = Int(words[2]) {
                    // The first opening follows a writer that ended in order.
                    if result.cases > 0 { times.append(time) }
                    if found != held { result.fail("\(found) samples were found where \(held) were acknowledged") }
                    result.counts["megabytes of the store"] = (Int(words[3]) ?? 0) >> 20
                    result.counts["rows of the tail"] = Int(words[4])
                } else if words[0] == "saved", words.count == 2 {
                    saved += 1
                    held = Int(words[1]) ?? held
                } else if words[0] == "error" {
                    result.fail("the child says \(line)")
                }
            }
        }
        child.kill()
        result.cases += 1
    }
}

/// A store of 100 MB: 8 million samples in segments, 1,792 rows of 1,000 samples in the tail.
enum LargeStore {
    private static let series = 256

    static func fill(_ store: TimeSeriesStore, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = try (0..<series).map { try store.series("series \($0)", kind: .discrete).id }
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

    /// Samples that no encoding makes small.
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
