// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport
import Testing

@testable import WorkoutFiles

@Suite("S-88 workout files are played as sensors")
struct WorkoutReplayerTests {
    private let start = Date(timeIntervalSince1970: 1_780_000_000)

    /// Waits for a state of a session.
    private func wait(_ session: HKWorkoutSession, for state: HKWorkoutSessionState) async throws {
        for _ in 0..<2_000 where session.state != state { try await Task.sleep(for: .milliseconds(5)) }
        #expect(session.state == state)
    }

    /// Plays a file in a session, with a pause of 30 s, and returns the workout.
    private func workout(_ file: WorkoutFile, _ health: HKHealthStore) async throws -> HKWorkout {
        let replayer = WorkoutReplayer(file, pace: .manual, start: start)
        try health.attach(replayer)
        let session = try HKWorkoutSession(healthStore: health, configuration: file.configuration)
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(healthStore: health, workoutConfiguration: file.configuration)
        session.startActivity(with: start)
        try await builder.beginCollection(at: start)
        try await wait(session, for: .running)
        replayer.advance(by: 20)
        session.pause()
        try await wait(session, for: .paused)
        replayer.advance(by: 30)
        session.resume()
        try await wait(session, for: .running)
        while !replayer.isFinished { replayer.advance(by: 10) }
        session.stopActivity(with: replayer.currentDate)
        try await wait(session, for: .stopped)
        session.end()
        try await builder.endCollection(at: replayer.currentDate)
        return try #require(try await builder.finishWorkout())
    }

    @Test("a ride is recorded with its heart rates, distance, power, energy and lap")
    func ride() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let file = try WorkoutFile(contentsOf: FixtureFiles.path("activity_5039744860.tcx"))
        let workout = try await workout(file, health)
        #expect(workout.workoutActivityType == .cycling)
        let rates = try #require(workout.statistics(for: HKQuantityType(.heartRate)))
        let unit = HKUnit.count().unitDivided(by: .minute())
        let known = file.points.compactMap(\.heartRate)
        #expect(rates.maximumQuantity()?.doubleValue(for: unit) == known.max())
        #expect(rates.minimumQuantity()?.doubleValue(for: unit) == known.min())
        let metres = try #require(file.points.last?.distance) - (file.points.first?.distance ?? 0)
        let distance = workout.totalDistance?.doubleValue(for: .meter()) ?? 0
        // The pause leaves out the way of one interval.
        #expect(distance > metres - 12 && distance < metres + 0.001)
        let query = HKSampleQueryDescriptor(
            predicates: [.workoutRoute(HKQuery.predicateForObjects(from: workout))], sortDescriptors: [])
        #expect(try await query.result(for: health).first?.count == 100)
        #expect(workout.statistics(for: HKQuantityType(.cyclingPower)) != nil)
        #expect(workout.statistics(for: HKQuantityType(.activeEnergyBurned)) != nil)
        #expect(workout.workoutEvents?.contains { $0.type == .lap } == true)
        #expect(workout.duration <= workout.endDate.timeIntervalSince(workout.startDate) - 30)
    }

    @Test("the lengths of a swim are laps with SWOLF, distance and strokes")
    func swim() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let file = try WorkoutFile(bytes: SampleSwim.bytes)
        let replayer = WorkoutReplayer(file, pace: .manual, start: start)
        #expect(
            replayer.quantityTypes == [
                HKQuantityType(.distanceSwimming), HKQuantityType(.swimmingStrokeCount),
                HKQuantityType(.activeEnergyBurned),
            ])
        let workout = try await workout(file, health)
        let laps = workout.workoutEvents?.filter { $0.type == .lap } ?? []
        #expect(laps.count == 5 && workout.workoutEvents?.contains { $0.type == .segment } == true)
        let score = laps.last?.metadata?[HKMetadataKeySWOLFScore] as? Double ?? 0
        #expect(abs(score - 53) < 1e-6)
        #expect((workout.totalDistance?.doubleValue(for: .meter()) ?? 0) >= 75)
        let strokes = workout.statistics(for: HKQuantityType(.swimmingStrokeCount))?.sumQuantity()
        #expect((strokes?.doubleValue(for: .count()) ?? 0) >= 40)
    }

    @Test("accelerated, a file is played by itself until it is stopped")
    func accelerated() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let file = try WorkoutFile(contentsOf: FixtureFiles.path("garmin-fenix-5-run.fit"))
        let replayer = WorkoutReplayer(file, pace: .accelerated(by: 100_000), start: file.startDate)
        try health.attach(replayer)
        let session = try HKWorkoutSession(healthStore: health, configuration: file.configuration)
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(healthStore: health, workoutConfiguration: file.configuration)
        try await builder.beginCollection(at: file.startDate)
        session.startActivity(with: file.startDate)
        for _ in 0..<2_000 where !replayer.isFinished { try await Task.sleep(for: .milliseconds(5)) }
        #expect(replayer.isFinished && replayer.remainingTime == 0)
        session.end()
        let workout = try #require(try await builder.finishWorkout())
        #expect(workout.startDate == file.startDate)
        let rates = workout.statistics(for: HKQuantityType(.heartRate))
        #expect(rates?.maximumQuantity() != nil)
    }
}
