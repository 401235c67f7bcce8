// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-37 S-71 effort samples related to workouts and their activities")
struct WorkoutEffortTests {
    private static let own = HKQuantityType(.workoutEffortScore)
    private static let estimated = HKQuantityType(.estimatedWorkoutEffortScore)

    private func score(_ value: Double, _ start: Double, _ type: HKQuantityType = own) -> HKQuantitySample {
        HKQuantitySample(
            type: type, quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: value), start: at(start),
            end: at(start))
    }

    private func relationships(
        _ door: TestDoor, _ predicate: NSPredicate? = nil, anchor: HKQueryAnchor? = nil,
        _ option: HKWorkoutEffortRelationshipQueryOptions = .default
    ) async throws -> HKWorkoutEffortRelationshipQueryDescriptor.Result {
        let descriptor = HKWorkoutEffortRelationshipQueryDescriptor(
            predicate: predicate, anchor: anchor, option: option)
        #expect((descriptor.predicate == nil) == (predicate == nil))
        return try await descriptor.result(for: door.health)
    }

    @Test("relating saves the sample; relations are found, removed, and survive reopening, repair and compaction")
    func relations() async throws {
        let door = try TestDoor()
        let parts = [part(.running, 0, 50), part(.running, 50, 100)]
        let workout = try await door.workout(.running, [], parts)
        let other = try await door.workout(.yoga, from: 200, to: 300)
        let (whole, piece) = (score(7, 100), score(4, 50))
        try await door.health.save(piece)
        #expect(try await door.health.relateWorkoutEffortSample(whole, with: workout, activity: nil))
        try await door.health.relateWorkoutEffortSample(whole, with: workout, activity: nil)
        try await door.health.relateWorkoutEffortSample(piece, with: workout, activity: parts[1])
        #expect(try door.all(Self.own).count == 2)
        let wrong: [(HKSample, HKWorkout, HKWorkoutActivity?)] = [
            (pulse(100, 3), workout, nil), (score(3, 1), other, parts[0]), (score(3, 1), workout, part(.running, 0, 1)),
        ]
        for (sample, workout, activity) in wrong {
            let found = await code {
                try await door.health.relateWorkoutEffortSample(sample, with: workout, activity: activity)
            }
            #expect(found == .errorInvalidArgument)
        }
        #expect(try door.all(Self.own).count == 2)
        func check(_ health: HKHealthStore) async throws {
            let all = try await HKWorkoutEffortRelationshipQueryDescriptor(
                predicate: nil, anchor: nil, option: .default
            ).result(for: health).relationships
            #expect(all.map(\.workout.uuid) == [workout.uuid, workout.uuid])
            #expect(all.map(\.activity?.uuid) == [nil, parts[1].uuid])
            #expect(all.map { $0.samples?.map(\.uuid) } == [[whole.uuid], [piece.uuid]])
            for (activity, wanted) in [(nil, [whole.uuid]), (parts[1], [piece.uuid]), (parts[0], [])] {
                let predicate = HKQuery.predicateForWorkoutEffortSamplesRelated(workout: workout, activity: activity)
                let found = try await HKSampleQueryDescriptor(
                    predicates: [.quantitySample(type: Self.own, predicate: predicate)]
                ).result(for: health)
                #expect(found.map(\.uuid) == wanted)
            }
            let format = NSPredicate(format: "%K == %@", HKPredicateKeyPathWorkoutEffortRelationship, workout)
            let found = try await HKSampleQueryDescriptor(
                predicates: [.quantitySample(type: Self.own, predicate: format)]
            ).result(for: health)
            #expect(found.map(\.uuid) == [whole.uuid])
            #expect(try health.store().verify().isSound)
        }
        try await check(door.health)
        try door.health.store().compact()
        try await check(door.health)
        door.health.close()
        let target = door.directory.file("repaired")
        #expect(try HealthStore.repair(from: door.directory.file("store"), to: target).isComplete)
        let repaired = HKHealthStore(directory: target)
        try await check(repaired)
        repaired.close()
        let answers = Answers<Bool>()
        door.health.unrelateWorkoutEffortSample(piece, from: workout, activity: nil) { done, _ in answers.put(done) }
        #expect(await answers.first(1) == [false], "it is related to the activity")
        #expect(try await door.health.unrelateWorkoutEffortSample(piece, from: workout, activity: parts[1]))
        #expect(try await relationships(door).relationships.count == 1)
        #expect(try door.all(Self.own).count == 2, "the sample stays")
        door.health.relateWorkoutEffortSample(piece, with: workout, activity: parts[0]) { done, _ in answers.put(done) }
        #expect(await answers.first(2).last == true)
        // A deleted workout takes its relations along; a deleted sample is no longer listed.
        try await door.health.delete(piece)
        #expect(try await relationships(door).relationships.map { $0.samples?.count } == [1, nil])
        try await door.health.delete(workout)
        #expect(try await relationships(door).relationships.isEmpty)
        #expect(try door.all(Self.own).map(\.uuid) == [whole.uuid])
        for _ in 0..<2 { try door.health.store().compact() }
        #expect(try door.health.store().verify().isSound)
    }

    @Test("the most relevant sample is the person's latest score, else the latest estimate; predicates select workouts")
    func relevant() async throws {
        let door = try TestDoor()
        let (run, ride) = (try await door.workout(.running), try await door.workout(.cycling, from: 200, to: 300))
        let scores = [score(5, 100), score(6, 101), score(9, 102, Self.estimated)]
        for one in scores { try await door.health.relateWorkoutEffortSample(one, with: run, activity: nil) }
        let guess = [score(1, 300, Self.estimated), score(2, 301, Self.estimated)]
        for one in guess { try await door.health.relateWorkoutEffortSample(one, with: ride, activity: nil) }
        let relevant = try await relationships(door, .mostRelevant).relationships
        #expect(relevant.map { $0.samples?.map(\.uuid) } == [[scores[1].uuid], [guess[1].uuid]])
        #expect(!(relevant.first?.description.isEmpty ?? true) && relevant[0].activity == nil)
        let rides = HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.cycling)
        let found = try await relationships(door, rides).relationships
        #expect(found.map(\.workout.uuid) == [ride.uuid] && found[0].samples?.count == 2)
        let refused = HKQuery.predicateForWorkoutActivities(workoutActivityType: .cycling)
        #expect(await code { _ = try await relationships(door, refused) } == .errorInvalidArgument)
        #expect(HKWorkoutEffortRelationshipQueryOptions.mostRelevant.rawValue == 1)
    }

    private func relationships(
        _ door: TestDoor, _ option: HKWorkoutEffortRelationshipQueryOptions
    ) async throws -> HKWorkoutEffortRelationshipQueryDescriptor.Result {
        try await relationships(door, nil, anchor: nil, option)
    }

    @Test("running queries report all relationships first, then changed ones")
    func running() async throws {
        let door = try TestDoor()
        let workout = try await door.workout(.running)
        let answers = Answers<[Int]>()
        let query = HKWorkoutEffortRelationshipQuery(predicate: nil, anchor: nil, options: .default) {
            _, found, anchor, error in
            #expect(anchor != nil && error == nil)
            answers.put((found ?? []).map { $0.samples?.count ?? 0 })
        }
        door.health.execute(query)
        #expect(await answers.first(1) == [[]])
        let start = try await relationships(door)
        let one = score(5, 100)
        try await door.health.relateWorkoutEffortSample(one, with: workout, activity: nil)
        #expect(await answers.first(2).last == [1])
        var results = HKWorkoutEffortRelationshipQueryDescriptor(
            predicate: nil, anchor: start.newAnchor, option: .default
        ).results(for: door.health).makeAsyncIterator()
        #expect(try await results.next()?.relationships.count == 1)
        try await door.health.unrelateWorkoutEffortSample(one, from: workout, activity: nil)
        #expect(await answers.first(3).last == [0])
        let last = try await results.next()
        #expect(last?.relationships.map { $0.samples == nil } == [true])
        door.health.stop(query)
        let quiet = try await relationships(door, anchor: last?.newAnchor)
        #expect(quiet.relationships.isEmpty)
    }

    @Test("hostile bytes of a relation are errors")
    func hostile() throws {
        var dice = SeededGenerator(seed: 5)
        for activity in [nil, UUID()] {
            let record = EffortRecord(workout: UUID(), activity: activity, sample: UUID())
            #expect(try EffortRecord(record.body) == record)
            let plain = try ObjectExpander.decode(record.body)
            for length in plain.indices {
                #expect(throws: HealthStoreError.self) {
                    try EffortRecord(ObjectCompressor.plain(Array(plain.prefix(length))))
                }
            }
        }
        for _ in 0..<500 { _ = try? EffortRecord(ObjectCompressor.plain([1] + dice.bytes(dice.below(70)))) }
        let error = #expect(throws: HealthStoreError.self) { try EffortRecord(ObjectCompressor.plain([2])) }
        #expect(error?.kind == .newerFormat)
    }
}
