// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport

/// Reads a store from threads of its writer's process and from other processes while the writer works, and compares
/// each snapshot with the acknowledged operations.
package enum ReaderCampaign: Campaign {
    package static let name = "readers"
    package static let summary = "two threads and three processes read while a process saves, seals and deletes"

    /// The number of snapshots before a new store is created.
    private static let sightsOfAStore = 2_000

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        var index: UInt64 = 0
        while result.cases < plan.cases, !clock.isOver {
            let path = "\(plan.work)/store-\(index)"
            let life = KilledLife(path, seed: plan.seed &+ index, program: plan.program, readers: 3, threads: 2)
            do {
                let left = min(plan.cases - result.cases, sightsOfAStore)
                try life.runBeside(sights: left, clock, &result)
            } catch {
                result.fail("\(life.note): \(error)")
                break
            }
            LeakWatch.removeTree(path)
            index += 1
        }
        result.seconds = clock.elapsed
        return result
    }
}
