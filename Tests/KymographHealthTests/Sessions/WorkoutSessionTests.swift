// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Kymograph
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-60 S-61 S-64 S-80 S-84 S-93 S-94 workout sessions collect, pause and end")
struct WorkoutSessionTests {
    private func configuration(
        _ activity: HKWorkoutActivityType = .running, _ location: HKWorkoutSessionLocationType = .outdoor
    ) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = location
        return configuration
    }

    /// Returns locations with their numbers as altitudes.
    private func places(_ numbers: Range<Int>) -> [CLLocation] {
        numbers.map { number in
            CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 48, longitude: 11), altitude: Double(number),
                horizontalAccuracy: 1, verticalAccuracy: 1, timestamp: clock.addingTimeInterval(Double(number)))
        }
    }

    private func delivered(_ source: ScriptedSource, from start: Int, to end: Int) {
        for second in start..<end {
            source.set(Double(second))
            source.deliver([
                quantity(.heartRate, 100 + Double(second % 50), "count/min", at: Double(second)),
                quantity(.activeEnergyBurned, 0.25, "kcal", at: Double(second), lasting: 1),
            ])
        }
    }

    @Test("a run with a pause: what the sensors deliver in the pause does not count")
    func run() async throws {
        let door = try TestDoor()
        let source = ScriptedSource([.heartRate, .activeEnergyBurned])
        try door.health.attach(source)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration())
        let builder = session.associatedWorkoutBuilder()
        let recorder = SessionRecorder()
        session.delegate = recorder
        builder.delegate = recorder
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configuration())
        #expect(
            builder.dataSource?.typesToCollect == [HKQuantityType(.heartRate), HKQuantityType(.activeEnergyBurned)])
        session.prepare()
        await session.settle()
        #expect(session.state == .prepared && source.isStarted)
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        await session.settle()
        #expect(session.state == .running && session.startDate == clock && source.isStarted)
        delivered(source, from: 0, to: 60)
        source.set(60)
        session.pause()
        await session.settle()
        delivered(source, from: 60, to: 90)
        source.set(90)
        session.resume()
        await session.settle()
        delivered(source, from: 90, to: 120)
        #expect(builder.elapsedTime(at: clock.addingTimeInterval(120)) == 90)
        let energy = builder.statistics(for: HKQuantityType(.activeEnergyBurned))
        #expect(energy?.sumQuantity()?.doubleValue(for: .kilocalorie()) == 0.25 * 90)
        source.set(120)
        session.end()
        try await builder.endCollection(at: clock.addingTimeInterval(120))
        let workout = try #require(try await builder.finishWorkout())
        await session.settle()
        #expect(workout.duration == 90 && workout.workoutEvents?.map(\.type) == [.pause, .resume])
        #expect(workout.allStatistics.count == 2 && workout.workoutActivities.count == 1)
        #expect(workout.metadata?[HKMetadataKeyIndoorWorkout] as? Bool == false)
        let members = try door.all(HKQuantityType(.heartRate), .members(of: workout.uuid))
        #expect(members.count == 90)
        #expect(
            recorder.calls.dropFirst() == [
                "prepared to running at 0.0", "running to paused at 60.0",
                "event pause at 60.0", "builder event", "paused to running at 90.0", "event resume at 90.0",
                "builder event", "running to ended at 120.0",
            ])
        #expect(recorder.types == [HKQuantityType(.heartRate), HKQuantityType(.activeEnergyBurned)])
        #expect(try await door.health.recoverActiveWorkoutSession() == nil)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("the heart's recovery is saved from rates that sensors deliver after the end")
    func recovery() async throws {
        let door = try TestDoor()
        let source = ScriptedSource([.heartRate])
        try door.health.attach(source)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration())
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configuration())
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        await session.settle()
        for second in 0..<600 {
            source.deliver([quantity(.heartRate, 150, "count/min", at: Double(second))])
        }
        source.set(600)
        session.end()
        await session.settle()
        try await builder.endCollection(at: clock.addingTimeInterval(600))
        try await builder.finishWorkout()
        for second in stride(from: 605.0, through: 675, by: 5) {
            source.deliver([quantity(.heartRate, 150 - (second - 600) / 2, "count/min", at: second)])
        }
        let found = try door.all(HKQuantityType(.heartRateRecoveryOneMinute))
        let sample = try #require(found.first as? HKQuantitySample)
        #expect(found.count == 1 && source.isStopped)
        #expect(sample.startDate == clock.addingTimeInterval(600) && sample.endDate == sample.startDate)
        #expect(sample.quantity.doubleValue(for: HKUnit(from: "count/min")) == 30)
        #expect(sample.metadata?[HKMetadataKeyHeartRateRecoveryTestType] as? Int == 2)
        #expect(sample.metadata?[HKMetadataKeyHeartRateRecoveryActivityType] as? Int == 37)
    }

    @Test("parts of a mixed workout change the collected types, and have statistics of their own")
    func parts() async throws {
        let door = try TestDoor()
        let source = ScriptedSource([
            .heartRate, .distanceSwimming, .distanceCycling, .distanceWalkingRunning, .activeEnergyBurned,
        ])
        try door.health.attach(source)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration(.swimBikeRun))
        let builder = session.associatedWorkoutBuilder()
        let recorder = SessionRecorder()
        session.delegate = recorder
        builder.delegate = recorder
        let types = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configuration(.swimBikeRun))
        builder.dataSource = types
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        let kinds: [(HKWorkoutActivityType, HKQuantityTypeIdentifier?)] = [
            (.swimming, .distanceSwimming), (.transition, nil), (.cycling, .distanceCycling), (.transition, nil),
            (.running, .distanceWalkingRunning),
        ]
        for (place, (kind, distance)) in kinds.enumerated() {
            let start = Double(place * 100)
            source.set(start)
            session.beginNewActivity(
                configuration: configuration(kind), date: clock.addingTimeInterval(start), metadata: ["part": place])
            await session.settle()
            #expect(builder.currentWorkoutActivity?.workoutConfiguration.activityType == kind)
            #expect(session.currentActivity.workoutConfiguration.activityType == kind)
            #expect(distance.map { types.typesToCollect.contains(HKQuantityType($0)) } ?? true)
            for second in stride(from: start, to: start + 100, by: 1) {
                source.deliver([
                    quantity(.heartRate, 100 + start / 10, "count/min", at: second),
                    quantity(.distanceSwimming, 1, "m", at: second, lasting: 1),
                    quantity(.distanceCycling, 5, "m", at: second, lasting: 1),
                    quantity(.distanceWalkingRunning, 3, "m", at: second, lasting: 1),
                ])
            }
        }
        source.set(500)
        session.end()
        let workout = try #require(try await builder.finishWorkout())
        #expect(workout.endDate == clock.addingTimeInterval(500) && workout.workoutActivities.count == 5)
        #expect(workout.totalDistance?.doubleValue(for: .meter()) == 900)
        for (part, (kind, distance)) in zip(workout.workoutActivities, kinds) {
            #expect(part.workoutConfiguration.activityType == kind && part.duration == 100)
            let rate = part.statistics(for: HKQuantityType(.heartRate))
            let start = part.startDate.timeIntervalSince(clock)
            #expect(rate?.averageQuantity()?.doubleValue(for: HKUnit(from: "count/min")) == 100 + start / 10)
            guard let distance else { continue }
            let sum = part.statistics(for: HKQuantityType(distance))?.sumQuantity()?.doubleValue(for: .meter())
            #expect(
                sum == ["distanceSwimming": 100, "distanceCycling": 500][HealthTypes.type(for: distance).shortName]
                    ?? 300)
        }
        await session.settle()
        #expect(recorder.calls.filter { $0.hasPrefix("builder began") }.count == 5)
        #expect(recorder.calls.filter { $0.hasPrefix("builder ended") }.count == 5)
    }

    @Test("a session and its builder are recovered as they were, and finished without loss")
    func recover() async throws {
        let door = try TestDoor()
        let source = ScriptedSource([.heartRate, .activeEnergyBurned])
        try door.health.attach(source)
        do {
            let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration())
            let builder = session.associatedWorkoutBuilder()
            builder.dataSource = HKLiveWorkoutDataSource(
                healthStore: door.health, workoutConfiguration: configuration())
            session.startActivity(with: clock)
            try await builder.beginCollection(at: clock)
            try await builder.addMetadata(["name": "long run"])
            await session.settle()
            delivered(source, from: 0, to: 300)
            let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
            for first in stride(from: 0, to: 150, by: 5) { try await route.insertRouteData(places(first..<first + 5)) }
            try await route.addMetadata(["name": "along the river"])
            source.set(300)
            session.pause()
            await session.settle()
            #expect(try await door.health.recoverActiveWorkoutSession() == nil)
            door.crash(session)
        }
        for isSecond in [false, true] {
            let session = try #require(try await door.health.recoverActiveWorkoutSession())
            let builder = session.associatedWorkoutBuilder()
            #expect(session.state == .paused && session.startDate == clock)
            #expect(builder.metadata["name"] as? String == "long run" && builder.workoutEvents.map(\.type) == [.pause])
            let rate = builder.statistics(for: HKQuantityType(.heartRate))
            #expect(rate?.maximumQuantity()?.doubleValue(for: HKUnit(from: "count/min")) == 149)
            let energy = builder.statistics(for: HKQuantityType(.activeEnergyBurned))?.sumQuantity()
            #expect(energy?.doubleValue(for: .kilocalorie()) == 75)
            await session.settle()
            let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
            #expect(route.count == (isSecond ? 170 : 150))
            if !isSecond {
                try await route.insertRouteData(places(150..<170))
                door.crash(session)
                continue
            }
            source.set(400)
            session.end()
            let workout = try #require(try await builder.finishWorkout())
            #expect(workout.duration == 300 && workout.metadata?["name"] as? String == "long run")
            #expect(try door.all(HKQuantityType(.heartRate), .members(of: workout.uuid)).count == 300)
            #expect(try door.all(HKQuantityType(.heartRate)).count == 300)
            let saved = try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: door.health)
            #expect(saved.map(\.count) == [170] && saved.first?.metadata?["name"] as? String == "along the river")
            let stored = try #require(saved.first)
            var altitudes: [Double] = []
            for try await one in HKWorkoutRouteQueryDescriptor(stored).results(for: door.health) {
                altitudes.append(one.altitude)
            }
            #expect(altitudes == (0..<170).map { Double($0) })
        }
        #expect(try await door.health.recoverActiveWorkoutSession() == nil)
    }

    @Test("one session is active: a second one of the program fails, one of another program ends the first")
    func oneAtATime() async throws {
        let door = try TestDoor()
        let recorders = (0..<3).map { _ in SessionRecorder() }
        let first = try HKWorkoutSession(healthStore: door.health, configuration: configuration())
        first.delegate = recorders[0]
        first.startActivity(with: clock)
        await first.settle()
        let second = try HKWorkoutSession(healthStore: door.health, configuration: configuration())
        second.delegate = recorders[1]
        second.startActivity(with: clock)
        await second.settle()
        #expect(recorders[1].calls.first == "failed 8" && second.state == .ended && first.state == .running)
        let third = try HKWorkoutSession(
            healthStore: door.other("com.example.other"), configuration: configuration())
        third.delegate = recorders[2]
        third.startActivity(with: clock)
        await third.settle()
        #expect(third.state == .running)
        for _ in 0..<200 where first.state != .ended { try await Task.sleep(for: .milliseconds(20)) }
        await first.settle()
        #expect(recorders[0].calls.contains("failed 8") && first.state == .ended)
        third.end()
        await third.settle()
    }

    @Test("calls that are not possible in a state are ignored, and reported once each with call and state")
    func ignoredCalls() async throws {
        let door = try TestDoor()
        let ignored = Mutex([String]())
        let observation = try door.health.store().engine.observe { event in
            guard case .sessionCallIgnored(let call, let state) = event.what else { return }
            ignored.withLock { $0.append("\(call) in \(state)") }
        }
        let recorder = SessionRecorder()
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration())
        session.delegate = recorder
        session.pause()
        session.prepare()
        session.pause()
        session.resume()
        session.prepare()
        session.endCurrentActivity(on: clock)
        session.startActivity(with: clock)
        session.startActivity(with: clock)
        session.stopActivity(with: clock.addingTimeInterval(-1))
        session.beginNewActivity(configuration: configuration(.yoga), date: clock, metadata: nil)
        session.stopActivity(with: clock.addingTimeInterval(60))
        session.resume()
        session.end()
        session.end()
        await session.settle()
        // Closing returns after all events are delivered.
        door.health.close()
        #expect(
            ignored.withLock { $0 } == [
                "pause in notStarted", "pause in prepared", "resume in prepared", "prepare in prepared",
                "endCurrentActivity in prepared", "startActivity in running", "stopActivity in running",
                "beginNewActivity in running", "resume in stopped", "end in ended",
            ])
        #expect(recorder.calls.filter { $0.contains(" to ") }.count == 4)
        withExtendedLifetime(observation) {}
    }

    @Test("samples that the program saves itself are collected")
    func ownSamples() async throws {
        let door = try TestDoor()
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configuration())
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configuration())
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        await session.settle()
        let count = HKQuantityType(.stepCount)
        for place in 0..<5 {
            try await door.health.save(quantity(.stepCount, 10, "count", at: Double(place), lasting: 1))
        }
        for _ in 0..<200 where builder.statistics(for: count)?.sumQuantity()?.doubleValue(for: .count()) != 50 {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(builder.statistics(for: count)?.sumQuantity()?.doubleValue(for: .count()) == 50)
        session.end()
        let workout = try #require(try await builder.finishWorkout())
        #expect(try door.all(count, .members(of: workout.uuid)).count == 5)
    }
}
