// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph
import TestSupport

/// Takes resources away: space on a simulated disk of any size.
package enum ResourceCampaign: Campaign {
    package static let name = "resources"
    package static let summary = "disks of any size, from nothing to enough"

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            try runSpace(seed, steps: 25, clock, &result)
            seed &+= 1
        }
        result.seconds = clock.elapsed
        return result
    }

    static func runSpace(
        _ seed: UInt64, steps: Int, _ clock: CampaignClock, _ result: inout CampaignResult
    ) throws {
        let script = StoreScript(seed: seed, length: 16)
        let demand = try SpaceLife.demand(of: script)
        for step in 0..<steps where !clock.isOver {
            let capacity = demand * UInt64(step) / UInt64(steps - 1)
            let note = "script \(seed) on \(capacity) of \(demand) bytes"
            var inner = CampaignResult(suite: name, seed: seed)
            do {
                var life = try SpaceLife(script, capacity: capacity)
                try life.run(&inner)
            } catch {
                inner.fail("\(error)")
            }
            inner.failures = inner.failures.map { "\(note): \($0)" }
            result.merge(inner)
            result.cases += 1
            result.count("space, simulated")
        }
    }
}
