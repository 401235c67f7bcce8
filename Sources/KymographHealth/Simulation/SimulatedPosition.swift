// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The position of a simulated wearer outdoors, on laps of a circular course of 2 km with a small hill.
struct SimulatedPosition {
    /// The distance since the start in metres.
    private var travelled = 0.0

    /// The radius of the course, in metres.
    private static let radius = 1_000 / Double.pi
    /// The metres of a degree of latitude.
    private static let degree = 111_195.0
    /// The westernmost point of the course, in degrees: an invented place in the Atlantic Ocean.
    private static let start = (latitude: 0.0, longitude: -30.0)

    mutating func move(_ metres: Double) { travelled += metres }

    private var angle: Double { travelled / Self.radius }
    /// The latitude in degrees.
    var latitude: Double { Self.start.latitude + sin(angle) * Self.radius / Self.degree }
    /// The longitude in degrees.
    var longitude: Double { Self.start.longitude + (1 - cos(angle)) * Self.radius / Self.degree }
    /// The altitude in metres.
    var altitude: Double { 40 + 15 * sin(angle) }
    /// The direction of movement, in degrees from north.
    var course: Double { (angle * 180 / Double.pi).truncatingRemainder(dividingBy: 360) }
}
