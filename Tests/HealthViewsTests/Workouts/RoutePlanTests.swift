// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import HealthViews

@Suite("T-3 T-8 maps of routes")
struct RoutePlanTests {
    private func outline(_ pieces: [[(Double, Double)]]) throws -> RouteOutline {
        try #require(
            RouteOutline(
                pieces.map { piece in
                    piece.enumerated().map { second, place in
                        RoutePoint(
                            time: Int64(second) * 1_000_000_000, latitude: place.0, longitude: place.1, altitude: nil,
                            speed: nil)
                    }
                }))
    }

    @Test("both directions have one scale, north is at the top, and the larger side fills the area")
    func scale() throws {
        // At 60 degrees, a degree of longitude is about half as long as one of latitude.
        let route = try outline([[(60, 10), (60.01, 10.02), (60, 10.04)]])
        let plan = RoutePlan(route, fitting: (200, 500))
        #expect(plan.width == 200 && abs(plan.height - 100) < 1, "\(plan.height)")
        let places = route.pieces[0].map(plan.place)
        #expect(places[0].x == 0 && places[0].y == plan.height && places[2].x == 200 && places[2].y == plan.height)
        #expect(abs(places[1].x - 100) < 1e-9 && places[1].y == 0)
        let tall = RoutePlan(route, fitting: (200, 50))
        #expect(tall.height == 50 && abs(tall.width - 100) < 1)
    }

    @Test("a straight way has two places, a corner stays, and small steps are left out")
    func corners() throws {
        let straight = (0...500).map { (Double($0) / 1e4, 0.0) }
        let corner = (0...500).map { (0.05, Double($0) / 1e4) }
        let route = try outline([straight + corner.dropFirst()])
        let found = RoutePlan(route, fitting: (100, 100)).simplified(most: 200, tolerance: 0.1)
        #expect(found.count == 1 && found[0].count == 3, "\(found)")
        #expect(found[0][1].x == 0 && found[0][1].y == 0)
        let steps = (0...500).map { (Double($0) / 1e4, Double($0 % 2) / 1e6) }
        #expect(
            RoutePlan(try outline([steps]), fitting: (100, 100)).simplified(most: 200, tolerance: 0.1)[0].count == 2)
    }

    @Test("the places are in order, at most as many as allowed, and every location is near the line")
    func random() throws {
        for seed in 0..<30 {
            var random = SeededGenerator(seed: UInt64(seed))
            var (north, east) = (47.0, 8.0)
            let pieces = (0...random.below(4)).map { _ in
                (0...random.below(2_000)).map { _ in
                    north += (random.chance(0.5) ? 1 : -1) * Double(random.below(100)) / 1e6
                    east += (random.chance(0.7) ? 1 : -1) * Double(random.below(100)) / 1e6
                    return (north, east)
                }
            }
            let route = try outline(pieces)
            let plan = RoutePlan(route, fitting: (220, 150))
            let all = route.pieces.map { $0.map(plan.place) }
            let few = plan.simplified(most: 60, tolerance: 0)
            #expect(few.reduce(0) { $0 + $1.count } <= 60 && few.count == all.count)
            let fine = plan.simplified(most: 100_000, tolerance: 0.5)
            for (whole, simple) in zip(all, fine) {
                #expect(simple.first?.x == whole.first?.x && simple.last?.y == whole.last?.y)
                var next = 0
                for place in whole where next < simple.count && place == simple[next] { next += 1 }
                #expect(next == simple.count, "seed \(seed): the places are not in order")
                let far = whole.map { Self.distance($0, simple) }.max() ?? 0
                #expect(far <= 0.5 + 1e-9, "seed \(seed): \(far)")
            }
        }
    }

    @Test("many pieces, one location and the ends of the earth")
    func extremes() throws {
        let many = try outline((0..<500).map { [(Double($0) / 1e3, 0)] + ($0 == 250 ? [(0, 1)] : []) })
        let found = RoutePlan(many, fitting: (100, 100)).simplified(most: 200, tolerance: 0.1)
        #expect(found.count == 100 && found.contains { $0.count == 2 })
        let one = RoutePlan(try outline([[(47, 8)]]), fitting: (100, 100))
        #expect(
            one.width == 0 && one.height == 0 && one.simplified(most: 200, tolerance: 0.1).flatMap { $0 }.count == 1)
        for piece in [[(90, 0), (-90, 180)], [(0, 179.9), (0, -179.9)], [(1e-300, 0), (0, 1e-300)]] {
            let plan = RoutePlan(try outline([piece]), fitting: (100, 100))
            let places = plan.simplified(most: 200, tolerance: 0.1).flatMap { $0 }
            #expect(
                places.allSatisfy { (-1e-9...100.001).contains($0.x) && (-1e-9...100.001).contains($0.y) }, "\(piece)")
        }
    }

    /// Returns the distance of a place from a line.
    private static func distance(_ place: RoutePlan.Place, _ line: [RoutePlan.Place]) -> Double {
        if line.count == 1 { return length(place.x - line[0].x, place.y - line[0].y) }
        return zip(line, line.dropFirst()).map { a, b in
            let (dx, dy) = (b.x - a.x, b.y - a.y)
            let square = dx * dx + dy * dy
            let share = square > 0 ? min(max(((place.x - a.x) * dx + (place.y - a.y) * dy) / square, 0), 1) : 0
            return length(place.x - a.x - share * dx, place.y - a.y - share * dy)
        }.min() ?? .infinity
    }

    private static func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
}
