// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-79 S-81 S-82 S-83 S-85 S-86 S-90 S-91 S-92 the order of a workout builder's calls")
struct WorkoutBuilderTests {
    private static let activity = part(.running, 10, 20)

    /// All calls that can be refused.
    private static let calls: [String] = [
        "begin", "samples", "events", "metadata", "activity", "activityEnd", "activityMetadata", "end", "finish",
    ]

    private static func call(_ name: String, _ builder: HKWorkoutBuilder) async throws {
        switch name {
        case "begin": try await builder.beginCollection(at: at(0))
        case "samples": try await builder.addSamples([pulse(100, 50)])
        case "events": try await builder.addWorkoutEvents([workoutEvent(.marker, 50)])
        case "metadata": try await builder.addMetadata(["a": 1])
        case "activity": try await builder.addWorkoutActivity(part(.running, 30, 40))
        case "activityEnd": try await builder.updateActivity(uuid: activity.uuid, end: at(25))
        case "activityMetadata": try await builder.updateActivity(uuid: activity.uuid, adding: ["b": 2])
        case "end": try await builder.endCollection(at: at(100))
        default: _ = try await builder.finishWorkout()
        }
    }

    /// Moves a builder to a phase.
    private static func move(_ builder: HKWorkoutBuilder, to phase: WorkoutDraft.Phase) async throws {
        if phase == .new { return }
        if phase == .failed {
            #expect(await code { try await builder.beginCollection(at: at(.nan)) } == .errorInvalidArgument)
            return
        }
        try await builder.beginCollection(at: at(0))
        try await builder.addWorkoutActivity(activity)
        if phase == .collecting { return }
        try await builder.endCollection(at: at(100))
        if phase == .ended { return }
        if phase == .discarded { builder.discardWorkout() } else { _ = try await builder.finishWorkout() }
    }

    @Test(
        "a call out of order is refused with errorInvalidArgument, and changes nothing",
        arguments: [
            (.new, ["begin", "metadata"]), (.failed, []),
            (
                .collecting,
                ["samples", "events", "metadata", "activity", "activityEnd", "activityMetadata", "end"]
            ),
            (
                .ended, ["samples", "events", "metadata", "activity", "activityEnd", "activityMetadata", "finish"]
            ), (.finished, []), (.discarded, []),
        ] as [(WorkoutDraft.Phase, [String])])
    func order(phase: WorkoutDraft.Phase, allowed: [String]) async throws {
        for name in Self.calls {
            let door = try TestDoor()
            let builder = door.workoutBuilder()
            try await Self.move(builder, to: phase)
            let count = builder.workoutActivities.count
            let found = await code { try await Self.call(name, builder) }
            #expect(found == (allowed.contains(name) ? nil : .errorInvalidArgument), "\(phase) \(name)")
            if allowed.contains(name) { continue }
            #expect(builder.draft.withLock { $0.phase } == phase, "\(phase) \(name)")
            #expect(builder.workoutEvents.isEmpty && builder.metadata.isEmpty && builder.allStatistics.isEmpty)
            #expect(builder.workoutActivities.count == count)
            #expect(try door.all(heartRate).isEmpty)
            #expect(try await door.workouts().count == (phase == .finished ? 1 : 0))
        }
    }

    @Test(
        "the advice of a refusal names the missing call",
        arguments: [
            (.new, "samples", "the collection has not begun; call beginCollection first"),
            (.new, "events", "the collection has not begun; call beginCollection first"),
            (.new, "end", "the collection has not begun; call beginCollection first"),
            (.new, "finish", "the collection has not begun; call beginCollection and endCollection first"),
            (.failed, "begin", "beginCollection failed; create a new builder"),
            (.collecting, "begin", "the collection has begun; call beginCollection once for each builder"),
            (.collecting, "zones", "the collection has begun; call setCustomZoneConfiguration before beginCollection"),
            (.collecting, "finish", "the collection has not ended; call endCollection first"),
            (.ended, "begin", "the collection has begun; call beginCollection once for each builder"),
            (.ended, "zones", "the collection has begun; call setCustomZoneConfiguration before beginCollection"),
            (.ended, "end", "the collection has ended; call finishWorkout or discardWorkout"),
            (.finished, "finish", "the workout is finished; create a new builder"),
            (.finished, "samples", "the workout is finished; create a new builder"),
            (.discarded, "finish", "the workout was discarded; create a new builder"),
        ] as [(WorkoutDraft.Phase, String, String)])
    func advice(phase: WorkoutDraft.Phase, call: String, text: String) async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await Self.move(builder, to: phase)
        do {
            if call == "zones" {
                try await builder.setCustomZoneConfiguration(nil, for: heartRate)
            } else {
                try await Self.call(call, builder)
            }
            Issue.record("\(phase) \(call) succeeded")
        } catch {
            let error = try #require(error as? HKError)
            #expect("\(error.reason); \(error.advice ?? "")" == text)
        }
    }

    @Test("after the end of the collection, samples up to the end are added, and later samples are refused")
    func lateSamples() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        try await builder.endCollection(at: at(60))
        do {
            try await builder.addSamples([pulse(100, 50), pulse(100, 61)])
            Issue.record("a late sample was added")
        } catch {
            let advice = (error as? HKError)?.advice
            #expect(advice == "add only samples that start at or before the end of the workout")
        }
        #expect(try door.all(heartRate).isEmpty)
        try await builder.addSamples([pulse(100, 50), pulse(110, 60), energy(5, 0, 60)])
        let workout = try #require(try await builder.finishWorkout())
        #expect(try await door.members(workout, heartRate).count == 2)
        #expect(workout.statistics(for: heartRate)?.maximumQuantity() == beats(110))
    }

    @Test("a discard while a workout is being saved takes effect only if the workout is not saved")
    func discardDuringSave() throws {
        for isSaved in [false, true] {
            var draft = WorkoutDraft(WorkoutConfiguration(.running))
            try draft.begin(at: at(0))
            try draft.endCollection(at: at(60))
            try draft.beginFinish()
            draft.discard()
            #expect(draft.phase == .finishing)
            draft.endFinish(isSaved: isSaved)
            #expect(draft.phase == (isSaved ? .finished : .discarded))
        }
    }

    @Test("samples before the start are refused with advice, and so is an end before the start")
    func dates() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        do {
            try await builder.addSamples([pulse(100, -1)])
            Issue.record("an early sample was added")
        } catch {
            let advice = (error as? HKError)?.advice
            #expect(advice == "add only samples that start at or after the start of the workout")
        }
        do {
            try await builder.endCollection(at: at(-1))
            Issue.record("an early end was accepted")
        } catch { #expect((error as? HKError)?.advice == "give a date at or after the start of the workout") }
    }

    @Test("the completion handlers report the same results")
    func handlers() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        let answers = Answers<String>()
        let put: HKWorkoutBuilder.Completion = { isDone, error in
            answers.put("\(isDone) \((error as? HKError)?.code.rawValue ?? 0)")
        }
        let all: [(@escaping HKWorkoutBuilder.Completion) -> Void] = [
            { builder.add([pulse(100, 50)], completion: $0) },
            { builder.beginCollection(withStart: at(0), completion: $0) },
            { builder.add([pulse(100, 50)], completion: $0) },
            { builder.addWorkoutEvents([workoutEvent(.marker, 50)], completion: $0) },
            { builder.addMetadata(["a": 1], completion: $0) },
            { builder.addWorkoutActivity(Self.activity, completion: $0) },
            { builder.updateActivity(uuid: Self.activity.uuid, end: at(30), completion: $0) },
            { builder.updateActivity(uuid: Self.activity.uuid, adding: ["b": 2], completion: $0) },
            { builder.endCollection(withEnd: at(100), completion: $0) },
        ]
        for (number, call) in all.enumerated() {
            call(put)
            #expect(await answers.first(number + 1).last == (number == 0 ? "false 3" : "true 0"))
        }
        builder.finishWorkout { workout, error in
            answers.put("\(workout?.workoutActivities.count ?? 0) \(error == nil)")
        }
        #expect(await answers.first(all.count + 1).last == "1 true")
        builder.finishWorkout { workout, error in answers.put("\(workout == nil) \(error != nil)") }
        #expect(await answers.first(all.count + 2).last == "true true")
    }

    @Test("a builder shows its content, and the saved workout has all of it, also after reopening")
    func content() async throws {
        let door = try TestDoor()
        let configuration = configured(.swimming, .indoor)
        configuration.swimmingLocationType = .pool
        configuration.lapLength = HKQuantity(unit: .meter(), doubleValue: 25)
        let builder = HKWorkoutBuilder(healthStore: door.health, configuration: configuration, device: .local())
        configuration.activityType = .running
        #expect(builder.workoutConfiguration.activityType == .swimming && builder.device == .local())
        #expect(builder.startDate == nil && builder.endDate == nil && builder.elapsedTime(at: at(9)) == 0)
        try await builder.addMetadata(["early": "x", "both": 1])
        try await builder.beginCollection(at: at(0))
        #expect(builder.startDate == at(0) && builder.elapsedTime(at: at(9)) == 9)
        let laps = [
            SwimmingScore.event(from: at(0), to: at(30), strokes: 20, style: .freestyle),
            SwimmingScore.event(from: at(40), to: at(72), strokes: 22, style: .butterfly),
        ]
        try await builder.addWorkoutEvents([laps[1]])
        try await builder.addWorkoutEvents([laps[0], workoutEvent(.segment, 0, 80), workoutEvent(.pause, 80)])
        #expect(builder.workoutEvents.count == 4 && builder.elapsedTime(at: at(95)) == 80)
        try await builder.addWorkoutEvents([workoutEvent(.resume, 90)])
        #expect(builder.elapsedTime(at: at(95)) == 85)
        try await builder.addMetadata(["both": 2, HKMetadataKeyWorkoutBrandName: "brand"])
        let samples = [energy(3, 0, 50), energy(4, 50, 100)]
        try await builder.addSamples(samples)
        #expect(try door.all(kilocalories).count == 2, "samples are saved at once")
        #expect(builder.statistics(for: kilocalories)?.sumQuantity()?.doubleValue(for: .kilocalorie()) == 7)
        #expect(builder.allStatistics.count == 1 && builder.statistics(for: heartRate) == nil)
        try await builder.endCollection(at: at(100))
        #expect(builder.endDate == at(100) && builder.elapsedTime(at: at(500)) == 90)
        let made = try #require(try await builder.finishWorkout())
        for _ in 0..<2 {
            for workout in [made, try await door.stored(made)] {
                #expect(workout.workoutActivityType == .swimming && workout.duration == 90)
                #expect(workout.startDate == at(0) && workout.endDate == at(100) && workout.device == .local())
                #expect(workout.sourceRevision == door.health.revision && workout.uuid == made.uuid)
                #expect(workout.workoutEvents?.map(\.type) == [.lap, .segment, .lap, .pause, .resume])
                let scores = workout.workoutEvents?.compactMap { $0.metadata?[HKMetadataKeySWOLFScore] as? Double }
                #expect(scores == [50, 52, 54])
                let metadata = try #require(workout.metadata)
                #expect(metadata[HKMetadataKeySWOLFScore] as? Double == 52 && metadata["early"] as? String == "x")
                #expect(metadata["both"] as? Int == 2 && metadata[HKMetadataKeyIndoorWorkout] as? Bool == true)
                #expect(metadata[HKMetadataKeySwimmingLocationType] as? Int == 1)
                #expect((metadata[HKMetadataKeyLapLength] as? HKQuantity)?.doubleValue(for: .meter()) == 25)
                #expect(workout.workoutActivities.count == 1 && workout.workoutActivities[0].duration == 90)
                #expect(workout.statistics(for: kilocalories)?.sumQuantity()?.doubleValue(for: .kilocalorie()) == 7)
                #expect(
                    workout.workoutActivities[0].statistics(for: kilocalories)?.sumQuantity()
                        == workout.statistics(for: kilocalories)?.sumQuantity())
            }
            #expect(try door.health.store().verify().isSound)
            door.health.close()
        }
    }

    @Test("metadata of the client is stronger than that of the configuration")
    func ownMetadata() async throws {
        let door = try TestDoor()
        let builder = HKWorkoutBuilder(
            healthStore: door.health, configuration: configured(.running, .outdoor), device: nil)
        try await builder.beginCollection(at: at(0))
        try await builder.addMetadata([HKMetadataKeyIndoorWorkout: true])
        #expect(await code { try await builder.addMetadata(["x": [1]]) } == .errorInvalidArgument)
        #expect(builder.metadata.count == 1, "unchanged after an error")
        try await builder.endCollection(at: at(1))
        #expect(try await builder.finishWorkout()?.metadata?[HKMetadataKeyIndoorWorkout] as? Bool == true)
    }

    @Test("activities end with the workout, and carry metadata and statistics")
    func activities() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder(.swimBikeRun)
        try await builder.beginCollection(at: at(0))
        let (ride, run) = (part(.cycling, 40, nil), part(.running, 70, nil))
        // The samples come before the activities.
        try await builder.addSamples([pulse(100, 0), pulse(120, 40), pulse(160, 70), energy(10, 30, 50)])
        try await builder.addWorkoutActivity(ride)
        #expect(builder.workoutActivities[0].statistics(for: heartRate)?.minimumQuantity() == beats(120))
        #expect(await code { try await builder.addWorkoutActivity(ride) } == .errorInvalidArgument, "twice")
        #expect(await code { try await builder.addWorkoutActivity(run) } == .errorInvalidArgument, "overlap")
        #expect(await code { try await builder.addWorkoutActivity(part(.yoga, 0, 9)) } == .errorInvalidArgument)
        #expect(await code { try await builder.updateActivity(uuid: UUID(), end: at(9)) } == .errorInvalidArgument)
        let unknown = await code { try await builder.updateActivity(uuid: UUID(), adding: [:]) }
        #expect(unknown == .errorInvalidArgument)
        #expect(await code { try await builder.updateActivity(uuid: ride.uuid, end: at(39)) } == .errorInvalidArgument)
        try await builder.updateActivity(uuid: ride.uuid, end: at(70))
        try await builder.addWorkoutActivity(run)
        try await builder.addWorkoutActivity(part(.swimming, 0, 40))
        try await builder.updateActivity(uuid: run.uuid, adding: ["shoe": "red", "lap": 1])
        try await builder.updateActivity(uuid: run.uuid, adding: ["lap": 2])
        // The pulse at the instant at which one activity ends and the next starts is in the later one.
        func check(_ parts: [HKWorkoutActivity]) {
            #expect(parts.map(\.workoutConfiguration.activityType) == [.swimming, .cycling, .running])
            #expect(
                parts.map { $0.statistics(for: heartRate)?.maximumQuantity() } == [100, 120, 160].map { beats($0) })
            let sums = parts.map { $0.statistics(for: kilocalories)?.sumQuantity()?.value }
            #expect(sums == [5, 5, nil])
        }
        check(builder.workoutActivities)
        try await builder.endCollection(at: at(100))
        let made = try #require(try await builder.finishWorkout())
        for workout in [made, try await door.stored(made)] {
            check(workout.workoutActivities)
            #expect(workout.workoutActivities.map(\.endDate) == [at(40), at(70), at(100)])
            #expect(workout.workoutActivities[2].metadata?["lap"] as? Int == 2)
            #expect(workout.workoutActivities[2].metadata?["shoe"] as? String == "red")
            #expect(workout.workoutActivities[1].uuid == ride.uuid)
        }
    }

    @Test("an event or activity beyond the end is refused at finish, and the builder can go on")
    func lateParts() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        #expect(await code { try await builder.endCollection(at: at(-1)) } == .errorInvalidArgument)
        #expect(await code { try await builder.endCollection(at: at(.nan)) } == .errorInvalidArgument)
        let run = part(.running, 50, 200)
        try await builder.addWorkoutActivity(run)
        try await builder.endCollection(at: at(100))
        #expect(
            await code { try await builder.addWorkoutEvents([workoutEvent(.marker, 101)]) } == .errorInvalidArgument)
        #expect(await code { try await builder.addWorkoutEvents([workoutEvent(.resume, 10)]) } == .errorInvalidArgument)
        #expect(await code { try await builder.addWorkoutEvents([]) } == .errorInvalidArgument)
        #expect(await code { _ = try await builder.finishWorkout() } == .errorInvalidArgument)
        #expect(try await door.workouts().isEmpty)
        try await builder.updateActivity(uuid: run.uuid, end: at(100))
        #expect(try await builder.finishWorkout() != nil)
        builder.discardWorkout()
        #expect(try await door.workouts().count == 1)
    }

    @Test("a discarded builder saves no workout; its samples stay")
    func discarded() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        try await builder.addSamples([pulse(100, 0)])
        builder.discardWorkout()
        builder.discardWorkout()
        #expect(try await door.workouts().isEmpty)
        #expect(try door.all(heartRate).count == 1)
        for isFailing in [false, true] {
            let door = try TestDoor()
            let builder = door.workoutBuilder()
            try await builder.beginCollection(at: at(0))
            try await builder.endCollection(at: at(1))
            let found = try await door.discardWhileFinishing(
                isFailing: isFailing, finish: { await code { _ = try await builder.finishWorkout() } },
                isTaking: { builder.draft.withLock { $0.phase != .finishing } },
                discard: { builder.discardWorkout() })
            #expect((found == nil) == !isFailing)
            #expect(await code { _ = try await builder.finishWorkout() } == .errorInvalidArgument)
        }
    }

    @Test("many threads add samples and events; all are in the workout, and each statistic counts them once")
    func threads() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<10 {
                        let place = Double(task * 10 + number)
                        try await builder.addSamples([pulse(100 + place, place), energy(1, place, place + 1)])
                        try await builder.addWorkoutEvents([workoutEvent(.marker, place)])
                        _ = (builder.statistics(for: heartRate), builder.workoutActivities, builder.allStatistics)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await builder.endCollection(at: at(100))
        let workout = try #require(try await builder.finishWorkout())
        #expect(workout.workoutEvents?.count == 80)
        #expect(workout.statistics(for: kilocalories)?.sumQuantity()?.value == 80)
        // Each value lasts a second, except the last one.
        #expect(workout.statistics(for: heartRate)?.averageQuantity() == beats(100 + 39))
        #expect(try await door.members(workout, heartRate).count == 80)
    }
}
