// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport

/// Kills programs that save with HealthKit's API into one store, two at a time, and checks the saved objects and their
/// sources.
package enum ProgramCampaign: Campaign {
    package static let name = "programs"
    package static let summary = "SIGKILL of programs that save and delete with HealthKit's API, two in one store"

    /// The number of kills before a new store is created.
    private static let killsOfAStore = 20

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let stores = (plan.cases + killsOfAStore - 1) / killsOfAStore
        let found = plan.sideBySide(stores, until: clock) { index, _, mine in
            let path = "\(plan.work)/programs-\(index)"
            var life = ProgramLife(path, seed: plan.seed &+ UInt64(index), program: plan.program)
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

/// A store, two programs that use it, and their reports.
private struct ProgramLife {
    private struct Save {
        let count: Int
        var isDone = false
        var deletion: Bool?
    }

    private let path: String
    private let seed: UInt64
    private let program: String
    private var random: SeededGenerator
    private var saves: [Int: Save] = [:]
    private var nextRun: UInt64 = 0

    init(_ path: String, seed: UInt64, program: String) {
        self.path = path
        self.seed = seed
        self.program = program
        random = SeededGenerator(seed: seed ^ 0xBEEF)
    }

    mutating func run(kills: Int, _ clock: CampaignClock, _ result: inout CampaignResult) throws {
        var other = try start()
        for number in 1...max(1, kills) where !clock.isOver {
            let one = try start()
            // Openings and first saves are killed as often as later ones.
            try listen(to: [one, other], milliseconds: random.below(60), &result)
            try end(one, &result)
            result.cases += 1
            guard number % 5 == 0, number < kills else { continue }
            try end(other, &result)
            try check(&result)
            other = try start()
        }
        try end(other, &result)
        try check(&result)
    }

    /// Kills a program and reads its last output. A program that was already dead has ended unexpectedly.
    private mutating func end(_ program: ChildProgram, _ result: inout CampaignResult) throws {
        let status = program.kill()
        for line in program.rest() { try hear(line, &result) }
        if status & 0x7F != 9 { result.fail("store of seed \(seed): a program ended unexpectedly: \(status)") }
    }

    private mutating func start() throws -> ChildProgram {
        nextRun += 1
        return try ChildProgram(program, ["worker", "program", path, "\(nextRun)"])
    }

    private mutating func listen(
        to programs: [ChildProgram], milliseconds: Int, _ result: inout CampaignResult
    ) throws {
        let end = SystemClock.monotonicNanoseconds() + Int64(milliseconds) * 1_000_000
        while true {
            let left = end - SystemClock.monotonicNanoseconds()
            if left <= 0 { return }
            for program in ChildProgram.wait(for: programs, nanoseconds: left) {
                for line in program.lines() { try hear(line, &result) }
            }
        }
    }

    private mutating func hear(_ line: Substring, _ result: inout CampaignResult) throws {
        let words = line.split(separator: " ")
        guard words.count >= 2, words[0] != "error", let number = Int(words[1]) else {
            throw CampaignError("unexpected line of a program: \(line)")
        }
        result.count(String(words[0]))
        switch words[0] {
        case "saving": saves[number] = Save(count: words.count > 2 ? Int(words[2]) ?? 0 : 0)
        case "saved": saves[number]?.isDone = true
        case "deleting": saves[number]?.deletion = false
        case "deleted": saves[number]?.deletion = true
        default: throw CampaignError("unexpected line of a program: \(line)")
        }
    }

    private func check(_ result: inout CampaignResult) throws {
        let path = path
        let found = try HealthLife.awaited { try await ProgramWorker.counts(at: path) }
        for (number, save) in saves {
            let count = found[number] ?? 0
            let isRight =
                switch (save.isDone, save.deletion) {
                case (_, true): count == 0
                case (true, nil): count == save.count
                default: count == 0 || count == save.count
                }
            if isRight { continue }
            result.fail(
                "store of seed \(seed), save \(number): \(count) objects of \(save.count), "
                    + (save.isDone ? "acknowledged" : "not acknowledged")
                    + (save.deletion.map { $0 ? ", deleted" : ", being deleted" } ?? ""))
        }
        for number in found.keys where saves[number] == nil {
            result.fail("store of seed \(seed): objects of save \(number), which was never started")
        }
        result.count("looks")
    }
}
