// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

/// The examples of `Docs/Guide/Workouts.md`. The lines between the marks are those of the page.
@Suite("S-81 S-83 S-138 S-151 the examples of the page about workouts")
struct WorkoutsExampleTests {
    private let start = Date(timeIntervalSinceReferenceDate: 757_382_400)

    private func event(_ type: HKWorkoutEventType, _ seconds: Double) -> HKWorkoutEvent {
        let interval = DateInterval(start: start.addingTimeInterval(seconds), duration: 0)
        return HKWorkoutEvent(type: type, dateInterval: interval, metadata: nil)
    }

    private func pulse(_ value: Double, _ seconds: Double) -> HKQuantitySample {
        let date = start.addingTimeInterval(seconds)
        return HKQuantitySample(
            type: HKQuantityType(.heartRate),
            quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: value), start: date, end: date)
    }

    @Test("a workout has the time in zones")
    func zones() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())
        let builder = HKWorkoutBuilder(healthStore: health, configuration: HKWorkoutConfiguration(), device: nil)

        // example workout-zones begins
        let zones = try HKWorkoutZoneConfiguration(
            quantityType: HKQuantityType(.heartRate),
            zoneBoundaries: [91, 114, 136, 158].map { HKQuantity(unit: beatsPerMinute, doubleValue: $0) })
        try await builder.setCustomZoneConfiguration(zones, for: HKQuantityType(.heartRate))  // for this workout only
        try await builder.beginCollection(at: start)
        // example workout-zones ends

        try await builder.addSamples([pulse(150, 10), pulse(170, 20), pulse(100, 500)])
        try await builder.endCollection(at: start.addingTimeInterval(600))
        guard let workout = try await builder.finishWorkout() else { return }

        // example workout-zone-group begins
        let group = workout.zoneGroup(for: HKQuantityType(.heartRate))
        for one in group?.zoneDurations ?? [] { print(one.zone.index, one.duration) }  // from low to high, in seconds
        // example workout-zone-group ends

        #expect(group?.zoneDurations.map(\.duration) == [0, 10, 0, 10, 10])
        #expect(workout.zoneGroupsByType?.count == 1)
        let durations: [HKWorkoutZoneDuration] = group?.zoneDurations ?? []
        let first: HKWorkoutZone? = durations.first?.zone
        #expect(first != nil && first?.minimum == nil)
        #expect(try await health.preferredWorkoutZoneConfiguration(for: HKQuantityType(.heartRate)) == nil)
    }

    @Test("a builder makes a workout, whose samples and statistics are found")
    func run() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let end = start.addingTimeInterval(600)
        let samples = [pulse(150, 10), pulse(170, 20), pulse(100, 500)]
        let (pause, resume) = (event(.pause, 100), event(.resume, 160))

        // example workout-builder begins
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        configuration.locationType = .outdoor
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        try await builder.beginCollection(at: start)
        try await builder.addSamples(samples)  // saved when this returns
        try await builder.addWorkoutEvents([pause, resume])
        try await builder.endCollection(at: end)
        let workout = try await builder.finishWorkout()
        // example workout-builder ends

        guard let workout else { return }
        #expect(workout.duration == 540)

        // example workout-samples begins
        let own = HKQuery.predicateForObjects(from: workout)
        let pulses = try await HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HKQuantityType(.heartRate), predicate: own)]
        ).result(for: health)
        // example workout-samples ends

        #expect(pulses.count == 3)

        // example workout-predicates begins
        let beatsPerMinute = HKUnit.count().unitDivided(by: .minute())
        let hard = HKQuery.predicateForWorkoutActivities(
            operatorType: .greaterThan, quantityType: HKQuantityType(.heartRate),
            averageQuantity: HKQuantity(unit: beatsPerMinute, doubleValue: 150))
        let found = try await HKSampleQueryDescriptor(
            predicates: [.workout(HKQuery.predicateForWorkouts(activityPredicate: hard))],
            sortDescriptors: [SortDescriptor(\.duration, order: .reverse)]
        ).result(for: health)
        // example workout-predicates ends

        #expect(found.map(\.uuid) == [workout.uuid])
    }

    @Test("an activity is added, and its end set later")
    func swim() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let swimming = HKWorkoutConfiguration()
        swimming.activityType = .swimming
        let mixed = HKWorkoutConfiguration()
        mixed.activityType = .swimBikeRun
        let builder = HKWorkoutBuilder(healthStore: health, configuration: mixed, device: nil)
        try await builder.beginCollection(at: start)

        // example workout-activities begins
        let swim = HKWorkoutActivity(workoutConfiguration: swimming, start: start, end: nil, metadata: nil)
        try await builder.addWorkoutActivity(swim)
        try await builder.updateActivity(uuid: swim.uuid, end: start.addingTimeInterval(1_800))
        // example workout-activities ends

        #expect(builder.workoutActivities.first?.duration == 1_800)
    }
}
