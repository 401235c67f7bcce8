// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// Fails every call on any file, including SQLite's: once or always, with nothing, a part or all of it done. The
/// reported outcome of the failed operation must be true, no acknowledged operation may be lost, and the script must be
/// able to continue.
package enum ErrorCampaign: Campaign {
    package static let name = "errors"
    package static let summary = "a failing or full disk at every call, once and always"

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            let script = StoreScript(seed: seed, length: 8)
            let calls = try FaultyLife(script, fault: nil, seed: seed).run(&result)
            result.count("calls in scripts", calls)
            let found = plan.sideBySide(calls, until: clock) { number, _, mine in run(script, nth: number + 1, &mine) }
            result.merge(found)
            result.count("scripts")
            seed &+= 1
        }
        let isExhaustive = result.cases >= plan.cases
        for kind in DiskCallKind.allCases where isExhaustive {
            guard result.counts["failed: \(kind.rawValue)"] == nil else { continue }
            result.fail("no call of kind \(kind.rawValue) failed")
        }
        result.seconds = clock.elapsed
        return result
    }

    private static func run(_ script: StoreScript, nth: Int, _ result: inout CampaignResult) {
        var random = SeededGenerator(seed: script.seed &* 7919 &+ UInt64(nth))
        let errno = random.pick([DiskError.inputOutput, DiskError.inputOutput, DiskError.noSpace, DiskError.denied])
        // A call that fails for lack of space has not been done completely.
        let effects: [DiskFault.Effect] = [.nothing, .nothing, .part, errno == DiskError.noSpace ? .part : .everything]
        let fault = DiskFault(
            Set(DiskCallKind.allCases), nth: nth, forever: random.chance(0.4), errno: errno,
            effect: random.pick(effects))
        let note =
            "script \(script.seed), call \(nth) fails \(fault.forever ? "for ever" : "once") with \(fault.errno), "
            + "having done \(fault.effect)"
        result.cases += 1
        do {
            let life = try FaultyLife(script, fault: fault, seed: random.next())
            var inner = CampaignResult(suite: "", seed: 0)
            _ = try life.run(&inner)
            inner.failures = inner.failures.map { "\(note): \($0)" }
            result.merge(inner)
        } catch {
            result.fail("\(note): \(error)")
        }
    }
}

/// Runs a script on a disk with one fault, and recovers from errors as a correct caller does.
private final class FaultyLife {
    private let script: StoreScript
    private let disk: FaultyDisk
    private let simulated: SimulatedStore
    private var random: SeededGenerator
    private var feed = FeedCopy()

    init(_ script: StoreScript, fault: DiskFault?, seed: UInt64) throws {
        self.script = script
        disk = try FaultyDisk()
        simulated = try SimulatedStore(disk)
        random = SeededGenerator(seed: seed)
        if let fault { disk.inject(fault) }
    }

    /// Runs the script to its end. Returns the number of calls to the disk.
    func run(_ result: inout CampaignResult) throws -> Int {
        try create(&result)
        var done = 0
        var attempts = 0
        while done < script.operations.count {
            attempts += 1
            if attempts > 3 * script.operations.count {
                result.fail("the store never recovers")
                return disk.callCount
            }
            do {
                try simulated.perform(script.operations[done])
                done += 1
            } catch let error as StoreError {
                guard let now = try recover(from: error, done, &result) else { continue }
                if case .identified(let plan) = script.operations[done] {
                    result.count(now > done ? "calls repeated that were done" : "calls repeated that were not")
                    let added = now > done ? try simulated.opened().perform(plan) : 0
                    if added > 0 { result.fail("\(added) samples that were stored are reported as new") }
                }
                done = now
            }
            if try digest(&result) != script.digests[done] {
                result.fail("after operation \(done) the store has the wrong content")
                return disk.callCount
            }
            if let fault = try follow(&result) { result.fail("after operation \(done): \(fault)") }
        }
        let calls = disk.callCount
        noteStruckCalls(&result)
        simulated.close()
        // Cuts the power: acknowledged operations must be durable, even after failed syncs.
        let image = try disk.crash(seed: random.next(), random.chance(0.5) ? .loseAll : .any)
        let last = script.digests[script.operations.count]
        ImageCheck(allowed: [last, last], exists: true, note: "power cut at the end", random: &random)
            .run(image, &result)
        return calls
    }

    private func create(_ result: inout CampaignResult) throws {
        do {
            try simulated.create()
        } catch {
            result.count("creations failed")
            noteStruckCalls(&result)
            disk.clearFaults()
            try simulated.create()
        }
    }

    /// Recovers from an error. Returns the number of operations done, or nil if one is partly done.
    private func recover(from error: StoreError, _ done: Int, _ result: inout CampaignResult) throws -> Int? {
        result.count("error: \(error.kind.rawValue)")
        noteStruckCalls(&result)
        disk.clearFaults()
        let isReopening = if case .reopen = script.operations[done] { true } else { false }
        let mustReopen = [.outcomeUnknown, .writerFailed, .closed].contains(error.kind) || isReopening
        // Of several batches some may have failed alone, by a read. Repeating all of them completes the operation.
        let isPartial: Bool = if case .batches(let plans) = script.operations[done] { plans.count > 1 } else { false }
        if isPartial, !mustReopen { return nil }
        if !mustReopen {
            // An operation that failed with a known outcome left nothing.
            guard try digest(&result) == script.digests[done] else {
                result.fail("\(error.kind.rawValue) left changes: \(error)")
                return done
            }
            if random.chance(0.5) { return done }
        }
        try simulated.open()
        let found = try digest(&result)
        if found == script.digests[done] { return done }
        if isPartial, error.kind != .outcomeUnknown { return nil }
        if error.kind == .outcomeUnknown, found == script.digests[done + 1] {
            result.count("of unknown outcome, and there after all")
            return done + 1
        }
        result.fail("after \(error.kind.rawValue) and reopening the store has the wrong content: \(error)")
        return done
    }

    /// Returns the digest of the store. A failed read changes nothing: the same reader reads everything when the disk
    /// works.
    private func digest(_ result: inout CampaignResult) throws -> UInt64 {
        do {
            return try simulated.digest()
        } catch let error as StoreError {
            result.count("reads failed: \(error.kind.rawValue)")
            noteStruckCalls(&result)
            disk.clearFaults()
            return try simulated.digest()
        }
    }

    /// Follows the changes and repeats failed pages. Returns a description of a wrong change, or nil.
    private func follow(_ result: inout CampaignResult) throws -> String? {
        do {
            return try feed.follow(simulated.opened())
        } catch let error as StoreError {
            result.count("pages of changes failed: \(error.kind.rawValue)")
            noteStruckCalls(&result)
            disk.clearFaults()
            return try feed.follow(simulated.opened())
        }
    }

    private func noteStruckCalls(_ result: inout CampaignResult) {
        for call in disk.trace where call.errno != 0 {
            result.count("failed: \(call.kind.rawValue)")
            result.count("failed: \(call.kind.rawValue) \(Self.fileClass(call.path))")
        }
        disk.resetTrace()
    }

    /// Returns the class of a file by its name.
    static func fileClass(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        if name.hasSuffix(".kseg") { return "segment" }
        if name.hasSuffix(".kseg.new") { return "backup segment" }
        if name.hasPrefix("catalog-") { return "backup catalog" }
        return name.isEmpty ? "root" : name
    }
}
