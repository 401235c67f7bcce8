// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel
@testable import KymographHealth

let kilocalories = HKQuantityType(.activeEnergyBurned)

func energy(_ amount: Double, _ start: Double, _ end: Double) -> HKQuantitySample {
    HKQuantitySample(
        type: kilocalories, quantity: HKQuantity(unit: .kilocalorie(), doubleValue: amount), start: at(start),
        end: at(end))
}

func pulse(_ value: Double, _ start: Double, _ metadata: [String: Any]? = nil) -> HKQuantitySample {
    HKQuantitySample(
        type: heartRate, quantity: beats(value), start: at(start), end: at(start), metadata: metadata)
}

func workoutEvent(_ type: HKWorkoutEventType, _ start: Double, _ length: Double = 0) -> HKWorkoutEvent {
    HKWorkoutEvent(type: type, dateInterval: DateInterval(start: at(start), duration: length), metadata: nil)
}

func configured(
    _ activity: HKWorkoutActivityType, _ location: HKWorkoutSessionLocationType = .unknown
) -> HKWorkoutConfiguration {
    let configuration = HKWorkoutConfiguration()
    configuration.activityType = activity
    configuration.locationType = location
    return configuration
}

func part(_ activity: HKWorkoutActivityType, _ start: Double, _ end: Double?) -> HKWorkoutActivity {
    HKWorkoutActivity(
        workoutConfiguration: configured(activity), start: at(start), end: end.map { at($0) }, metadata: nil)
}

extension TestDoor {
    func workoutBuilder(_ activity: HKWorkoutActivityType = .running) -> HKWorkoutBuilder {
        HKWorkoutBuilder(healthStore: health, configuration: configured(activity), device: nil)
    }

    /// Saves a workout from `start` to `end` with samples.
    func workout(
        _ activity: HKWorkoutActivityType = .running, _ samples: [HKSample] = [], _ parts: [HKWorkoutActivity] = [],
        from start: Double = 0, to end: Double = 100, metadata: [String: Any] = [:], by other: HKHealthStore? = nil
    ) async throws -> HKWorkout {
        let builder = HKWorkoutBuilder(
            healthStore: other ?? health, configuration: configured(activity), device: nil)
        try await builder.beginCollection(at: at(start))
        if !samples.isEmpty { try await builder.addSamples(samples) }
        for part in parts { try await builder.addWorkoutActivity(part) }
        if !metadata.isEmpty { try await builder.addMetadata(metadata) }
        try await builder.endCollection(at: at(end))
        return try #require(try await builder.finishWorkout())
    }

    func workouts(_ predicate: NSPredicate? = nil) async throws -> [HKWorkout] {
        try await HKSampleQueryDescriptor(predicates: [.workout(predicate)]).result(for: health)
    }

    /// Returns the only workout of an identity.
    func stored(_ workout: HKWorkout) async throws -> HKWorkout {
        let found = try await workouts(HKQuery.predicateForObject(with: workout.uuid))
        #expect(found.count == 1)
        return try #require(found.first)
    }

    /// Returns the identities of a workout's samples of a type.
    func members(_ workout: HKWorkout, _ type: HKSampleType, in other: HKHealthStore? = nil) async throws -> Set<UUID> {
        let predicate = HKQuery.predicateForObjects(from: workout)
        let found = try await HKSampleQueryDescriptor(predicates: [.sample(type: type, predicate: predicate)])
            .result(for: other ?? health)
        #expect(Set(found.map(\.uuid)).count == found.count)
        return Set(found.map(\.uuid))
    }
}

func identities(_ samples: [HKSample]) -> Set<UUID> { Set(samples.map(\.uuid)) }
