// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The measurements of one instant. Values that the file does not have are nil.
public struct WorkoutFilePoint: Hashable, Sendable {
    /// The instant.
    public var date: Date
    /// The heart rate in beats per minute.
    public var heartRate: Double?
    /// The distance since the start in metres.
    public var distance: Double?
    /// The speed in metres per second.
    public var speed: Double?
    /// The cadence per minute: revolutions, or on foot the steps of one foot.
    public var cadence: Double?
    /// The power in watts.
    public var power: Double?
    /// The latitude in degrees.
    public var latitude: Double?
    /// The longitude in degrees.
    public var longitude: Double?
    /// The altitude in metres.
    public var altitude: Double?
    /// The direction of movement in degrees from north.
    public var course: Double?
    /// The radius of uncertainty of the position in metres.
    public var horizontalAccuracy: Double?
    /// The uncertainty of the altitude in metres.
    public var verticalAccuracy: Double?
    /// The temperature of the air in degrees Celsius.
    public var temperature: Double?

    /// Creates a point without measurements.
    public init(date: Date) { self.date = date }

    /// Whether the point has no measurement.
    public var isEmpty: Bool { self == WorkoutFilePoint(date: date) }

    /// Sets the position if the latitude is from -90 to 90 and the longitude from -180 to 180.
    mutating func set(latitude: Double?, longitude: Double?) {
        guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else { return }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// Returns the distance to another point on a sphere, in metres; nil without positions.
    func metres(to other: WorkoutFilePoint) -> Double? {
        guard let first = radians, let second = other.radians else { return nil }
        let (north, east) = (sin((second.0 - first.0) / 2), sin((second.1 - first.1) / 2))
        let part = north * north + cos(first.0) * cos(second.0) * east * east
        return 2 * 6_371_008.8 * asin(min(1, part.squareRoot()))
    }

    private var radians: (Double, Double)? {
        guard let latitude, let longitude else { return nil }
        return (latitude * .pi / 180, longitude * .pi / 180)
    }
}
