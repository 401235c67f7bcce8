// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

private let numbers: [Double] = [.nan, .infinity, -.infinity, -1, 0, .greatestFiniteMagnitude]

@Suite("S-37 S-70 S-81 hostile arguments of workouts, their builder and their predicates")
struct HostileWorkoutTests {
    /// Calls everything that a builder has with a date.
    private func use(_ builder: HKWorkoutBuilder, _ date: Date) async -> [HKError.Code?] {
        let event = HKWorkoutEvent(.marker, start: date, end: date)
        let activity = HKWorkoutActivity(
            workoutConfiguration: configured(.running), start: date, end: date, metadata: nil)
        let sample = HKQuantitySample(type: heartRate, quantity: beats(1), start: date, end: date)
        _ = (builder.elapsedTime(at: date), builder.statistics(for: heartRate), builder.workoutActivities)
        return [
            await code { try await builder.addWorkoutEvents([event]) },
            await code { try await builder.addWorkoutActivity(activity) },
            await code { try await builder.addSamples([sample]) },
            await code { try await builder.updateActivity(uuid: activity.uuid, end: date) },
            await code { try await builder.updateActivity(uuid: activity.uuid, adding: ["a": [1]]) },
            await code { try await builder.addMetadata(["a": date, "b": [date]]) },
        ]
    }

    @Test("a builder refuses impossible dates, and stays usable")
    func builder() async throws {
        let door = try TestDoor()
        for date in hostileDates {
            let builder = door.workoutBuilder()
            #expect(await code { try await builder.beginCollection(at: date) } == .errorInvalidArgument)
            let answers = Answers<Bool>()
            builder.beginCollection(withStart: date) { isDone, _ in answers.put(isDone) }
            builder.endCollection(withEnd: date) { isDone, _ in answers.put(isDone) }
            builder.finishWorkout { workout, _ in answers.put(workout != nil) }
            #expect(await answers.first(3) == [false, false, false])
        }
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        for date in hostileDates {
            #expect(await use(builder, date).allSatisfy { $0 == .errorInvalidArgument }, "\(date)")
            #expect(await code { try await builder.endCollection(at: date) } == .errorInvalidArgument)
            let answers = Answers<Bool>()
            let event = HKWorkoutEvent(.lap, start: date, end: at(1))
            builder.addWorkoutEvents([event]) { isDone, _ in answers.put(isDone) }
            let activity = HKWorkoutActivity(
                workoutConfiguration: configured(.running), start: at(1), end: date, metadata: nil)
            builder.addWorkoutActivity(activity) { isDone, _ in answers.put(isDone) }
            builder.updateActivity(uuid: activity.uuid, end: date) { isDone, _ in answers.put(isDone) }
            builder.updateActivity(uuid: activity.uuid, adding: [:]) { isDone, _ in answers.put(isDone) }
            builder.addMetadata(["a": [date]]) { isDone, _ in answers.put(isDone) }
            builder.add([]) { isDone, _ in answers.put(isDone) }
            #expect(await answers.first(6) == [Bool](repeating: false, count: 6), "\(date)")
        }
        #expect(builder.workoutEvents.isEmpty && builder.workoutActivities.isEmpty && builder.metadata.isEmpty)
        try await builder.endCollection(at: at(1))
        #expect(try await builder.finishWorkout() != nil)
    }

    @Test("a builder of a closed store, or without one, reports errors")
    func noStore() async throws {
        let health = HKHealthStore(directory: "/dev/null/x")
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configured(.running), device: nil)
        try await builder.beginCollection(at: at(0))
        #expect(await code { try await builder.addSamples([pulse(100, 1)]) } != nil)
        try await builder.endCollection(at: at(1))
        #expect(await code { _ = try await builder.finishWorkout() } != nil)
        #expect(builder.allStatistics.isEmpty)
        builder.discardWorkout()
    }

    @available(*, deprecated)
    private func predicates(_ number: Double) -> [NSPredicate] {
        let (count, rate) = (HKQuantity(unit: .count(), doubleValue: number), beats(number))
        let (energy, metres) = (
            HKQuantity(unit: .kilocalorie(), doubleValue: number), HKQuantity(unit: .meter(), doubleValue: number)
        )
        let distance = HKQuantityType(.distanceCycling)
        let dates = [nil] + hostileDates
        let activities: [NSPredicate] =
            dates.map { HKQuery.predicateForWorkoutActivities(start: $0, end: $0) } + [
                HKQuery.predicateForWorkoutActivities(workoutActivityType: .other),
                HKQuery.predicateForWorkoutActivities(operatorType: .lessThan, duration: number),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: .equalTo, quantityType: distance, sumQuantity: metres),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: .lessThan, quantityType: heartRate, minimumQuantity: rate),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: .lessThan, quantityType: heartRate, maximumQuantity: rate),
                HKQuery.predicateForWorkoutActivities(
                    operatorType: .notEqualTo, quantityType: heartRate, averageQuantity: rate),
            ]
        return activities.map { HKQuery.predicateForWorkouts(activityPredicate: $0) } + [
            HKQuery.predicateForWorkouts(with: HKWorkoutActivityType.other),
            HKQuery.predicateForWorkouts(with: .greaterThan, duration: number),
            HKQuery.predicateForWorkouts(with: .lessThan, totalEnergyBurned: energy),
            HKQuery.predicateForWorkouts(with: .lessThan, totalDistance: metres),
            HKQuery.predicateForWorkouts(with: .lessThan, totalSwimmingStrokeCount: count),
            HKQuery.predicateForWorkouts(with: .lessThan, totalFlightsClimbed: count),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: distance, sumQuantity: metres),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: heartRate, minimumQuantity: rate),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: heartRate, maximumQuantity: rate),
            HKQuery.predicateForWorkouts(operatorType: .lessThan, quantityType: heartRate, averageQuantity: rate),
        ]
    }

    @available(*, deprecated)
    @Test("predicates with extreme numbers and dates give the same results in a query and on objects")
    func predicates() async throws {
        let door = try TestDoor()
        _ = try await door.workout(.running, [pulse(100, 1), energy(3, 1, 2)])
        _ = try await door.workout(.cycling, from: 200, to: 200)
        let all = try await door.workouts()
        for number in numbers {
            for predicate in predicates(number) {
                let not = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
                for one in [predicate, not] {
                    let wanted = all.filter { one.evaluate(with: $0) }.map(\.uuid)
                    #expect(try await door.workouts(one).map(\.uuid) == wanted, "\(one)")
                }
            }
        }
        #expect(all.count == 2 && all[0].statistics(for: heartRate) != nil)
        #expect(all[0].workoutActivities[0].statistics(for: HKQuantityType(.stepCount)) == nil)
    }

    @available(*, deprecated)
    @Test("additions and effort relations of workouts and samples that are not stored are refused")
    func unknown() async throws {
        let door = try TestDoor()
        let workout = HKWorkout(activityType: .running, start: at(0), end: at(1))
        let effort = HKQuantitySample(
            type: HKQuantityType(.workoutEffortScore), quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: 1),
            start: at(0), end: at(0))
        let refused: [() async throws -> Void] = [
            { try await door.health.addSamples([pulse(1, 1)], to: workout) },
            { try await door.health.addSamples([], to: workout) },
            { try await door.health.relateWorkoutEffortSample(effort, with: workout, activity: nil) },
            { try await door.health.unrelateWorkoutEffortSample(effort, from: workout, activity: nil) },
        ]
        for call in refused { #expect(await code(call) == .errorInvalidArgument) }
        let answers = Answers<Bool>()
        door.health.add([], to: workout) { isDone, _ in answers.put(isDone) }
        door.health.relateWorkoutEffortSample(effort, with: workout, activity: nil) { isDone, _ in
            answers.put(isDone)
        }
        door.health.unrelateWorkoutEffortSample(effort, from: workout, activity: nil) { isDone, _ in
            answers.put(isDone)
        }
        #expect(await answers.first(3) == [false, false, false])
        #expect(try door.all(HKQuantityType(.workoutEffortScore)).isEmpty)
        // Another store's anchor, a closed store, and a predicate that cannot be read.
        let anchor = HKQueryAnchor(fromValue: .max)
        let query = HKWorkoutEffortRelationshipQueryDescriptor(predicate: nil, anchor: anchor, option: .mostRelevant)
        #expect(try await query.result(for: door.health).relationships.isEmpty)
        let block = NSPredicate { _, _ in true }
        let wrong = HKWorkoutEffortRelationshipQueryDescriptor(predicate: block, anchor: nil, option: .default)
        #expect(await code { _ = try await wrong.result(for: door.health) } == .errorInvalidArgument)
        var results = wrong.results(for: door.health).makeAsyncIterator()
        #expect(await code { _ = try await results.next() } == .errorInvalidArgument)
        let errors = Answers<Bool>()
        door.health.execute(
            HKWorkoutEffortRelationshipQuery(predicate: block, anchor: nil, options: .default) {
                (_, found: [HKWorkoutEffortRelationship]?, _, error) in errors.put(found == nil && error != nil)
            })
        #expect(await errors.first(1) == [true])
        let related = HKQuery.predicateForWorkoutEffortSamplesRelated(workout: workout, activity: nil)
        #expect(!related.evaluate(with: effort) && !related.description.isEmpty)
    }

    @Test("archives without a configuration, or with impossible numbers, are no configuration")
    func archives() throws {
        for values in [[:], ["activity": 37], ["activity": -1, "location": 1, "swimming": 0]] as [[String: Int]] {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            for (key, value) in values { archiver.encode(value, forKey: key) }
            archiver.finishEncoding()
            let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            #expect(HKWorkoutConfiguration(coder: reader) == nil)
            #expect(HKWorkoutEvent(coder: reader) == nil && HKWorkoutActivity(coder: reader) == nil)
        }
    }
}
