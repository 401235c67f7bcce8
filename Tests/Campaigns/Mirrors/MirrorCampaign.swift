// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport

/// Mirrors workout sessions to another process, which pauses, resumes and ends them, and is killed in between.
package enum MirrorCampaign: Campaign {
    package static let name = "mirrors"
    package static let summary = "workout sessions that are mirrored to a program, and SIGKILL of that program"

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        let clock = CampaignClock(plan)
        var result = CampaignResult(suite: name, seed: plan.seed)
        let found = plan.sideBySide(plan.cases, until: clock) { number, _, mine in
            let seed = plan.seed &+ UInt64(number)
            let path = "\(plan.work)/mirrors-\(number)"
            mine.cases += 1
            do {
                let program = plan.program
                let counts = try HealthLife.awaited {
                    var session = try MirroredSession(path, seed: seed, program: program)
                    return try await session.run()
                }
                for (name, count) in counts { mine.count(name, count) }
            } catch {
                mine.fail("session of seed \(seed): \(error)")
            }
            LeakWatch.removeTree(path)
        }
        result.merge(found)
        result.seconds = clock.elapsed
        return result
    }
}
