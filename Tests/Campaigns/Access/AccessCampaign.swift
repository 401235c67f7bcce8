// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import TestSupport

/// Runs random histories of decisions, saves, deletions and queries of a client with limits. A history compares what
/// the client sees with a naive model, or with a twin: a store to which the hidden objects were never saved.
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
                let found = try HealthLife.awaited { try await history(number, seed, twins) }
                if let fault = found.fault { mine.fail("history \(seed): \(fault)") }
                mine.count("questions", found.questions)
                mine.count("answers", found.answers)
                mine.count("calls of observers", found.calls)
            } catch {
                mine.fail("history \(seed): \(error)")
            }
        }
        result.merge(found)
        result.seconds = clock.elapsed
        return result
    }

    /// Runs a history: most are compared with a twin, some with a naive model, and a few count the calls of observers.
    private static func history(_ number: Int, _ seed: UInt64, _ twins: AccessTwins) async throws -> AccessResult {
        switch number % 16 {
        case 0, 8: AccessResult(fault: try await model(seed))
        case 1: try await twins.observe(seed)
        default: try await twins.compare(seed)
        }
    }

    /// Returns a description of the first difference between a history and its naive model; nil if there is none.
    private static func model(_ seed: UInt64) async throws -> String? {
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
