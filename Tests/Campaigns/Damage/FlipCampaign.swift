// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport

/// Flips one bit of each byte of every file of two small stores, one with commits in the log and one without. It is the
/// exhaustive form of `corruption`. Each bit is flipped before an opening and again during a writer. With more cases
/// than bytes the next bits follow.
package enum FlipCampaign: Campaign {
    package static let name = "flips"
    package static let summary = "a flipped bit in each byte of every file of a small store"

    /// A byte of a file of a store.
    private struct Place {
        let reference: ReferenceStore
        let path: String
        let byte: Int
    }

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        let stores = try [true, false].map { try ReferenceStore(seed: plan.seed, isHot: $0, isSmall: true) }
        let places = stores.flatMap { store in
            store.files.keys.filter { !$0.hasSuffix("-shm") && !store.retired.contains($0) }.sorted().flatMap { path in
                // All zeros of the ballast are equivalent.
                let bytes = store.files[path]?.indices.prefix(path.hasSuffix("ballast") ? 64 : .max)
                return (bytes ?? 0..<0).map { Place(reference: store, path: path, byte: $0) }
            }
        }
        let wanted = min(plan.cases, 8 * places.count)
        // If there are fewer cases than bytes, they are spread over all bytes.
        let step = max(1, Double(places.count) / Double(max(1, wanted)))
        let found = plan.sideBySide(wanted, until: clock) { number, _, mine in
            let at = Int(Double(number) * step)
            run(places[at % places.count], bit: (at % places.count + at / places.count) % 8, &mine)
        }
        result.merge(found)
        result.count("bytes of the stores", places.count)
        result.seconds = clock.elapsed
        return result
    }

    private static func run(_ place: Place, bit: Int, _ result: inout CampaignResult) {
        result.cases += 1
        let mutation = StoreMutation(place.reference, bit: bit, of: place.byte, in: place.path)
        let note =
            "store \(place.reference.seed), \(place.reference.isHot ? "hot" : "closed"), \(place.path) \(mutation.what)"
        do {
            var check = try CorruptionCheck(place.reference, mutation, note)
            try check.run()
            result.merge(check.result)
            var live = try LiveFlip(place.reference, place.path, place.byte, note)
            try live.run(bit: bit)
            result.merge(live.result)
        } catch {
            result.fail("\(note): \(error)")
        }
    }
}
