// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Kymograph
import Synchronization
import TestSupport

/// Cuts the power of a process that saves, on real ext4 and XFS file systems, which lose unsynced data, with their log
/// flushed or not.
package enum PowerCutCampaign: Campaign {
    package static let name = "power"
    package static let summary = "power cuts on ext4 and XFS while a process creates, opens and saves (needs root)"

    /// The number of power cuts before a new store is created on the same file system.
    private static let cutsOfAStore = 25

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        let kinds = ["ext4", "xfs"].filter { kind in
            guard let obstacle = LoopVolume.obstacle(kind) else { return true }
            skip(kind, obstacle, &result)
            return false
        }
        for (index, kind) in kinds.enumerated() {
            let share = plan.cases / kinds.count + (index < plan.cases % kinds.count ? 1 : 0)
            result.merge(onOwnThread { cut(kind, share, index + 1 == kinds.count ? 1 : 0.5, plan, clock) })
        }
        result.seconds = clock.elapsed
        return result
    }

    /// Prints a visible message that a kind is skipped.
    private static func skip(_ kind: String, _ obstacle: String, _ result: inout CampaignResult) {
        result.count("skipped: \(kind): \(obstacle)")
        let line = "campaign: POWER CUTS ON \(kind.uppercased()) ARE SKIPPED: \(obstacle)\n"
        try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }

    /// Runs a body on its own thread, because mounts belong to a thread and end with it.
    private static func onOwnThread(_ body: @escaping @Sendable () -> CampaignResult) -> CampaignResult {
        let done = DispatchSemaphore(value: 0)
        let found = Mutex(CampaignResult(suite: name, seed: 0))
        let thread = Thread {
            let result = body()
            found.withLock { $0 = result }
            done.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        done.wait()
        return found.withLock { $0 }
    }

    private static func cut(
        _ kind: String, _ cuts: Int, _ part: Double, _ plan: CampaignPlan, _ clock: CampaignClock
    ) -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let volume: LoopVolume
        do {
            try LoopVolume.isolate()
            volume = try LoopVolume(kind, in: plan.work)
        } catch {
            // The file system is available, but failed: this must not pass as success.
            skip(kind, "\(error)", &result)
            result.fail("no power cut on \(kind): \(error)")
            return result
        }
        defer { try? volume.unmount() }
        var seed = plan.seed
        let end = clock.elapsed + (plan.seconds - clock.elapsed) * part
        while result.cases < cuts, clock.elapsed < end, result.failureCount < 10 {
            let path = "\(volume.path)/store-\(seed)"
            let life = KilledLife(path, seed: seed, program: plan.program, readers: 0)
            do {
                for _ in 0..<min(cutsOfAStore, cuts - result.cases) where clock.elapsed < end {
                    try cut(volume, life, &result)
                }
                try life.lookThrough(&result)
            } catch {
                result.fail("\(kind), \(life.note): \(error)")
            }
            LeakWatch.removeTree(path)
            seed &+= 1
        }
        return result
    }

    private static func cut(_ volume: LoopVolume, _ life: KilledLife, _ result: inout CampaignResult) throws {
        let flushesLog = life.flip()
        try life.writeAndStop(&result, byPowerCut: true) { writer in
            let begun = SystemClock.monotonicNanoseconds()
            try volume.cutPower(flushingLog: flushesLog)
            writer.kill()
            try volume.unmount()
            try volume.mount()
            return begun
        }
        result.count("power cuts on \(volume.kind), log \(flushesLog ? "flushed" : "lost")")
    }
}
