// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-71 S-90 the samples of a workout belong to it by identity")
struct WorkoutMemberTests {
    /// A workout with single samples, a series and a category, beside samples that are not its own.
    private struct Trial {
        let door: TestDoor
        let workout: HKWorkout
        let pulses: [HKSample]
        let series: HKQuantitySample
        let session: HKCategorySample

        init() async throws {
            door = try TestDoor()
            // Inside the time of the workout, but not its own.
            try await door.health.save([pulse(50, 5), pulse(51, 50)])
            let saved = pulse(100, 10)
            try await door.health.save(saved)
            pulses = [saved, pulse(110, 20), pulse(120, 30), pulse(130, 40)]
            series = try await door.series([140, 150, 160], from: 60)
            session = HKCategorySample(
                type: HKCategoryType(.mindfulSession), value: 0, start: at(1), end: at(2))
            workout = try await door.workout(.running, pulses + [series, session], by: nil)
            try await door.health.save([pulse(52, 15), pulse(53, 62)])
        }
    }

    @Test("adding saves only what is not saved; samples that were added, also twice in one call, count once")
    func adding() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        #expect(await code { try await builder.addSamples([]) } == .errorInvalidArgument)
        let early = await code { try await builder.addSamples([pulse(90, 5), pulse(90, -1)]) }
        #expect(early == .errorInvalidArgument)
        #expect(try door.all(heartRate).isEmpty, "none is added")
        let (saved, new) = (energy(1, 0, 1), energy(2, 1, 2))
        try await door.health.save(saved)
        try await builder.addSamples([new, saved, new])
        try await builder.addSamples([saved])
        try await builder.addSamples([new, energy(4, 2, 3)])
        #expect(try door.all(kilocalories).count == 3)
        #expect(builder.statistics(for: kilocalories)?.sumQuantity()?.value == 7)
        // A sample of another program is a member, too.
        let foreign = energy(8, 3, 4)
        try await door.other("watch").save(foreign)
        try await builder.addSamples([foreign])
        #expect(builder.statistics(for: kilocalories)?.sumQuantity()?.value == 15)
        // An invalid sample beside saved ones is an error, and nothing is added.
        let wrong = HKQuantitySample(
            type: heartRate, quantity: HKQuantity(unit: .gram(), doubleValue: 1), start: at(5), end: at(5))
        #expect(await code { try await builder.addSamples([saved, wrong]) } == .errorInvalidArgument)
        #expect(await code { try await builder.addSamples([energy(16, 4, 5), wrong]) } == .errorInvalidArgument)
        #expect(try door.all(kilocalories).count == 4)
        #expect(builder.statistics(for: kilocalories)?.sumQuantity()?.value == 15)
    }

    @Test("members are found after compaction, reopening, repair and restore of a backup")
    func places() async throws {
        let trial = try await Trial()
        let door = trial.door
        let wanted = identities(trial.pulses).union([trial.series.uuid])
        let sessions = HKCategoryType(.mindfulSession)
        func check(_ health: HKHealthStore) async throws {
            #expect(try await door.members(trial.workout, heartRate, in: health) == wanted)
            #expect(try await door.members(trial.workout, sessions, in: health) == [trial.session.uuid])
            #expect(try await door.members(trial.workout, kilocalories, in: health).isEmpty)
            #expect(try await door.members(trial.workout, HKObjectType.workoutType(), in: health).isEmpty)
        }
        try await check(door.health)
        try door.health.store().compact()
        try await check(door.health)
        #expect(try door.health.store().verify().isSound)
        let backup = door.directory.file("backup")
        try door.health.store().engine.backup(to: backup)
        door.health.close()
        try await check(door.health)
        door.health.close()
        let (repaired, restored) = (door.directory.file("repaired"), door.directory.file("restored"))
        #expect(try HealthStore.repair(from: door.directory.file("store"), to: repaired).isComplete)
        try TimeSeriesStore.restore(from: backup, to: restored)
        for path in [repaired, restored] {
            let health = HKHealthStore(directory: path)
            defer { health.close() }
            try await check(health)
            let found = try await HKSampleQueryDescriptor(predicates: [.workout()]).result(for: health)
            #expect(found.first?.statistics(for: heartRate)?.maximumQuantity() == beats(160))
        }
    }

    @Test("the predicate works alone, negated and in compounds, and matches nothing for an unknown workout")
    func compounds() async throws {
        let trial = try await Trial()
        let (door, workout) = (trial.door, trial.workout)
        let own = HKQuery.predicateForObjects(from: workout)
        let few = HKQuery.predicateForQuantitySamples(with: .lessThan, quantity: beats(115))
        func found(_ predicate: NSPredicate) async throws -> Set<UUID> {
            identities(
                try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: heartRate, predicate: predicate)])
                    .result(for: door.health))
        }
        let all = identities(try door.all(heartRate))
        let members = identities(trial.pulses).union([trial.series.uuid])
        #expect(all.count == 9 && members.count == 5)
        #expect(try await found(own) == members)
        #expect(try await found(NSCompoundPredicate(notPredicateWithSubpredicate: own)) == all.subtracting(members))
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [own, few])
        #expect(try await found(both) == identities(Array(trial.pulses.prefix(2))))
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [own, few])
        #expect(try await found(either) == all)
        let other = try await door.workout(.yoga)
        #expect(try await found(HKQuery.predicateForObjects(from: other)).isEmpty)
        try await door.health.delete(other)
        #expect(try await found(HKQuery.predicateForObjects(from: other)).isEmpty)
        #expect(!own.evaluate(with: trial.pulses[0]), "only a store knows the samples")
        #expect(!own.description.isEmpty && own.isEqual(HKQuery.predicateForObjects(from: workout)))
    }

    @Test("statistics, series, anchored and observer queries, and deletions, understand the predicate")
    func queries() async throws {
        let trial = try await Trial()
        let (door, own) = (trial.door, HKQuery.predicateForObjects(from: trial.workout))
        let statistics = try await HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: heartRate, predicate: own), options: [.discreteMin, .discreteMax]
        ).result(for: door.health)
        #expect(statistics?.minimumQuantity() == beats(100) && statistics?.maximumQuantity() == beats(160))
        let collection = try await HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: heartRate, predicate: own), options: [.discreteMax], anchorDate: at(0),
            intervalComponents: DateComponents(second: 30)
        ).result(for: door.health)
        #expect(collection.statistics().map { $0.maximumQuantity() } == [110, 130, 160].map { beats($0) })
        var quantities: [Double] = []
        for try await one in HKQuantitySeriesSampleQueryDescriptor(
            predicate: .quantitySample(type: heartRate, predicate: own)
        ).results(for: door.health) { quantities.append(one.quantity.value) }
        #expect(quantities == [100, 110, 120, 130, 140, 150, 160])
        let anchored = HKAnchoredObjectQueryDescriptor(
            predicates: [.quantitySample(type: heartRate, predicate: own)], anchor: nil)
        let first = try await anchored.result(for: door.health)
        #expect(first.addedSamples.count == 5)
        let answers = Answers<Bool>()
        let observer = HKObserverQuery(sampleType: heartRate, predicate: own) { _, done, error in
            answers.put(error == nil)
            done()
        }
        door.health.execute(observer)
        #expect(await answers.first(1) == [true])
        #expect(try await door.health.deleteObjects(of: heartRate, predicate: own) == 5)
        #expect(await answers.first(2) == [true, true])
        door.health.stop(observer)
        #expect(try door.all(heartRate).count == 4)
        #expect(try await door.members(trial.workout, heartRate).isEmpty)
        let next = try await HKAnchoredObjectQueryDescriptor(
            predicates: [.quantitySample(type: heartRate, predicate: own)], anchor: first.newAnchor
        ).result(for: door.health)
        #expect(next.deletedObjects.count == 5)
        // The statistics of a saved workout stay (its average is that of the samples that it had).
        #expect(try await door.stored(trial.workout).statistics(for: heartRate)?.maximumQuantity() == beats(160))
    }

    @Test("statistics of a workout's samples read only the time of the workout")
    func window() async throws {
        let trial = try await Trial()
        let far = (0..<20_000).map { pulse(70, 10_000 + Double($0)) }
        try await trial.door.health.save(far)
        try trial.door.health.store().engine.seal()
        let explanation = QueryExplanation()
        let predicate = SamplePredicate.members(of: trial.workout.uuid)
        let store = try trial.door.health.store()
        let search = try StatisticsSearch(
            StatisticsQuestion(type: heartRate, predicate: predicate, options: [.discreteMax]), store, nil,
            explanation)
        _ = try search.run(nil)
        var rows = 0
        try search.scan(search.condition.time.starts) { _ in rows += 1 }
        #expect(rows == 7 && search.condition.time.starts.end < (StoredTime.nanoseconds(at(10_000)) ?? 0))
    }

    @Test("samples of other programs and their workouts stay apart")
    func twoWorkouts() async throws {
        let door = try TestDoor()
        let shared = pulse(99, 3)
        let one = try await door.workout(.running, [shared, pulse(1, 1)])
        let two = try await door.workout(.running, [shared, pulse(2, 2)], by: door.other("b"))
        #expect(try await door.members(one, heartRate).count == 2)
        #expect(try await door.members(two, heartRate).count == 2)
        let common = try await door.members(one, heartRate).intersection(try await door.members(two, heartRate))
        #expect(common == [shared.uuid])
    }
}

@available(*, deprecated)
private func totals(_ door: TestDoor, _ activity: HKWorkoutActivityType = .cycling) -> HKWorkout {
    HKWorkout(
        activityType: activity, start: at(0), end: at(100), workoutEvents: nil,
        totalEnergyBurned: HKQuantity(unit: .kilocalorie(), doubleValue: 300),
        totalDistance: HKQuantity(unit: .meter(), doubleValue: 5_000), metadata: nil)
}

@Suite("S-71 samples added to a saved workout")
struct WorkoutAdditionTests {
    @available(*, deprecated)
    @Test("added samples become members; totals, dates and duration stay; other types get statistics")
    func adding() async throws {
        let door = try TestDoor()
        let workout = totals(door)
        #expect(await code { try await door.health.addSamples([pulse(1, 1)], to: workout) } == .errorInvalidArgument)
        #expect(try door.all(heartRate).isEmpty)
        try await door.health.save(workout)
        #expect(await code { try await door.health.addSamples([], to: workout) } == .errorInvalidArgument)
        let saved = pulse(100, 10)
        try await door.health.save(saved)
        try await door.health.addSamples([saved, energy(7, 0, 10)], to: workout)
        let answers = Answers<Bool>()
        door.health.add([pulse(140, 20), pulse(150, 30), saved], to: workout) { isDone, _ in answers.put(isDone) }
        #expect(await answers.first(1) == [true])
        for _ in 0..<2 {
            let found = try await door.stored(workout)
            #expect(found.totalEnergyBurned?.value == 300 && found.totalDistance?.value == 5_000)
            #expect(found.statistics(for: kilocalories)?.sumQuantity()?.value == 300)
            for statistics in [found.statistics(for: heartRate), found.workoutActivities[0].statistics(for: heartRate)]
            {
                // 100 for ten seconds, 140 for ten seconds.
                #expect(statistics?.averageQuantity() == beats(120) && statistics?.maximumQuantity() == beats(150))
            }
            #expect(found.duration == 100 && found.startDate == at(0) && found.endDate == at(100))
            #expect(try await door.members(workout, heartRate).count == 3)
            #expect(try await door.members(workout, kilocalories).count == 1)
            #expect(try door.health.store().verify().isSound)
            door.health.close()
        }
    }

    @Test("many calls at once lose no sample")
    @available(*, deprecated)
    func threads() async throws {
        let door = try TestDoor()
        let workout = totals(door)
        try await door.health.save(workout)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    try await door.health.addSamples([pulse(100 + Double(number), Double(number))], to: workout)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await door.members(workout, heartRate).count == 12)
        let found = try await door.stored(workout).statistics(for: heartRate)
        #expect(found?.minimumQuantity() == beats(100) && found?.maximumQuantity() == beats(111))
    }

    @Test("a builder's workout accepts samples, and keeps its other statistics")
    @available(*, deprecated)
    func builder() async throws {
        let door = try TestDoor()
        let workout = try await door.workout(
            .running, [energy(5, 0, 50), pulse(100, 0)], [part(.running, 0, 50), part(.running, 50, 100)])
        try await door.health.addSamples([energy(5, 50, 100), pulse(120, 60)], to: workout)
        let found = try await door.stored(workout)
        #expect(found.statistics(for: kilocalories)?.sumQuantity()?.value == 5 && found.totalEnergyBurned?.value == 5)
        #expect(
            found.workoutActivities.map { $0.statistics(for: heartRate)?.maximumQuantity() }
                == [100, 120].map { beats($0) })
        #expect(try await door.members(workout, kilocalories).count == 2)
    }
}
