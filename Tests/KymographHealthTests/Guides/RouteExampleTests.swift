// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("The example of Docs/Guide/Routes.md")
struct RouteExampleTests {
    @Test("a route is built, found and read")
    func routes() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let workout = run()
        try await health.save(workout)
        let locations = walk(20)
        // example route begins
        let builder = HKWorkoutRouteBuilder(healthStore: health, device: .local())
        try await builder.insertRouteData(locations)
        let route = try await builder.finishRoute(with: workout, metadata: nil)

        let found = try await HKSampleQueryDescriptor(predicates: [.workoutRoute()]).result(for: health)
        for try await location in HKWorkoutRouteQueryDescriptor(route).results(for: health) {
            print(location.timestamp, location.coordinate.latitude, location.coordinate.longitude)
        }
        // example route ends
        #expect(found.map(\.uuid) == [route.uuid] && route.count == 20)
    }
}
