// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Testing

/// The campaigns in their shortest form: enough to see that they work and that nothing is grossly wrong.
@Suite("E-4 E-16 X-3 campaigns: power cuts, failing calls and damage on every file, SQLite's included", .serialized)
struct CampaignTests {
    @discardableResult
    private func expectSound(
        _ campaign: any Campaign.Type, cases: Int, seed: UInt64
    ) throws -> CampaignResult {
        let result = try campaign.run(CampaignPlan(cases: cases, seed: seed))
        #expect(result.cases >= cases)
        #expect(result.failureCount == 0, "\(result.failures.joined(separator: "\n"))")
        return result
    }

    @Test("a crash before each changing call, and one during the recovery, loses nothing acknowledged")
    func crashes() throws { try expectSound(CrashCampaign.self, cases: 600, seed: 7) }

    @Test("disks of any size, few names and descriptors, short files, read-only mounts: told truly, and as usual after")
    func resources() throws { try expectSound(ResourceCampaign.self, cases: 25, seed: 5) }

    @Test("a call that fails, once or for ever, is told truly and damages nothing")
    func errors() throws { try expectSound(ErrorCampaign.self, cases: 400, seed: 3) }

    @Test("rare ways, backups and restorations among them, end well whatever fails on the way, and wherever they stop")
    func tours() throws { try expectSound(TourCampaign.self, cases: 60, seed: 2) }

    @Test("damage of any file is found, gives no wrong number, and is repaired as far as that can be")
    func corruption() throws { try expectSound(CorruptionCampaign.self, cases: 40, seed: 5) }

    @Test("objects, series and queries under HealthKit's names: as the model, over crashes, errors and damage")
    func health() throws {
        let result = try expectSound(HealthCampaign.self, cases: 37, seed: 4)
        for what in ["questions", "operations failed", "damage told", "damage without meaning"] {
            #expect(result.counts[what, default: 0] > 0, "\(what)")
        }
    }

    @Test("a flipped bit in any byte of any file is found, or had no meaning")
    func flips() throws { try expectSound(FlipCampaign.self, cases: 60, seed: 6) }
}
