// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// Reads the activities of TCX files: laps and track points, with Garmin's extension of speed and power.
struct TCXReader {
    private var point: WorkoutFilePoint?
    private var hasTime = false
    private var position: (latitude: Double?, longitude: Double?) = (nil, nil)
    private var lap: WorkoutFileLap?
    private var part: WorkoutFilePart?
    private var last: Date?

    /// Passes items to a function until it returns false.
    ///
    /// - Throws: the damage that ends the reading, after the items before it and the unfinished lap and activity are
    ///   passed.
    mutating func read(
        _ scanner: inout XMLScanner, _ body: (WorkoutFileItem) -> Bool
    ) throws(WorkoutFileError) {
        do {
            while let tag = try scanner.next() {
                switch tag {
                case .start(let name, let attributes): begin(name, attributes)
                case .end(let name):
                    if let item = end(name, scanner.text, in: scanner.open), !body(item) { return }
                }
            }
        } catch {
            if let item = endLap(), !body(item) { return }
            if let item = endPart() { _ = body(item) }
            throw error
        }
    }

    private mutating func begin(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "Activity":
            part = WorkoutFilePart(
                activity: WorkoutSports.activity(named: attributes["Sport"] ?? ""), start: .distantFuture,
                end: .distantFuture)
            last = nil
        case "Lap":
            guard let start = attributes["StartTime"].flatMap({ XMLText.date($0) }) else { return }
            lap = WorkoutFileLap(start: start, end: start)
        case "Trackpoint":
            point = WorkoutFilePoint(date: .distantPast)
            hasTime = false
            position = (nil, nil)
        default: break
        }
    }

    private mutating func end(_ name: String, _ text: String, in open: [String]) -> WorkoutFileItem? {
        switch name {
        case "Trackpoint": return endPoint().map { .point($0) }
        case "Lap": return endLap()
        case "Activity": return endPart()
        default: break
        }
        if point != nil {
            take(name, text, in: open.last)
        } else if open.last == "Lap" {
            takeTotal(name, text)
        }
        return nil
    }

    private mutating func take(_ name: String, _ text: String, in parent: String?) {
        let number = XMLText.number(text)
        switch name {
        case "Time":
            guard let date = XMLText.date(text) else { return }
            point?.date = date
            hasTime = true
        case "LatitudeDegrees": position.latitude = number
        case "LongitudeDegrees": position.longitude = number
        case "AltitudeMeters": point?.altitude = number
        case "DistanceMeters": point?.distance = number
        case "Value" where parent == "HeartRateBpm": point?.heartRate = number
        case "Cadence", "RunCadence": point?.cadence = number
        case "Speed": point?.speed = number
        case "Watts": point?.power = number
        default: break
        }
    }

    private mutating func takeTotal(_ name: String, _ text: String) {
        guard let number = XMLText.number(text), number >= 0, let start = lap?.start else { return }
        switch name {
        case "TotalTimeSeconds": lap?.end = start.addingTimeInterval(number)
        case "DistanceMeters": lap?.distance = number
        case "Calories": lap?.energy = number
        default: break
        }
    }

    private mutating func endPoint() -> WorkoutFilePoint? {
        defer { point = nil }
        guard var point, hasTime else { return nil }
        point.set(latitude: position.latitude, longitude: position.longitude)
        guard !point.isEmpty else { return nil }
        extend(from: point.date, to: point.date)
        return point
    }

    private mutating func endLap() -> WorkoutFileItem? {
        defer { lap = nil }
        guard let lap else { return nil }
        extend(from: lap.start, to: lap.end)
        let (distance, energy) = (part?.distance ?? 0, part?.energy ?? 0)
        if let more = lap.distance { part?.distance = distance + more }
        if let more = lap.energy { part?.energy = energy + more }
        return .lap(lap)
    }

    private mutating func extend(from start: Date, to end: Date) {
        if let first = part?.start { part?.start = min(first, start) }
        last = max(last ?? end, end)
    }

    private mutating func endPart() -> WorkoutFileItem? {
        defer { part = nil }
        guard var part, let last else { return nil }
        part.end = max(part.start, last)
        return .part(part)
    }
}
