// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import Synchronization
import TestSupport

/// Crashes before every changing call on any file, including SQLite's, and opens several possible disks: with
/// everything, with synced data only, and with mixtures of kept, lost and torn pieces. One opening in a hundred is
/// itself interrupted at each of its changing calls.
package enum CrashCampaign: Campaign {
    package static let name = "crash"
    package static let summary = "power cuts and kills before every changing call, and again during the recovery"

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            let life = try SimulatedLife(StoreScript(seed: seed))
            let checks = CheckPool(plan, clock)
            try life.run { image in checks.add(image) }
            result.merge(checks.finish())
            seed &+= 1
            result.count("scripts")
        }
        result.seconds = clock.elapsed
        return result
    }
}

/// A disk after a crash, and the content that it must have.
package struct CrashImage: Sendable {
    var disk: MemoryDisk
    var check: ImageCheck
    /// True if the opening of this image is interrupted too.
    var crashesAgain: Bool
}

/// Runs a script on a simulated disk and returns images of crashes before each changing call.
final class SimulatedLife: Sendable {
    private let script: StoreScript
    private let disk: FaultyDisk
    private let progress = Mutex(Progress())

    private struct Progress {
        /// The number of acknowledged operations; nil before the creation is acknowledged.
        var done: Int?
        var step = 0
        var pasts: [PastState] = []
        /// The follower's copy of the change feed after the acknowledged operations.
        var feed = FeedCopy()
        var random = SeededGenerator(seed: 0)
    }

    init(_ script: StoreScript) throws {
        self.script = script
        disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        progress.withLock { $0.random = SeededGenerator(seed: script.seed ^ 0xC0FFEE) }
    }

    func run(_ give: @escaping @Sendable (CrashImage) -> Void) throws {
        let simulated = try SimulatedStore(disk)
        let observer: @Sendable (DiskCallKind, String) -> Void = { [self] kind, path in
            for image in images(kind, path) { give(image) }
        }
        disk.observe(observer)
        defer { disk.observe(nil) }
        // The creation is always the same, so only one run in eight records its images.
        if script.seed % 8 != 1 { disk.observe(nil) }
        try simulated.create()
        progress.withLock { $0.done = 0 }
        disk.observe(observer)
        var feed = FeedCopy()
        for (index, operation) in script.operations.enumerated() {
            progress.withLock { $0.done = index }
            try simulated.perform(operation)
            let now = try simulated.opened().snapshot()
            let past = PastState(
                commit: now.sequence, series: Set(now.series.map(\.id)), digest: script.digests[index + 1])
            if let fault = try feed.follow(simulated.opened()) {
                throw CampaignError("script \(script.seed), after \(operation.name): \(fault)")
            }
            progress.withLock { progress in
                progress.pasts.append(past)
                progress.feed = feed
            }
        }
        progress.withLock { $0.done = script.operations.count }
        simulated.close()
    }

    private func images(_ kind: DiskCallKind, _ path: String) -> [CrashImage] {
        CallSites.note(.crashed)
        let now = progress.withLock { progress in
            progress.step += 1
            return progress
        }
        var random = SeededGenerator(seed: progress.withLock { $0.random.next() })
        let (done, step) = (now.done, now.step)
        let digests = script.digests
        let first = done ?? 0
        let allowed = [digests[first], digests[min(first + 1, digests.count - 1)]]
        var models: [CrashModel] = [.keepAll, .loseAll, .any, .any, .any]
        // The pure models before every changing call; mixtures as often as they differ from those.
        if kind == .write, random.chance(0.5) { models.removeLast(2) }
        return models.compactMap { model in
            let seed = random.next()
            guard let image = try? disk.crash(seed: seed, model) else { return nil }
            let name = path.split(separator: "/").last ?? ""
            let operation = done.map { $0 < script.operations.count ? script.operations[$0].name : "closing" }
            let note =
                "script \(script.seed), before change \(step) (\(kind.rawValue) \(name) in \(operation ?? "create")), "
                + "\(model) with seed \(seed)"
            var check = ImageCheck(allowed: allowed, exists: done != nil, note: note, random: &random)
            if random.chance(0.3) { check.backups = script.backups(done: first) }
            if random.chance(0.3) { check.pasts = now.pasts.suffix(random.pick([1, 4])) }
            if random.chance(0.3) { check.feed = now.feed }
            check.goesOn = check.goesOn && model != .keepAll
            if let done, done < script.operations.count, case .identified(let plan) = script.operations[done] {
                check.repetition = (plan, digests[first + 1])
            }
            return CrashImage(disk: image, check: check, crashesAgain: random.chance(0.01))
        }
    }
}

/// Checks images on several threads, and images of interrupted openings of them.
final class CheckPool: Sendable {
    private struct State {
        var waiting: [CrashImage] = []
        var result = CampaignResult(suite: "", seed: 0)
    }

    private let state = Mutex(State())
    private let plan: CampaignPlan
    private let clock: CampaignClock

    init(_ plan: CampaignPlan, _ clock: CampaignClock) {
        self.plan = plan
        self.clock = clock
    }

    /// Adds an image; checks the waiting ones when there are many.
    func add(_ image: CrashImage) {
        let isMany = state.withLock { state in
            state.waiting.append(image)
            return state.waiting.count >= 256
        }
        if isMany { work() }
    }

    func finish() -> CampaignResult {
        while state.withLock({ !$0.waiting.isEmpty }) { work() }
        return state.withLock { $0.result }
    }

    private func work() {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        let found = plan.sideBySide(batch.count, until: clock) { number, _, mine in Self.check(batch[number], &mine) }
        state.withLock { $0.result.merge(found) }
    }

    private static func check(_ image: CrashImage, _ result: inout CampaignResult) {
        result.cases += 1
        guard image.crashesAgain, let disk = try? FaultyDisk(image.disk) else {
            image.check.run(image.disk, &result)
            return
        }
        // Interrupts the opening, and the calls after it, before each changing call.
        disk.resetTrace(keep: false)
        let again = Mutex<[CrashImage]>([])
        let check = image.check
        let found = Mutex<UInt64?>(nil)
        disk.observe { kind, path in
            CallSites.note(.crashed)
            again.withLock { images in
                for model in [CrashModel.keepAll, .loseAll, .any] {
                    let seed = UInt64(images.count) &* 0x9E37_79B9
                    guard let left = try? disk.crash(seed: seed, model) else { continue }
                    var check = check
                    check.note +=
                        "; then, at its opening, before change \(images.count / 3) (\(kind.rawValue) \(path)), \(model)"
                    check.goesOn = false
                    check.backups = []
                    check.pasts = []
                    check.feed = nil
                    check.repetition = nil
                    if let shown = found.withLock({ $0 }) {
                        check.allowed = [shown]
                        check.exists = true
                    }
                    images.append(CrashImage(disk: left, check: check, crashesAgain: false))
                }
            }
        }
        var first = check
        first.goesOn = false
        first.backups = []
        first.repetition = nil
        first.onFound = { digest in found.withLock { $0 = digest } }
        first.run(disk, &result)
        disk.observe(nil)
        for image in again.withLock({ $0 }) {
            result.cases += 1
            result.count("images of a crash in recovery")
            image.check.run(image.disk, &result)
        }
    }
}
