// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("Hostile arguments of the route builder and its queries")
struct HostileRouteTests {
    private func place(
        _ latitude: Double = 1, _ altitude: Double = 0, _ course: Double = -1, _ date: Date = clock, floor: Int? = nil
    ) -> CLLocation {
        CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: 2), altitude: altitude,
            ellipsoidalAltitude: 0, horizontalAccuracy: 1, verticalAccuracy: 1, course: course, courseAccuracy: -1,
            speed: -1, speedAccuracy: -1, timestamp: date, floor: floor.map { CLFloor(level: $0) })
    }

    @Test("numbers that are not finite and impossible dates are refused, and the builder stays usable")
    func numbers() async throws {
        let door = try TestDoor()
        let workout = try await door.workout()
        let builder = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
        var refused = [place(1, floor: .max), place(1, floor: .min)]
        for number in [Double.nan, .infinity, -.infinity] {
            refused += [place(number), place(1, number), place(1, 0, number)]
            refused.append(place(1, 0, 0, Date(timeIntervalSinceReferenceDate: number)))
        }
        refused += [place(1, 0, 0, .distantFuture), place(1, 0, 0, .distantPast)]
        for one in refused {
            #expect(
                await code { try await builder.insertRouteData([place(), one]) } == .errorInvalidArgument, "\(one)")
        }
        let answers = Answers<Bool>()
        builder.insertRouteData([refused[2]]) { isDone, error in answers.put(!isDone && error != nil) }
        builder.insertRouteData([place(.greatestFiniteMagnitude)]) { isDone, error in answers.put(isDone) }
        builder.addMetadata(["own": NSObject()]) { isDone, error in answers.put(!isDone && error != nil) }
        #expect(await answers.first(3) == [true, true, true])
        #expect(await code { try await builder.addMetadata(["a": [1]]) } == .errorInvalidArgument)
        #expect(
            await code { _ = try await builder.finishRoute(with: workout, metadata: ["a": [1]]) }
                == .errorInvalidArgument)
        let done = Answers<Int>()
        builder.finishRoute(with: workout, metadata: nil) { route, _ in done.put(route?.count ?? -1) }
        #expect(await done.first(1) == [1])
        let route = try #require(try door.routes.first)
        #expect(try door.locations(of: route).map(\.coordinate.latitude) == [.greatestFiniteMagnitude])
    }

    @Test("columns of different lengths, without coordinates and with impossible numbers are refused")
    func columns() {
        let numbers: [Double] = [1, 2]
        #expect(throws: HKError.self) { try RouteLocations(times: [1, 2], [.latitude: numbers]) }
        #expect(throws: HKError.self) { try RouteLocations(times: [1], [.latitude: numbers, .longitude: numbers]) }
        #expect(throws: HKError.self) {
            try RouteLocations(times: [1, 2], [.latitude: numbers, .longitude: [1, .nan]])
        }
        #expect(throws: HKError.self) {
            try RouteLocations(times: [.min, 2], [.latitude: numbers, .longitude: numbers])
        }
    }

    @Test("a route of another store has no locations")
    func unknown() async throws {
        let (door, other) = (try TestDoor(), try TestDoor())
        _ = try await door.workout()
        let route = try await other.route(walk(3), of: try await other.workout())
        #expect(
            await code {
                for try await _ in HKWorkoutRouteQueryDescriptor(route).results(for: door.health) {
                    Issue.record("a location of an unknown route")
                }
            } == .errorInvalidArgument)
        let answers = Answers<Bool>()
        let wide = DateInterval(start: .distantPast, end: .distantFuture)
        door.health.execute(
            HKWorkoutRouteQuery(route: route) { _, found, _, error in
                answers.put(found == nil && error != nil)
            })
        door.health.execute(
            HKWorkoutRouteQuery(route: route, dateInterval: wide) { _, found, _, error in
                answers.put(found == nil && error != nil)
            })
        #expect(await answers.first(2) == [true, true])
        let none = HKWorkoutRouteQuery(
            route: route, dateInterval: DateInterval(start: Date(timeIntervalSinceReferenceDate: 1e300), duration: 0)
        ) { _, found, isDone, error in answers.put(found?.isEmpty == true && isDone) }
        other.health.execute(none)
        #expect(await answers.first(3).last == true)
        let all: NSPredicate? = nil
        let found = try await HKSampleQueryDescriptor(predicates: [.workoutRoute(all)]).result(for: door.health)
        #expect(found.isEmpty)
    }
}
