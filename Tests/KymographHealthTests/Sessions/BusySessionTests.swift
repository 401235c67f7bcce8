// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import FileSystem
import Foundation
import Kymograph
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-80 S-94 S-112 a workout session beside another writer and beside concurrent calls")
struct BusySessionTests {
    /// Returns a session that runs and collects from second 0.
    private func running(_ door: TestDoor, _ recorder: SessionRecorder) async throws -> HKWorkoutSession {
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configured(.running))
        session.delegate = recorder
        session.startActivity(with: clock)
        try await session.associatedWorkoutBuilder().beginCollection(at: clock)
        await session.settle()
        return session
    }

    @Test("a session whose first calls are concurrent has one row")
    func oneRow() async throws {
        let door = try TestDoor()
        let store = try door.health.store()
        for round in 0..<20 {
            let session = try HKWorkoutSession(healthStore: door.health, configuration: configured(.running))
            let builder = session.associatedWorkoutBuilder()
            let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for second in 0..<4 { group.addTask { try await route.insertRouteData([place(at: Double(second))]) } }
                group.addTask { try await route.addMetadata(["round": round]) }
                group.addTask { try await builder.beginCollection(at: clock) }
                group.addTask { session.prepare() }
                group.addTask { try await builder.addMetadata(["round": round]) }
                try await group.waitForAll()
            }
            session.startActivity(with: clock)
            await session.settle()
            #expect(try store.storedSessions().map(\.id) == [session.core.id])
            door.crash(session)
            let recovered = try #require(try await door.health.recoverActiveWorkoutSession())
            let again = recovered.associatedWorkoutBuilder()
            let stored = try #require(again.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
            #expect(recovered.state == .running && again.startDate == clock && stored.count == 4)
            #expect(again.metadata["round"] as? Int == round)
            recovered.end()
            await recovered.settle()
            again.discardWorkout()
            #expect(try store.storedSessions().isEmpty)
        }
        #expect(try store.verify().isSound)
    }

    @Test("a call is repeated while another process writes, and takes effect afterwards")
    func retries() async throws {
        let door = try TestDoor.impatient()
        let recorder = SessionRecorder()
        let session = try await running(door, recorder)
        let lock = try door.makeBusy()
        session.pause()
        session.resume()
        // Each save fails after a wait, so that the session's calls have failed at least once.
        for _ in 0..<3 {
            let code = await code { try await door.health.save(quantity(.heartRate, 100, "count/min", at: 1)) }
            #expect(code == .errorDatabaseInaccessible)
        }
        #expect(session.state == .running && recorder.calls.count == 1)
        lock.release()
        await session.settle()
        #expect(session.state == .running && !recorder.calls.contains { $0.hasPrefix("failed") })
        #expect(recorder.calls.filter { $0.hasPrefix("event") }.count == 2)
        session.end()
        #expect(try await session.associatedWorkoutBuilder().finishWorkout()?.workoutEvents?.count == 2)
    }

    @Test("a call that another process prevents for too long ends the session, and its workout can be saved")
    func impatience() async throws {
        let door = try TestDoor.impatient()
        let recorder = SessionRecorder()
        let session = try await running(door, recorder)
        session.core.set(patience: .zero)
        let lock = try door.makeBusy()
        session.pause()
        await session.settle()
        #expect(session.state == .ended)
        #expect(recorder.calls.dropFirst().first == "failed \(HKError.Code.errorDatabaseInaccessible.rawValue)")
        lock.release()
        #expect(try await session.associatedWorkoutBuilder().finishWorkout() != nil)
        #expect(try door.health.store().storedSessions().isEmpty)
    }

    @Test("a workout that is discarded while it is being saved is saved, and its further work runs")
    func discardDuringSave() async throws {
        var options = StoreOptions()
        (options.writerWait, options.writerIdle) = (.seconds(60), .milliseconds(1))
        let door = try TestDoor(options)
        let session = try await running(door, SessionRecorder())
        let builder = session.associatedWorkoutBuilder()
        let hasRun = Mutex(false)
        builder.whenSaved { hasRun.withLock { $0 = true } }
        session.end()
        try await builder.endCollection(at: clock.addingTimeInterval(60))
        await session.settle()
        let lock = try door.makeBusy()
        async let saved = builder.finishWorkout()
        while builder.draft.withLock({ $0.phase }) == .ended { try await Task.sleep(for: .milliseconds(1)) }
        builder.discardWorkout()
        lock.release()
        #expect(try await saved != nil)
        #expect(builder.draft.withLock { $0.phase } == .finished && hasRun.withLock { $0 })
        #expect(try await door.workouts().count == 1)
        #expect(try door.health.store().storedSessions().isEmpty)
    }

    @Test("a workout that is discarded while another process writes stays discarded", arguments: [false, true])
    func discarded(isEnded: Bool) async throws {
        let door = try TestDoor.impatient()
        let session = try await running(door, SessionRecorder())
        if isEnded {
            session.end()
            await session.settle()
        }
        let lock = try door.makeBusy()
        session.associatedWorkoutBuilder().discardWorkout()
        lock.release()
        await session.settle()
        if !isEnded { door.crash(session) }
        let recovered = try await door.health.recoverActiveWorkoutSession()
        #expect((recovered == nil) == isEnded)
        guard let recovered else { return }
        let code = await code { try await recovered.associatedWorkoutBuilder().endCollection(at: clock) }
        #expect(code == .errorInvalidArgument)
        recovered.end()
        await recovered.settle()
        #expect(try door.health.store().storedSessions().isEmpty)
    }
}
