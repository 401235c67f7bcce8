// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-112 sessions whose process is gone are visible to other programs")
struct StoredSessionTests {
    @Test("a session has an owner until its process is gone, and again after its recovery")
    func owners() async throws {
        let door = try TestDoor()
        let store = try door.health.store()
        #expect(try store.storedSessions().isEmpty)
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .yoga
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration)
        session.startActivity(with: clock)
        try await session.associatedWorkoutBuilder().beginCollection(at: clock)
        await session.settle()
        let client = door.health.revision.source.bundleIdentifier
        let expected = StoredWorkoutSession(id: session.core.id, client: client, isOwned: true)
        #expect(try store.storedSessions() == [expected])
        // The lock of a process that is gone is released.
        session.core.noteOver()
        ActiveSessions.remove(session.core.id)
        #expect(try store.storedSessions().map(\.isOwned) == [false])
        let recovered = try #require(try await door.health.recoverActiveWorkoutSession())
        #expect(try store.storedSessions().map(\.isOwned) == [true])
        recovered.end()
        let builder = recovered.associatedWorkoutBuilder()
        #expect(try await builder.finishWorkout() != nil)
        #expect(try store.storedSessions().isEmpty)
    }
}
