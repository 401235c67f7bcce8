// SPDX-License-Identifier: Apache-2.0

internal import CoreLocation

/// A location of a route.
public struct RoutePoint: Sendable, Hashable {
    /// The time in nanoseconds since 1970-01-01 UTC.
    public let time: Int64
    /// The latitude in degrees.
    public let latitude: Double
    /// The longitude in degrees.
    public let longitude: Double
    /// The height above sea level in metres; nil if unknown.
    public let altitude: Double?
    /// The speed in metres per second; nil if unknown.
    public let speed: Double?
}

/// The route of a workout, in one or several pieces.
public struct RouteOutline: Sendable {
    /// The locations of each piece, sorted by time.
    public let pieces: [[RoutePoint]]
    /// The length in metres.
    public let length: Double
    /// The total ascent in metres; nil without altitudes. Rises of less than three metres do not count.
    public let climb: Double?
    /// The greatest and least latitude and longitude in degrees. A route across the date line has longitudes beyond 180
    /// degrees.
    public let north: Double, south: Double, east: Double, west: Double
    /// The distance from the northern to the southern end in metres.
    public let height: Double
    /// The distance from the western to the eastern end in metres.
    public let width: Double

    /// The least rise in metres that counts. Smaller rises are errors of measurement.
    private static let leastRise = 3.0

    /// The number of locations.
    public var count: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Creates the outline of a route; nil without locations.
    init?(_ routes: [[RoutePoint]]) {
        let pieces = routes.filter { !$0.isEmpty }.map(Self.unwound)
        let all = pieces.flatMap { $0 }
        guard let north = all.map(\.latitude).max(), let south = all.map(\.latitude).min(),
            let east = all.map(\.longitude).max(), let west = all.map(\.longitude).min()
        else { return nil }
        self.pieces = pieces
        (self.north, self.south, self.east, self.west) = (north, south, east, west)
        let middle = (north + south) / 2
        height = Self.metres((north, west), (south, west))
        width = Self.metres((middle, west), (middle, east))
        length = pieces.reduce(0) { sum, piece in sum + Self.steps(piece).reduce(0) { $0 + $1.metres } }
        let climbs = pieces.compactMap(Self.climb)
        climb = climbs.isEmpty ? nil : climbs.reduce(0, +)
    }

    /// The distances between neighbouring locations.
    var steps: [DistanceTrack.Step] { pieces.flatMap(Self.steps) }

    private static func steps(_ piece: [RoutePoint]) -> [DistanceTrack.Step] {
        zip(piece, piece.dropFirst()).map { from, to in
            DistanceTrack.Step(
                start: from.time, end: max(from.time, to.time),
                metres: metres((from.latitude, from.longitude), (to.latitude, to.longitude)))
        }
    }

    private static func metres(_ a: (Double, Double), _ b: (Double, Double)) -> Double {
        let from = CLLocationCoordinate2D(latitude: a.0, longitude: a.1)
        let metres = from.distance(to: CLLocationCoordinate2D(latitude: b.0, longitude: b.1))
        return metres.isFinite ? metres : 0
    }

    /// Returns locations without a jump of the longitude at the date line.
    private static func unwound(_ piece: [RoutePoint]) -> [RoutePoint] {
        var (turns, last) = (0.0, piece.first?.longitude ?? 0)
        return piece.map { point in
            if point.longitude - last > 180 { turns -= 360 } else if last - point.longitude > 180 { turns += 360 }
            last = point.longitude
            return RoutePoint(
                time: point.time, latitude: point.latitude, longitude: point.longitude + turns,
                altitude: point.altitude, speed: point.speed)
        }
    }

    private static func climb(_ piece: [RoutePoint]) -> Double? {
        let altitudes = piece.compactMap(\.altitude)
        guard var low = altitudes.first else { return nil }
        var climb = 0.0
        for altitude in altitudes {
            if altitude >= low + leastRise {
                climb += altitude - low
                low = altitude
            } else if altitude < low {
                low = altitude
            }
        }
        return climb
    }
}

extension HealthStore {
    /// Returns the outline of the routes of a workout; nil without a route.
    func route(of workout: SampleIdentity) throws -> RouteOutline? {
        var routes: [[RoutePoint]] = []
        try list(HKSeriesType.workoutRoute(), matching: .members(of: workout.uuid)) { one in
            guard let route = one.sample as? HKWorkoutRoute else { return true }
            let locations = try self.locations(of: route)
            func values(_ column: RouteColumn) -> [Double] {
                locations.values(column) ?? [Double](repeating: column.missing, count: locations.count)
            }
            let (latitudes, longitudes) = (values(.latitude), values(.longitude))
            let (altitudes, speeds) = (locations.values(.altitude), locations.values(.speed))
            routes.append(
                locations.times.indices.map { place in
                    RoutePoint(
                        time: locations.times[place], latitude: latitudes[place], longitude: longitudes[place],
                        altitude: altitudes?[place], speed: speeds.flatMap { $0[place] < 0 ? nil : $0[place] })
                })
            return true
        }
        return RouteOutline(routes)
    }
}
