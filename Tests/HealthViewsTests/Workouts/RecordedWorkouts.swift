// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthViews
import TestSupport

/// A store with workouts that are recorded by builders.
struct RecordedWorkouts {
    let health: HKHealthStore
    private let directory: TemporaryDirectory
    /// 2024-04-01T07:00:00Z, a Monday.
    static let start = Date(timeIntervalSince1970: 1_711_954_800)

    init() throws {
        directory = try TemporaryDirectory()
        health = HKHealthStore(directory: directory.file("store"))
    }

    static func at(_ second: Double) -> Date { start + second }

    static func nanoseconds(_ second: Double) -> Int64 {
        Int64(start.timeIntervalSince1970) * 1_000_000_000 + Int64(second * 1e9)
    }

    static func quantity(
        _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, from start: Double, to end: Double
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
            start: at(start), end: at(end))
    }

    static func event(
        _ type: HKWorkoutEventType, _ start: Double, _ end: Double? = nil, _ values: [String: Any]? = nil
    )
        -> HKWorkoutEvent
    {
        HKWorkoutEvent(
            type: type, dateInterval: DateInterval(start: at(start), end: at(end ?? start)), metadata: values)
    }

    /// Saves a workout.
    @discardableResult
    func save(
        _ configuration: HKWorkoutConfiguration, from start: Double, to end: Double, samples: [HKSample] = [],
        events: [HKWorkoutEvent] = [], parts: [HKWorkoutActivity] = []
    ) async throws -> HKWorkout {
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        try await builder.beginCollection(at: Self.at(start))
        if !samples.isEmpty { try await builder.addSamples(samples) }
        if !events.isEmpty { try await builder.addWorkoutEvents(events) }
        for part in parts { try await builder.addWorkoutActivity(part) }
        try await builder.endCollection(at: Self.at(end))
        guard let workout = try await builder.finishWorkout() else { throw CancellationError() }
        return workout
    }

    static func configuration(
        _ activity: HKWorkoutActivityType, _ location: HKWorkoutSessionLocationType = .unknown
    ) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = location
        return configuration
    }

    /// Saves a run of 3,250 m in 20 minutes with a pause of 100 seconds: 2.5 m/s in the first 600 seconds, 3.5 m/s in
    /// the last 500. The pulse rises by one each ten seconds.
    @discardableResult
    func saveRun(at first: Double = 0) async throws -> HKWorkout {
        var samples: [HKSample] = []
        for place in 0..<120 where !(60..<70).contains(place) {
            let (from, to) = (first + Double(place * 10), first + Double(place * 10 + 10))
            let metres = place < 60 ? 25.0 : 35
            samples.append(Self.quantity(.distanceWalkingRunning, metres, "m", from: from, to: to))
            samples.append(Self.quantity(.activeEnergyBurned, 2, "kcal", from: from, to: to))
            samples.append(Self.quantity(.heartRate, 100 + Double(place % 60), "count/min", from: from, to: from))
        }
        return try await save(
            Self.configuration(.running, .outdoor), from: first, to: first + 1_200, samples: samples,
            events: [Self.event(.pause, first + 600), Self.event(.resume, first + 700)])
    }
}
