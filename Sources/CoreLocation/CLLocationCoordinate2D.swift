// SPDX-License-Identifier: Apache-2.0

// CoreLocation: locations with the names of Apple's Core Location. The library reads no sensors.

/// An angle of latitude or longitude, in degrees.
public typealias CLLocationDegrees = Double
/// A length in metres.
public typealias CLLocationDistance = Double
/// The radius of uncertainty of a measurement: metres, metres per second or degrees.
public typealias CLLocationAccuracy = Double
/// A speed in metres per second.
public typealias CLLocationSpeed = Double
/// A direction in degrees clockwise from north.
public typealias CLLocationDirection = Double
/// The uncertainty of a speed, in metres per second.
public typealias CLLocationSpeedAccuracy = Double
/// The uncertainty of a direction, in degrees.
public typealias CLLocationDirectionAccuracy = Double

/// A latitude and a longitude on the WGS84 ellipsoid.
public struct CLLocationCoordinate2D: Sendable, Hashable {
    /// The angle north of the equator, from -90 to 90; negative in the south.
    public var latitude: CLLocationDegrees
    /// The angle east of the prime meridian, from -180 to 180; negative in the west.
    public var longitude: CLLocationDegrees

    /// Creates the coordinate 0°, 0°.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// Creates a coordinate from any two numbers, in degrees. ``CLLocationCoordinate2DIsValid(_:)`` checks them.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// An invalid coordinate: -180°, -180°.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Returns whether the latitude is from -90 to 90 and the longitude from -180 to 180.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool {
    coord.latitude >= -90 && coord.latitude <= 90 && coord.longitude >= -180 && coord.longitude <= 180
}
