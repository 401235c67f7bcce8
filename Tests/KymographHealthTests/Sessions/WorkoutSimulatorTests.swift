// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-67 S-88 a simulated wearer is the sensor of a workout")
struct WorkoutSimulatorTests {
    private let rate = HKUnit.count().unitDivided(by: .minute())

    private func configuration(
        _ activity: HKWorkoutActivityType, pool length: Double? = nil
    ) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = activity == .swimming ? .indoor : .outdoor
        guard let length else { return configuration }
        configuration.swimmingLocationType = .pool
        configuration.lapLength = HKQuantity(unit: .meter(), doubleValue: length)
        return configuration
    }

    /// Returns the values of ten minutes: a run with a pause, and the time after it.
    private func values(seed: UInt64) -> [String] {
        var workout = SimulatedWorkout(SimulatedWearer(seed: seed))
        let run = configuration(.running).value
        return (0..<600).flatMap { second in
            let state: HKWorkoutSessionState =
                second < 300 ? .running : second < 360 ? .paused : second < 500 ? .running : .ended
            let start = clock.addingTimeInterval(Double(second))
            let delivery = workout.next(from: start, to: start.addingTimeInterval(1), state, run)
            return delivery.samples.map { "\($0.quantityType) \($0.quantity) \($0.startDate.timeIntervalSince(clock))" }
        }
    }

    @Test("the same seed gives the same values")
    func seeds() {
        let first = values(seed: 7)
        #expect(first == values(seed: 7) && first != values(seed: 8))
        #expect(first.count > 600 * 4)
    }

    @Test("the heart rate follows the effort, and falls after the end", arguments: [UInt64(1), 2, 3])
    func heart(seed: UInt64) {
        var workout = SimulatedWorkout(SimulatedWearer(seed: seed, restingHeartRate: 55, maximumHeartRate: 190))
        var rates: [Double] = []
        for second in 0..<1_320 {
            let start = clock.addingTimeInterval(Double(second))
            let delivery = workout.next(
                from: start, to: start.addingTimeInterval(1), second < 1_200 ? .running : .ended,
                configuration(.running).value)
            rates += delivery.samples.filter { $0.quantityType == HKQuantityType(.heartRate) }
                .map { $0.quantity.doubleValue(for: rate) }
        }
        #expect(rates.count == 1_320 && rates.allSatisfy { $0 >= 40 && $0 <= 190 })
        #expect(rates[0] < 75 && rates[60] > rates[0] + 30 && rates[600] > 140 && rates[1_199] >= rates[600] - 8)
        let recovery = rates[1_199] - rates[1_259]
        #expect(recovery > 25 && recovery < 70 && rates[1_319] < rates[1_259])
    }

    /// Attaches a simulator to a store; returns it and a session of a run.
    private func simulated(_ door: TestDoor, seed: UInt64) throws -> (WorkoutSimulator, HKWorkoutSession) {
        let simulator = WorkoutSimulator(SimulatedWearer(seed: seed), pace: .manual, start: clock)
        try door.health.attach(simulator)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration(.running))
        session.associatedWorkoutBuilder().dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configuration(.running))
        return (simulator, session)
    }

    @Test("a run is recorded by the simulator, with a pause and the recovery of the heart")
    func run() async throws {
        let door = try TestDoor()
        let (simulator, session) = try simulated(door, seed: 25)
        let builder = session.associatedWorkoutBuilder()
        session.startActivity(with: simulator.currentDate)
        try await builder.beginCollection(at: simulator.currentDate)
        await session.settle()
        simulator.advance(by: 300.5)
        #expect(simulator.currentDate == clock.addingTimeInterval(300))
        session.pause()
        await session.settle()
        simulator.advance(by: 59.5)
        session.resume()
        await session.settle()
        simulator.advance(by: 240)
        #expect(builder.elapsedTime == 540)
        session.end()
        await session.settle()
        try await builder.endCollection(at: simulator.currentDate)
        let workout = try #require(try await builder.finishWorkout())
        simulator.advance(by: 75)
        #expect(workout.duration == 540 && workout.endDate == clock.addingTimeInterval(600))
        #expect(workout.workoutEvents?.map(\.type) == [.pause, .resume])
        let members = try door.all(HKQuantityType(.heartRate), .members(of: workout.uuid))
        #expect(members.count == 540)
        let metres = workout.totalDistance?.doubleValue(for: .meter()) ?? 0
        let steps = workout.statistics(for: HKQuantityType(.stepCount))?.sumQuantity()?.doubleValue(for: .count()) ?? 0
        #expect(metres > 1_200 && metres < 2_000 && steps > 1_300 && steps < 1_600)
        for type: HKQuantityTypeIdentifier in [
            .runningSpeed, .runningPower, .runningStrideLength, .runningVerticalOscillation, .runningGroundContactTime,
        ] { #expect(workout.statistics(for: HKQuantityType(type))?.averageQuantity() != nil) }
        let route = try door.all(HKSeriesType.workoutRoute(), .members(of: workout.uuid)).first as? HKWorkoutRoute
        #expect(route?.count == 540)
        let recovery = try door.all(HKQuantityType(.heartRateRecoveryOneMinute)).first as? HKQuantitySample
        #expect((recovery?.quantity.doubleValue(for: rate) ?? 0) > 20)
        let count = try door.all(HKQuantityType(.heartRate)).count
        simulator.advance(by: 60)
        #expect(try door.all(HKQuantityType(.heartRate)).count == count)
    }

    @Test("a session that ends after its workout was saved stops the sensors, and has a recovery of the heart")
    func lateEnd() async throws {
        let door = try TestDoor()
        let (simulator, session) = try simulated(door, seed: 27)
        let builder = session.associatedWorkoutBuilder()
        let recorder = SessionRecorder()
        session.delegate = recorder
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        await session.settle()
        simulator.advance(by: 400)
        session.stopActivity(with: nil)
        await session.settle()
        try await builder.endCollection(at: simulator.currentDate)
        #expect(try await builder.finishWorkout() != nil)
        session.end()
        await session.settle()
        #expect(session.state == .ended && session.endDate == clock.addingTimeInterval(400))
        #expect(recorder.calls.last == "stopped to ended at 400.0")
        simulator.advance(by: 80)
        let found = try door.all(HKQuantityType(.heartRateRecoveryOneMinute))
        #expect(found.count == 1 && simulator.currentDate == clock.addingTimeInterval(480))
        session.pause()
        session.end()
        await session.settle()
        #expect(session.state == .ended && recorder.calls.last == "stopped to ended at 400.0")
    }

    @Test("a swim, a ride and a run with transitions: parts, laps and sums")
    func parts() async throws {
        let door = try TestDoor()
        let simulator = WorkoutSimulator(SimulatedWearer(seed: 26), pace: .manual, start: clock)
        try door.health.attach(simulator)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration(.swimBikeRun))
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configuration(.swimBikeRun))
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        let kinds: [(HKWorkoutActivityType, Double)] = [
            (.swimming, 400), (.transition, 30), (.cycling, 150), (.transition, 20), (.running, 150),
        ]
        for (kind, seconds) in kinds {
            session.beginNewActivity(
                configuration: configuration(kind, pool: kind == .swimming ? 25 : nil), date: simulator.currentDate,
                metadata: nil)
            await session.settle()
            simulator.advance(by: seconds)
        }
        session.end()
        let workout = try #require(try await builder.finishWorkout())
        #expect(workout.workoutActivities.map(\.workoutConfiguration.activityType) == kinds.map(\.0))
        #expect(workout.workoutActivities.map(\.duration) == kinds.map(\.1))
        for type in workout.allStatistics.keys {
            let members = try door.all(type, .members(of: workout.uuid)).compactMap { $0 as? HKQuantitySample }
            try check(workout.statistics(for: type), members)
            for part in workout.workoutActivities {
                try check(part.statistics(for: type), members.filter { part.contains($0) })
            }
        }
        let swim = try #require(workout.workoutActivities.first)
        let laps = workout.workoutEvents?.filter { $0.type == .lap } ?? []
        #expect(laps.count >= 10 && laps.allSatisfy { $0.end <= swim.endDate ?? .distantPast })
        let scores = laps.compactMap { $0.metadata?[HKMetadataKeySWOLFScore] as? Double }
        #expect(scores.count == laps.count - 1 && scores.allSatisfy { $0 > 30 && $0 < 60 })
        #expect(workout.metadata?[HKMetadataKeySWOLFScore] as? Double == scores.reduce(0, +) / Double(scores.count))
        let set = workout.workoutEvents?.first { $0.type == .segment }
        #expect(set?.metadata?[HKMetadataKeySWOLFScore] as? Double == scores.prefix(8).reduce(0, +) / 8)
        let distance = swim.statistics(for: HKQuantityType(.distanceSwimming))?.sumQuantity()
        #expect(distance?.doubleValue(for: .meter()) == Double(scores.count * 25))
    }

    private func check(_ statistics: HKStatistics?, _ members: [HKQuantitySample]) throws {
        guard let first = members.first else {
            #expect(statistics?.sumQuantity() == nil && statistics?.averageQuantity() == nil)
            return
        }
        let unit = first.quantity.unit
        let values = members.map { $0.quantity.doubleValue(for: unit) }
        if first.quantityType.aggregationStyle == .cumulative {
            let sum = statistics?.sumQuantity()?.doubleValue(for: unit) ?? .nan
            #expect(abs(sum - values.reduce(0, +)) <= 1e-9 * max(1, sum))
        } else {
            // Statistics are in the type's canonical unit, so that the numbers are converted twice.
            let (least, greatest) = (values.min() ?? .nan, values.max() ?? .nan)
            let minimum = statistics?.minimumQuantity()?.doubleValue(for: unit) ?? .nan
            let maximum = statistics?.maximumQuantity()?.doubleValue(for: unit) ?? .nan
            #expect(abs(minimum - least) <= 1e-12 * abs(least) && abs(maximum - greatest) <= 1e-12 * abs(greatest))
        }
    }

    @Test("sources play by themselves until they are stopped", arguments: [SourcePace.realTime, .accelerated(by: 50)])
    func pace(_ pace: SourcePace) async throws {
        let simulator = WorkoutSimulator(SimulatedWearer(seed: 1), pace: pace)
        let count = Mutex(0)
        let receiver = SampleReceiver(configuration(.running)) { delivery in
            if case .samples(let samples) = delivery {
                let times = Set(samples.map(\.startDate))
                #expect(times.count == 1)
                count.withLock { $0 += 1 }
            }
        }
        let before = Date()
        simulator.start(receiver)
        simulator.update(.running, configuration(.running))
        for _ in 0..<1_000 where count.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(10)) }
        let ahead = simulator.currentDate.timeIntervalSince(before)
        #expect(count.withLock { $0 } >= 2 && ahead >= 1.9)
        simulator.stop()
        try await Task.sleep(for: .milliseconds(50))
        let last = count.withLock { $0 }
        try await Task.sleep(for: .milliseconds(1_200))
        #expect(count.withLock { $0 } == last)
        simulator.advance(by: 10)
        #expect(count.withLock { $0 } == last)
    }

    @Test("a manual source ignores times that are no numbers", arguments: [Double.nan, .infinity, -1, 1e300, 0])
    func times(_ seconds: Double) {
        let simulator = WorkoutSimulator(SimulatedWearer(seed: 1), pace: .manual, start: clock)
        simulator.advance(by: seconds)
        #expect(simulator.currentDate.timeIntervalSince(clock) == (seconds == 1e300 ? 86_400 : 0))
    }

    @Test("laps of a swim have scores, and wrong numbers become 0")
    func laps() {
        let laps = SwimmingLap.laps(from: clock, durations: [30, .nan, 31.5, -1], strokes: [16, 4], style: .freestyle)
        #expect(laps.map(\.duration) == [30, 0, 31.5, 0] && laps.map(\.strokes) == [16, 4, 0, 0])
        #expect(laps[2].start == clock.addingTimeInterval(30) && laps[2].score == 31.5 && laps[0].score == 46)
        #expect(laps[0].event.type == .lap && laps[0].event.end == laps[1].start)
        #expect(laps[0].event.metadata?[HKMetadataKeySWOLFScore] as? Double == 46)
        let rest = SwimmingLap(start: clock, duration: 20, strokes: 3, style: .unknown)
        #expect(rest.score == nil && rest.event.metadata?[HKMetadataKeySWOLFScore] == nil)
        #expect(SwimmingLap.score(of: [rest]) == nil && SwimmingLap.score(of: [laps[0], rest, laps[2]]) == 38.75)
    }
}

extension HKWorkoutActivity {
    /// Whether a sample starts in the activity.
    fileprivate func contains(_ sample: HKQuantitySample) -> Bool {
        sample.startDate >= startDate && sample.startDate < endDate ?? .distantFuture
    }
}
