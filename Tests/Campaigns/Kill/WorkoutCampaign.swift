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
            LeakWatch.removeTree(path)
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
    /// The acknowledged content.
    private var known = RecordedContent()
    /// The action in progress.
    private var open: RecordedAction?
    /// The content that the present program recovered, until it reports the last seconds.
    private var found: RecordedContent?

    init(_ path: String, seed: UInt64, program: String) {
        self.path = path
        self.seed = seed
        self.program = program
        random = SeededGenerator(seed: seed ^ 0xFEED)
    }

    mutating func run(kills: Int, _ clock: CampaignClock, _ result: inout CampaignResult) throws {
        for number in 1...max(1, kills) where !clock.isOver {
            let child = try ChildProgram(program, ["worker", "workout", path, "\(number)"])
            found = nil
            let end = SystemClock.monotonicNanoseconds() + Int64(5 + random.below(700)) * 1_000_000
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
            if let open { result.count("killed in \(open.name)") }
            result.cases += 1
        }
    }

    private mutating func hear(_ line: Substring, _ result: inout CampaignResult) throws {
        let words = line.split(separator: " ")
        switch words.first {
        case "begin":
            guard let action = RecordedAction(words.dropFirst()), open == nil else { break }
            result.count(action.name)
            open = action
            return
        case "done":
            guard let content = RecordedContent(words.dropFirst()), let action = open else { break }
            judge(content, [known.after(action)], "after \(action.text)", &result)
            (known, open) = (content, nil)
            return
        case "holds":
            guard let content = RecordedContent(words.dropFirst()) else { break }
            found = content
            return
        case "recent":
            guard let content = found, let late = RecordedLate(words.dropFirst()) else { break }
            judge(
                content, known.recovered(open, late),
                "recovered, \(open.map { "killed in \($0.text)" } ?? "killed between actions")",
                &result)
            result.count("recoveries")
            (known, open, found) = (content, nil, nil)
            return
        default: break
        }
        throw CampaignError("unexpected line of a program: \(line)")
    }

    private func judge(
        _ content: RecordedContent, _ allowed: [RecordedPattern], _ when: String,
        _ result: inout CampaignResult
    ) {
        if allowed.contains(where: { $0.matches(content) }) { return }
        result.fail("store of seed \(seed): \(when): found \(content.text), acknowledged \(known.text)")
    }
}
