// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// Walks through states that random scripts seldom or never reach (unknown-outcome marks, orphans, unfinished stores,
/// repairs, cancelled loads, backups and restorations over interrupted ones). Crashes before each call of the walk and
/// fails each call, so that every call site is covered.
package enum TourCampaign: Campaign {
    package static let name = "tour"
    package static let summary = "crashes before, and failures of, each call of a walk through rare states"

    /// One walk: through the rare states with at most one fault, or one way of backups with an event.
    private enum Walk: Sendable {
        case rare(DiskFault?)
        case backup(BackupScene, BackupEvent)
    }

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            let start = try TourStart(seed: seed)
            var random = SeededGenerator(seed: seed)
            let walks = try backupWalks(seed, &random, &result) + rareWalks(start, &random, &result)
            result.count("walks", walks.count)
            // If there are fewer cases than walks, they are spread over all walks.
            let wanted = min(walks.count, plan.cases - result.cases)
            let found = plan.sideBySide(wanted, until: clock) { number, _, mine in
                switch walks[number * walks.count / wanted] {
                case .rare(let fault): walk(start, fault, "seed \(start.seed)", &mine)
                case .backup(let scene, let event): walk(scene, event, start.seed, &mine)
                }
            }
            result.merge(found)
            result.count("tours")
            seed &+= 1
        }
        result.seconds = clock.elapsed
        return result
    }

    private static func rareWalks(
        _ start: TourStart, _ random: inout SeededGenerator, _ result: inout CampaignResult
    ) throws -> [Walk] {
        let tour = try Tour(start, fault: nil)
        let calls = try tour.run(&result)
        result.count("calls of a tour", calls.count)
        let faults = (1...calls.count).map { nth in
            let (forever, isFull) = (random.chance(0.2), random.chance(0.3))
            // A call that fails for lack of space has not been done completely.
            let most: DiskFault.Effect = isFull ? .part : .everything
            return DiskFault(
                Set(DiskCallKind.allCases), nth: nth, forever: forever,
                errno: isFull ? DiskError.noSpace : DiskError.inputOutput, effect: random.chance(0.3) ? most : .nothing)
        }
        // Disks that are full from each change on: calls that free space fail too.
        let changes = calls.filter(\.isMutation).count
        let full = (1...changes).map { nth in
            DiskFault(DiskCallKind.mutations, nth: nth, forever: true, errno: DiskError.noSpace, effect: .nothing)
        }
        // Disks that fail all reads from a point of the repairs on, first file by file, then piece by piece.
        let unread = tour.repairing.filter { calls[$0] == .read }.map { index in
            DiskFault(Set(DiskCallKind.allCases), nth: index + 1, forever: true, errno: DiskError.inputOutput)
        }
        return [.rare(nil)] + (faults + full + unread).map { .rare($0) }
    }

    /// Returns the walks of each way of backups: a crash before each change, and a failure of each call, once and
    /// always.
    private static func backupWalks(
        _ seed: UInt64, _ random: inout SeededGenerator, _ result: inout CampaignResult
    ) throws -> [Walk] {
        var walks: [Walk] = []
        for scene in try BackupScene.all(seed: seed) {
            let calls = try BackupWalk(scene, .nothing, seed: seed).run(&result)
            result.count("calls of backups", calls.count)
            var changes = 0
            for (index, kind) in calls.enumerated() {
                if kind.isMutation {
                    changes += 1
                    walks.append(.backup(scene, .crash(changes)))
                }
                for forever in [false, true] {
                    let effect: DiskFault.Effect = random.pick([.nothing, .nothing, .part, .everything])
                    var fault = DiskFault(
                        Set(DiskCallKind.allCases), nth: index + 1, forever: forever, effect: effect)
                    // Only changing calls report a full disk.
                    if kind.isMutation, random.chance(0.4) {
                        fault = DiskFault(
                            DiskCallKind.mutations, nth: changes, forever: forever, errno: DiskError.noSpace,
                            effect: effect)
                    }
                    walks.append(.backup(scene, .fault(fault)))
                }
            }
        }
        return walks
    }

    private static func walk(
        _ scene: BackupScene, _ event: BackupEvent, _ seed: UInt64, _ result: inout CampaignResult
    ) {
        result.cases += 1
        do {
            try BackupWalk(scene, event, seed: seed).run(&result)
        } catch {
            result.fail("seed \(seed), \(scene.way.rawValue), \(event.note): \(error)")
        }
    }

    private static func walk(_ start: TourStart, _ fault: DiskFault?, _ seed: String, _ result: inout CampaignResult) {
        let text = fault.map { "call \($0.nth) fails \($0.forever ? "for ever" : "once"), \($0.effect) done" }
        let note = "\(seed), \(text ?? "crashes only")"
        result.cases += 1
        do {
            var inner = CampaignResult(suite: "", seed: 0)
            let tour = try Tour(start, fault: fault)
            tour.crashes = true
            _ = try tour.run(&inner)
            inner.failures = inner.failures.map { "\(note): \($0)" }
            result.merge(inner)
        } catch {
            result.fail("\(note): \(error)")
        }
    }
}
