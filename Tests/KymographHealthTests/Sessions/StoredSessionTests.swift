// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import Kymograph
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

    @Test("a disk that refuses the lock of a session fails its recovery, which succeeds later")
    func refusedLock() async throws {
        let disk = try FaultyDisk()
        let databases = try DiskDatabases(disk)
        let name = databases.name + "-checked"
        try CatalogVFS.register(name, over: databases.name)
        defer { CatalogVFS.unregister(name) }
        var options = StoreOptions()
        (options.disk, options.catalogVFS) = (disk, name)
        let store = try HealthStore.openOrCreate(at: "/store", mode: .shared, options: options)
        defer { store.close() }
        let health = HKHealthStore(store)
        let session = try HKWorkoutSession(healthStore: health, configuration: configured(.yoga))
        session.startActivity(with: clock)
        try await session.associatedWorkoutBuilder().beginCollection(at: clock)
        #expect(try store.storedSessions().map(\.isOwned) == [true])
        session.core.noteOver()
        ActiveSessions.remove(session.core.id)
        disk.inject(DiskFault([.lock], pathSuffix: "/LOCK"))
        await #expect(throws: HKError.self) { try await health.recoverActiveWorkoutSession() }
        disk.clearFaults()
        let recovered = try #require(try await health.recoverActiveWorkoutSession())
        recovered.end()
        #expect(try await recovered.associatedWorkoutBuilder().finishWorkout() != nil)
    }
}
