// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import KymographHealth
import TestSupport

/// A store with a run, a swim and a triathlon of April 2024, and a ride of 2023.
struct WorkoutStore {
    private let directory: TemporaryDirectory
    var path: String { directory.file("store") }

    /// 2024-04-01T07:00:00Z, a Monday.
    private static let start = Date(timeIntervalSince1970: 1_711_954_800)
    private static let day = 86_400.0

    init() async throws {
        directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        try await Self.saveRun(health)
        try await Self.saveSwim(health)
        try await Self.saveTriathlon(health)
        let ride = -200 * Self.day
        try await Self.save(
            health, Self.configuration(.cycling), from: ride, to: ride + 1_800,
            samples: [
                Self.quantity(.distanceCycling, 11.14, "km", ride, ride + 1_800),
                Self.quantity(.activeEnergyBurned, 280, "kcal", ride, ride + 1_800),
            ])
        health.close()
    }

    /// Runs `kymo` on the store.
    func run(_ arguments: String...) throws -> Tool.Outcome {
        try Tool.kymo.run(arguments, environment: ["KYMO_STORE": path, "TZ": "UTC", "COLUMNS": "100"])
    }

    private static func at(_ second: Double) -> Date { start + second }

    private static func quantity(
        _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: String, _ start: Double, _ end: Double
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(type), quantity: HKQuantity(unit: HKUnit(from: unit), doubleValue: value),
            start: at(start), end: at(end))
    }

    private static func event(
        _ type: HKWorkoutEventType, _ start: Double, _ end: Double? = nil, _ values: [String: Any]? = nil
    ) -> HKWorkoutEvent {
        HKWorkoutEvent(
            type: type, dateInterval: DateInterval(start: at(start), end: at(end ?? start)), metadata: values)
    }

    private static func configuration(
        _ activity: HKWorkoutActivityType, _ location: HKWorkoutSessionLocationType = .unknown
    ) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = location
        return configuration
    }

    private static func save(
        _ health: HKHealthStore, _ configuration: HKWorkoutConfiguration, from start: Double, to end: Double,
        samples: [HKSample] = [], events: [HKWorkoutEvent] = [], parts: [HKWorkoutActivity] = []
    ) async throws {
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        let beats = HKUnit.count().unitDivided(by: .minute())
        let zones = try HKWorkoutZoneConfiguration(
            quantityType: HKQuantityType(.heartRate),
            zoneBoundaries: [120, 140.5].map { HKQuantity(unit: beats, doubleValue: $0) })
        try await builder.setCustomZoneConfiguration(zones, for: HKQuantityType(.heartRate))
        try await builder.beginCollection(at: at(start))
        if !samples.isEmpty { try await builder.addSamples(samples) }
        if !events.isEmpty { try await builder.addWorkoutEvents(events) }
        for part in parts { try await builder.addWorkoutActivity(part) }
        let route = builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder
        if configuration.activityType == .cycling { try await route?.insertRouteData(square(from: start, to: end)) }
        try await builder.endCollection(at: at(end))
        try await builder.finishWorkout()
    }

    /// A square around Bern: to the north, to the east, back; the way climbs 60 m.
    private static func square(from start: Double, to end: Double) -> [CLLocation] {
        (0...400).map { place in
            let side = Double(place % 100) / 100
            let (north, east) = [(side, 0), (1, side), (1 - side, 1), (0, 1 - side), (0, 0)][place / 100]
            return CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 46.95 + north * 0.025, longitude: 7.44 + east * 0.0365),
                altitude: 540 + Double(min(place, 200)) * 0.3, horizontalAccuracy: 4, verticalAccuracy: 4,
                course: -1, speed: 6, timestamp: at(start + (end - start) * Double(place) / 400))
        }
    }

    /// 3,250 m in 20 minutes with a pause of 100 seconds: 2.5 m/s for 600 seconds, then 3.5 m/s for 500.
    private static func saveRun(_ health: HKHealthStore) async throws {
        var samples: [HKSample] = []
        for place in 0..<120 where !(60..<70).contains(place) {
            let (from, to) = (Double(place * 10), Double(place * 10 + 10))
            samples.append(quantity(.distanceWalkingRunning, place < 60 ? 25 : 35, "m", from, to))
            samples.append(quantity(.activeEnergyBurned, 2, "kcal", from, to))
            samples.append(quantity(.heartRate, 100 + Double(place % 60), "count/min", from, from))
        }
        try await save(
            health, configuration(.running, .outdoor), from: 0, to: 1_200, samples: samples,
            events: [event(.pause, 600), event(.resume, 700)])
    }

    /// Four laps of 25 m, one of them a rest.
    private static func saveSwim(_ health: HKHealthStore) async throws {
        let swim = configuration(.swimming, .indoor)
        swim.swimmingLocationType = .pool
        swim.lapLength = HKQuantity(unit: .meter(), doubleValue: 25)
        func lap(_ start: Double, _ end: Double, _ style: HKSwimmingStrokeStyle, _ swolf: Double?) -> HKWorkoutEvent {
            var values: [String: Any] = [HKMetadataKeySwimmingStrokeStyle: style.rawValue]
            values[HKMetadataKeySWOLFScore] = swolf
            return event(.lap, 2 * day + start, 2 * day + end, values)
        }
        try await save(
            health, swim, from: 2 * day, to: 2 * day + 120,
            samples: [quantity(.distanceSwimming, 75, "m", 2 * day, 2 * day + 120)],
            events: [
                lap(0, 30, .freestyle, 48), lap(30, 65, .breaststroke, 55), lap(65, 85, .unknown, nil),
                lap(85, 120, .freestyle, 52),
            ])
    }

    private static func saveTriathlon(_ health: HKHealthStore) async throws {
        let first = 4 * day
        func part(_ activity: HKWorkoutActivityType, _ start: Double, _ end: Double) -> HKWorkoutActivity {
            HKWorkoutActivity(
                workoutConfiguration: configuration(activity), start: at(first + start), end: at(first + end),
                metadata: nil)
        }
        try await save(
            health, configuration(.swimBikeRun), from: first, to: first + 3_000,
            samples: [
                quantity(.distanceSwimming, 750, "m", first, first + 900),
                quantity(.distanceCycling, 12, "km", first + 1_000, first + 2_000),
                quantity(.distanceWalkingRunning, 3, "km", first + 2_000, first + 3_000),
            ], parts: [part(.swimming, 0, 900), part(.cycling, 1_000, 2_000), part(.running, 2_000, 3_000)])
    }
}
