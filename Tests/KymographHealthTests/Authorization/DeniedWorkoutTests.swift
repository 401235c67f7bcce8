// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-2 S-66 S-67 a workout shows the statistics of readable types only")
struct DeniedWorkoutTests {
    private let rate = HKQuantityType(.heartRate)
    private let energy = HKQuantityType(.activeEnergyBurned)
    private let workout = HKObjectType.workoutType()
    private let route = HKSeriesType.workoutRoute()

    private func record(_ health: HKHealthStore, _ value: Double) async throws -> HKWorkout {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configuration, device: nil)
        try await builder.beginCollection(at: clock)
        let burned = HKQuantitySample(
            type: energy, quantity: HKQuantity(unit: .kilocalorie(), doubleValue: value), start: clock,
            end: clock.addingTimeInterval(60))
        try await builder.addSamples([beats(value, at: 10), burned])
        let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        try await route.insertRouteData([
            CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: 500, horizontalAccuracy: 5,
                verticalAccuracy: 5, timestamp: clock)
        ])
        try await builder.endCollection(at: clock.addingTimeInterval(60))
        return try #require(try await builder.finishWorkout())
    }

    private func door() async throws -> (PrivateDoor, HKWorkout) {
        let door = try PrivateDoor()
        return (door, try await record(door.other, 160))
    }

    private func workouts(_ door: PrivateDoor, _ predicate: NSPredicate? = nil) async throws -> [HKWorkout] {
        try await HKSampleQueryDescriptor(predicates: [.workout(predicate)]).result(for: door.client)
    }

    private var fast: NSPredicate {
        HKQuery.predicateForWorkouts(
            operatorType: .greaterThan, quantityType: rate,
            averageQuantity: HKQuantity(unit: .count().unitDivided(by: .minute()), doubleValue: 150))
    }

    @Test("statistics, totals, zones and conditions on them")
    func statistics() async throws {
        let (door, _) = try await door()
        #expect(await code { _ = try await workouts(door) } == .errorAuthorizationNotDetermined)
        try door.decide(read: [rate, energy, workout, route], false)
        #expect(try await workouts(door).isEmpty)
        try door.decide(read: [workout, energy])
        let seen = try #require(try await workouts(door).first)
        #expect(seen.statistics(for: rate) == nil && seen.statistics(for: energy) != nil)
        #expect(seen.allStatistics.keys.map(\.identifier) == [energy.identifier])
        #expect(seen.workoutActivities.allSatisfy { $0.statistics(for: rate) == nil })
        #expect(try await workouts(door, fast).isEmpty)
        let slow = NSCompoundPredicate(notPredicateWithSubpredicate: fast)
        #expect(try await workouts(door, slow).count == 1)
        try door.decide(read: [rate])
        #expect(try await workouts(door, fast).count == 1)
        #expect(try await workouts(door).first?.statistics(for: rate) != nil)
        try door.decide(read: [energy], false)
        #expect(try await workouts(door).first?.totalDistance == nil)
        #expect(try await workouts(door).first?.statistics(for: energy) == nil)
    }

    @Test("members and routes are those that may be read; a hidden route is as if deleted")
    func members() async throws {
        let (door, foreign) = try await door()
        try door.decide(read: [rate, workout, route])
        try door.decide(read: [energy], false)
        let own = HKQuery.predicateForObjects(from: foreign)
        func count(_ type: HKQuantityType) async throws -> Int {
            try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: type, predicate: own)])
                .result(for: door.client).count
        }
        #expect(try await count(rate) == 1)
        #expect(try await count(energy) == 0)
        let found = try await HKSampleQueryDescriptor(predicates: [.workoutRoute(own)]).result(for: door.client)
        let seen = try #require(found.first)
        func locations() async throws -> Int {
            var count = 0
            for try await _ in HKWorkoutRouteQueryDescriptor(seen).results(for: door.client) { count += 1 }
            return count
        }
        #expect(try await locations() == 1)
        try door.decide(read: [route], false)
        #expect(await code { _ = try await locations() } == .errorInvalidArgument)
        try door.decide(read: [workout], false)
        #expect(try await count(rate) == 0)
    }

    @Test("the builder of a client knows what it collected; the saved workout follows the permissions")
    func builder() async throws {
        let door = try PrivateDoor()
        try door.decide(read: [rate, energy, workout, route], false)
        #expect(await code { _ = try await record(door.client, 100) } == .errorAuthorizationNotDetermined)
        try door.decide(share: [rate, energy, workout, route])
        let saved = try await record(door.client, 100)
        #expect(saved.statistics(for: rate) != nil)
        let seen = try #require(try await workouts(door).first)
        #expect(seen.uuid == saved.uuid && seen.statistics(for: rate) == nil)
        try door.decide(read: [rate])
        #expect(try await workouts(door).first?.statistics(for: rate) != nil)
    }

    @Test("a session needs the permission to save workouts, and recovers without a permission to read")
    func session() async throws {
        let door = try PrivateDoor()
        try door.decide(share: [rate, workout])
        try door.decide(read: [rate, workout], false)
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        configuration.locationType = .outdoor
        let session = try HKWorkoutSession(healthStore: door.client, configuration: configuration)
        let builder = session.associatedWorkoutBuilder()
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        try await builder.addSamples([beats(120, at: 5)])
        await session.settle()
        session.core.noteOver()
        ActiveSessions.remove(session.core.id)
        let again = try #require(try await door.client.recoverActiveWorkoutSession())
        #expect(again.associatedWorkoutBuilder().statistics(for: rate) != nil)
        again.end()
        #expect(try await again.associatedWorkoutBuilder().finishWorkout() != nil)
        #expect(try await workouts(door).count == 1)
    }
}
