// SPDX-License-Identifier: Apache-2.0

import FileSystem
import HealthViews

/// The output of a route as a map of braille dots, north at the top.
struct TrackPicture {
    let route: RouteOutline

    /// The greatest size in characters.
    private static let rows = 14
    private static let columns = 56
    private static let start: Character = "●"
    private static let end: Character = "○"

    /// Writes the map, and its size.
    func write(_ text: WorkoutText, _ output: Output) throws(DiskError) {
        for line in lines(columns: min(Self.columns, output.columns - 2)) {
            try output.line(line.isEmpty ? "" : "  " + output.style.accent(line))
        }
        let facts = [
            "route \(text.distance(route.length, decimals: 2))", "\(text.distance(route.height)) north to south",
            "\(text.distance(route.width)) west to east", NumberText.count(route.count, "location"),
            "\(Self.start) start \(Self.end) end",
        ]
        for line in WorkoutScreen.folded(facts, output.columns) { try output.line(output.style.dim(line)) }
    }

    /// Returns the lines of the map: both directions have one scale.
    func lines(columns: Int) -> [String] {
        let (most, high) = (Double(max(columns, 1) * 2 - 1), Double(Self.rows * 4 - 1))
        // A dot is as wide as it is high.
        let plan = RoutePlan(route, fitting: (most, high))
        var canvas = Braille(columns: Int(plan.width) / 2 + 1, rows: Int(plan.height) / 4 + 1)
        func place(_ point: RoutePoint) -> (x: Int, y: Int) {
            let (x, y) = plan.place(point)
            return (Int(x.rounded()), Int(y.rounded()))
        }
        for piece in route.pieces {
            let places = piece.map(place)
            for (from, to) in zip(places, places.dropFirst()) { canvas.line(from: from, to: to) }
            if let only = places.first, places.count == 1 { canvas.dot(only.x, only.y) }
        }
        var lines = canvas.lines.map { Array($0) }
        func mark(_ point: RoutePoint?, _ character: Character) {
            guard let point else { return }
            let (x, y) = (place(point).x / 2, place(point).y / 4)
            guard lines.indices.contains(y) else { return }
            while lines[y].count <= x { lines[y].append(" ") }
            lines[y][x] = character
        }
        mark(route.pieces.last?.last, Self.end)
        mark(route.pieces.first?.first, Self.start)
        return lines.map { String($0) }
    }
}
