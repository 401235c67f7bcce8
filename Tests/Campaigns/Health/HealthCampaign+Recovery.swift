// SPDX-License-Identifier: Apache-2.0

import KymographHealth

extension HealthCampaign {
    /// Recovers the session that a crash interrupted, if any. Discards its workout, or continues and saves it.
    static func recover(
        _ life: HealthLife, _ lines: [String], _ operation: HealthOperation, isContinued: Bool,
        _ result: inout CampaignResult
    ) throws {
        let door = try life.opened()
        let isFound = try HealthLife.awaited {
            if isContinued { return try await HealthWorkout.finishUnfinished(door) }
            return try await HealthWorkout.discardUnfinished(door)
        }
        guard isFound else { return }
        result.count(isContinued ? "sessions continued" : "sessions discarded")
        let after = try life.lines()
        let left = try door.store().storedSessions()
        if !left.isEmpty { result.fail("\(left.count) sessions are stored after the last one is over") }
        guard isContinued, case .workout(let workout) = operation else {
            if after != lines { result.fail("after the recovery of a session: \(difference(after, lines))") }
            return
        }
        // The saved workout has the parts of its first calls. It may replace an older version, or be the older one.
        let new = Set(after).subtracting(lines)
        let gone = Set(lines).subtracting(after).filter { !$0.hasPrefix("efforts of") }
        let allowed = workout.linesOfParts
        let efforts = new.filter { $0.hasPrefix("efforts of") }
        if !new.subtracting(efforts).isSubset(of: allowed) || new.count - efforts.count > 1 || gone.count > 1 {
            result.fail("after a continued session: \(difference(after, lines))")
        }
    }
}
