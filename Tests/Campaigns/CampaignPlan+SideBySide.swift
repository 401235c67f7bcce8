// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension CampaignPlan {
    /// The number of cases tried in parallel, each in its own lane.
    var lanes: Int { max(1, threads) }

    /// Tries cases in parallel, numbered from 0, until all are done or the time is over. Returns the merged result.
    /// - Parameter body: tries a case in a lane; a lane runs one case at a time.
    func sideBySide(
        _ count: Int, until clock: CampaignClock,
        _ body: @Sendable (_ number: Int, _ lane: Int, _ result: inout CampaignResult) -> Void
    ) -> CampaignResult {
        let merged = Mutex(CampaignResult(suite: "", seed: seed))
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: lanes) { lane in
            while !clock.isOver {
                let number = next.add(1, ordering: .relaxed).oldValue
                guard number < count else { return }
                var mine = CampaignResult(suite: "", seed: seed)
                body(number, lane, &mine)
                merged.withLock { $0.merge(mine) }
            }
        }
        return merged.withLock { $0 }
    }
}
