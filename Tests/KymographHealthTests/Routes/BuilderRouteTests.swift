// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-59 the builder of a workout saves its route with it")
struct BuilderRouteTests {
    private func builder(_ door: TestDoor) async throws -> HKWorkoutBuilder {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .hiking
        let builder = HKWorkoutBuilder(healthStore: door.health, configuration: configuration, device: .local())
        try await builder.beginCollection(at: clock)
        return builder
    }

    private let locations = (0..<50).map { place in
        CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 47 + Double(place) / 1_000, longitude: 8.5), altitude: 400,
            horizontalAccuracy: 5, verticalAccuracy: 8, timestamp: clock.addingTimeInterval(Double(place)))
    }

    @Test("one route builder, finished by the workout, in one commit")
    func route() async throws {
        let door = try TestDoor()
        let builder = try await builder(door)
        #expect(builder.seriesBuilder(for: .heartbeat()) == nil)
        let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        #expect(builder.seriesBuilder(for: .workoutRoute()) === route)
        try await route.insertRouteData(locations)
        try await builder.endCollection(at: clock.addingTimeInterval(60))
        let before = try door.health.store().engine.snapshot().sequence
        let workout = try #require(try await builder.finishWorkout())
        #expect(try door.health.store().engine.snapshot().sequence == before + 1)
        let found = try door.all(HKSeriesType.workoutRoute(), .members(of: workout.uuid))
        #expect(found.count == 1 && (found.first as? HKWorkoutRoute)?.count == 50)
        #expect(await code { try await route.insertRouteData(locations) } == .errorInvalidArgument)
        try await door.health.delete(workout)
        #expect(try door.all(HKSeriesType.workoutRoute()).isEmpty)
    }

    @Test("a route without locations is left out, and a discarded workout has none")
    func empty() async throws {
        let door = try TestDoor()
        let first = try await builder(door)
        _ = first.seriesBuilder(for: .workoutRoute())
        try await first.endCollection(at: clock)
        try await first.finishWorkout()
        let second = try await builder(door)
        let route = second.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder
        try await route?.insertRouteData(locations)
        second.discardWorkout()
        #expect(await code { try await route?.insertRouteData(locations) } == .errorInvalidArgument)
        #expect(try door.all(HKSeriesType.workoutRoute()).isEmpty && door.all(.workoutType()).count == 1)
    }
}
