// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-80 S-96 workout zones of live workouts: notifications and recovery")
struct LiveZoneTests {
    /// Records the updates of zones.
    private final class ZoneRecorder: NSObject, HKLiveWorkoutBuilderDelegate, Sendable {
        private let state = Mutex<[HKLiveWorkoutZoneUpdate]>([])
        var updates: [HKLiveWorkoutZoneUpdate] { state.withLock { $0 } }

        func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf types: Set<HKSampleType>) {}
        func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) {}
        func workoutBuilder(
            _ workoutBuilder: HKLiveWorkoutBuilder, didUpdateWorkoutZone workoutZoneUpdate: HKLiveWorkoutZoneUpdate
        ) { state.withLock { $0.append(workoutZoneUpdate) } }
    }

    private func session(_ door: TestDoor) async throws -> (HKWorkoutSession, HKLiveWorkoutBuilder) {
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configured(.running))
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configured(.running))
        try await builder.setCustomZoneConfiguration(try rateZones(), for: heartRate)
        return (session, builder)
    }

    private func deliver(_ source: ScriptedSource, _ value: Double, at second: Double) {
        source.set(second)
        source.deliver([quantity(.heartRate, value, "count/min", at: second)])
    }

    @Test("the delegate is called when the zone changes, and only then")
    func updates() async throws {
        let door = try TestDoor()
        let source = ScriptedSource([.heartRate])
        try door.health.attach(source)
        let (session, builder) = try await session(door)
        let recorder = ZoneRecorder()
        builder.delegate = recorder
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        await session.settle()
        for (second, value) in [90.0, 95, 99, 100, 119, 165, 165, 99].enumerated() {
            deliver(source, value, at: Double(second))
        }
        await session.settle()
        let updates = recorder.updates
        #expect(updates.map { $0.currentZoneDuration?.zone.index } == [0, 1, 4, 0])
        #expect(updates.map { $0.previousZoneDuration?.zone.index } == [nil, 0, 1, 4])
        #expect(updates.map { $0.previousZoneDuration?.duration } == [nil, 3, 2, 2])
        #expect(updates.map { $0.currentZoneDuration?.duration } == [0, 0, 0, 3])
        #expect(updates.map { $0.lastSampleProcessedDate } == [at(0), at(3), at(5), at(7)])
        #expect(updates.last?.zoneGroup?.seconds == [3, 2, 0, 0, 2])
        // A sample of an earlier time changes the times, but not the zone.
        try await builder.addSamples([pulse(130, 6.5)])
        await session.settle()
        #expect(recorder.updates.count == 4)
        #expect(builder.zoneGroup(for: heartRate)?.seconds == [3, 2, 0.5, 0, 1.5])
        // The zone of a sample after stale times.
        try await builder.addSamples([pulse(130, 6.75)])
        deliver(source, 150, at: 8)
        await session.settle()
        #expect(recorder.updates.last?.zoneGroup?.seconds == [4, 2, 0.5, 0, 1.5])
        #expect(recorder.updates.count == 5)
        session.end()
        await session.settle()
        builder.discardWorkout()
    }

    @Test("a recovered builder has its zones and the time in them exactly")
    func recovery() async throws {
        let door = try TestDoor()
        let source = ScriptedSource([.heartRate])
        try door.health.attach(source)
        var kept: HKWorkoutZoneGroup?
        do {
            let (session, builder) = try await session(door)
            let core = session.core
            // A crash before the collection.
            core.noteOver()
            ActiveSessions.remove(core.id)
            _ = builder
        }
        do {
            let session = try #require(try await door.health.recoverActiveWorkoutSession())
            let builder = session.associatedWorkoutBuilder()
            #expect(try await builder.zoneConfiguration(for: heartRate) == rateZones())
            builder.dataSource = HKLiveWorkoutDataSource(
                healthStore: door.health, workoutConfiguration: configured(.running))
            session.startActivity(with: clock)
            try await builder.beginCollection(at: clock)
            await session.settle()
            for second in 0..<40 { deliver(source, Double(90 + second * 2), at: Double(second) + 0.125) }
            source.set(40)
            session.pause()
            await session.settle()
            source.set(50)
            session.resume()
            await session.settle()
            try await builder.addSamples([pulse(199, 20.5), pulse(100, 51)])
            kept = builder.zoneGroup(for: heartRate)
            #expect(kept?.seconds.reduce(0, +) == 40 - 0.125)
            session.core.noteOver()
            ActiveSessions.remove(session.core.id)
        }
        // Zones that a person chooses meanwhile do not matter.
        try await door.health.setPreferredWorkoutZoneConfiguration(try rateZones([1, 2]), for: heartRate)
        try await door.health.setPreferredWorkoutZoneConfiguration(try powerZones(), for: cyclingPower)
        let session = try #require(try await door.health.recoverActiveWorkoutSession())
        let builder = session.associatedWorkoutBuilder()
        #expect(builder.zoneGroup(for: heartRate) == kept && kept != nil)
        #expect(try await builder.zoneConfiguration(for: heartRate) == rateZones())
        #expect(try await builder.zoneConfiguration(for: cyclingPower) == nil)
        let late = await code { try await builder.setCustomZoneConfiguration(nil, for: heartRate) }
        #expect(late == .errorInvalidArgument)
        try await builder.addSamples([pulse(90, 55)])
        source.set(60)
        session.end()
        let workout = try #require(try await builder.finishWorkout())
        var wanted = kept?.seconds ?? []
        wanted[0] += 5
        wanted[1] += 4
        #expect(workout.zoneGroup(for: heartRate)?.seconds == wanted)
        #expect(try await door.stored(workout).zoneGroupsByType == workout.zoneGroupsByType)
    }

    @Test("the person's zones are kept from the first sample on, also after a crash")
    func preferred() async throws {
        let door = try TestDoor()
        try await door.health.setPreferredWorkoutZoneConfiguration(try rateZones(), for: heartRate)
        let first = try HKWorkoutSession(healthStore: door.health, configuration: configured(.running))
        let started = first.associatedWorkoutBuilder()
        first.startActivity(with: clock)
        try await started.beginCollection(at: clock)
        try await started.addSamples([pulse(130, 1), pulse(90, 3)])
        await first.settle()
        first.core.noteOver()
        ActiveSessions.remove(first.core.id)
        try await door.health.setPreferredWorkoutZoneConfiguration(nil, for: heartRate)
        let session = try #require(try await door.health.recoverActiveWorkoutSession())
        let builder = session.associatedWorkoutBuilder()
        #expect(try await builder.zoneConfiguration(for: heartRate) == rateZones().from(.user))
        #expect(builder.zoneGroup(for: heartRate)?.seconds == [0, 0, 2, 0, 0])
        session.end()
        await session.settle()
        builder.discardWorkout()
    }
}
