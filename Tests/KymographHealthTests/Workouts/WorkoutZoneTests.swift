// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-96 workout zones: holds, edges, pauses, activities, and zones of a program and a person")
struct WorkoutZoneTests {
    private func finished(_ builder: HKWorkoutBuilder, at end: Double) async throws -> HKWorkout {
        try await builder.endCollection(at: at(end))
        return try #require(try await builder.finishWorkout())
    }

    @Test("a value holds until the next one, at most ten seconds, and an edge belongs to the zone above")
    func holds() async throws {
        let door = try TestDoor()
        let builder = try await door.zoneBuilder()
        #expect(builder.zoneGroup(for: heartRate) == nil && builder.zoneGroup(for: kilocalories) == nil)
        try await builder.addSamples([pulse(99, 1), pulse(100, 3), pulse(120, 30), pulse(159.5, 37), pulse(160, 40)])
        // The latest value counts up to its end.
        #expect(builder.zoneGroup(for: heartRate)?.seconds == [2, 10, 7, 3, 0])
        let workout = try await finished(builder, at: 45)
        #expect(workout.zoneGroup(for: heartRate)?.seconds == [2, 10, 7, 3, 5])
        #expect(workout.zoneGroup(for: heartRate)?.configuration == (try rateZones()))
        #expect(workout.zoneGroup(for: cyclingPower) == nil && workout.zoneGroup(for: kilocalories) == nil)
        #expect(workout.zoneGroupsByType?.keys.map(\.identifier) == [heartRate.identifier])
        let only = try #require(workout.workoutActivities.first)
        #expect(only.zoneGroup(for: heartRate) == workout.zoneGroup(for: heartRate))
        let stored = try await door.stored(workout)
        #expect(stored.zoneGroupsByType == workout.zoneGroupsByType && stored.content == workout.content)
        #expect(stored.workoutActivities[0].zoneGroupsByType == workout.zoneGroupsByType)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("a value with a duration holds for its duration and ten seconds more, up to the next value")
    func durations() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder(.cycling)
        try await builder.setCustomZoneConfiguration(try powerZones(), for: cyclingPower)
        try await builder.beginCollection(at: at(0))
        func watts(_ value: Double, _ start: Double, _ end: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: cyclingPower, quantity: HKQuantity(unit: .watt(), doubleValue: value), start: at(start),
                end: at(end))
        }
        try await builder.addSamples([watts(100, 0, 60), watts(210, 90, 150), watts(300, 120, 130)])
        #expect(builder.zoneGroup(for: cyclingPower)?.seconds == [70, 0, 30, 10])
        let workout = try await finished(builder, at: 200)
        #expect(workout.zoneGroup(for: cyclingPower)?.seconds == [70, 0, 30, 20])
        #expect(workout.zoneGroup(for: cyclingPower)?.zoneDurations[2].zone.minimum?.value == 200)
    }

    @Test("pauses do not count, also pauses that are added later")
    func pauses() async throws {
        let door = try TestDoor()
        let builder = try await door.zoneBuilder()
        try await builder.addSamples((0..<60).map { pulse(130, Double($0)) })
        #expect(builder.zoneGroup(for: heartRate)?.seconds == [0, 0, 59, 0, 0])
        try await builder.addWorkoutEvents([workoutEvent(.pause, 10), workoutEvent(.resume, 20.25)])
        #expect(builder.zoneGroup(for: heartRate)?.seconds == [0, 0, 48.75, 0, 0])
        try await builder.addWorkoutEvents([workoutEvent(.pause, 60)])
        try await builder.addSamples([pulse(130, 80)])
        #expect(builder.zoneGroup(for: heartRate)?.seconds == [0, 0, 49.75, 0, 0])
        try await builder.addWorkoutEvents([workoutEvent(.motionPaused, 50), workoutEvent(.motionResumed, 55)])
        let workout = try await finished(builder, at: 100)
        #expect(workout.zoneGroup(for: heartRate)?.seconds == [0, 0, 44.75, 0, 0])
        #expect(workout.duration == 44.75)
    }

    @Test("each activity has the time within it, and none without time")
    func activities() async throws {
        let door = try TestDoor()
        let builder = try await door.zoneBuilder(.swimBikeRun)
        let swim = part(.swimming, 0, 15)
        let ride = part(.cycling, 20, nil)
        try await builder.addWorkoutActivity(swim)
        try await builder.addSamples([pulse(110, 10), pulse(150, 18), pulse(165, 25)])
        try await builder.addWorkoutActivity(ride)
        try await builder.addSamples([pulse(90, 30)])
        func seconds(_ activities: [HKWorkoutActivity]) -> [[Double]?] {
            activities.map { $0.zoneGroup(for: heartRate)?.seconds }
        }
        #expect(seconds(builder.workoutActivities) == [[0, 5, 0, 0, 0], [0, 0, 0, 5, 5]])
        try await builder.updateActivity(uuid: ride.uuid, end: at(28))
        try await builder.addWorkoutActivity(part(.running, 60, nil))
        let workout = try await finished(builder, at: 70)
        let wanted: [[Double]?] = [[0, 5, 0, 0, 0], [0, 0, 0, 5, 3], nil]
        #expect(seconds(workout.workoutActivities) == wanted)
        #expect(seconds(try await door.stored(workout).workoutActivities) == wanted)
        #expect(workout.workoutActivities[2].zoneGroupsByType == nil)
        #expect(workout.zoneGroup(for: heartRate)?.seconds == [10, 8, 0, 7, 5])
    }

    @Test("custom zones are set before the collection begins, and removed with nil")
    func custom() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        #expect(try await builder.zoneConfiguration(for: heartRate) == nil)
        try await builder.setCustomZoneConfiguration(try rateZones().from(.user), for: heartRate)
        #expect(try await builder.zoneConfiguration(for: heartRate) == rateZones())
        try await builder.setCustomZoneConfiguration(nil, for: heartRate)
        #expect(try await builder.zoneConfiguration(for: heartRate) == nil)
        try await builder.setCustomZoneConfiguration(try rateZones([1, 2]), for: heartRate)
        try await builder.beginCollection(at: at(0))
        let late = await code { try await builder.setCustomZoneConfiguration(try rateZones(), for: heartRate) }
        #expect(late == .errorInvalidArgument)
        #expect(await code { try await builder.setCustomZoneConfiguration(nil, for: heartRate) } == late)
        #expect(try await builder.zoneConfiguration(for: heartRate)?.zones.count == 3)
        try await builder.addSamples([pulse(1, 0)])
        #expect(try await builder.zoneConfiguration(for: heartRate)?.zones.count == 3)
        #expect(try await builder.zoneConfiguration(for: cyclingPower) == nil)
        let workout = try await finished(builder, at: 4)
        #expect(workout.zoneGroup(for: heartRate)?.seconds == [0, 4, 0])
        #expect(await code { try await builder.setCustomZoneConfiguration(nil, for: heartRate) } == late)
        // The zones are those of one workout.
        #expect(try await door.health.preferredWorkoutZoneConfiguration(for: heartRate) == nil)
        let plain = try await door.workout(.running, [pulse(100, 200)], from: 200, to: 210)
        #expect(plain.zoneGroupsByType == nil)
    }

    @Test("the person's zones are durable, have a type, and come before those of the system")
    func user() async throws {
        let door = try TestDoor()
        let health = door.health
        try await health.set(dateOfBirth: DateComponents(year: 1984, month: 1, day: 2))
        try await health.setPreferredWorkoutZoneConfiguration(try rateZones([90.5, 120, 1e-9 + 150]), for: heartRate)
        let zones = try rateZones([90.5, 120, 1e-9 + 150]).from(.user)
        #expect(try await health.preferredWorkoutZoneConfiguration(for: heartRate) == zones)
        health.close()
        #expect(try await health.preferredWorkoutZoneConfiguration(for: heartRate) == zones)
        let workout = try await door.workout(.running, [pulse(100, 1)], from: 0, to: 3)
        #expect(workout.zoneGroup(for: heartRate)?.configuration == zones)
        #expect(workout.zoneGroup(for: heartRate)?.seconds == [0, 2, 0, 0])
        // A change of the zones leaves saved workouts and workouts with zones.
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        try await builder.addSamples([pulse(95, 50)])
        try await health.setPreferredWorkoutZoneConfiguration(nil, for: heartRate)
        #expect(try await health.preferredWorkoutZoneConfiguration(for: heartRate)?.source == .system)
        try await builder.addSamples([pulse(95, 53)])
        let second = try await finished(builder, at: 54)
        #expect(second.zoneGroup(for: heartRate)?.configuration == zones)
        #expect(second.zoneGroup(for: heartRate)?.seconds == [0, 4, 0, 0])
        #expect(try await door.stored(workout).zoneGroup(for: heartRate)?.configuration == zones)
    }

    @Test("the system's zones of heart rate follow from the age and the resting heart rate at the start")
    func heart() async throws {
        let door = try TestDoor()
        func boundaries(_ type: HKQuantityType, at date: Date) throws -> [Double]? {
            let zones = try door.health.preferredZones(for: type, at: date)
            if let zones { #expect(zones.source == .system) }
            return zones?.boundaries
        }
        #expect(try boundaries(heartRate, at: at(0)) == nil)
        // `at(0)` is 2025-01-01 UTC: the age is 40 years.
        try await door.health.set(dateOfBirth: DateComponents(year: 1984, month: 6, day: 15))
        #expect(try boundaries(heartRate, at: at(0)) == [108, 126, 144, 162])
        let year = 365.25 * 86_400
        #expect(try boundaries(heartRate, at: at(year)) == [60, 70, 80, 90].map { 179 * $0 / 100 })
        func resting(_ value: Double, _ start: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(.restingHeartRate), quantity: beats(value), start: at(start), end: at(start + 60))
        }
        try await door.health.save([resting(70, -200_000), resting(60, -100), resting(50, 1)])
        #expect(try boundaries(heartRate, at: at(0)) == [132, 144, 156, 168])
        #expect(try boundaries(heartRate, at: at(1)) == [128, 141, 154, 167])
        #expect(try boundaries(heartRate, at: at(-150)) == [136, 147, 158, 169])
        let builder = door.workoutBuilder()
        #expect(try await builder.zoneConfiguration(for: heartRate)?.source == .system)
        try await builder.beginCollection(at: at(0))
        #expect(try await builder.zoneConfiguration(for: heartRate)?.boundaries == [132, 144, 156, 168])
        try await builder.addSamples([pulse(144, 2)])
        let workout = try await finished(builder, at: 5)
        #expect(workout.zoneGroup(for: heartRate)?.seconds == [0, 0, 3, 0, 0])
        // A resting rate above the maximum does not count, nor does a birth after the workout.
        try await door.health.save(resting(400, 10))
        #expect(try boundaries(heartRate, at: at(10)) == [108, 126, 144, 162])
        #expect(try boundaries(heartRate, at: at(-50 * year)) == nil)
        #expect(try boundaries(heartRate, at: at(200 * year)) == nil)
    }

    @Test("the system's zones of power follow from the latest functional threshold power")
    func power() async throws {
        let door = try TestDoor()
        #expect(try await door.health.preferredWorkoutZoneConfiguration(for: cyclingPower) == nil)
        func threshold(_ value: Double, _ start: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: HKQuantityType(.cyclingFunctionalThresholdPower),
                quantity: HKQuantity(unit: .watt(), doubleValue: value), start: at(start), end: at(start))
        }
        try await door.health.save([threshold(200, 0), threshold(250, 100)])
        let first = try door.health.preferredZones(for: cyclingPower, at: at(50))
        #expect(first?.boundaries == [110, 150, 180, 210, 240] && first?.source == .system)
        let last = try await door.health.preferredWorkoutZoneConfiguration(for: cyclingPower)
        #expect(last?.zones.count == 6 && last?.boundaries == [137.5, 187.5, 225, 262.5, 300])
        try await door.health.save(threshold(0, 200))
        #expect(try await door.health.preferredWorkoutZoneConfiguration(for: cyclingPower) == nil)
    }

    @available(*, deprecated)
    @Test("samples that are added to a saved workout change its times")
    func added() async throws {
        let door = try TestDoor()
        let builder = try await door.zoneBuilder(.swimBikeRun)
        try await builder.addWorkoutActivity(part(.running, 5, 40))
        try await builder.addWorkoutEvents([workoutEvent(.pause, 20), workoutEvent(.resume, 30)])
        try await builder.addSamples([pulse(90, 0)])
        let workout = try await finished(builder, at: 50)
        #expect(workout.zoneGroup(for: heartRate)?.seconds == [10, 0, 0, 0, 0])
        try await door.health.addSamples([pulse(110, 4), pulse(150, 28), pulse(165, 45)], to: workout)
        let stored = try await door.stored(workout)
        #expect(stored.zoneGroup(for: heartRate)?.seconds == [4, 10, 0, 8, 5])
        #expect(stored.workoutActivities[0].zoneGroup(for: heartRate)?.seconds == [0, 9, 0, 8, 0])
    }
}
