// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-84 S-93 S-107 data of sensors that waits for a busy store is not lost")
struct WaitingDeliveryTests {
    private struct Recording {
        let session: HKWorkoutSession
        let builder: HKLiveWorkoutBuilder
        let source: ScriptedSource
        let recorder: SessionRecorder

        func rates(_ seconds: Double...) {
            source.deliver(seconds.map { quantity(.heartRate, 100, "count/min", at: $0) })
        }

        /// The starts of the heart rates of a workout, in seconds.
        func rates(of workout: HKWorkout, _ door: TestDoor) throws -> [Double] {
            try door.all(heartRate, .members(of: workout.uuid)).map { $0.startDate.timeIntervalSince(clock) }.sorted()
        }

        /// The times of the locations of the only route, in seconds.
        func places(_ door: TestDoor) async throws -> [Double] {
            let routes = try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: door.health)
            #expect(routes.count == 1)
            var found: [Double] = []
            for try await one in HKWorkoutRouteQueryDescriptor(try #require(routes.first)).results(for: door.health) {
                found.append(one.timestamp.timeIntervalSince(clock))
            }
            return found
        }
    }

    /// Starts a run at second 0.
    private func recording(_ door: TestDoor) async throws -> Recording {
        let source = ScriptedSource([.heartRate])
        try door.health.attach(source)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configured(.running, .outdoor))
        let (builder, recorder) = (session.associatedWorkoutBuilder(), SessionRecorder())
        (session.delegate, builder.delegate) = (recorder, recorder)
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configured(.running, .outdoor))
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        await session.settle()
        return Recording(session: session, builder: builder, source: source, recorder: recorder)
    }

    private func lap(_ start: Double, _ length: Double) -> HKWorkoutEvent {
        HKWorkoutEvent(
            type: .lap, dateInterval: DateInterval(start: clock.addingTimeInterval(start), duration: length),
            metadata: nil)
    }

    @Test("samples, locations and events that wait are stored when the workout is finished", arguments: [false, true])
    func finish(endsCollection: Bool) async throws {
        let door = try TestDoor.impatient()
        let live = try await recording(door)
        live.rates(1)
        let lock = try door.makeBusy()
        live.rates(2, 3)
        live.source.deliver([place(at: 2), place(at: 3)])
        live.source.deliver(lap(1, 2))
        #expect(live.builder.draft.withLock { $0.members.count } == 1 && live.builder.workoutEvents.isEmpty)
        await live.session.settle()
        #expect(!live.recorder.calls.contains { $0.contains("event") })
        lock.release()
        live.source.set(10)
        live.session.end()
        await live.session.settle()
        if endsCollection { try await live.builder.endCollection(at: clock.addingTimeInterval(10)) }
        let workout = try #require(try await live.builder.finishWorkout())
        await live.session.settle()
        #expect(try live.rates(of: workout, door) == [1, 2, 3])
        #expect(try await live.places(door) == [2, 3])
        #expect(workout.workoutEvents?.map(\.type) == [.lap])
        #expect(live.recorder.calls.filter { $0.hasPrefix("event") } == ["event \(HKWorkoutEventType.lap) at 1.0"])
        #expect(live.recorder.calls.filter { $0 == "builder event" }.count == 1)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("a later delivery stores the waiting deliveries first, in order")
    func laterDelivery() async throws {
        let door = try TestDoor.impatient()
        let live = try await recording(door)
        let lock = try door.makeBusy()
        live.rates(1)
        live.source.deliver(lap(0, 1))
        live.source.deliver(lap(1, 1))
        lock.release()
        live.rates(2)
        #expect(live.builder.workoutEvents.map { $0.start.timeIntervalSince(clock) } == [0, 1])
        #expect(live.builder.statistics(for: heartRate)?.mostRecentQuantityDateInterval()?.start == at(2))
        live.source.set(5)
        live.session.end()
        let workout = try #require(try await live.builder.finishWorkout())
        #expect(try live.rates(of: workout, door) == [1, 2])
    }

    @Test("what waited over a pause and over the end belongs to the workout by its date")
    func overPauseAndEnd() async throws {
        let door = try TestDoor.impatient()
        let live = try await recording(door)
        var lock = try door.makeBusy()
        live.rates(5, 12)
        live.source.deliver([place(at: 5), place(at: 12)])
        live.source.set(10)
        live.session.pause()
        lock.release()
        await live.session.settle()
        #expect(live.session.state == .paused)
        live.source.set(20)
        live.session.resume()
        await live.session.settle()
        lock = try door.makeBusy()
        live.rates(25, 35)
        live.source.deliver([place(at: 25), place(at: 35)])
        live.source.deliver(lap(21, 4))
        live.source.deliver(lap(25, 10))
        live.source.set(30)
        live.session.stopActivity(with: clock.addingTimeInterval(30))
        lock.release()
        await live.session.settle()
        try await live.builder.endCollection(at: clock.addingTimeInterval(30))
        let workout = try #require(try await live.builder.finishWorkout())
        live.session.end()
        #expect(try live.rates(of: workout, door) == [5, 25])
        #expect(try await live.places(door) == [5, 25])
        #expect(workout.workoutEvents?.map(\.type) == [.pause, .resume, .lap] && workout.duration == 20)
    }

    @Test("a workout is not finished while deliveries wait, and is finished later without loss")
    func finishWhileBusy() async throws {
        let door = try TestDoor.impatient()
        let live = try await recording(door)
        live.source.set(10)
        live.session.end()
        await live.session.settle()
        let lock = try door.makeBusy()
        live.rates(1)
        #expect(await code { try await live.builder.finishWorkout() } == .errorDatabaseInaccessible)
        lock.release()
        let workout = try #require(try await live.builder.finishWorkout())
        #expect(try live.rates(of: workout, door) == [1])
    }

    @Test("an invalid sample or location does not drop the rest of its delivery")
    func invalid() async throws {
        let door = try TestDoor()
        let live = try await recording(door)
        live.source.deliver([
            quantity(.heartRate, 100, "count/min", at: 1), quantity(.heartRate, .nan, "count/min", at: 2),
            quantity(.heartRate, 100, "kg", at: 3), quantity(.heartRate, 100, "count/min", at: 4),
        ])
        live.source.deliver([place(at: 1), place(at: 2, altitude: .nan), place(at: 3)])
        live.source.set(10)
        live.session.end()
        let workout = try #require(try await live.builder.finishWorkout())
        #expect(try live.rates(of: workout, door) == [1, 4])
        #expect(try await live.places(door) == [1, 3])
    }
}
