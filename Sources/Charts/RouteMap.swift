// SPDX-License-Identifier: Apache-2.0

/// A small map of a track, without a background: its pieces as lines, a dot at the start and a ring at the end.
package struct RouteMap {
    /// A place in units of the drawing, from the upper left corner.
    package typealias Place = (x: Double, y: Double)

    /// The size of the area of the track. The drawing has a margin around it.
    package static let area = (width: 220.0, height: 150.0)
    private static let margin = 10.0

    let pieces: [[Place]]

    /// - Parameter pieces: the places of each piece, in an area of at most ``area``. The map is centred.
    package init(_ pieces: [[Place]]) {
        self.pieces = pieces.map { $0.filter { $0.x.isFinite && $0.y.isFinite } }.filter { !$0.isEmpty }
    }

    /// Returns the drawing.
    package func draw() -> SVGCanvas {
        var canvas = SVGCanvas(
            width: Self.area.width + 2 * Self.margin, height: Self.area.height + 2 * Self.margin)
        let places = pieces.flatMap { $0 }
        func offset(_ values: [Double], in length: Double) -> Double {
            guard let least = values.min(), let greatest = values.max() else { return 0 }
            return Self.margin + (length - least - greatest) / 2
        }
        let (left, top) = (
            offset(places.map(\.x), in: Self.area.width), offset(places.map(\.y), in: Self.area.height)
        )
        let moved = pieces.map { $0.map { place -> Place in (place.x + left, place.y + top) } }
        for piece in moved where piece.count > 1 { canvas.polyline(piece, "r") }
        for piece in moved where piece.count == 1 { canvas.circle(x: piece[0].x, y: piece[0].y, radius: 1.2, "rs") }
        if let end = moved.last?.last { canvas.circle(x: end.x, y: end.y, radius: 4, "re", says: "end") }
        if let start = moved.first?.first { canvas.circle(x: start.x, y: start.y, radius: 4, "rs", says: "start") }
        return canvas
    }
}
