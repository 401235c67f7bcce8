// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-3 one workout: splits, pauses, laps, parts, pulse")
struct WorkoutDetailTests {
    private func details(
        _ recorded: RecordedWorkouts, _ workout: HKWorkout, split: Double = 1_000
    ) throws -> WorkoutDetails {
        try #require(try recorded.health.store().workout(SampleIdentity(workout.uuid), split: split))
    }

    @Test("splits of a run: their times are those of the speed, without the pause, and their pulse is the mean")
    func splits() async throws {
        let recorded = try RecordedWorkouts()
        let run = try details(recorded, try await recorded.saveRun())
        // 400 s and 200 s at 2.5 m/s, then at 3.5 m/s.
        #expect(run.splits.map(\.distance) == [1_000, 1_000, 1_000, 250])
        let times = [400, 200 + 500 / 3.5, 1_000 / 3.5, 250 / 3.5]
        for (split, time) in zip(run.splits, times) { #expect(abs(split.duration - time) < 1e-6, "\(split)") }
        #expect(abs(run.splits.reduce(0) { $0 + $1.duration } - run.summary.duration) < 1e-6)
        #expect(run.pauses == [TimeRange(RecordedWorkouts.nanoseconds(600), RecordedWorkouts.nanoseconds(700))])
        #expect(run.splits[0].pulse == 119.5)
        #expect(run.pulseCurve?.least.value == 100 && run.pulseCurve?.greatest.value == 159)
        #expect(run.parts.isEmpty && run.laps.isEmpty && run.swolf == nil && run.climb == nil)
        let miles = try recorded.health.store().workout(run.summary.id, split: 1_609.344)
        #expect(miles?.splits.count == 3)
        #expect(try recorded.health.store().workout(SampleIdentity(UUID())) == nil)
    }

    @Test("distances that are stored more coarsely than splits give no splits")
    func coarse() async throws {
        let recorded = try RecordedWorkouts()
        let whole = RecordedWorkouts.quantity(.distanceCycling, 30, "km", from: 0, to: 3_600)
        let ride = try await recorded.save(
            RecordedWorkouts.configuration(.cycling), from: 0, to: 3_600, samples: [whole])
        #expect(try details(recorded, ride).splits.isEmpty)
        #expect(try details(recorded, ride, split: 30_000).splits.map(\.duration) == [3_600])
        for split in [0, -1, Double.nan, .infinity] {
            #expect(try details(recorded, ride, split: split).splits.count <= 1)
        }
    }

    @Test("laps of a swim have strokes and SWOLF; a rest has none")
    func laps() async throws {
        let recorded = try RecordedWorkouts()
        let configuration = RecordedWorkouts.configuration(.swimming, .indoor)
        configuration.swimmingLocationType = .pool
        configuration.lapLength = HKQuantity(unit: .meter(), doubleValue: 25)
        func lap(_ start: Double, _ end: Double, _ style: HKSwimmingStrokeStyle, _ swolf: Double?) -> HKWorkoutEvent {
            var values: [String: Any] = [HKMetadataKeySwimmingStrokeStyle: style.rawValue]
            values[HKMetadataKeySWOLFScore] = swolf
            return RecordedWorkouts.event(.lap, start, end, values)
        }
        let swim = try await recorded.save(
            configuration, from: 0, to: 120,
            events: [
                lap(0, 30, .freestyle, 48), lap(30, 65, .breaststroke, 55), lap(65, 85, .unknown, nil),
                lap(85, 120, .freestyle, 52),
            ])
        let found = try details(recorded, swim)
        #expect(found.laps.map(\.duration) == [30, 35, 20, 35] && found.laps.map(\.strokes) == [18, 20, nil, 17])
        #expect(found.laps.map(\.style) == [.freestyle, .breaststroke, .unknown, .freestyle])
        #expect(found.swolf == 155 / 3.0 && found.lapLength == 25)
    }

    @Test("a lap without a length lasts from the lap before it")
    func instants() {
        let laps = WorkoutLap.all(
            [RecordedWorkouts.event(.lap, 60), RecordedWorkouts.event(.lap, 150)],
            from: RecordedWorkouts.nanoseconds(0))
        #expect(laps.map(\.duration) == [60, 90] && laps.allSatisfy { $0.style == nil && $0.strokes == nil })
    }

    @Test("parts of a triathlon have their own totals")
    func parts() async throws {
        let recorded = try RecordedWorkouts()
        func part(_ activity: HKWorkoutActivityType, _ start: Double, _ end: Double) -> HKWorkoutActivity {
            HKWorkoutActivity(
                workoutConfiguration: RecordedWorkouts.configuration(activity), start: RecordedWorkouts.at(start),
                end: RecordedWorkouts.at(end), metadata: nil)
        }
        let workout = try await recorded.save(
            RecordedWorkouts.configuration(.swimBikeRun), from: 0, to: 3_000,
            samples: [
                RecordedWorkouts.quantity(.distanceSwimming, 750, "m", from: 0, to: 900),
                RecordedWorkouts.quantity(.distanceCycling, 12, "km", from: 1_000, to: 2_000),
                RecordedWorkouts.quantity(.distanceWalkingRunning, 3, "km", from: 2_000, to: 3_000),
                RecordedWorkouts.quantity(.heartRate, 130, "count/min", from: 1_500, to: 1_500),
            ], parts: [part(.swimming, 0, 900), part(.cycling, 1_000, 2_000), part(.running, 2_000, 3_000)])
        let found = try details(recorded, workout)
        #expect(found.summary.distance == 15_750)
        #expect(found.parts.map(\.activity) == [.swimming, .cycling, .running])
        #expect(found.parts.map(\.distance) == [750, 12_000, 3_000])
        #expect(found.parts.map(\.duration) == [900, 1_000, 1_000])
        #expect(found.parts.map { $0.pulse?.average } == [nil, 130, nil])
    }
}
