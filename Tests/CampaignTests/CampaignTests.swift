// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Testing

/// The shortest form of the campaigns, which shows that they work and finds gross errors.
@Suite(
    "E-4 E-16 X-3 S-2 S-172 campaigns: power cuts, failing calls and damage on every file, including SQLite's",
    .serialized)
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

    @Test("a crash before any changing call, also during recovery, loses nothing acknowledged")
    func crashes() throws { try expectSound(CrashCampaign.self, cases: 600, seed: 7) }

    @Test("disks of any size, few descriptors and read-only mounts give exact errors, and the store works afterwards")
    func resources() throws { try expectSound(ResourceCampaign.self, cases: 25, seed: 5) }

    @Test("a call that fails once or from then on gives an exact error and damages nothing")
    func errors() throws { try expectSound(ErrorCampaign.self, cases: 400, seed: 3) }

    @Test("rare operations such as backup and restore end consistently when they fail or stop at any call")
    func tours() throws { try expectSound(TourCampaign.self, cases: 60, seed: 2) }

    @Test("damage to any file is found, never gives a wrong number, and is repaired as far as possible")
    func corruption() throws { try expectSound(CorruptionCampaign.self, cases: 40, seed: 5) }

    @Test("changed and moved parts of encrypted stores are refused, although their checksums are right")
    func forgery() throws {
        let result = try expectSound(ForgeryCampaign.self, cases: 300, seed: 6)
        for what in ["units of segments", "whole stores", "moved", "refused: forged", "noticed by verify"] {
            #expect(result.counts[what] ?? 0 > 0, "\(what)")
        }
    }

    @Test("HealthKit objects, series and queries agree with a model across crashes, errors and damage")
    func health() throws {
        let result = try expectSound(HealthCampaign.self, cases: 37, seed: 4)
        for what in [
            "questions", "operations failed", "damage reported", "damage without meaning", "crashes in a conversion",
            "errors in a conversion",
        ] {
            #expect(result.counts[what, default: 0] > 0, "\(what)")
        }
    }

    @Test("a program with limits sees what it would see in a store without the hidden objects")
    func access() throws {
        let result = try expectSound(AccessCampaign.self, cases: 96, seed: 1)
        for what in ["questions", "answers", "calls of observers"] {
            #expect(result.counts[what, default: 0] > 0, "\(what)")
        }
    }

    @Test("stores that are synchronised with cuts, crashes and failing calls have the same content in the end")
    func synchronised() throws {
        let result = try expectSound(SyncCampaign.self, cases: 24, seed: 1)
        for what in ["synchronised", "cut", "crash", "failing once", "failing for ever", "identities", "lines"] {
            #expect(result.counts[what, default: 0] > 0, "\(what)")
        }
    }

    @Test("a flipped bit in any byte of any file is found or has no effect")
    func flips() throws { try expectSound(FlipCampaign.self, cases: 60, seed: 6) }
}
