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

    /// A walk, and the place that it attacks: the same for walks that attack calls of the same chain of callers in the
    /// same manner.
    private struct Attack: Sendable {
        let walk: Walk
        let place: [Int]
    }

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            let start = try TourStart(seed: seed)
            var random = SeededGenerator(seed: seed)
            let attacks = try rareWalks(start, &random, &result) + backupWalks(seed, &random, &result)
            let walks = chosen(attacks, plan.cases - result.cases, &result)
            let found = plan.sideBySide(walks.count, until: clock) { number, _, mine in
                switch walks[number] {
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

    /// Returns the walks of a tour: the first of each place, and then others, spread over the tour.
    private static func chosen(_ attacks: [Attack], _ most: Int, _ result: inout CampaignResult) -> [Walk] {
        var known = Set<[Int]>()
        var first = [Walk]()
        var others = [Walk]()
        for attack in attacks {
            if known.insert(attack.place).inserted { first.append(attack.walk) } else { others.append(attack.walk) }
        }
        result.count("walks", attacks.count)
        result.count("places", first.count)
        return spread(first, most) + spread(others, most - first.count)
    }

    private static func spread(_ walks: [Walk], _ most: Int) -> [Walk] {
        let count = min(walks.count, max(most, 0))
        return (0..<count).map { walks[$0 * walks.count / count] }
    }

    private static func rareWalks(
        _ start: TourStart, _ random: inout SeededGenerator, _ result: inout CampaignResult
    ) throws -> [Attack] {
        let tour = try Tour(start, fault: nil)
        let calls = try tour.run(&result)
        result.count("calls of a tour", calls.count)
        let faults = calls.enumerated().map { index, call in
            let (forever, isFull) = (random.chance(0.2), random.chance(0.3))
            // A call that fails for lack of space has not been done completely.
            let most: DiskFault.Effect = isFull ? .part : .everything
            let fault = DiskFault(
                Set(DiskCallKind.allCases), nth: index + 1, forever: forever,
                errno: isFull ? DiskError.noSpace : DiskError.inputOutput, effect: random.chance(0.3) ? most : .nothing)
            return Attack(walk: .rare(fault), place: [0, call.way])
        }
        // Disks that are full from each change on: calls that free space fail too.
        let full = calls.filter(\.kind.isMutation).enumerated().map { index, call in
            let fault = DiskFault(
                DiskCallKind.mutations, nth: index + 1, forever: true, errno: DiskError.noSpace, effect: .nothing)
            return Attack(walk: .rare(fault), place: [1, call.way])
        }
        // Disks that fail all reads from a point of the repairs on, first file by file, then piece by piece.
        let unread = tour.repairing.filter { calls[$0].kind == .read }.map { index in
            let fault = DiskFault(
                Set(DiskCallKind.allCases), nth: index + 1, forever: true, errno: DiskError.inputOutput)
            return Attack(walk: .rare(fault), place: [2, calls[index].way])
        }
        return [Attack(walk: .rare(nil), place: [])] + faults + full + unread
    }

    /// Returns the walks of each way of backups: a crash before each change, and a failure of each call, once and
    /// always.
    private static func backupWalks(
        _ seed: UInt64, _ random: inout SeededGenerator, _ result: inout CampaignResult
    ) throws -> [Attack] {
        var attacks: [Attack] = []
        for (number, scene) in try BackupScene.all(seed: seed).enumerated() {
            let calls = try BackupWalk(scene, .nothing, seed: seed).run(&result)
            result.count("calls of backups", calls.count)
            var changes = 0
            for (index, call) in calls.enumerated() {
                if call.kind.isMutation {
                    changes += 1
                    attacks.append(
                        Attack(walk: .backup(scene, .crash(changes)), place: [3, call.way]))
                }
                for forever in [false, true] {
                    let effect: DiskFault.Effect = random.pick([.nothing, .nothing, .part, .everything])
                    var fault = DiskFault(
                        Set(DiskCallKind.allCases), nth: index + 1, forever: forever, effect: effect)
                    // Only changing calls report a full disk.
                    if call.kind.isMutation, random.chance(0.4) {
                        fault = DiskFault(
                            DiskCallKind.mutations, nth: changes, forever: forever, errno: DiskError.noSpace,
                            effect: effect)
                    }
                    attacks.append(
                        Attack(
                            walk: .backup(scene, .fault(fault)), place: [forever ? 4 : 5, call.way]))
                }
            }
        }
        return attacks
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
