// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// Damages one file of a store in one way, many times. Every answer of the store must be right, every error must name
/// its place, all damage must be found, and a repair must keep intact data and list the losses.
package enum CorruptionCampaign: Campaign {
    package static let name = "corruption"
    package static let summary =
        "flipped bits, wiped, swapped, truncated, old and missing files of every kind, links, pipes, and the repair"

    /// The number of cases on one reference store.
    private static let casesOfOne = 512
    /// One case in this many replaces a file by something that is not a regular file.
    private static let oddEvery = 8

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        var seed = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            // Without segments all data is in the catalog.
            let hasSegments = seed % 3 != 0
            let reference = try ReferenceStore(seed: seed, hasSegments: hasSegments)
            result.count("stores with a hot log", reference.isHot ? 1 : 0)
            result.count("stores without segments", hasSegments ? 0 : 1)
            result.count("bytes of stores", reference.files.values.reduce(0) { $0 + $1.count })
            let wanted = min(casesOfOne, plan.cases - result.cases)
            let found = plan.sideBySide(wanted, until: clock) { number, _, mine in
                run(reference, number, plan.work, &mine)
            }
            result.merge(found)
            result.count("stores")
            seed &+= 1
        }
        result.seconds = clock.elapsed
        return result
    }

    private static func run(
        _ reference: ReferenceStore, _ number: Int, _ work: String, _ result: inout CampaignResult
    ) {
        var random = SeededGenerator(seed: reference.seed &* 0x9E37_79B9 &+ UInt64(number))
        if number % oddEvery == oddEvery - 1 {
            let kinds = Dictionary(grouping: reference.files.keys.filter { !$0.hasSuffix("-shm") }) {
                StoreMutation.FileKind($0).rawValue
            }
            let paths = (kinds[random.pick(kinds.keys.sorted())] ?? []).filter { !reference.retired.contains($0) }
            guard !paths.isEmpty else { return }
            let shapes = OddFileCase.Shape.allCases
            return OddFileCase(
                reference: reference, path: random.pick(paths.sorted()),
                shape: shapes[number / oddEvery % shapes.count],
                place: "\(work)/odd-\(reference.seed)-\(number)"
            ).run(&result)
        }
        var mutation: StoreMutation?
        while mutation == nil { mutation = StoreMutation(reference, &random) }
        guard let mutation else { return }
        result.cases += 1
        let note = "store \(reference.seed), case \(number), \(mutation.path) \(mutation.what)"
        do {
            var check = try CorruptionCheck(reference, mutation, note)
            try check.run()
            result.merge(check.result)
        } catch {
            result.fail("\(note): \(error)")
        }
    }
}
