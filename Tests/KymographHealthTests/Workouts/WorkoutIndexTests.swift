// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-37 S-151 S-152 the index of workouts selects every workout that a predicate matches")
struct WorkoutIndexTests {
    private static let comparisons: [HealthComparison] = [
        .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo,
    ]
    private static let activities: [HKWorkoutActivityType] = [.swimming, .cycling, .running]

    /// Saves a workout with random activities and samples.
    private func save(_ door: TestDoor, _ dice: inout SeededGenerator) async throws -> HKWorkout {
        let start = Double(dice.below(40)) * 10
        let isMixed = dice.chance(0.6)
        let type = isMixed ? HKWorkoutActivityType.swimBikeRun : dice.pick(Self.activities)
        var (parts, samples): ([HKWorkoutActivity], [HKSample]) = ([], [])
        for number in 0..<(isMixed ? dice.below(5) : 0) {
            let from = start + Double(number * 10)
            parts.append(part(dice.pick(Self.activities), from, from + Double(1 + dice.below(10))))
        }
        for _ in 0..<dice.below(8) {
            let at = start + Double(dice.below(50))
            samples.append(
                dice.chance(0.5) ? pulse(Double(100 + dice.below(5)), at) : energy(Double(dice.below(4)), at, at + 2))
        }
        return try await door.workout(type, samples, parts, from: start, to: start + 50 + Double(dice.below(3) * 10))
    }

    private func condition(_ dice: inout SeededGenerator, isOfActivity: Bool) -> NSPredicate {
        let (comparison, activity) = (dice.pick(Self.comparisons), dice.pick(Self.activities))
        let rate = beats(Double(99 + dice.below(7)))
        let amount = HKQuantity(unit: .kilocalorie(), doubleValue: Double(dice.below(5)))
        let length = Double(dice.below(9) * 10)
        if isOfActivity {
            return switch dice.below(5) {
            case 0: HKQuery.predicateForWorkoutActivities(workoutActivityType: activity)
            case 1: HKQuery.predicateForWorkoutActivities(operatorType: comparison, duration: length / 10)
            case 2: HKQuery.predicateForWorkoutActivities(start: at(length * 4), end: nil)
            case 3:
                HKQuery.predicateForWorkoutActivities(
                    operatorType: comparison, quantityType: heartRate, averageQuantity: rate)
            default:
                HKQuery.predicateForWorkoutActivities(
                    operatorType: comparison, quantityType: kilocalories, sumQuantity: amount)
            }
        }
        return switch dice.below(6) {
        case 0: HKQuery.predicateForWorkouts(with: activity)
        case 1: HKQuery.predicateForWorkouts(with: comparison, duration: length)
        case 2: HKQuery.predicateForSamples(withStart: at(length * 4), end: at(length * 5))
        case 3:
            HKQuery.predicateForWorkouts(operatorType: comparison, quantityType: heartRate, maximumQuantity: rate)
        case 4:
            HKQuery.predicateForWorkouts(operatorType: comparison, quantityType: kilocalories, sumQuantity: amount)
        default: HKQuery.predicateForWorkouts(activityPredicate: compound(&dice, depth: 2, isOfActivity: true))
        }
    }

    private func compound(_ dice: inout SeededGenerator, depth: Int, isOfActivity: Bool) -> NSPredicate {
        if depth == 0 || dice.chance(0.3) { return condition(&dice, isOfActivity: isOfActivity) }
        let parts = (0..<(1 + dice.below(2))).map { _ in
            compound(&dice, depth: depth - 1, isOfActivity: isOfActivity)
        }
        return switch dice.below(3) {
        case 0: NSCompoundPredicate(notPredicateWithSubpredicate: parts[0])
        case 1: NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        default: NSCompoundPredicate(orPredicateWithSubpredicates: parts)
        }
    }

    @available(*, deprecated)
    @Test("queries equal an evaluation of all workouts, after saves, deletions and additions", arguments: 1...20)
    func random(seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        let door = try TestDoor()
        let reader = try door.health.store()
        var anchors: [(commit: Int64, workouts: [HKWorkout])] = []
        for _ in 0..<6 {
            for _ in 0..<(1 + dice.below(6)) { _ = try await save(door, &dice) }
            let all = try await door.workouts()
            if dice.chance(0.5), let gone = all.randomElement(using: &dice) { try await door.health.delete(gone) }
            if dice.chance(0.5), let one = try await door.workouts().randomElement(using: &dice) {
                let value = Double(100 + dice.below(6))
                try await door.health.addSamples(
                    [pulse(value, one.startDate.timeIntervalSince(clock) + 1)], to: one)
            }
            let present = try await door.workouts()
            anchors.append((reader.engine.snapshot().sequence, present))
            for _ in 0..<25 {
                let predicate = compound(&dice, depth: 2, isOfActivity: false)
                let wanted = present.filter { predicate.evaluate(with: $0) }.map(\.uuid)
                #expect(try await door.workouts(predicate).map(\.uuid) == wanted, "\(predicate)")
                let last = try await HKSampleQueryDescriptor(
                    predicates: [.workout(predicate)], sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)],
                    limit: 2
                ).result(for: door.health)
                #expect(
                    Set(last.map(\.startDate))
                        == Set(
                            wanted.reversed().prefix(2).map { uuid in
                                present.first { $0.uuid == uuid }?.startDate ?? .distantPast
                            }))
            }
        }
        // Earlier commits, of which there are no columns.
        for (commit, workouts) in anchors {
            let view = try reader.view(asOf: commit)
            let predicate = HKQuery.predicateForWorkouts(with: .greaterThan, duration: 55)
            var found: [UUID] = []
            try reader.search(
                SampleSearch(type: HKObjectType.workoutType(), predicate: SamplePredicate(predicate)), in: view
            ) {
                found += $0.samples.map(\.uuid)
                return true
            }
            #expect(found == workouts.filter { predicate.evaluate(with: $0) }.map(\.uuid))
        }
    }

    @Test("a reader in another instance sees the commits of the writer")
    func otherReader() async throws {
        let door = try TestDoor()
        let long = HKQuery.predicateForWorkouts(with: .greaterThan, duration: 100)
        let first = try await door.workout(.running, to: 200)
        let reader = try HealthStore.open(at: door.directory.file("store"), mode: .readOnly)
        defer { reader.close() }
        func found() throws -> Set<UUID> {
            var all: Set<UUID> = []
            try reader.search(
                SampleSearch(type: HKObjectType.workoutType(), predicate: SamplePredicate(long))
            ) {
                all.formUnion($0.samples.map(\.uuid))
                return true
            }
            return all
        }
        #expect(try found() == [first.uuid])
        let second = try await door.workout(.running, from: 300, to: 500)
        _ = try await door.workout(.running, from: 600, to: 601)
        #expect(try found() == [first.uuid, second.uuid])
        try await door.health.delete(first)
        #expect(try found() == [second.uuid])
    }

    @Test("the columns answer without decoding other workouts")
    func selects() async throws {
        let door = try TestDoor()
        for number in 0..<20 { _ = try await door.workout(.running, from: 0, to: Double(number + 1)) }
        let store = try door.health.store()
        let columns = try #require(try store.workoutIndex.columns(store, store.view()))
        let long = try SamplePredicate(HKQuery.predicateForWorkouts(with: .greaterThan, duration: 15.5))
        #expect(columns.candidates(long).count == 5 && columns.count == 40)
        #expect(columns.candidates(.not(long)).count == 15)
        #expect(columns.candidates(.and([long, .not(long)])).isEmpty)
        #expect(columns.candidates(.or([long, .not(long)])).count == 20)
        #expect(columns.candidates(.hasMetadata("x")).count == 20)
        // A value at the threshold is decided by its workout.
        let edge = try SamplePredicate(HKQuery.predicateForWorkouts(with: .greaterThan, duration: 15))
        #expect(columns.candidates(edge).count == 6 && columns.candidates(.not(edge)).count == 15)
    }
}

@Suite("S-37 S-148 orders of workouts")
struct WorkoutSortTests {
    @available(*, deprecated)
    private func workout(_ number: Double?, _ start: Double, _ length: Double) -> HKWorkout {
        let count = number.map { HKQuantity(unit: .count(), doubleValue: $0) }
        let energy = number.map { HKQuantity(unit: .kilocalorie(), doubleValue: $0) }
        let distance = number.map { HKQuantity(unit: .mile(), doubleValue: $0) }
        return length == 3
            ? HKWorkout(
                activityType: .swimming, start: at(start), end: at(start + length), workoutEvents: nil,
                totalEnergyBurned: energy, totalDistance: distance, totalSwimmingStrokeCount: count, device: nil,
                metadata: nil)
            : HKWorkout(
                activityType: .stairs, start: at(start), end: at(start + length), workoutEvents: nil,
                totalEnergyBurned: energy, totalDistance: distance, totalFlightsClimbed: count, device: nil,
                metadata: nil)
    }

    @available(*, deprecated)
    @Test("a sample query sorts workouts by duration and totals")
    func keys() async throws {
        let door = try TestDoor()
        let all = [workout(5, 0, 30), workout(nil, 10, 10), workout(2, 20, 20), workout(9, 30, 3)]
        try await door.health.save(all)
        func order(_ descriptors: [NSSortDescriptor], limit: Int = HKObjectQueryNoLimit) async -> [Int] {
            let answers = Answers<[Int]>()
            let count = descriptors.count
            let query = HKSampleQuery(
                sampleType: HKObjectType.workoutType(), predicate: nil, limit: limit, sortDescriptors: descriptors
            ) { query, found, error in
                #expect(query.sortDescriptors?.count == (error == nil ? count : nil))
                let numbers = (found ?? []).compactMap { one in all.firstIndex { $0.uuid == one.uuid } }
                answers.put(error == nil ? numbers : [-1])
            }
            door.health.execute(query)
            return await answers.first(1).first ?? []
        }
        func by(_ key: String, ascending: Bool = true) -> [NSSortDescriptor] {
            [NSSortDescriptor(key: key, ascending: ascending)]
        }
        #expect(await order(by(HKWorkoutSortIdentifierDuration)) == [3, 1, 2, 0])
        #expect(await order(by(HKWorkoutSortIdentifierDuration, ascending: false), limit: 2) == [0, 2])
        #expect(await order(by(HKWorkoutSortIdentifierTotalDistance)) == [1, 2, 0, 3])
        #expect(await order(by(HKWorkoutSortIdentifierTotalEnergyBurned, ascending: false)) == [3, 0, 2, 1])
        #expect(await order(by(HKWorkoutSortIdentifierTotalFlightsClimbed, ascending: false), limit: 2) == [0, 2])
        #expect(await order(by(HKWorkoutSortIdentifierTotalSwimmingStrokeCount, ascending: false), limit: 1) == [3])
        #expect(
            await order(
                by(HKWorkoutSortIdentifierTotalSwimmingStrokeCount)
                    + by(HKSampleSortIdentifierStartDate, ascending: false)) == [2, 1, 0, 3])
        #expect(await order(by("speed")) == [-1])
        #expect(
            [HKWorkoutSortIdentifierDuration, HKWorkoutSortIdentifierTotalDistance] == ["duration", "totalDistance"])
        let bySwift = try await HKSampleQueryDescriptor(
            predicates: [.workout()], sortDescriptors: [SortDescriptor(\HKWorkout.duration, order: .reverse)]
        ).result(for: door.health)
        #expect(bySwift.map(\.uuid) == [0, 2, 1, 3].map { all[$0].uuid })
        let answers = Answers<Bool>()
        let wrong = HKSampleQuery(
            sampleType: heartRate, predicate: nil, limit: 0, sortDescriptors: by(HKWorkoutSortIdentifierDuration)
        ) { _, _, error in answers.put((error as? HKError)?.code == .errorInvalidArgument) }
        door.health.execute(wrong)
        #expect(await answers.first(1) == [true], "heart rates have no duration to sort by")
    }
}
