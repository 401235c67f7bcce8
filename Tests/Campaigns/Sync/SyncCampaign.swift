// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import HealthSync
import Kymograph
import KymographHealth
import Synchronization
import TestSupport

/// Random histories of two or three stores that are synchronised meanwhile, over connections that break at any byte. At
/// the end all stores have the same content.
package enum SyncCampaign: Campaign {
    package static let name = "sync"
    package static let summary = "two and three stores that are synchronised, over connections that break at any byte"

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let found = plan.sideBySide(plan.cases, until: clock) { number, _, mine in
            mine.cases += 1
            do { try history(plan.seed &+ UInt64(number), &mine) } catch {
                mine.fail("history \(plan.seed &+ UInt64(number)): \(error)")
            }
        }
        result.merge(found)
        result.seconds = clock.elapsed
        return result
    }

    private static func history(_ seed: UInt64, _ result: inout CampaignResult) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...3, using: &random)
        let lives = try (0..<count).map { _ in try HealthLife(MemoryDisk(), remembersDeletions: true) }
        defer { for life in lives { life.close() } }
        for life in lives { try life.open() }
        var scripts = (0..<count).map { HealthScript(seed: seed &* 7 &+ UInt64($0), length: 14).operations[...] }
        while scripts.contains(where: { !$0.isEmpty }) {
            let place = Int.random(in: 0..<count, using: &random)
            if let operation = scripts[place].popFirst(), isExchanged(operation) {
                perform(operation, lives[place], &result)
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                let (one, other) = pair(count, &random)
                let isWhole = Int.random(in: 0..<3, using: &random) == 0
                let most = isWhole ? Int.max : Int.random(in: 0...6_000, using: &random)
                try sync(lives[one], lives[other], most, &result)
            }
        }
        for _ in 0..<2 {
            for one in 0..<count {
                for other in 0..<count where other != one { try sync(lives[one], lives[other], .max, &result) }
            }
        }
        let contents = try lives.map { try $0.lines().filter(isExchanged).sorted() }
        for (place, content) in contents.enumerated().dropFirst() where content != contents[0] {
            let missing = contents[0].filter { !content.contains($0) }.first ?? "nothing"
            let more = content.filter { !contents[0].contains($0) }.first ?? "nothing"
            result.fail("history \(seed): store \(place) lacks \(missing), and has \(more)")
        }
        for life in lives {
            if let problem = try life.store?.verify().engine.problems.first {
                result.fail("history \(seed): a store is damaged: \(problem.message)")
            }
        }
        result.count("lines", contents[0].count)
    }

    private static func pair(_ count: Int, _ random: inout SeededGenerator) -> (Int, Int) {
        let one = Int.random(in: 0..<count, using: &random)
        return (one, (one + Int.random(in: 1..<count, using: &random)) % count)
    }

    /// Whether the results of an operation are exchanged between stores.
    private static func isExchanged(_ operation: HealthOperation) -> Bool {
        switch operation {
        case .save, .series, .heartbeats, .electrocardiogram, .workout, .delete, .deleteRange, .seal,
            .compact, .reopen:
            true
        // A program that saves an object again, which another store has deleted, gives an identity a second life.
        case .saveTwice, .relate, .unrelate, .extend, .attach, .detach, .sex, .goal, .delivery, .decision,
            .resetDecisions, .encrypt:
            false
        }
    }

    private static func isExchanged(_ line: String) -> Bool {
        !["day ", "efforts of ", "decision ", "delivery ", "sex", "goal"].contains { line.hasPrefix($0) }
    }

    /// Returns an operation without saved samples that another store has deleted meanwhile: a builder would save them
    /// again, and give their identities a second life.
    private static func withoutDeleted(_ operation: HealthOperation, _ life: HealthLife) throws -> HealthOperation {
        guard case .workout(var workout) = operation else { return operation }
        let there = Set(try life.lines().compactMap { $0.split(separator: " ").first.map(String.init) })
        workout.steps.removeAll { !there.contains($0.uuid.uuidString) }
        workout.rates.removeAll { !there.contains($0.uuid.uuidString) }
        return .workout(workout)
    }

    /// Performs an operation of a program. An object that another store deleted meanwhile is no error.
    private static func perform(_ operation: HealthOperation, _ life: HealthLife, _ result: inout CampaignResult) {
        do {
            try life.perform(try withoutDeleted(operation, life))
            result.count(operation.name)
        } catch {
            result.count("refused: \(operation.name)")
        }
    }

    private static func sync(
        _ one: HealthLife, _ other: HealthLife, _ most: Int, _ result: inout CampaignResult
    ) throws {
        guard let here = one.store, let there = other.store else { return }
        let (first, second) = CutChannel.pair(after: most)
        let answered = DispatchSemaphore(value: 0)
        let failure = Mutex<SyncError?>(nil)
        DispatchQueue(label: "campaign.sync").async {
            do throws(SyncError) { _ = try HealthStoreSync(there).run(over: second) } catch {
                failure.withLock { $0 = error }
            }
            answered.signal()
        }
        var error: SyncError?
        do throws(SyncError) { _ = try HealthStoreSync(here).run(over: first) } catch let found { error = found }
        first.close()
        answered.wait()
        let found = [error, failure.withLock { $0 }].compactMap(\.self)
        if found.isEmpty { return result.count("synchronised") }
        result.count("cut")
        let isCut = found.allSatisfy { $0.kind == .connection || $0.kind == .other }
        if most == .max || !isCut { result.fail("a synchronisation failed: \(found)") }
    }
}

/// A connection that ends after some bytes.
private final class CutChannel: SyncChannel {
    private let channel: DescriptorChannel
    private let left: Mutex<Int>

    private init(_ channel: DescriptorChannel, _ left: Int) {
        self.channel = channel
        self.left = Mutex(left)
    }

    static func pair(after bytes: Int) -> (CutChannel, CutChannel) {
        let (one, other) = (Pipe(), Pipe())
        func end(_ input: Pipe, _ output: Pipe) -> CutChannel {
            let channel = DescriptorChannel(
                reading: dup(input.fileHandleForReading.fileDescriptor),
                writing: dup(output.fileHandleForWriting.fileDescriptor), name: "a connection")
            return CutChannel(channel, bytes)
        }
        let ends = (end(one, other), end(other, one))
        for pipe in [one, other] {
            try? pipe.fileHandleForReading.close()
            try? pipe.fileHandleForWriting.close()
        }
        return ends
    }

    func read(_ count: Int) throws -> [UInt8] { try channel.read(count) }

    func write(_ bytes: [UInt8]) throws {
        let may = left.withLock { left in
            let may = min(left, bytes.count)
            if left != .max { left -= may }
            return may
        }
        try channel.write(Array(bytes.prefix(may)))
        if may < bytes.count {
            channel.close()
            throw StoreError(.inputOutput, "the connection is cut")
        }
    }

    func close() { channel.close() }
}
