// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import TestSupport

/// Runs a process that appends as fast as possible for a long time, with deletions, merges and reopenings. A snapshot
/// in this process is held from beginning to end.
package enum SoakCampaign: Campaign {
    package static let name = "soak"
    package static let summary =
        "full ingest with deletions, merges and reopenings during a held snapshot; a case is a second"

    /// The number of seconds until memory and descriptors are stable.
    private static let warmUp = 45
    /// The maximum size of SQLite's log.
    private static let mostLog = 64 << 20
    /// The maximum duration of a call in microseconds, judged only in runs long enough to exclude a busy machine.
    private static let longestStall = 500_000
    private static let judgedSeconds = 300

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let path = "\(plan.work)/store"
        let child = try ChildProgram(plan.program, ["worker", "soak", path, "\(plan.seed)"])
        var watch = SoakWatch(pid: child.pid, log: path + "/kymograph.sqlite-wal")
        var held: HeldSnapshot?
        defer { held?.store.close() }
        while result.cases < plan.cases, !clock.isOver {
            guard let line = child.line(within: .seconds(30)) else {
                result.fail("no line of the writer for 30 s")
                break
            }
            guard let tick = SoakTick(line) else {
                result.fail("unexpected line of the writer: \(line)")
                break
            }
            result.cases += 1
            watch.look(tick, isWarm: tick.second >= warmUp)
            if held == nil, tick.second >= 3 { held = try HeldSnapshot(path) }
            if tick.second % 5 == 0, let held, !(try held.isUnchanged()) {
                result.fail("after \(tick.second) s the held snapshot of commit \(held.snapshot.sequence) has changed")
            }
        }
        child.kill()
        result.counts = watch.counts
        judge(watch, &result)
        if let held, !(try held.isUnchanged()) { result.fail("the held snapshot has changed") }
        held?.store.close()
        held = nil
        let store = try TimeSeriesStore.open(at: path)
        defer { store.close() }
        if let first = try store.verify().problems.first { result.fail("verify: \(first.path): \(first.message)") }
        LeakWatch.removeTree(path)
        result.seconds = clock.elapsed
        return result
    }

    private static func judge(_ watch: SoakWatch, _ result: inout CampaignResult) {
        if watch.log > mostLog { result.fail("SQLite's log had \(watch.log) bytes") }
        if result.cases >= judgedSeconds, watch.stall.microseconds > longestStall {
            result.fail("a call of \(watch.stall.what) took \(watch.stall.microseconds) us")
        }
        guard let (early, late) = watch.memory else { return }
        if late > early + early / 4 + (16 << 20) { result.fail("memory grew from \(early) to \(late) bytes") }
        if let (before, after) = watch.descriptors, after > before + 4 {
            result.fail("descriptors grew from \(before) to \(after)")
        }
    }
}

/// A snapshot of another process's store, and its initial content.
private struct HeldSnapshot {
    let store: TimeSeriesStore
    let snapshot: Snapshot
    private let sum: ContentSum

    init(_ path: String) throws {
        store = try TimeSeriesStore.open(at: path, mode: .readOnly)
        snapshot = store.snapshot()
        sum = try ContentSum(snapshot)
    }

    func isUnchanged() throws -> Bool { try ContentSum(snapshot) == sum }
}

/// The writer's report of one second.
private struct SoakTick {
    var second: Int
    var commits: Int
    var stall: (microseconds: Int, what: String)

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count == 5, words[0] == "tick", let second = Int(words[1]), let commits = Int(words[2]),
            let stall = Int(words[3])
        else { return nil }
        self.second = second
        self.commits = commits
        self.stall = (stall, String(words[4]))
    }
}

/// Measurements of the writer from outside.
private struct SoakWatch {
    let pid: Int32
    private let logPath: String
    /// The maximum size of SQLite's log, in bytes.
    private(set) var log = 0
    private(set) var stall = (microseconds: 0, what: "none")
    private var commits = 0
    private var memories: [Int] = []
    private var descriptorCounts: [Int] = []

    init(pid: Int32, log: String) {
        self.pid = pid
        logPath = log
    }

    mutating func look(_ tick: SoakTick, isWarm: Bool) {
        commits = tick.commits
        if tick.stall.microseconds > stall.microseconds { stall = tick.stall }
        let disk = RealDisk()
        log = max(log, Int((try? disk.size(of: logPath)) ?? 0))
        guard isWarm else { return }
        memories.append(residentBytes())
        descriptorCounts.append((try? disk.list("/proc/\(pid)/fd").count) ?? 0)
    }

    private func residentBytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8) else { return 0 }
        let words = text.split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4_096 : 0
    }

    /// Returns the maxima of the first and of the last third after the warm-up, or nil for too few values.
    private static func thirds(_ numbers: [Int]) -> (Int, Int)? {
        guard numbers.count >= 30 else { return nil }
        let third = numbers.count / 3
        return (numbers.prefix(third).max() ?? 0, numbers.suffix(third).max() ?? 0)
    }

    var memory: (Int, Int)? { Self.thirds(memories) }
    var descriptors: (Int, Int)? { Self.thirds(descriptorCounts) }

    var counts: [String: Int] {
        var counts = [
            "appends of 100": commits, "bytes of SQLite's log, most": log,
            "longest call, microseconds (\(stall.what))": stall.microseconds,
        ]
        if let (early, late) = memory {
            counts["memory, first third"] = early
            counts["memory, last third"] = late
        }
        if let (early, late) = descriptors {
            counts["descriptors, first third"] = early
            counts["descriptors, last third"] = late
        }
        return counts
    }
}
