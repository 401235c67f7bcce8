// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthCatalog
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("Workout routes are built, stored without loss, and queried")
struct WorkoutRouteTests {
    @Test("all numbers read back bit by bit, after sealing, reopening, compaction and a repair", arguments: [3, 7_000])
    func roundTrip(count: Int) async throws {
        let door = try TestDoor()
        let (workout, places) = (try await door.workout(), walk(count))
        let made = try await door.route(places, of: workout, ["a": 1])
        #expect(made.count == count && made.startDate == at(0) && made.endDate == at(Double(count - 1)))
        #expect(made.sampleType == HKSeriesType.workoutRoute())
        for round in 0..<3 {
            let found = try #require(try door.routes.first)
            #expect(try door.routes.count == 1 && found.uuid == made.uuid && found.count == count)
            #expect(found.metadata?["a"] as? Int == 1 && found.device == .local())
            #expect(found.startDate == made.startDate && found.endDate == made.endDate)
            #expect(try door.locations(of: found).map(bits) == places.map(bits))
            let store = try door.health.store()
            #expect(try store.verify().isSound)
            if round == 0 { try store.engine.seal() }
            if round == 1 { try store.compact() }
            door.health.close()
        }
        let target = door.directory.file("repaired")
        #expect(try HealthStore.repair(from: door.directory.file("store"), to: target).isComplete)
        let store = try HealthStore.open(at: target)
        defer { store.close() }
        let found = try store.locations(of: made)
        #expect(found.objects(0..<found.count).map(bits) == places.map(bits))
        #expect(try store.verify().isSound)
    }

    @Test("any finite numbers read back, and locations with equal times keep their order", arguments: 1...8)
    func random(seed: UInt64) async throws {
        let door = try TestDoor()
        let workout = try await door.workout()
        var dice = SeededGenerator(seed: seed)
        var all = [CLLocation]()
        // Each property is wild, constant, or missing in the whole route.
        let styles = (0..<10).map { _ in dice.below(3) }
        func number(_ style: Int, _ missing: Double) -> Double {
            if style == 2 { return missing }
            if style == 1 { return 0.1 }
            return dice.pick([-0.0, 0, 1e300, -1, .leastNonzeroMagnitude, dice.fraction(), missing])
        }
        for _ in 0..<(1 + dice.below(60)) {
            all.append(
                CLLocation(
                    coordinate: CLLocationCoordinate2D(
                        latitude: number(styles[0], 0), longitude: number(styles[1], 0)),
                    altitude: number(styles[2], 0), ellipsoidalAltitude: number(styles[3], 0),
                    horizontalAccuracy: number(styles[4], -1), verticalAccuracy: number(styles[5], -1),
                    course: number(styles[6], -1), courseAccuracy: number(styles[7], -1), speed: number(styles[8], -1),
                    speedAccuracy: number(styles[9], -1), timestamp: at(Double(dice.below(12))),
                    floor: dice.chance(0.3) ? CLFloor(level: dice.below(9) - 4) : nil))
        }
        let builder = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
        for one in all { try await builder.insertRouteData([one]) }
        let route = try await builder.finishRoute(with: workout, metadata: nil)
        let sorted = all.enumerated().sorted {
            ($0.element.timestamp, $0.offset) < ($1.element.timestamp, $1.offset)
        }.map { bits($0.element) }
        #expect(try door.locations(of: route).map(bits) == sorted)
        try door.health.store().compact()
        #expect(try door.locations(of: route).map(bits) == sorted)
        #expect(try door.health.store().verify().isSound)
    }

    @Test("a property that no location has is not stored, and a constant one is a number of the object")
    func columns() async throws {
        let door = try TestDoor()
        let places = walk(100).map { one in
            CLLocation(
                coordinate: one.coordinate, altitude: 5, horizontalAccuracy: one.horizontalAccuracy,
                verticalAccuracy: -1, timestamp: one.timestamp)
        }
        let route = try await door.route(places, of: try await door.workout())
        let series = try door.health.store().view().tables.rows.series
        #expect(series.compactMap { RouteColumn(seriesType: $0.type) } == [.latitude, .longitude, .horizontalAccuracy])
        #expect(try door.locations(of: route).map(bits) == places.map(bits))
        // Columns of routes are no types of samples.
        let store = try door.health.store()
        #expect(try store.types().isEmpty && store.sources().isEmpty)
        #expect(try HealthExport(store).types.isEmpty)
    }

    @Test("queries return locations in batches, one by one, and in an interval with its end")
    func queries() async throws {
        let door = try TestDoor()
        let places = walk(2_500)
        let route = try await door.route(places, of: try await door.workout())
        func read(_ interval: DateInterval?) async -> [[CLLocation]] {
            let batches = Mutex([[CLLocation]]())
            await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
                let handler: HKWorkoutRouteQuery.Handler = { _, found, isDone, error in
                    #expect(error == nil && found != nil)
                    batches.withLock { $0.append(found ?? []) }
                    if isDone { waiting.resume() }
                }
                door.health.execute(
                    interval.map { HKWorkoutRouteQuery(route: route, dateInterval: $0, dataHandler: handler) }
                        ?? HKWorkoutRouteQuery(route: route, dataHandler: handler))
            }
            return batches.withLock { $0 }
        }
        let all = await read(nil)
        #expect(all.count > 1 && all.joined().map(bits) == places.map(bits))
        let some = await read(DateInterval(start: at(10), end: at(20)))
        #expect(some.joined().map(bits) == places[10...20].map(bits))
        #expect(await read(DateInterval(start: at(9_000), end: at(9_001))) == [[]])
        #expect(await read(DateInterval(start: .distantPast, end: .distantFuture)).joined().count == 2_500)
        var single = [CLLocation]()
        for try await one in HKWorkoutRouteQueryDescriptor(route).results(for: door.health) { single.append(one) }
        #expect(single.map(bits) == places.map(bits))
        #expect(await isEndedByCancelling { HKWorkoutRouteQueryDescriptor(route).results(for: door.health) })
    }

    @Test("sample, anchored and observer queries find routes, and their predicates apply")
    func found() async throws {
        let door = try TestDoor()
        let workout = try await door.workout()
        let changes = Answers<Bool>()
        let observer = HKObserverQuery(sampleType: HKSeriesType.workoutRoute(), predicate: nil) { _, done, _ in
            changes.put(true)
            done()
        }
        door.health.execute(observer)
        defer { door.health.stop(observer) }
        #expect(await changes.first(1) == [true])
        let first = try await door.route(walk(10), of: workout, ["name": "a"])
        let second = try await door.route(walk(10, from: 100), of: workout)
        let found = try await HKSampleQueryDescriptor(
            predicates: [.workoutRoute()], sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)]
        ).result(for: door.health)
        #expect(found.map(\.uuid) == [second.uuid, first.uuid])
        let named = HKQuery.predicateForObjects(withMetadataKey: "name")
        let one = try await HKSampleQueryDescriptor(predicates: [.workoutRoute(named)]).result(for: door.health)
        #expect(one.map(\.uuid) == [first.uuid])
        let anchored = HKAnchoredObjectQueryDescriptor(predicates: [.workoutRoute()], anchor: nil)
        let begin = try await anchored.result(for: door.health)
        #expect(begin.addedSamples.map(\.uuid) == [first.uuid, second.uuid] && begin.deletedObjects.isEmpty)
        try await door.health.delete(first)
        let news = try await HKAnchoredObjectQueryDescriptor(
            predicates: [.workoutRoute()], anchor: begin.newAnchor
        ).result(for: door.health)
        #expect(news.addedSamples.isEmpty && news.deletedObjects.map(\.uuid) == [first.uuid])
        #expect(await changes.first(2) == [true, true])
    }

    @Test("a route needs locations and a stored workout; a builder ends with its route or when it is discarded")
    func refused() async throws {
        let door = try TestDoor()
        let workout = try await door.workout()
        let builder = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
        func finish(_ builder: HKWorkoutRouteBuilder, _ workout: HKWorkout) async -> HKError.Code? {
            await code { _ = try await builder.finishRoute(with: workout, metadata: nil) }
        }
        #expect(await finish(builder, workout) == .errorNoData)
        try await builder.insertRouteData([])
        #expect(await finish(builder, workout) == .errorNoData)
        try await builder.insertRouteData(walk(3))
        try await builder.addMetadata(["a": 1, "b": 1])
        let unsaved = run()
        #expect(await finish(builder, unsaved) == .errorInvalidArgument)
        #expect(try door.routes.isEmpty)
        let route = try await builder.finishRoute(with: workout, metadata: ["b": 2])
        #expect(route.metadata?["a"] as? Int == 1 && route.metadata?["b"] as? Int == 2)
        #expect(await finish(builder, workout) == .errorInvalidArgument)
        #expect(await code { try await builder.insertRouteData(walk(1)) } == .errorInvalidArgument)
        let other: HKSeriesBuilder = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
        other.discard()
        let discarded = try #require(other as? HKWorkoutRouteBuilder)
        #expect(await code { try await discarded.insertRouteData(walk(1)) } == .errorInvalidArgument)
        #expect(await code { try await discarded.addMetadata(["a": 1]) } == .errorInvalidArgument)
        #expect(await finish(discarded, workout) == .errorInvalidArgument)
        #expect(try door.routes.count == 1)
    }

    @Test("a route is saved in the commit of its workout, and a builder without locations adds none")
    func within() async throws {
        let door = try TestDoor()
        for count in [0, 5] {
            let workout = run()
            let builder = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
            try await builder.insertRouteData(walk(count))
            let route = try builder.finish(within: workout.uuid) { add throws(HKError) in
                var batch = SaveBatch(try SavingProgram(door.health.revision), created: 0)
                try batch.append(workout)
                let route = try add(&batch)
                try door.health.store().commit(batch, identities: .new)
                return route
            }
            #expect(route?.count == (count == 0 ? nil : count))
            #expect(await code { try await builder.insertRouteData(walk(1)) } == .errorInvalidArgument)
        }
        #expect(try door.routes.count == 1 && door.all(HKObjectType.workoutType()).count == 2)
    }

    @Test("a builder that is discarded during finish stays closed, also if the save fails")
    func discardMeanwhile() async throws {
        for isFailing in [true, false] {
            let door = try TestDoor()
            let (workout, places) = (try await door.workout(), walk(3))
            let builder = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
            try builder.insert(places)
            let outcome = try await door.discardWhileFinishing(isFailing: isFailing) {
                await code { _ = try await builder.finishRoute(with: workout, metadata: nil) }
            } isTaking: {
                (try? builder.insert(places)) != nil
            } discard: {
                builder.discard()
            }
            #expect(outcome == (isFailing ? .errorDatabaseInaccessible : nil))
            #expect(await code { try builder.insert(places) } == .errorInvalidArgument)
            door.health.close()
            #expect(try door.routes.count == (isFailing ? 0 : 1))
        }
    }
}
