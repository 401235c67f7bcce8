// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension CampaignPlan {
    /// Cases that are tried at the same time, each in a lane of its own.
    var lanes: Int { max(1, threads) }

    /// Tries cases side by side, from 0 on, until all are done or the time is over; what all of them found.
    /// - Parameter body: tries a case in a lane; no lane has two cases at once.
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
