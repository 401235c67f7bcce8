// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import TestSupport

/// Runs random histories of decisions, saves, deletions and queries of a client with limits. A history compares what the
/// client sees with a naive model, or with a twin: a store to which the hidden objects were never saved.
package enum AccessCampaign: Campaign {
    package static let name = "access"
    package static let summary = "what a program without permissions sees, compared with a store without hidden objects"

    /// The number of operations of a history.
    private static let operations = 60

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        let clock = CampaignClock(plan)
        let twins = try AccessTwins(in: plan.work)
        defer { twins.remove() }
        let found = plan.sideBySide(plan.cases, until: clock) { number, _, mine in
            let seed = plan.seed &+ UInt64(number)
            mine.cases += 1
            do {
                let fault = try HealthLife.awaited {
                    number % 8 == 0 ? try await history(seed) : try await twins.fault(seed)
                }
                mine.count(number % 8 == 0 ? "compared with a model" : "compared with a twin")
                if let fault { mine.fail("history \(seed): \(fault)") }
            } catch {
                mine.fail("history \(seed): \(error)")
            }
        }
        result.merge(found)
        result.seconds = clock.elapsed
        return result
    }

    /// Returns a description of the first difference of a history; nil if there is none.
    private static func history(_ seed: UInt64) async throws -> String? {
        let simulated = try SimulatedStore(MemoryDisk())
        let store = try HealthStore.openOrCreate(at: SimulatedStore.path, mode: .shared, options: simulated.options)
        defer { store.close() }
        var history = try AccessHistory(store, seed: seed)
        for number in 0..<operations {
            if let fault = try await history.step() { return "operation \(number): \(fault)" }
        }
        return nil
    }
}
