// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import HealthViews

@Suite("T-3 outlines of routes")
struct RouteOutlineTests {
    private func points(_ places: [(Double, Double, Double?)]) -> [RoutePoint] {
        places.enumerated().map { second, place in
            RoutePoint(
                time: Int64(second) * 1_000_000_000, latitude: place.0, longitude: place.1, altitude: place.2,
                speed: nil)
        }
    }

    @Test("length, extent and climb; rises of less than three metres do not count")
    func extent() throws {
        let outline = try #require(
            RouteOutline([
                points([(0, 0, 100), (0, 0.01, 102), (0.01, 0.01, 101), (0.01, 0, 108)]), [],
                points([(0.02, 0, 50), (0.02, 0.001, 60)]),
            ]))
        #expect(outline.count == 6 && outline.pieces.count == 2)
        // A hundredth of a degree of the equator and of the meridian, on the ellipsoid WGS84.
        #expect(abs(outline.length - (1_113.195 * 2 + 1_105.743 + 111.319)) < 0.1, "\(outline.length)")
        #expect(abs(outline.height - 2_211.486) < 0.1 && abs(outline.width - 1_113.195) < 0.1)
        #expect(outline.climb == 18)
        #expect((outline.north, outline.south, outline.east, outline.west) == (0.02, 0, 0.01, 0))
        #expect(abs(DistanceTrack(outline.steps).length - outline.length) < 1e-6)
    }

    @Test("a route across the date line is not as long as the earth")
    func dateLine() throws {
        let outline = try #require(RouteOutline([points([(0, 179.99, nil), (0, -179.99, nil), (0, 179.98, nil)])]))
        #expect(outline.width < 4_000 && outline.east > 180 && outline.climb == nil && outline.height == 0)
    }

    @Test("no location is no route, and one has no length")
    func single() {
        #expect(RouteOutline([]) == nil && RouteOutline([[]]) == nil)
        #expect(RouteOutline([points([(90, 0, 1)])])?.length == 0)
    }
}
