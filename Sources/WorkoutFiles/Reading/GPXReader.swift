// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import HealthModel

/// Reads the track points of GPX files, with the extensions of Garmin and Apple.
struct GPXReader {
    private var point: WorkoutFilePoint?
    private var position: (latitude: Double?, longitude: Double?) = (nil, nil)
    private var hasTime = false
    private var activity = HKWorkoutActivityType.other
    private var span: (first: Date, last: Date)?
    private var distance: Double?
    private var last: WorkoutFilePoint?

    /// Passes items to a function until it returns false.
    ///
    /// - Throws: the damage that ends the reading, after the items before it and the unfinished activity are passed.
    mutating func read(
        _ scanner: inout XMLScanner, _ body: (WorkoutFileItem) -> Bool
    ) throws(WorkoutFileError) {
        do {
            while let tag = try scanner.next() {
                switch tag {
                case .start("trkpt", let attributes): begin(attributes)
                case .start: break
                case .end("trkpt"):
                    if let point = end(), !body(.point(point)) { return }
                case .end(let name): take(name, scanner.text, in: scanner.open.last)
                }
            }
        } catch {
            passPart(body)
            throw error
        }
        passPart(body)
    }

    private func passPart(_ body: (WorkoutFileItem) -> Bool) {
        guard let span else { return }
        var part = WorkoutFilePart(activity: activity, start: span.first, end: span.last)
        part.distance = distance
        // A GPX file has positions, which devices receive outdoors.
        part.location = .outdoor
        _ = body(.part(part))
    }

    private mutating func begin(_ attributes: [String: String]) {
        point = WorkoutFilePoint(date: .distantPast)
        hasTime = false
        position = (attributes["lat"].flatMap { XMLText.number($0) }, attributes["lon"].flatMap { XMLText.number($0) })
    }

    private mutating func take(_ name: String, _ text: String, in parent: String?) {
        if point == nil {
            if name == "type", parent == "trk" { activity = WorkoutSports.activity(named: text) }
            return
        }
        let number = XMLText.number(text)
        switch name {
        case "time":
            guard let date = XMLText.date(text) else { return }
            point?.date = date
            hasTime = true
        case "ele": point?.altitude = number
        case "hr": point?.heartRate = number
        case "cad": point?.cadence = number
        case "power", "PowerInWatts": point?.power = number
        case "atemp": point?.temperature = number
        case "speed": point?.speed = number.flatMap { $0 >= 0 ? $0 : nil }
        case "course": point?.course = number.flatMap { $0 >= 0 ? $0 : nil }
        case "hAcc": point?.horizontalAccuracy = number.flatMap { $0 >= 0 ? $0 : nil }
        case "vAcc": point?.verticalAccuracy = number.flatMap { $0 >= 0 ? $0 : nil }
        default: break
        }
    }

    /// Ends a point, and computes its distance since the start from the positions.
    private mutating func end() -> WorkoutFilePoint? {
        defer { point = nil }
        guard var point, hasTime else { return nil }
        point.set(latitude: position.latitude, longitude: position.longitude)
        guard !point.isEmpty else { return nil }
        span = (min(span?.first ?? point.date, point.date), max(span?.last ?? point.date, point.date))
        if point.latitude != nil {
            distance = (distance ?? 0) + (last?.metres(to: point) ?? 0)
            point.distance = distance
            last = point
        }
        return point
    }
}

/// Numbers and dates in XML files.
enum XMLText {
    /// Returns a finite number.
    static func number(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// Returns an ISO 8601 date. A date without an offset is in UTC.
    static func date(_ text: String) -> Date? {
        guard let nanoseconds = try? Civil.parse(text, zone: .utc) else { return nil }
        return Date(timeIntervalSince1970: Double(nanoseconds) / 1e9)
    }
}
