// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import TestSupport

@testable import HealthModel
@testable import KymographHealth

/// Returns locations of a walk, one per second, with numbers of six decimals as in Apple's exports.
func walk(_ count: Int, from seconds: Double = 0, seed: UInt64 = 1) -> [CLLocation] {
    var dice = SeededGenerator(seed: seed)
    func decimal(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
    var (latitude, longitude, altitude, course) = (47.37, 8.54, 408.0, 90.0)
    return (0..<count).map { place in
        let speed = decimal(2.5 + dice.fraction() / 2)
        course = (course + dice.fraction() * 8 - 4 + 360).truncatingRemainder(dividingBy: 360)
        latitude += speed * cos(course * .pi / 180) / 111_320
        longitude += speed * sin(course * .pi / 180) / 75_400
        altitude += (dice.fraction() - 0.5) / 5
        return CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: decimal(latitude), longitude: decimal(longitude)),
            altitude: decimal(altitude), horizontalAccuracy: decimal(1 + dice.fraction() * 5),
            verticalAccuracy: decimal(1 + dice.fraction() * 3), course: decimal(course), speed: speed,
            timestamp: at(seconds + Double(place)))
    }
}

/// Returns a run of an hour, which is not saved.
func run(at seconds: Double = 0) -> HKWorkout {
    let (start, end) = (at(seconds), at(seconds + 3_600))
    let whole = WorkoutActivity.whole(WorkoutConfiguration(.running, metadata: nil), start: start, end: end)
    return HKWorkout(
        header: ObjectHeader(device: nil, metadata: nil), start: start, end: end,
        content: WorkoutContent(
            activity: .running, duration: 3_600, activities: [whole], statistics: [:], totals: WorkoutTotals()))
}

/// All numbers of a location, bit by bit.
func bits(_ one: CLLocation) -> [UInt64] {
    let numbers = [
        one.coordinate.latitude, one.coordinate.longitude, one.altitude, one.ellipsoidalAltitude,
        one.horizontalAccuracy, one.verticalAccuracy, one.course, one.courseAccuracy, one.speed, one.speedAccuracy,
        one.timestamp.timeIntervalSinceReferenceDate, Double(one.floor?.level ?? .min),
    ]
    return numbers.map(\.bitPattern)
}

extension TestDoor {
    /// Saves a workout of an hour.
    func workout(at seconds: Double = 0, by health: HKHealthStore? = nil) async throws -> HKWorkout {
        let workout = run(at: seconds)
        try await (health ?? self.health).save(workout)
        return workout
    }

    /// Saves a route of a workout.
    @discardableResult
    func route(
        _ locations: [CLLocation], of workout: HKWorkout, _ metadata: [String: Any]? = nil,
        by health: HKHealthStore? = nil
    ) async throws -> HKWorkoutRoute {
        let builder = HKWorkoutRouteBuilder(healthStore: health ?? self.health, device: .local())
        try await builder.insertRouteData(locations)
        return try await builder.finishRoute(with: workout, metadata: metadata)
    }

    /// Returns the locations of a route.
    func locations(of route: HKWorkoutRoute) throws -> [CLLocation] {
        let found = try health.store().locations(of: route)
        return found.objects(0..<found.count)
    }

    /// All stored routes, by start.
    var routes: [HKWorkoutRoute] {
        get throws { try all(HKSeriesType.workoutRoute()).compactMap { $0 as? HKWorkoutRoute } }
    }
}
