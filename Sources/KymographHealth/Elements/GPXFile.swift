// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The points of a route, in the order of their file, as columns of equal length.
struct RoutePoints: Sendable, Equatable {
    /// One point. A number that the file does not state has the value that Core Location gives a missing number.
    struct Point {
        /// Nanoseconds since 1970-01-01 UTC.
        var time: Int64
        /// Degrees.
        var latitude: Double
        var longitude: Double
        /// Metres.
        var altitude = RouteColumn.altitude.missing
        var horizontalAccuracy = RouteColumn.horizontalAccuracy.missing
        var verticalAccuracy = RouteColumn.verticalAccuracy.missing
        /// Degrees from north.
        var course = RouteColumn.course.missing
        /// Metres per second.
        var speed = RouteColumn.speed.missing
    }

    private(set) var times: [Int64] = []
    private(set) var latitudes: [Double] = []
    private(set) var longitudes: [Double] = []
    private(set) var altitudes: [Double] = []
    private(set) var horizontalAccuracies: [Double] = []
    private(set) var verticalAccuracies: [Double] = []
    private(set) var courses: [Double] = []
    private(set) var speeds: [Double] = []

    init() {}

    /// - Parameter count: the number of points for which memory is reserved.
    init(reserving count: Int) {
        times.reserveCapacity(count)
        latitudes.reserveCapacity(count)
        longitudes.reserveCapacity(count)
        altitudes.reserveCapacity(count)
        horizontalAccuracies.reserveCapacity(count)
        verticalAccuracies.reserveCapacity(count)
        courses.reserveCapacity(count)
        speeds.reserveCapacity(count)
    }

    var count: Int { times.count }
    var isEmpty: Bool { times.isEmpty }

    mutating func append(_ point: Point) {
        times.append(point.time)
        latitudes.append(point.latitude)
        longitudes.append(point.longitude)
        altitudes.append(point.altitude)
        horizontalAccuracies.append(point.horizontalAccuracy)
        verticalAccuracies.append(point.verticalAccuracy)
        courses.append(point.course)
        speeds.append(point.speed)
    }

    /// The points in the form of a stored route.
    var locations: RouteLocations {
        get throws(HKError) {
            try RouteLocations(
                times: times,
                [
                    .latitude: latitudes, .longitude: longitudes, .altitude: altitudes,
                    .horizontalAccuracy: horizontalAccuracies, .verticalAccuracy: verticalAccuracies, .course: courses,
                    .speed: speeds,
                ])
        }
    }
}

/// A route in the form of a GPX file, as exports of Apple Health contain it.
///
/// The file has `trkpt` elements with the attributes `lat` and `lon` and the children `ele` and `time`, and `speed`,
/// `course`, `hAcc` and `vAcc` in `extensions`. Other elements have no effect. Times are UTC, with or without a
/// fraction.
struct GPXFile {
    /// A file that is not a route.
    struct Fault: Error, Equatable {
        /// The reason, as text.
        let what: String
    }

    private(set) var points: RoutePoints
    /// The number of points without a position or a time, which are left out.
    private(set) var incomplete = 0

    /// Parses a file.
    ///
    /// - Parameter takesUsual: whether to read points in the usual spelling with `GPXPointReader`, which is faster. The
    ///   result is the same.
    /// - Throws: `Fault` for a file without a point, and for a file that ends before its last element.
    /// - Complexity: O(bytes).
    init(_ bytes: [UInt8], takesUsual: Bool = true) throws(Fault) {
        points = RoutePoints(reserving: bytes.count / Self.usualLength)
        var reader = MarkupReader(bytes)
        var usual = takesUsual ? GPXPointReader() : nil
        while true {
            takeUsualPoints(&usual, bytes, &reader)
            guard let tag = reader.next() else { break }
            if tag == .start, reader.depth == 1, !reader.isNamed("gpx") { throw Fault(what: "its root is not gpx") }
            guard tag == .start, reader.isNamed("trkpt") else { continue }
            try takePoint(&reader)
        }
        guard reader.depth == 0 else { throw Fault(what: "it is malformed after point \(points.count + incomplete)") }
        guard !points.isEmpty else { throw Fault(what: "it has no point with a position and a time") }
    }

    /// The usual number of bytes of a point.
    private static let usualLength = 208

    /// Reads the points before the next element of any other spelling.
    private mutating func takeUsualPoints(
        _ usual: inout GPXPointReader?, _ bytes: [UInt8], _ reader: inout MarkupReader
    ) {
        // The root is not a point, and the general reader stops below its greatest depth.
        guard 1...MarkupReader.deepest - GPXPointReader.depth ~= reader.depth, let place = reader.place else { return }
        let span = bytes.span
        var end = place
        while let point = usual?.read(span, &end) { points.append(point) }
        if end > place { reader.skip(to: end) }
    }

    /// Reads a point up to its end tag.
    private mutating func takePoint(_ reader: inout MarkupReader) throws(Fault) {
        let (latitude, longitude) = (reader.number("lat"), reader.number("lon"))
        var point = RoutePoints.Point(time: .min, latitude: latitude ?? .nan, longitude: longitude ?? .nan)
        let depth = reader.depth
        while let tag = reader.next(), tag == .start || reader.depth >= depth {
            guard tag == .end else { continue }
            if reader.isNamed("time") {
                if let time = reader.textInstant, TimeLimits.earliest...TimeLimits.latest ~= time { point.time = time }
            } else if let number = reader.textNumber {
                Self.set(number, reader, &point)
            }
        }
        if reader.depth >= depth { throw Fault(what: "it ends in point \(points.count + incomplete + 1)") }
        guard point.time != .min, abs(point.latitude) <= 90, abs(point.longitude) <= 180 else {
            incomplete += 1
            return
        }
        points.append(point)
    }

    /// Sets the property of a point that the last tag names; no effect for other tags.
    private static func set(_ number: Double, _ reader: MarkupReader, _ point: inout RoutePoints.Point) {
        if reader.isNamed("ele") {
            point.altitude = number
        } else if reader.isNamed("speed") {
            point.speed = number
        } else if reader.isNamed("course") {
            point.course = number
        } else if reader.isNamed("hAcc") {
            point.horizontalAccuracy = number
        } else if reader.isNamed("vAcc") {
            point.verticalAccuracy = number
        }
    }
}
