// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel

/// The locations of a route as columns of equal length.
package struct RouteLocations: Sendable {
    /// The times in nanoseconds since 1970-01-01 UTC.
    package private(set) var times: [Int64] = []
    /// The columns, in the order of `RouteColumn`. The column of a property that no location has is empty.
    private var numbers: [[Double]]
    /// Whether the times are in ascending order.
    private var isOrdered = true

    package init() { numbers = [[Double]](repeating: [], count: RouteColumn.allCases.count) }

    /// Creates locations from columns, with times in any order. An absent column counts as missing.
    ///
    /// - Throws: `errorInvalidArgument` for columns of different lengths, numbers that are not finite, times outside of
    ///   the storable range, and missing coordinates.
    package init(times: [Int64], _ columns: [RouteColumn: [Double]]) throws(HKError) {
        self.init()
        let hasPlaces = columns[.latitude] != nil && columns[.longitude] != nil
        guard hasPlaces, columns.values.allSatisfy({ $0.count == times.count }) else {
            throw Self.refusal("the columns have different lengths, or the coordinates are missing")
        }
        for (column, values) in columns {
            if let place = values.firstIndex(where: { !$0.isFinite }) {
                throw Self.refusal("the \(column) of location \(place) is \(values[place])")
            }
            if values.contains(where: { $0.bitPattern != column.missing.bitPattern }) {
                numbers[column.rawValue] = values
            }
        }
        guard times.allSatisfy({ $0 >= TimeLimits.earliest && $0 <= TimeLimits.latest }) else {
            throw Self.refusal("the time of a location is outside of the storable range")
        }
        self.times = times
        isOrdered = zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
    }

    /// Creates locations read from a store, sorted by time.
    init(stored times: [Int64], _ columns: [RouteColumn: [Double]]) {
        self.init()
        self.times = times
        for (column, values) in columns { numbers[column.rawValue] = values }
    }

    package var count: Int { times.count }

    /// Returns a column; nil if no location has its property.
    package func values(_ column: RouteColumn) -> [Double]? {
        let values = numbers[column.rawValue]
        return values.isEmpty ? nil : values
    }

    /// Appends locations, all or none.
    ///
    /// - Throws: `errorInvalidArgument` for a number that is not finite and a time outside of the storable range.
    mutating func append(_ locations: [CLLocation]) throws(HKError) {
        var added = RouteLocations()
        added.times.reserveCapacity(locations.count)
        for location in locations {
            guard let time = StoredTime.nanoseconds(location.timestamp) else {
                throw Self.refusal("the time of \(location) is outside of the storable range")
            }
            added.times.append(time)
        }
        for column in RouteColumn.allCases {
            var (values, isGiven) = ([Double](), false)
            values.reserveCapacity(locations.count)
            for location in locations {
                guard let number = column.number(location), number.isFinite else {
                    throw Self.refusal("the \(column) of \(location) is not finite")
                }
                isGiven = isGiven || number.bitPattern != column.missing.bitPattern
                values.append(number)
            }
            if isGiven { added.numbers[column.rawValue] = values }
        }
        append(added)
    }

    /// Appends locations.
    mutating func append(_ other: RouteLocations) {
        for column in RouteColumn.allCases {
            let place = column.rawValue
            if numbers[place].isEmpty, other.numbers[place].isEmpty { continue }
            if numbers[place].isEmpty { numbers[place] = [Double](repeating: column.missing, count: count) }
            if other.numbers[place].isEmpty {
                numbers[place].append(contentsOf: repeatElement(column.missing, count: other.count))
            } else {
                numbers[place].append(contentsOf: other.numbers[place])
            }
        }
        var last = times.last ?? Int64.min
        for time in other.times where isOrdered {
            isOrdered = time >= last
            last = time
        }
        times.append(contentsOf: other.times)
    }

    /// Returns the locations sorted by time. Locations with equal times keep their order.
    ///
    /// - Complexity: O(n) if they are sorted already, else O(n log n).
    func sorted() -> RouteLocations {
        if isOrdered { return self }
        let order = times.indices.sorted { times[$0] != times[$1] ? times[$0] < times[$1] : $0 < $1 }
        var result = RouteLocations()
        result.times = order.map { times[$0] }
        for (place, values) in numbers.enumerated() where !values.isEmpty {
            result.numbers[place] = order.map { values[$0] }
        }
        return result
    }

    private static func refusal(_ reason: String) -> HKError {
        HKError(
            .errorInvalidArgument, reason: reason, place: "\(HKWorkoutRouteBuilder.self)",
            advice: "give finite numbers and dates from \(HealthSaveRules.storableDays)")
    }

    /// Returns the locations of a range of places as objects.
    func objects(_ places: Range<Int>) -> [CLLocation] {
        func at(_ column: RouteColumn, _ place: Int) -> Double {
            let values = numbers[column.rawValue]
            return values.isEmpty ? column.missing : values[place]
        }
        return places.map { place in
            CLLocation(
                coordinate: CLLocationCoordinate2D(
                    latitude: at(.latitude, place), longitude: at(.longitude, place)),
                altitude: at(.altitude, place), ellipsoidalAltitude: at(.ellipsoidalAltitude, place),
                horizontalAccuracy: at(.horizontalAccuracy, place), verticalAccuracy: at(.verticalAccuracy, place),
                course: at(.course, place), courseAccuracy: at(.courseAccuracy, place), speed: at(.speed, place),
                speedAccuracy: at(.speedAccuracy, place), timestamp: StoredTime.date(times[place]),
                floor: RouteColumn.floor(at(.floor, place)))
        }
    }
}
