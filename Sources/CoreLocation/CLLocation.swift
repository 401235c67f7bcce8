// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A place at an instant, with direction, speed and the accuracy of each measurement.
///
/// ```swift
/// let place = CLLocation(
///     coordinate: CLLocationCoordinate2D(latitude: 47.3769, longitude: 8.5417), altitude: 408,
///     horizontalAccuracy: 4, verticalAccuracy: 3, timestamp: Date())
/// ```
///
/// Every number is kept without a change or a check. A property that an initialiser does not set is -1, which means
/// unknown, but altitudes are 0 and the floor is nil.
public final class CLLocation: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// Latitude and longitude.
    public let coordinate: CLLocationCoordinate2D
    /// The height above sea level, in metres. It is valid if ``verticalAccuracy`` is positive.
    public let altitude: CLLocationDistance
    /// The height above the WGS84 ellipsoid, in metres; 0 if unknown.
    public let ellipsoidalAltitude: CLLocationDistance
    /// The radius of uncertainty of the coordinate, in metres; negative if the coordinate is invalid.
    public let horizontalAccuracy: CLLocationAccuracy
    /// The uncertainty of the altitude, in metres; 0 or negative if the altitude is invalid.
    public let verticalAccuracy: CLLocationAccuracy
    /// The direction of travel, in degrees clockwise from north; negative if unknown.
    public let course: CLLocationDirection
    /// The uncertainty of the course, in degrees; negative if the course is invalid.
    public let courseAccuracy: CLLocationDirectionAccuracy
    /// The speed in metres per second; negative if unknown.
    public let speed: CLLocationSpeed
    /// The uncertainty of the speed, in metres per second; negative if the speed is invalid.
    public let speedAccuracy: CLLocationSpeedAccuracy
    /// The instant of the measurement.
    public let timestamp: Date
    /// The floor of the building; nil if unknown.
    public let floor: CLFloor?

    /// Creates a location with all properties. Core Location on Apple's systems has no initialiser for the floor and
    /// the ellipsoidal altitude.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, ellipsoidalAltitude: CLLocationDistance,
        horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date, floor: CLFloor?
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.ellipsoidalAltitude = ellipsoidalAltitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.timestamp = timestamp
        self.floor = floor
        super.init()
    }

    /// Creates a location at the current time, with an accuracy of 0 and without an altitude.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// Creates a location without course and speed.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
    }

    /// Creates a location with a course and a speed of unknown accuracy.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: course, courseAccuracy: -1, speed: speed, speedAccuracy: -1,
            timestamp: timestamp)
    }

    /// Creates a location with a course, a speed and their accuracies.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, ellipsoidalAltitude: 0,
            horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, course: course,
            courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy, timestamp: timestamp,
            floor: nil)
    }

    /// Returns the distance to another location in metres, along the surface of the WGS84 ellipsoid. Altitudes have no
    /// effect. See ``CLLocationCoordinate2D/distance(to:)``.
    public func distance(from location: CLLocation) -> CLLocationDistance {
        location.coordinate.distance(to: coordinate)
    }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// The keys of the numbers in an archive, in the order of `numbers`.
    private static let keys = [
        "latitude", "longitude", "altitude", "ellipsoidalAltitude", "horizontalAccuracy", "verticalAccuracy", "course",
        "courseAccuracy", "speed", "speedAccuracy", "timestamp",
    ]
    private static let floorKey = "floor"

    private var numbers: [Double] {
        [
            coordinate.latitude, coordinate.longitude, altitude, ellipsoidalAltitude, horizontalAccuracy,
            verticalAccuracy, course, courseAccuracy, speed, speedAccuracy, timestamp.timeIntervalSinceReferenceDate,
        ]
    }

    /// Encodes all properties.
    public func encode(with coder: NSCoder) {
        for (key, number) in zip(Self.keys, numbers) { coder.encode(number, forKey: key) }
        if let floor { coder.encode(Int64(floor.level), forKey: Self.floorKey) }
    }

    /// Decodes a location that `encode(with:)` encoded; nil if a property is missing in the archive.
    public convenience init?(coder: NSCoder) {
        // `NSCoder` ends the process when a key without a value is decoded.
        guard Self.keys.allSatisfy({ coder.containsValue(forKey: $0) }) else { return nil }
        let numbers = Self.keys.map { coder.decodeDouble(forKey: $0) }
        let floor =
            coder.containsValue(forKey: Self.floorKey)
            ? CLFloor(level: Int(coder.decodeInt64(forKey: Self.floorKey))) : nil
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1]), altitude: numbers[2],
            ellipsoidalAltitude: numbers[3], horizontalAccuracy: numbers[4], verticalAccuracy: numbers[5],
            course: numbers[6], courseAccuracy: numbers[7], speed: numbers[8], speedAccuracy: numbers[9],
            timestamp: Date(timeIntervalSinceReferenceDate: numbers[10]), floor: floor)
    }

    /// Returns the location itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The coordinate with its accuracy, the speed and the course.
    public override var description: String {
        "<\(coordinate.latitude), \(coordinate.longitude)> +/- \(horizontalAccuracy) m "
            + "(speed \(speed) m/s, course \(course)) at \(timestamp.timeIntervalSinceReferenceDate) s since 2001"
    }
}
