// SPDX-License-Identifier: Apache-2.0

/// A route as a map in the plane, north at the top: the equirectangular projection with the cosine of the middle
/// latitude. Both directions have one scale.
package struct RoutePlan: Sendable {
    /// A place on the map.
    package typealias Place = (x: Double, y: Double)

    /// The size of the map, in units of the drawing. At least one side of the area is filled, unless the route is
    /// a point.
    package let width: Double, height: Double
    private let route: RouteOutline

    /// Fits a route into an area of some width and height.
    package init(_ route: RouteOutline, fitting area: (width: Double, height: Double)) {
        self.route = route
        // Units per metre.
        let scales = [(area.width, route.width), (area.height, route.height)].filter { $0.1 > 0 }.map { $0.0 / $0.1 }
        let scale = scales.min() ?? 0
        (width, height) = (route.width * scale, route.height * scale)
    }

    /// Returns the place of a location: `x` from the western end, `y` from the northern end.
    package func place(_ point: RoutePoint) -> Place {
        func share(_ value: Double, _ from: Double, _ to: Double) -> Double {
            to > from ? (value - from) / (to - from) : 0
        }
        return (
            share(point.longitude, route.west, route.east) * width,
            (1 - share(point.latitude, route.south, route.north)) * height
        )
    }

    /// Returns the places of each piece, without places that hardly change the drawing.
    ///
    /// Each step adds the place with the greatest distance from the simplified line, as in the algorithm of Ramer,
    /// Douglas and Peucker, but over all pieces, and until the number of places is reached.
    ///
    /// - Parameters:
    ///   - most: the maximum number of places, at least 2. Of too many pieces, the pieces with the most locations stay.
    ///   - tolerance: the distance in units of the drawing up to which places are left out.
    /// - Complexity: O(locations * most).
    package func simplified(most: Int, tolerance: Double) -> [[Place]] {
        let limit = max(most, 2) / 2
        var kept = Array(route.pieces.indices)
        if kept.count > limit {
            kept = kept.sorted { (route.pieces[$1].count, $0) < (route.pieces[$0].count, $1) }.prefix(limit).sorted()
        }
        let pieces = kept.map { route.pieces[$0].map(place) }
        var chosen = pieces.map { $0.count > 1 ? [0, $0.count - 1] : Array($0.indices) }
        var gaps = pieces.indices.compactMap { Gap(pieces[$0], piece: $0, from: 0, to: pieces[$0].count - 1) }
        var count = chosen.reduce(0) { $0 + $1.count }
        while count < most, let next = gaps.indices.max(by: { gaps[$0].distance < gaps[$1].distance }),
            gaps[next].distance > tolerance
        {
            let gap = gaps.remove(at: next)
            chosen[gap.piece].append(gap.farthest)
            count += 1
            for (from, to) in [(gap.from, gap.farthest), (gap.farthest, gap.to)] {
                if let part = Gap(pieces[gap.piece], piece: gap.piece, from: from, to: to) { gaps.append(part) }
            }
        }
        return zip(pieces, chosen).map { places, chosen in chosen.sorted().map { places[$0] } }
    }

    /// The places between two neighbouring places of the simplified line.
    private struct Gap {
        let piece: Int
        let from: Int
        let to: Int
        /// The place with the greatest distance from the line between the two ends.
        let farthest: Int
        let distance: Double

        /// Creates a gap; nil without places between the ends.
        init?(_ places: [Place], piece: Int, from: Int, to: Int) {
            guard to - from > 1 else { return nil }
            let (a, b) = (places[from], places[to])
            let (dx, dy) = (b.x - a.x, b.y - a.y)
            let square = dx * dx + dy * dy
            var found = (place: from + 1, square: -1.0)
            for place in from + 1..<to {
                let (x, y) = (places[place].x - a.x, places[place].y - a.y)
                let along = square > 0 ? min(max((x * dx + y * dy) / square, 0), 1) : 0
                let (offX, offY) = (x - along * dx, y - along * dy)
                let off = offX * offX + offY * offY
                if off > found.square { found = (place, off) }
            }
            (self.piece, self.from, self.to, farthest) = (piece, from, to, found.place)
            distance = found.square > 0 ? found.square.squareRoot() : 0
        }
    }
}
