// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import HealthCatalog
import HealthModel

/// A property of a location that a route stores as a column. The raw value is the column's place in the route's body.
package enum RouteColumn: Int, Sendable, CaseIterable {
    case latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, courseAccuracy, speed,
        speedAccuracy, ellipsoidalAltitude, floor

    /// The number of a location that does not have the property.
    package var missing: Double {
        switch self {
        case .latitude, .longitude, .altitude, .ellipsoidalAltitude: 0
        case .floor: Self.noFloor
        case .horizontalAccuracy, .verticalAccuracy, .course, .courseAccuracy, .speed, .speedAccuracy: -1
        }
    }

    /// The number of a location without a floor. The magnitude of every storable floor is smaller.
    private static let noFloor = 0x1p53

    /// The unit of the engine's series.
    var unit: String {
        switch self {
        case .latitude, .longitude, .course, .courseAccuracy: "deg"
        case .altitude, .horizontalAccuracy, .verticalAccuracy, .ellipsoidalAltitude: "m"
        case .speed, .speedAccuracy: "m/s"
        case .floor: "count"
        }
    }

    /// The type of the engine's series. No object has this type, so that queries of objects never read these series.
    var seriesType: String { Self.prefix + "\(self)" }

    private static let prefix = HKWorkoutRouteTypeIdentifier + "."
    private static let byType = Dictionary(uniqueKeysWithValues: allCases.map { ($0.seriesType, $0) })

    /// Creates the column from the type of its series; nil for a type of objects.
    package init?(seriesType type: String) {
        guard let column = Self.byType[type] else { return nil }
        self = column
    }

    /// Returns the property of a location; nil for a floor that no double represents.
    func number(_ location: CLLocation) -> Double? {
        switch self {
        case .latitude: location.coordinate.latitude
        case .longitude: location.coordinate.longitude
        case .altitude: location.altitude
        case .horizontalAccuracy: location.horizontalAccuracy
        case .verticalAccuracy: location.verticalAccuracy
        case .course: location.course
        case .courseAccuracy: location.courseAccuracy
        case .speed: location.speed
        case .speedAccuracy: location.speedAccuracy
        case .ellipsoidalAltitude: location.ellipsoidalAltitude
        case .floor:
            if let level = location.floor?.level {
                Double(level).magnitude < Self.noFloor ? Double(level) : nil
            } else {
                Self.noFloor
            }
        }
    }

    /// Returns the floor from a number in the column of floors; nil without a floor.
    static func floor(_ number: Double) -> CLFloor? {
        number.magnitude < noFloor ? CLFloor(level: Int(number)) : nil
    }
}

extension HealthSeriesRow {
    /// Whether the series holds samples of its type, and not a column of routes.
    var holdsObjects: Bool { RouteColumn(seriesType: type) == nil }
}
