// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-96 S-149 the time in workout zones equals a naive computation, whatever the order of the samples")
struct ZoneTallyTests {
    /// A builder, and the naive computation of its samples, pauses and activities.
    private final class Trial {
        let door: TestDoor
        let builder: HKWorkoutBuilder
        var oracle: ZoneOracle
        /// The activities with the seconds of their start and end.
        var parts: [(uuid: UUID, start: Double, end: Double?)] = []
        var next = 0.0
        var slots = Array(0..<8)

        init(_ boundaries: [Double]) throws {
            door = try TestDoor()
            builder = door.workoutBuilder(.swimBikeRun)
            oracle = ZoneOracle(boundaries: boundaries)
        }

        /// Adds a pause in a tenth of the workout that has none.
        func addPause(_ dice: inout SeededGenerator) async throws {
            guard !slots.isEmpty else { return }
            let slot = Double(slots.remove(at: dice.below(slots.count)) * 40)
            let start = slot + Double(dice.below(30)) / 2
            let end = start + 0.5 + Double(dice.below(40)) / 2
            let isSystem = dice.chance(0.3)
            try await builder.addWorkoutEvents([
                workoutEvent(isSystem ? .motionPaused : .pause, start),
                workoutEvent(isSystem ? .motionResumed : .resume, end),
            ])
            oracle.pauses.append((start, end))
        }

        func addPart(_ dice: inout SeededGenerator) async throws {
            if let last = parts.last, last.end == nil {
                next = last.start + Double(dice.below(120)) / 2
                try await builder.updateActivity(uuid: last.uuid, end: at(next))
                parts[parts.count - 1].end = next
            }
            let start = next + Double(dice.below(40)) / 2
            if start > 280 { return }
            let isOpen = dice.chance(0.5)
            next = start + Double(dice.below(120)) / 2
            let activity = part(dice.pick([.swimming, .cycling, .running]), start, isOpen ? nil : next)
            try await builder.addWorkoutActivity(activity)
            parts.append((activity.uuid, start, isOpen ? nil : next))
        }

        /// Adds samples of a range of time, in any order, some of them twice.
        func addSamples(_ dice: inout SeededGenerator, from start: Int, isSorted: Bool) async throws {
            var samples: [HKSample] = []
            for _ in 0..<(1 + dice.below(15)) {
                let first = Double(start * 2 + dice.below(isSorted ? 80 : 640)) / 2
                let length = dice.chance(0.7) ? 0 : Double(dice.below(60)) / 2
                let value = Double(60 + dice.below(13) * 10)
                samples.append(
                    HKQuantitySample(
                        type: heartRate, quantity: beats(value), start: at(first), end: at(first + length)))
                oracle.values.append(.init(start: first, end: first + length, value: value))
            }
            if isSorted { samples.sort { $0.startDate < $1.startDate } }
            if dice.chance(0.3) { samples.append(samples[0]) }
            try await builder.addSamples(samples)
        }

        /// Adds a series, whose quantities count one by one.
        func addSeries(_ dice: inout SeededGenerator) async throws {
            var time = Double(dice.below(500)) / 2
            let series = door.builder(start: at(time))
            for _ in 0..<(2 + dice.below(20)) {
                let value = Double(60 + dice.below(130))
                let length = 0.5 + Double(dice.below(5)) / 2
                try series.insert(beats(value), for: span(time, time + length))
                oracle.values.append(.init(start: time, end: time + length, value: value))
                time += length + Double(dice.below(3))
            }
            try await builder.addSamples(try await series.finishSeries(metadata: nil))
        }

        func check(_ comment: Comment) {
            let found = builder.zoneGroup(for: heartRate)
            #expect((found == nil) == oracle.values.isEmpty, comment)
            if let found { #expect(found.seconds == oracle.seconds(), comment) }
            check(builder.workoutActivities, comment)
        }

        func check(_ activities: [HKWorkoutActivity], _ comment: Comment) {
            for activity in activities {
                guard let part = parts.first(where: { $0.uuid == activity.uuid }) else { continue }
                let wanted = oracle.seconds(from: part.start, to: part.end ?? .infinity)
                let none = [Double](repeating: 0, count: wanted.count)
                let found = activity.zoneGroup(for: heartRate)?.seconds
                #expect(found ?? none == wanted && found != none, comment)
            }
        }
    }

    @Test("random samples, series, pauses and activities, in any order", arguments: 1...40)
    func random(seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        let boundaries = (0..<(2 + dice.below(7))).map { Double(70 + $0 * 15) }
        let trial = try Trial(boundaries)
        try await trial.builder.setCustomZoneConfiguration(try rateZones(boundaries), for: heartRate)
        try await trial.builder.beginCollection(at: at(0))
        for step in 0..<16 {
            switch dice.below(8) {
            case 0: try await trial.addPart(&dice)
            case 1: try await trial.addPause(&dice)
            case 2: try await trial.addSeries(&dice)
            case 3: try await trial.addSamples(&dice, from: 0, isSorted: false)
            default: try await trial.addSamples(&dice, from: step * 20, isSorted: true)
            }
            if dice.chance(0.4) { trial.check("step \(step)") }
        }
        let end = max(trial.next, Double(200 + dice.below(200)))
        // Samples may lie after the end; activities may not.
        try await trial.builder.endCollection(at: at(max(end, 320)))
        trial.oracle.end = max(end, 320)
        if dice.chance(0.5) { try await trial.addSamples(&dice, from: 0, isSorted: false) }
        trial.check("ended")
        let made = try #require(try await trial.builder.finishWorkout())
        for workout in [made, try await trial.door.stored(made)] {
            #expect(workout.zoneGroup(for: heartRate)?.seconds ?? [] == trial.oracle.seconds())
            trial.check(workout.workoutActivities, "finished")
        }
    }

    @Test("samples in order are counted one by one, and none makes the times stale")
    func incremental() {
        var dice = SeededGenerator(seed: 7)
        for round in 0..<50 {
            var tally = ZoneTally()
            guard let zones = try? rateZones() else { return }
            tally.set(zones, hasSamples: false)
            var oracle = ZoneOracle(boundaries: zones.boundaries)
            var events: [HKWorkoutEvent] = []
            var time = 0
            for _ in 0..<80 {
                time += dice.below(20)
                if dice.chance(0.1) {
                    events.append(workoutEvent(.pause, Double(time) / 2))
                    oracle.pauses.append((Double(time) / 2, .infinity))
                    tally.set(WorkoutPauses(events))
                    time += 1 + dice.below(40)
                    events.append(workoutEvent(.resume, Double(time) / 2))
                    oracle.pauses[oracle.pauses.count - 1].end = Double(time) / 2
                    tally.set(WorkoutPauses(events))
                    continue
                }
                let start = Double(time) / 2
                let value = Double(80 + dice.below(100))
                let nanoseconds = StoredTime.nanoseconds(at(start)) ?? 0
                if let last = oracle.values.max(), last > .init(start: start, end: start, value: value) { continue }
                // In the canonical unit, `count/s`.
                tally.add(heartRate.identifier, .init(start: nanoseconds, end: nanoseconds, value: value / 60))
                oracle.values.append(.init(start: start, end: start, value: value))
                #expect(tally.staleTypes.isEmpty)
            }
            let found = tally.times[heartRate.identifier].map { HKWorkoutZoneGroup($0).seconds }
            #expect(found == oracle.seconds(), "round \(round)")
        }
    }

    @Test("extreme times do not overflow")
    func extremes() throws {
        let edges = [Int64.min, TimeLimits.earliest, -1, 0, 1, TimeLimits.latest, Int64.max]
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var tally = ZoneTally()
            tally.set(try rateZones(), hasSamples: false)
            for _ in 0..<dice.below(3) { tally.set(part: UUID(), start: dice.pick(edges), end: dice.pick(edges)) }
            for _ in 0..<(1 + dice.below(5)) {
                tally.add(
                    heartRate.identifier, .init(start: dice.pick(edges), end: dice.pick(edges), value: dice.normal()))
            }
            if dice.chance(0.5) { tally.set(end: dice.pick(edges)) }
            let times = tally.times[heartRate.identifier]
            #expect(times?.nanoseconds.allSatisfy { $0 >= 0 } == true)
        }
    }
}
