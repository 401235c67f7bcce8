// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-41 S-71 S-112 deletion, replacement and erasure of workouts")
struct WorkoutDeletionTests {
    @Test("a deleted workout leaves its samples; a deleted sample leaves the statistics of its workout")
    func members() async throws {
        let door = try TestDoor()
        let pulses = [pulse(100, 10), pulse(120, 20)]
        let workout = try await door.workout(.running, pulses)
        let feed = HKAnchoredObjectQueryDescriptor(predicates: [.workout()], anchor: nil)
        let begin = try await feed.result(for: door.health)
        #expect(begin.addedSamples.map(\.uuid) == [workout.uuid])
        try await door.health.delete(pulses[1])
        #expect(try await door.members(workout, heartRate) == [pulses[0].uuid])
        #expect(try await door.stored(workout).statistics(for: heartRate)?.maximumQuantity() == beats(120))
        try await door.health.delete(workout)
        #expect(try await door.workouts().isEmpty)
        #expect(try door.all(heartRate).count == 1)
        #expect(await code { try await door.health.delete(workout) } == .errorInvalidArgument)
        let news = try await HKAnchoredObjectQueryDescriptor(predicates: [.workout()], anchor: begin.newAnchor)
            .result(for: door.health)
        #expect(news.deletedObjects.map(\.uuid) == [workout.uuid] && news.addedSamples.isEmpty)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("only the program that saved a workout deletes it, by object or by predicate")
    func foreign() async throws {
        let door = try TestDoor()
        let run = try await door.workout(.running)
        let ride = try await door.workout(.cycling, by: door.other("b"))
        #expect(await code { try await door.health.delete(ride) } == .errorAuthorizationDenied)
        let all = NSPredicate(value: true)
        #expect(try await door.health.deleteObjects(of: HKObjectType.workoutType(), predicate: all) == 1)
        #expect(identities(try await door.workouts()) == [ride.uuid])
        let rides = HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.cycling)
        let runs = HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.running)
        let type = HKObjectType.workoutType()
        #expect(try await door.other("b").deleteObjects(of: type, predicate: runs) == 0)
        #expect(try await door.other("b").deleteObjects(of: type, predicate: rides) == 1)
        #expect(run.uuid != ride.uuid)
    }

    @Test("a newer version of a workout replaces it and takes its samples over; an older one is ignored")
    func versions() async throws {
        let door = try TestDoor()
        func version(_ number: Int) -> [String: Any] {
            [HKMetadataKeySyncIdentifier: "w", HKMetadataKeySyncVersion: number]
        }
        let first = try await door.workout(.running, [pulse(100, 10)], metadata: version(1))
        let second = try await door.workout(.running, [pulse(120, 20)], metadata: version(2))
        #expect(identities(try await door.workouts()) == [second.uuid])
        #expect(try await door.members(second, heartRate).count == 2)
        #expect(try await door.members(first, heartRate).isEmpty)
        // The statistics are those of the new version's own samples.
        #expect(try await door.stored(second).statistics(for: heartRate)?.minimumQuantity() == beats(120))
        _ = try await door.workout(.running, [pulse(130, 30)], metadata: version(2))
        _ = try await door.workout(.running, metadata: version(1))
        #expect(identities(try await door.workouts()) == [second.uuid])
        #expect(try await door.members(second, heartRate).count == 2)
        let third = try await door.workout(.running, metadata: version(3))
        #expect(try await door.members(third, heartRate).count == 2)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("a newer version takes the routes and the effort over; a route of its own replaces the old ones")
    func relations() async throws {
        let door = try TestDoor()
        func version(_ number: Int) -> [String: Any] {
            [HKMetadataKeySyncIdentifier: "w", HKMetadataKeySyncVersion: number]
        }
        func places(_ count: Int) -> [CLLocation] {
            (0..<count).map { number in
                CLLocation(
                    coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: Double(number),
                    horizontalAccuracy: 1, verticalAccuracy: 1, timestamp: at(Double(number)))
            }
        }
        func routes(_ workout: HKWorkout) async throws -> [Int] {
            let own = HKQuery.predicateForObjects(from: workout)
            return try await HKSampleQueryDescriptor(predicates: [.workoutRoute(own)]).result(for: door.health)
                .map(\.count)
        }
        let first = try await door.workout(.running, metadata: version(1))
        let builder = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
        try await builder.insertRouteData(places(3))
        try await builder.finishRoute(with: first, metadata: nil)
        let effort = HKQuantitySample(
            type: HKQuantityType(.workoutEffortScore), quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: 7),
            start: at(0), end: at(1))
        #expect(try await door.health.relateWorkoutEffortSample(effort, with: first, activity: nil))

        let second = try await door.workout(.running, metadata: version(2))
        #expect(try await routes(second) == [3])
        #expect(try await routes(first).isEmpty)
        let related = HKQuery.predicateForWorkoutEffortSamplesRelated(workout: second, activity: nil)
        let scores = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HKQuantityType(.workoutEffortScore), predicate: related)])
        #expect(try await scores.result(for: door.health).map(\.uuid) == [effort.uuid])

        let third = door.workoutBuilder()
        try await third.beginCollection(at: at(0))
        try await third.addMetadata(version(3))
        let own = try #require(third.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        try await own.insertRouteData(places(5))
        try await third.endCollection(at: at(60))
        let saved = try #require(try await third.finishWorkout())
        #expect(try await routes(saved) == [5])
        // An older version stores nothing, and no route without a workout.
        let older = door.workoutBuilder()
        try await older.beginCollection(at: at(0))
        try await older.addMetadata(version(1))
        let ignored = try #require(older.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        try await ignored.insertRouteData(places(7))
        try await older.endCollection(at: at(60))
        try await older.finishWorkout()
        let all = try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: door.health)
        #expect(all.map(\.count) == [5])
        #expect(try door.health.store().verify().isSound)
    }

    @Test("the bytes of a deleted workout are erased by a compaction")
    func erased() async throws {
        let door = try TestDoor()
        let name = "Sunrise-Trail-4711"
        let brand = [HKMetadataKeyWorkoutBrandName: name]
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        try await builder.addSamples([pulse(100, 1)])
        let activity = HKWorkoutActivity(
            workoutConfiguration: configured(.running), start: at(0), end: at(10), metadata: ["place": name])
        try await builder.addWorkoutActivity(activity)
        try await builder.addMetadata(brand)
        try await builder.endCollection(at: at(100))
        let workout = try #require(try await builder.finishWorkout())
        let kept = try await door.workout(.yoga)
        try await door.health.delete(workout)
        let store = try door.health.store()
        for _ in 0..<2 { try store.compact() }
        let dead = try store.catalog([SavedObjectRow]()) {
            try HealthCatalog.deadSavedObjects(after: 0, upTo: .max, from: 0, limit: 9, $0)
        }
        #expect(dead.count == 1 && dead[0].metadata == 0)
        let record = try WorkoutRecord(try #require(dead.first).body)
        #expect(record.content == .erased && record.members.runs.isEmpty && record.element == nil)
        #expect(identities(try await door.workouts()) == [kept.uuid])
        #expect(try store.verify().isSound)
        door.health.close()
        let target = door.directory.file("repaired")
        #expect(try HealthStore.repair(from: door.directory.file("store"), to: target).isComplete)
    }
}
