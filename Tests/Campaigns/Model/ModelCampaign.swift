// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// Runs random sequences of all operations of the engine and compares with a model that recomputes every answer from
/// arrays. A failing sequence is shortened.
package enum ModelCampaign: Campaign {
    package static let name = "model"
    package static let summary = "random sequences of all operations, compared with a model of arrays; a case is a seed"

    /// The number of operations from which the frequency of features is checked.
    private static let manyOperations = 20_000

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let found = plan.sideBySide(plan.cases, until: clock) { index, _, mine in
            mine.merge(runSeed(plan.seed &+ UInt64(index)))
        }
        result.merge(found)
        let operations = result.counts["operations"] ?? 0
        for feature in ModelOperation.allFeatures where operations >= manyOperations {
            let share = 100 * Double(result.counts["feature: \(feature)"] ?? 0) / Double(operations)
            if share < 1 { result.fail("only \(share) % of operations have the feature \"\(feature)\"") }
        }
        result.seconds = clock.elapsed
        return result
    }

    private static func runSeed(_ seed: UInt64) -> CampaignResult {
        var result = CampaignResult(suite: name, seed: seed)
        result.cases = 1
        var generator = ModelGenerator(seed: seed)
        let operations = generator.operations()
        result.count("operations", operations.count)
        for feature in operations.flatMap(\.features) { result.count("feature: \(feature)") }
        guard let fault = ModelLife.fault(operations, &result) else { return result }
        var ignored = CampaignResult(suite: name, seed: seed)
        let fewest = Shrinker.shrink(operations, attempts: 600) { ModelLife.fault($0, &ignored) != nil }
        let last = ModelLife.fault(fewest, &ignored) ?? "the failure does not repeat"
        let lines = fewest.map { "\n    \($0.text)" }.joined()
        result.fail("seed \(seed): \(fault)\n  the shortest failing sequence (\(last)):\(lines)")
        return result
    }
}

/// Shortens a failing list.
package enum Shrinker {
    /// Removes ever smaller pieces of a list while the rest still fails.
    package static func shrink<T>(_ list: [T], attempts: Int, fails: ([T]) -> Bool) -> [T] {
        var list = list
        var left = attempts
        var size = max(1, list.count / 2)
        while left > 0 {
            var hasDropped = false
            var at = 0
            while at < list.count, left > 0 {
                var shorter = list
                shorter.removeSubrange(at..<min(list.count, at + size))
                left -= 1
                if fails(shorter) {
                    list = shorter
                    hasDropped = true
                } else {
                    at += size
                }
            }
            if size == 1, !hasDropped { break }
            size = max(1, size / 2)
        }
        return list
    }
}
