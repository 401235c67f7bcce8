// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Foundation
import TestSupport
import Testing

/// The shortest form of the campaigns that need child processes or file systems, and of the model campaign.
@Suite(
    "E-1 E-4 E-12 campaigns: killed processes, power cuts, and a model beside the engine", .serialized)
struct ProcessCampaignTests {
    /// The path of the campaign program, next to the test bundle.
    private static var program: String {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("campaign").path
    }

    private func run(_ campaign: any Campaign.Type, cases: Int, seed: UInt64) throws -> CampaignResult {
        let work = try TemporaryDirectory()
        let result = try campaign.run(
            CampaignPlan(cases: cases, seed: seed, work: work.path, program: Self.program))
        #expect(result.failureCount == 0, "\(result.failures.joined(separator: "\n"))")
        return result
    }

    @Test("a killed writer loses nothing acknowledged, and readers see only whole commits")
    func kills() throws {
        let result = try run(KillCampaign.self, cases: 15, seed: 5)
        #expect(result.cases >= 15)
        #expect(result.counts["readings compared", default: 0] > 0)
        #expect(result.counts["operations acknowledged", default: 0] > 0)
    }

    @Test("killed programs that save into one store lose nothing acknowledged and leave no partial saves")
    func programs() throws {
        let result = try run(ProgramCampaign.self, cases: 30, seed: 8)
        #expect(result.cases == 30 && result.counts["looks", default: 0] > 0)
        #expect(result.counts["saved", default: 0] > 0)
    }

    @Test("killed programs that record workouts lose nothing acknowledged, and count nothing twice")
    func workouts() throws {
        let result = try run(WorkoutCampaign.self, cases: 25, seed: 4)
        #expect(result.cases == 25 && result.counts["recoveries", default: 0] > 0)
        #expect(result.counts["sensors", default: 0] > 0)
    }

    @Test("a session is mirrored to another process, goes on when that process is killed, and is mirrored again")
    func mirrors() throws {
        let result = try run(MirrorCampaign.self, cases: 12, seed: 3)
        #expect(result.cases == 12)
        for what in ["mirrors", "kills", "data", "calls of mirrors", "calls of sessions", "ended by mirrors"] {
            #expect(result.counts[what, default: 0] > 0, "\(what)")
        }
    }

    @Test("snapshots of threads and processes beside a writer contain whole commits and never change")
    func readers() throws {
        let result = try run(ReaderCampaign.self, cases: 60, seed: 6)
        #expect(result.cases >= 60)
        #expect(result.counts["held snapshots compared", default: 0] > 0)
    }

    @Test("hostile imports are refused or cleaned, each with its reason, and the store stays unchanged")
    func hostileImports() throws {
        let result = try run(HostileCampaign.self, cases: 40, seed: 4)
        #expect(result.cases == 40)
        #expect(result.counts["refused", default: 0] > 0)
        #expect(result.counts["faults reported", default: 0] > 0)
    }

    @Test("a power cut on ext4 and XFS loses nothing acknowledged, and a skipped file system is reported")
    func powerCuts() throws {
        let result = try run(PowerCutCampaign.self, cases: 4, seed: 5)
        let isSkipped = ["ext4", "xfs"].allSatisfy { kind in
            result.counts.keys.contains { $0.hasPrefix("skipped: \(kind): ") }
        }
        #expect(result.cases >= (isSkipped ? 0 : 2))
    }

    @Test("random operations of every kind give the same store and answers as a plain model")
    func model() throws {
        let result = try run(ModelCampaign.self, cases: 20, seed: 11)
        #expect(result.counts["operations"] == 20 * 200)
    }

    @Test("a failing list of operations is shortened to the operations that cause the failure")
    func shrinking() {
        let fewest = Shrinker.shrink(Array(0..<200), attempts: 600) { $0.contains(17) && $0.contains(130) }
        #expect(fewest == [17, 130])
        #expect(Shrinker.shrink([1], attempts: 10) { !$0.isEmpty } == [1])
    }
}
