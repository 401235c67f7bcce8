// SPDX-License-Identifier: Apache-2.0

/// Random histories of two or three stores that are synchronised meanwhile: over connections that break at any byte,
/// with crashes of either side before any changing call of its disk, and with failing calls. At the end all stores have
/// the same content.
package enum SyncCampaign: Campaign {
    package static let name = "sync"
    package static let summary = "two and three stores that are synchronised, with cuts, crashes and failing calls"

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let found = plan.sideBySide(plan.cases, until: clock) { number, _, mine in
            mine.cases += 1
            let seed = plan.seed &+ UInt64(number)
            do {
                var history = try SyncHistory(seed: seed)
                try history.run(&mine)
            } catch {
                mine.fail("history \(seed): \(error)")
            }
        }
        result.merge(found)
        result.seconds = clock.elapsed
        return result
    }
}
