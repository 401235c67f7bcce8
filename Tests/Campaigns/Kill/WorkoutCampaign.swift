// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport

/// Kills a program that records workouts; the next one recovers the workout and goes on.
package enum WorkoutCampaign: Campaign {
    package static let name = "workouts"
    package static let summary = "SIGKILL of a program that records workouts, and recovery of the workout"

    /// The number of kills before a new store is created.
    private static let killsOfAStore = 25

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let stores = (plan.cases + killsOfAStore - 1) / killsOfAStore
        let found = plan.sideBySide(stores, until: clock) { index, _, mine in
            let path = "\(plan.work)/workouts-\(index)"
            var life = RecordedLife(path, seed: plan.seed &+ UInt64(index), program: plan.program)
            do {
                try life.run(kills: min(killsOfAStore, plan.cases - index * killsOfAStore), clock, &mine)
            } catch {
                mine.fail("store of seed \(plan.seed &+ UInt64(index)): \(error)")
            }
            TemporaryDirectory.removeTree(path, RealDisk())
        }
        result.merge(found)
        result.seconds = clock.elapsed
        return result
    }
}

/// A store, and what the programs that recorded into it reported.
private struct RecordedLife {
    private let path: String
    private let seed: UInt64
    private let program: String
    private var random: SeededGenerator
    /// Acknowledged samples, events and locations, and those of the action in progress.
    private var samples = (known: 0, open: 0)
    private var events = (known: 0, open: 0)
    private var locations = (known: 0, open: 0)

    init(_ path: String, seed: UInt64, program: String) {
        self.path = path
        self.seed = seed
        self.program = program
        random = SeededGenerator(seed: seed ^ 0xFEED)
    }

    mutating func run(kills: Int, _ clock: CampaignClock, _ result: inout CampaignResult) throws {
        for number in 1...max(1, kills) where !clock.isOver {
            let child = try ChildProgram(program, ["worker", "workout", path, "\(number)"])
            let end = SystemClock.monotonicNanoseconds() + Int64(5 + random.below(400)) * 1_000_000
            while true {
                let left = end - SystemClock.monotonicNanoseconds()
                if left <= 0 { break }
                if ChildProgram.wait(for: [child], nanoseconds: left).isEmpty { break }
                for line in child.lines() { try hear(line, &result) }
                if child.isAtEnd { break }
            }
            let status = child.kill()
            for line in child.rest() { try hear(line, &result) }
            if status & 0x7F != 9 { result.fail("store of seed \(seed): a program ended unexpectedly: \(status)") }
            result.cases += 1
        }
    }

    private mutating func hear(_ line: Substring, _ result: inout CampaignResult) throws {
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0] != "error", let number = Int(words[1]) else {
            throw CampaignError("unexpected line of a program: \(line)")
        }
        result.count(String(words[0]))
        switch words[0] {
        case "adding": samples.open = number
        case "added": samples = (samples.known + number, 0)
        case "marking": events.open = number
        case "marked": events = (events.known + number, 0)
        case "locating": locations.open = number
        case "located": locations = (locations.known + number, 0)
        case "holds":
            guard words.count == 5, let marks = Int(words[2]), let stored = Int(words[3]), let places = Int(words[4])
            else {
                throw CampaignError("unexpected line of a program: \(line)")
            }
            samples = compare("samples", number, samples, &result)
            events = compare("events", marks, events, &result)
            locations = compare("locations", places, locations, &result)
            if stored != number {
                result.fail("store of seed \(seed): \(stored) samples are stored, workouts have \(number)")
            }
        case "starting", "started", "finishing", "finished": break
        default: throw CampaignError("unexpected line of a program: \(line)")
        }
    }

    /// Compares a number with the acknowledged one; an action in progress has happened completely or not at all.
    private func compare(
        _ what: String, _ found: Int, _ expected: (known: Int, open: Int), _ result: inout CampaignResult
    ) -> (known: Int, open: Int) {
        if found != expected.known, found != expected.known + expected.open {
            result.fail(
                "store of seed \(seed): \(found) \(what), acknowledged \(expected.known), "
                    + "in progress \(expected.open)")
        }
        return (found, 0)
    }
}
