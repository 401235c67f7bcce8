// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import Testing

private let reals = [
    Double.nan, .infinity, -.infinity, -0.0, 0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    .leastNonzeroMagnitude, 1e300, -1, 90, 180, -180.000001,
]
private let dates = [
    Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .nan),
    Date(timeIntervalSinceReferenceDate: .infinity),
]

@Suite("Locations: CLLocation, its coordinate and its floor")
struct CLLocationTests {
    private func place(_ latitude: Double, _ longitude: Double) -> CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }

    private func numbers(_ one: CLLocation) -> [UInt64] {
        [
            one.coordinate.latitude, one.coordinate.longitude, one.altitude, one.ellipsoidalAltitude,
            one.horizontalAccuracy, one.verticalAccuracy, one.course, one.courseAccuracy, one.speed, one.speedAccuracy,
            one.timestamp.timeIntervalSinceReferenceDate,
        ].map(\.bitPattern)
    }

    private func archived(_ one: CLLocation) throws -> CLLocation? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data)
    }

    @Test("properties that an initialiser does not set are -1, altitudes 0, the floor nil")
    func unset() {
        let point = CLLocation(latitude: 1, longitude: 2)
        #expect(point.coordinate == place(1, 2) && point.horizontalAccuracy == 0 && point.verticalAccuracy == -1)
        #expect(point.altitude == 0 && abs(point.timestamp.timeIntervalSinceNow) < 60)
        let date = Date(timeIntervalSinceReferenceDate: 7)
        let bare = CLLocation(
            coordinate: place(1, 2), altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, timestamp: date)
        #expect([bare.course, bare.courseAccuracy, bare.speed, bare.speedAccuracy].allSatisfy { $0 == -1 })
        #expect(bare.floor == nil && bare.ellipsoidalAltitude == 0 && bare.timestamp == date)
        let moving = CLLocation(
            coordinate: place(1, 2), altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, course: 6, speed: 7,
            timestamp: date)
        #expect(moving.course == 6 && moving.speed == 7 && moving.courseAccuracy == -1 && moving.speedAccuracy == -1)
        let exact = CLLocation(
            coordinate: place(1, 2), altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, course: 6,
            courseAccuracy: 8, speed: 7, speedAccuracy: 9, timestamp: date)
        #expect(exact.courseAccuracy == 8 && exact.speedAccuracy == 9)
        #expect(exact.copy() as? CLLocation === exact && exact.description.contains("speed 7.0"))
    }

    @Test("an archive keeps all numbers bit by bit, and the floor")
    func archive() throws {
        for (index, real) in reals.enumerated() {
            for date in dates + [Date(timeIntervalSinceReferenceDate: real)] {
                let one = CLLocation(
                    coordinate: place(real, reals[reals.count - 1 - index]), altitude: real, ellipsoidalAltitude: 1,
                    horizontalAccuracy: real, verticalAccuracy: 2, course: real, courseAccuracy: 3, speed: real,
                    speedAccuracy: 4, timestamp: date, floor: index % 2 == 0 ? CLFloor(level: Int.min + index) : nil)
                let back = try #require(try archived(one))
                #expect(numbers(back) == numbers(one) && back.floor == one.floor)
            }
        }
        let floor = CLFloor(level: -2)
        let data = try NSKeyedArchiver.archivedData(withRootObject: floor, requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLFloor.self, from: data) == floor)
        #expect(floor.copy() as? CLFloor == floor && floor != CLFloor(level: 2) && floor.description == "floor -2")
        // An archive without the values is no location.
        let empty = NSKeyedArchiver(requiringSecureCoding: true)
        empty.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: empty.encodedData)
        #expect(CLLocation(coder: reader) == nil && CLFloor(coder: reader) == nil)
    }

    /// Distances of other programs: GeographicLib's `geod`, and the meridian and the equator of WGS84.
    @Test(
        "distances are those of the WGS84 ellipsoid",
        arguments: [
            (40.6, -73.8, 51.6, -0.5, 5_551_759.400), (0, 0, 0, 1, 111_319.4908), (0, 0, 90, 0, 10_001_965.7293),
            (-37.951_033_417, 144.424_867_889, -37.652_821_139, 143.926_495_528, 54_972.271),
            (0, 179.5, 0, -179.5, 111_319.4908),
        ])
    func distances(one: Double, _ other: Double, _ two: Double, _ far: Double, metres: Double) {
        let (a, b) = (CLLocation(latitude: one, longitude: other), CLLocation(latitude: two, longitude: far))
        #expect(abs(a.distance(from: b) - metres) < 0.002, "\(a.distance(from: b))")
        #expect(abs(a.distance(from: b) - b.distance(from: a)) < 1e-6)
    }

    @Test("places opposite of each other, equal places and invalid numbers have a distance or NaN")
    func extremes() {
        let far = place(0, 0).distance(to: place(0.5, 179.7))
        #expect(abs(far / 19_936_288.579 - 1) < 0.006, "\(far)")
        #expect(place(1, 2).distance(to: place(1, 2)) == 0)
        for first in reals {
            for second in reals {
                let length = place(first, second).distance(to: place(second, 1))
                #expect(first.isFinite && second.isFinite ? length >= 0 : length.isNaN, "\(first) \(second) \(length)")
            }
        }
    }

    @Test("coordinates are valid from -90 to 90 and from -180 to 180 degrees")
    func validity() {
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2D()))
        #expect(CLLocationCoordinate2DIsValid(place(-90, 180)) && !CLLocationCoordinate2DIsValid(place(90.1, 0)))
        for real in reals where !real.isFinite { #expect(!CLLocationCoordinate2DIsValid(place(real, 0))) }
    }
}
