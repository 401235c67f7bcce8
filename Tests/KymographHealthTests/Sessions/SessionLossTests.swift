// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-84 S-88 S-107 S-112 no call, and no sample, of a workout is lost")
struct SessionLossTests {
    private struct Recording {
        let session: HKWorkoutSession
        let builder: HKLiveWorkoutBuilder
        let source: ScriptedSource
    }

    private func recording(_ door: TestDoor, events: Bool = true) async throws -> Recording {
        let source = ScriptedSource([.heartRate])
        try door.health.attach(source)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: configured(.running, .outdoor))
        let builder = session.associatedWorkoutBuilder()
        builder.shouldCollectWorkoutEvents = events
        builder.dataSource = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: configured(.running, .outdoor))
        return Recording(session: session, builder: builder, source: source)
    }

    private func rate(at second: Double) -> HKQuantitySample { quantity(.heartRate, 100, "count/min", at: second) }

    @Test("calls with handlers take effect in their order")
    func order() async throws {
        let door = try TestDoor()
        for _ in 0..<10 {
            let builder = door.workoutBuilder()
            let answers = Mutex<[Int]>([])
            let workout: HKWorkout? = await withCheckedContinuation { waiting in
                builder.beginCollection(withStart: at(0)) { _, _ in }
                for number in 0..<30 {
                    builder.addMetadata(["number": number]) { _, _ in answers.withLock { $0.append(number) } }
                }
                builder.endCollection(withEnd: at(60)) { _, _ in }
                builder.finishWorkout { workout, _ in waiting.resume(returning: workout) }
            }
            #expect(workout?.metadata?["number"] as? Int == 29)
            #expect(answers.withLock { $0 } == Array(0..<30))
        }
        let live = try await recording(door)
        live.session.startActivity(with: at(0))
        let saved: HKWorkout? = await withCheckedContinuation { waiting in
            live.builder.beginCollection(withStart: at(0)) { _, _ in }
            live.session.end()
            live.builder.endCollection(withEnd: Date()) { _, _ in }
            live.builder.finishWorkout { workout, _ in waiting.resume(returning: workout) }
        }
        #expect(saved != nil)
    }

    @Test("a handler of a route may read the builder while the workout is finished")
    func handlers() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        try await builder.addSamples([pulse(100, 20), pulse(120, 10)])
        let route = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        for number in 0..<20 {
            route.insertRouteData([CLLocation(latitude: 48, longitude: 11 + Double(number) / 1_000)]) { _, _ in
                _ = builder.statistics(for: heartRate)
            }
        }
        try await builder.endCollection(at: Date())
        #expect(try await builder.finishWorkout() != nil)
        let routes = try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: door.health)
        #expect(routes.map(\.count) == [20])
    }

    @Test("a workout whose route is discarded is saved without it, also after a crash")
    func discardedRoute() async throws {
        let door = try TestDoor()
        let live = try await recording(door)
        live.session.startActivity(with: at(0))
        try await live.builder.beginCollection(at: at(0))
        let route = try #require(live.builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        try await route.insertRouteData([CLLocation(latitude: 48, longitude: 11)])
        route.discard()
        await live.session.settle()
        door.crash(live.session)
        let session = try #require(try await door.health.recoverActiveWorkoutSession())
        let builder = session.associatedWorkoutBuilder()
        let again = try #require(builder.seriesBuilder(for: .workoutRoute()) as? HKWorkoutRouteBuilder)
        #expect(again.count == 0)
        again.discard()
        session.end()
        #expect(try await builder.finishWorkout() != nil)
        #expect(try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: door.health).isEmpty)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("an end before an event is refused, and a later end is possible")
    func earlyEnd() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder()
        try await builder.beginCollection(at: at(0))
        try await builder.addWorkoutEvents([workoutEvent(.marker, 50)])
        await #expect(throws: HKError.self) { try await builder.endCollection(at: at(40)) }
        try await builder.endCollection(at: at(60))
        #expect(try await builder.finishWorkout()?.duration == 60)
    }

    @Test("the quantities of series count after a recovery")
    func series() async throws {
        let door = try TestDoor()
        let live = try await recording(door)
        live.session.startActivity(with: at(0))
        try await live.builder.beginCollection(at: at(0))
        let series = HKQuantitySeriesSampleBuilder(
            healthStore: door.health, quantityType: kilocalories, startDate: at(10), device: nil)
        for number in 0..<20 {
            try series.insert(HKQuantity(unit: .kilocalorie(), doubleValue: 1), at: at(10 + Double(number)))
        }
        let samples: [HKSample] = try await series.finishSeries(metadata: nil, endDate: nil)
        try await live.builder.addSamples(samples)
        let before = live.builder.statistics(for: kilocalories)?.sumQuantity()?.doubleValue(for: .kilocalorie())
        await live.session.settle()
        door.crash(live.session)
        let session = try #require(try await door.health.recoverActiveWorkoutSession())
        let after = session.associatedWorkoutBuilder().statistics(for: kilocalories)?.sumQuantity()
        #expect(before == 20 && after?.doubleValue(for: .kilocalorie()) == 20)
        door.crash(session)
    }

    @Test("a workout that was discarded while the session ran stays discarded, without a recovery of the heart")
    func discarded() async throws {
        let door = try TestDoor()
        let live = try await recording(door)
        live.session.startActivity(with: at(0))
        try await live.builder.beginCollection(at: at(0))
        await live.session.settle()
        live.source.deliver((0..<60).map { quantity(.heartRate, 150, "count/min", at: Double($0)) })
        live.builder.discardWorkout()
        door.crash(live.session)
        let session = try #require(try await door.health.recoverActiveWorkoutSession())
        await #expect(throws: HKError.self) { try await session.associatedWorkoutBuilder().finishWorkout() }
        live.source.set(60)
        session.end()
        await session.settle()
        for second in stride(from: 65.0, through: 135, by: 5) {
            live.source.deliver([quantity(.heartRate, 100, "count/min", at: second)])
        }
        #expect(try await door.workouts().isEmpty)
        #expect(try door.all(HKQuantityType(.heartRateRecoveryOneMinute)).isEmpty)
        #expect(try await door.health.recoverActiveWorkoutSession() == nil)
    }

    @Test("nothing is collected before the activity runs, and in pauses that are no events")
    func whileRunning() async throws {
        let door = try TestDoor()
        let live = try await recording(door, events: false)
        live.session.prepare()
        try await live.builder.beginCollection(at: at(0))
        await live.session.settle()
        live.source.deliver([rate(at: 5)])
        live.source.set(10)
        live.session.startActivity(with: at(10))
        await live.session.settle()
        live.source.deliver([rate(at: 8), rate(at: 10), rate(at: 15)])
        live.source.set(20)
        live.session.pause()
        await live.session.settle()
        live.source.deliver([rate(at: 25)])
        live.source.set(30)
        live.session.resume()
        await live.session.settle()
        live.source.deliver([rate(at: 28), rate(at: 30)])
        live.source.set(40)
        live.session.end()
        let workout = try #require(try await live.builder.finishWorkout())
        let members = try door.all(heartRate, .members(of: workout.uuid)).map { $0.startDate.timeIntervalSince(at(0)) }
        #expect(members.sorted() == [10, 15, 30])
        #expect(workout.workoutEvents?.isEmpty ?? true)
    }

    @Test("after a crash in a pause that is no event, the pause continues")
    func crashInHiddenPause() async throws {
        let door = try TestDoor()
        let live = try await recording(door, events: false)
        live.session.startActivity(with: at(0))
        try await live.builder.beginCollection(at: at(0))
        await live.session.settle()
        live.source.deliver([rate(at: 5)])
        live.source.set(10)
        live.session.pause()
        await live.session.settle()
        door.crash(live.session)
        let session = try #require(try await door.health.recoverActiveWorkoutSession())
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = live.builder.dataSource
        await session.settle()
        #expect(session.state == .paused && !builder.shouldCollectWorkoutEvents)
        live.source.deliver([rate(at: 15)])
        live.source.deliver([place(at: 15)])
        live.source.set(20)
        session.resume()
        await session.settle()
        live.source.deliver([rate(at: 18), rate(at: 25)])
        live.source.set(30)
        session.end()
        let workout = try #require(try await builder.finishWorkout())
        let members = try door.all(heartRate, .members(of: workout.uuid)).map { $0.startDate.timeIntervalSince(at(0)) }
        #expect(members.sorted() == [5, 25])
        #expect(workout.workoutEvents?.isEmpty ?? true && workout.duration == 30)
        #expect(try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: door.health).isEmpty)
    }

    @Test("a pause that began before the collection lasts until it ends, also over a crash", arguments: [false, true])
    func earlyPause(crashes: Bool) async throws {
        let door = try TestDoor()
        let live = try await recording(door)
        live.session.startActivity(with: at(0))
        await live.session.settle()
        live.source.set(5)
        live.session.pause()
        await live.session.settle()
        try await live.builder.beginCollection(at: at(6))
        var (session, builder) = (live.session, live.builder)
        if crashes {
            door.crash(session)
            session = try #require(try await door.health.recoverActiveWorkoutSession())
            builder = session.associatedWorkoutBuilder()
            builder.dataSource = live.builder.dataSource
            await session.settle()
        }
        live.source.deliver([rate(at: 7)])
        live.source.set(10)
        session.resume()
        await session.settle()
        live.source.deliver([rate(at: 8), rate(at: 11)])
        live.source.set(20)
        session.end()
        let workout = try #require(try await builder.finishWorkout())
        let members = try door.all(heartRate, .members(of: workout.uuid)).map { $0.startDate.timeIntervalSince(at(0)) }
        #expect(members == [11])
    }

    @Test("a part that begins before the collection is a part of the workout")
    func earlyPart() async throws {
        let door = try TestDoor()
        let live = try await recording(door)
        live.session.startActivity(with: at(0))
        live.session.beginNewActivity(configuration: configured(.running, .outdoor), date: at(1), metadata: nil)
        await live.session.settle()
        try await live.builder.beginCollection(at: at(5))
        live.source.set(60)
        live.session.end()
        let workout = try #require(try await live.builder.finishWorkout())
        #expect(workout.workoutActivities.map(\.startDate) == [at(5)])
        #expect(workout.workoutActivities.first?.endDate == at(60))
    }
}
