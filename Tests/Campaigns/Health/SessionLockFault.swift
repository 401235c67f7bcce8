// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import KymographHealth
import TestSupport

/// Lets the disk refuse the lock of a workout session when it begins.
///
/// The session must end without a workout, and the next one must be saved. A random fault seldom meets this call, so
/// that each campaign makes it once.
enum SessionLockFault {
    static func check(_ result: inout CampaignResult) throws {
        let disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        let life = try HealthLife(disk)
        try life.open()
        let door = try life.opened()
        disk.inject(DiskFault([.lock], pathSuffix: "/LOCK", forever: true))
        let (refused, kept) = try HealthLife.awaited {
            let refused = try await ended(door)
            disk.clearFaults()
            return (refused, try await saved(door))
        }
        if !refused { result.fail("a session without its lock did not end") }
        if !kept { result.fail("no workout was saved after a session without its lock") }
        let left = try door.store().storedSessions()
        if !left.isEmpty { result.fail("\(left.count) sessions are stored after a session without its lock") }
        result.count("session locks failed")
    }

    private static func session(_ door: HKHealthStore) throws -> HKWorkoutSession {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let session = try HKWorkoutSession(healthStore: door, configuration: configuration)
        session.startActivity(with: HealthScript.date(0))
        return session
    }

    /// Starts a session whose lock fails. Returns whether it ends by itself.
    private static func ended(_ door: HKHealthStore) async throws -> Bool {
        let session = try session(door)
        for _ in 0..<5_000 where session.state != .ended { try await Task.sleep(for: .milliseconds(2)) }
        return session.state == .ended
    }

    /// Saves a workout by a session. Returns whether it is saved.
    private static func saved(_ door: HKHealthStore) async throws -> Bool {
        let session = try session(door)
        let builder = session.associatedWorkoutBuilder()
        try await builder.beginCollection(at: HealthScript.date(0))
        session.end()
        return try await builder.finishWorkout() != nil
    }
}
