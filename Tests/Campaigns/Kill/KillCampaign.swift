// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import Synchronization
import TestSupport

/// Kills a process that saves, at any moment of its life, restarts it and compares the store with the acknowledged
/// operations. Two processes read at the same time and are killed at random.
package enum KillCampaign: Campaign {
    package static let name = "kill"
    package static let summary = "SIGKILL while a process creates, opens and saves, with two readers"

    /// The number of kills before a new store is created.
    private static let killsOfAStore = 25

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let times = Mutex<[Int64]>([])
        let stores = (plan.cases + killsOfAStore - 1) / killsOfAStore
        let found = plan.sideBySide(stores, until: clock) { index, _, mine in
            let path = "\(plan.work)/store-\(index)"
            let life = KilledLife(path, seed: plan.seed &+ UInt64(index), program: plan.program, readers: 2)
            do {
                try life.run(kills: min(plan.cases - index * killsOfAStore, killsOfAStore), clock, &mine)
            } catch {
                mine.fail("\(life.note): \(error)")
            }
            LeakWatch.removeTree(path)
            times.withLock { $0 += life.openings }
        }
        result.merge(found)
        result.record(times.withLock { $0 }, as: "microseconds to reopen")
        result.seconds = clock.elapsed
        return result
    }
}

extension CampaignResult {
    /// Records the median, the 99th percentile and the maximum of times in nanoseconds, as microseconds.
    mutating func record(_ times: [Int64], as name: String) {
        let sorted = times.sorted()
        guard let last = sorted.last else { return }
        counts["\(name), p50"] = Int(sorted[(sorted.count - 1) / 2] / 1_000)
        counts["\(name), p99"] = Int(sorted[min(sorted.count - 1, sorted.count * 99 / 100)] / 1_000)
        counts["\(name), longest"] = Int(last / 1_000)
        counts["\(name), number"] = sorted.count
    }
}
