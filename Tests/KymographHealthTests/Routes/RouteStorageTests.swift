// SPDX-License-Identifier: Apache-2.0

import Catalog
import CoreLocation
import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("Workout routes are deleted, verified, repaired, erased and loaded with all their columns")
struct RouteStorageTests {
    /// The number of live rows in all columns of routes.
    private func rows(_ door: TestDoor) throws -> Int {
        let view = try door.health.store().view()
        return view.tables.rows.series.filter { !$0.holdsObjects }.reduce(0) {
            $0 + view.snapshot.count(of: SeriesID(rawValue: $1.series))
        }
    }

    @Test("deleting a route deletes its rows and nothing else", arguments: [false, true])
    func deletion(isSealed: Bool) async throws {
        let door = try TestDoor()
        let workout = try await door.workout()
        // Two routes at the same times.
        let (one, two) = (walk(50), walk(50, from: 0.5, seed: 2))
        let (first, second) = (try await door.route(one, of: workout), try await door.route(two, of: workout))
        if isSealed { try door.health.store().engine.seal() }
        #expect(try rows(door) == 2 * 50 * 7)
        #expect(await code { try await door.other("com.example.x").delete(first) } == .errorAuthorizationDenied)
        try await door.health.delete(first)
        #expect(await code { try await door.health.delete(first) } == .errorInvalidArgument)
        #expect(try rows(door) == 50 * 7 && door.routes.map(\.uuid) == [second.uuid])
        #expect(try door.locations(of: second).map(bits) == two.map(bits))
        #expect(throws: HKError.self) { try door.locations(of: first) }
        try door.health.store().compact()
        #expect(try door.locations(of: second).map(bits) == two.map(bits))
        let predicate = HKQuery.predicateForObject(with: second.uuid)
        #expect(try await door.health.deleteObjects(of: HKSeriesType.workoutRoute(), predicate: predicate) == 1)
        #expect(try rows(door) == 0 && door.health.store().verify().isSound)
    }

    @Test("deleting a workout deletes its routes, by object and by predicate")
    func workouts() async throws {
        let door = try TestDoor()
        let (one, two) = (try await door.workout(), try await door.workout(at: 9_000))
        try await door.route(walk(5), of: one)
        try await door.route(walk(6), of: one)
        let kept = try await door.route(walk(7, from: 9_000), of: two)
        try await door.health.delete(one)
        #expect(try door.routes.map(\.uuid) == [kept.uuid] && rows(door) == 7 * 7)
        let all = HKQuery.predicateForSamples(withStart: nil, end: nil)
        #expect(try await door.health.deleteObjects(of: HKObjectType.workoutType(), predicate: all) == 1)
        #expect(try door.routes.isEmpty && rows(door) == 0 && door.health.store().verify().isSound)
    }

    @Test("a deletion of samples by time keeps routes, as it keeps workouts")
    func byTime() async throws {
        let door = try TestDoor()
        let route = try await door.route(walk(20), of: try await door.workout())
        _ = try await door.single(60, at: 3)
        let receipt = try door.health.store().deleteAllTypes(sources: [door.health.revision.source.name])
        #expect(receipt.count == 1)
        #expect(try door.locations(of: route).count == 20 && door.health.store().verify().isSound)
    }

    @Test("a deleted route is erased, and the result of an anchored query does not change")
    func erasure() async throws {
        let door = try TestDoor()
        let route = try await door.route(walk(9), of: try await door.workout())
        let begin = try await HKAnchoredObjectQueryDescriptor(predicates: [.workoutRoute()], anchor: nil).result(
            for: door.health)
        try await door.health.delete(route)
        let store = try door.health.store()
        for _ in 0..<2 { try store.compact() }
        let dead = try store.catalog([]) {
            try HealthCatalog.deadSavedObjects(after: 0, upTo: .max, from: 0, limit: 9, $0)
        }
        #expect(try dead.map { try RouteRecord($0.body) } == [RouteRecord.erased])
        let news = try await HKAnchoredObjectQueryDescriptor(
            predicates: [.workoutRoute()], anchor: begin.newAnchor
        ).result(for: door.health)
        #expect(news.deletedObjects.map(\.uuid) == [route.uuid] && news.addedSamples.isEmpty)
        #expect(try store.verify().isSound)
    }

    @Test("rows without their route are reported, and restored as a route without workout")
    func orphans() async throws {
        let door = try TestDoor()
        let places = walk(12)
        try await door.route(places, of: try await door.workout())
        let store = try door.health.store()
        try store.engine.write { _ in
            var batch = WriteBatch()
            batch.inCommit = { transaction, _ in
                try transaction.run("DELETE FROM health_object WHERE kind=\(SavedObjectKind.workoutRoute.rawValue)")
            }
            return batch
        }
        let report = try store.verify()
        #expect(report.problems.count == 7 && report.problems[0].contains(HKWorkoutRouteTypeIdentifier))
        #expect(try store.restoreSeries() == 1)
        #expect(try store.verify().isSound)
        let found = try #require(try door.routes.first)
        #expect(try door.locations(of: found).map(bits) == places.map(bits))
    }

    @Test("lost rows of a column count as missing numbers; locations with lost coordinates are left out")
    func damaged() async throws {
        let door = try TestDoor()
        let places = walk(10)
        let route = try await door.route(places, of: try await door.workout())
        let store = try door.health.store()
        let series = try store.view().tables.rows.series
        func lose(_ column: RouteColumn, _ seconds: Double) throws {
            let id = try #require(series.first { $0.type == column.seriesType }?.series)
            let start = try #require(StoredTime.nanoseconds(at(seconds)))
            _ = try store.engine.delete(from: SeriesID(rawValue: id), startingIn: TimeRange(start, start + 1))
        }
        try lose(.longitude, 3)
        try lose(.speed, 5)
        let found = try door.locations(of: route)
        #expect(found.count == 9 && found.map(\.timestamp) == places.map(\.timestamp).filter { $0 != at(3) })
        #expect(found[4].speed == -1 && found[4].course == places[5].course)
        #expect(bits(found[3]) == bits(places[4]))
    }

    @Test("a load stores routes of columns once, with the numbers of its columns")
    func load() async throws {
        let test = try TestHealthStore()
        let workout = UUID()
        func route(_ offset: Int) throws -> RouteLocations {
            try RouteLocations(
                times: (0..<2_000).map { newYear + Int64(offset + $0) * second },
                [
                    .latitude: (0..<2_000).map { Double($0 + offset) / 1e6 },
                    .longitude: [Double](repeating: 8.5, count: 2_000),
                    .speed: [Double](repeating: -1, count: 2_000),
                ])
        }
        for round in 0..<2 {
            let isNew = try test.store.load { loader in
                let (provenance, source) = loader.provenance(source: "Watch", version: "9", device: nil)
                for offset in [5_000, 0, 0] {
                    let added = try loader.add(
                        LoadedRoute(
                            try route(offset), workout: workout, provenance: provenance, source: source,
                            created: newYear))
                    #expect(added == (round == 0 && offset > 0) || offset == 0)
                }
            }
            #expect(isNew == (round == 0))
        }
        var found = [HKSample]()
        try test.store.search(SampleSearch(type: HKSeriesType.workoutRoute(), predicate: .always(true))) {
            found += $0.samples
            return true
        }
        #expect(found.count == 2)
        for (place, offset) in [0, 5_000].enumerated() {
            let one = try #require(found[place] as? HKWorkoutRoute)
            let locations = try test.store.locations(of: one)
            let wanted = try route(offset)
            #expect(locations.times == wanted.times && locations.values(.latitude) == wanted.values(.latitude))
            #expect(locations.values(.longitude) == wanted.values(.longitude) && locations.values(.speed) == nil)
        }
        let rows = try test.store.catalog([]) { try RouteRecord.routes(of: [workout], $0) }
        #expect(rows.count == 2)
        #expect(try test.store.verify().isSound)
    }

    @Test("damaged bytes of a route's object are an error", arguments: 1...4)
    func hostile(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var locations = RouteLocations()
        try locations.append(walk(20))
        let record = RouteRecord(locations, workout: UUID(), firstIdentity: SampleIdentity(high: 1, low: 2))
        #expect(try RouteRecord(record.body) == record)
        for _ in 0..<2_000 {
            var bytes = record.body
            for _ in 0...dice.below(3) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            if dice.chance(0.3) { bytes.removeLast(dice.below(bytes.count)) }
            do {
                _ = try RouteRecord(bytes)
            } catch {
                #expect(error.kind == .corrupt || error.kind == .newerFormat)
            }
        }
    }
}
