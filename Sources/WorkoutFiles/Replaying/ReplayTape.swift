// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel

/// The content of a file, played second by second, as a value.
struct ReplayTape {
    /// What the sensors of one second deliver.
    struct Second {
        var samples: [HKQuantitySample] = []
        var events: [HKWorkoutEvent] = []
        /// The positions, with the dates of the replay.
        var locations: [CLLocation] = []
    }

    let file: WorkoutFile
    /// The number of played seconds of the file.
    private(set) var played = 0.0
    private let start: Date
    private let length: Double
    /// The next point, lap, length and pause.
    private var point = 0
    private var lap = 0
    private var swum = 0
    private var pause = 0
    private var isInPause = false
    private var last: WorkoutFilePoint?
    /// The fraction of a step that is not counted yet.
    private var steps = 0.0
    /// Samples do not start earlier: the end of a pause, or the end of the last lap.
    private var resumed: Date?
    private var lapEnd: Date?

    /// Two points with a longer gap than this, in seconds, are separated by a pause or a lost signal.
    private static let longestGap = 60.0
    private static let rateUnit = HKUnit.count().unitDivided(by: .minute())
    private static let speedUnit = HKUnit.meter().unitDivided(by: .second())

    /// Creates the tape of a file.
    ///
    /// - Parameter offset: the seconds at the start of the file that are not played.
    init(_ file: WorkoutFile, skipping offset: Double = 0) {
        self.file = file
        start = file.startDate
        let seconds = file.endDate.timeIntervalSince(start)
        length = seconds.isFinite ? max(0, seconds) : 0
        guard offset > 0 else { return }
        played = min(offset, length).rounded(.down)
        let date = start.addingTimeInterval(played)
        point = file.points.firstIndex { $0.date >= date } ?? file.points.count
        lap = file.laps.firstIndex { $0.end >= date } ?? file.laps.count
        swum = file.lengths.firstIndex { $0.end >= date } ?? file.lengths.count
        pause = file.pauses.firstIndex { $0.start >= date } ?? file.pauses.count
    }

    /// Whether the whole file was played.
    var isFinished: Bool { played > length }

    /// The seconds of the file that are left.
    var rest: Double { max(0, length - played) }

    /// The activity of the file at the present time.
    var part: WorkoutFilePart {
        let date = start.addingTimeInterval(played)
        return file.parts.last { $0.start <= date } ?? file.parts[0]
    }

    /// Stops the tape for a pause of the session.
    mutating func interrupt() {
        resumed = nil
        last = nil
    }

    /// Plays the next second.
    ///
    /// - Parameter now: the start of this second in the replay.
    mutating func play(from now: Date) -> Second {
        var second = Second()
        let (from, to) = (start.addingTimeInterval(played), start.addingTimeInterval(played + 1))
        let shift = now.timeIntervalSince(from)
        resumed = resumed ?? now
        playPauses(until: to, shift, &second)
        while point < file.points.count, file.points[point].date < to {
            add(file.points[point], shift, &second)
            point += 1
        }
        while swum < file.lengths.count, file.lengths[swum].end < to {
            add(file.lengths[swum], shift, &second)
            swum += 1
        }
        while lap < file.laps.count, file.laps[lap].end < to {
            add(file.laps[lap], shift, &second)
            lap += 1
        }
        played += 1
        return second
    }

    private mutating func playPauses(until to: Date, _ shift: Double, _ second: inout Second) {
        while pause < file.pauses.count {
            let next = file.pauses[pause]
            let date = isInPause ? next.end : next.start
            guard date < to else { return }
            let moved = date.addingTimeInterval(shift)
            second.events.append(HKWorkoutEvent(isInPause ? .motionResumed : .motionPaused, start: moved, end: moved))
            if isInPause {
                pause += 1
                resumed = moved
            }
            isInPause.toggle()
        }
    }

    // MARK: - Samples

    private func sample(
        _ type: HKQuantityTypeIdentifier, _ value: Double, _ unit: HKUnit, from start: Date, to end: Date
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: HKQuantityType(type), quantity: HKQuantity(unit: unit, doubleValue: value), start: min(start, end),
            end: end)
    }

    private mutating func add(_ point: WorkoutFilePoint, _ shift: Double, _ second: inout Second) {
        let date = point.date.addingTimeInterval(shift)
        if let location = Self.location(of: point, date) { second.locations.append(location) }
        let activity = part.activity
        let types = ReplayTypes(activity)
        func measure(_ type: HKQuantityTypeIdentifier?, _ value: Double?, _ unit: HKUnit) {
            guard let type, let value, value >= 0 else { return }
            second.samples.append(sample(type, value, unit, from: date, to: date))
        }
        measure(.heartRate, point.heartRate, Self.rateUnit)
        measure(types.speed, point.speed, Self.speedUnit)
        measure(types.power, point.power, .watt())
        measure(types.cadence, point.cadence, Self.rateUnit)
        // A point with only a heart rate lies between two points of the track.
        if point.distance == nil, point.cadence == nil, point.speed == nil, last?.distance != nil { return }
        defer { last = point }
        guard let last, point.date > last.date else { return }
        let gap = point.date.timeIntervalSince(last.date)
        let first = max(last.date.addingTimeInterval(shift), resumed ?? date)
        guard first < date else { return }
        if file.lengths.isEmpty, let type = types.distance, let metres = Self.metres(from: last, to: point) {
            second.samples.append(sample(type, metres, .meter(), from: first, to: date))
        }
        guard gap <= Self.longestGap else { return }
        if types.countsSteps, let cadence = point.cadence { walk(cadence, gap, first, date, &second) }
        if let energy = energy(of: gap) {
            second.samples.append(sample(.activeEnergyBurned, energy, .kilocalorie(), from: first, to: date))
        }
    }

    /// Returns the position of a point; nil without coordinates. A course or speed that the file does not have is -1,
    /// which means unknown.
    private static func location(of point: WorkoutFilePoint, _ date: Date) -> CLLocation? {
        guard let latitude = point.latitude, let longitude = point.longitude else { return nil }
        return CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
            altitude: point.altitude ?? 0, horizontalAccuracy: point.horizontalAccuracy ?? 0,
            verticalAccuracy: point.verticalAccuracy ?? (point.altitude == nil ? -1 : 1), course: point.course ?? -1,
            speed: point.speed ?? -1, timestamp: date)
    }

    /// Returns the metres between two points; nil without a distance, and for a distance that does not grow.
    private static func metres(from last: WorkoutFilePoint, to point: WorkoutFilePoint) -> Double? {
        guard let metres = point.distance.flatMap({ new in last.distance.map { new - $0 } }) ?? last.metres(to: point),
            metres > 0
        else { return nil }
        return metres
    }

    private mutating func walk(
        _ cadence: Double, _ seconds: Double, _ start: Date, _ end: Date, _ second: inout Second
    ) {
        // The cadence counts one leg.
        steps += min(max(cadence, 0), 300) * 2 * seconds / 60
        let count = steps.rounded(.down)
        steps -= count
        guard count > 0 else { return }
        second.samples.append(sample(.stepCount, count, .count(), from: start, to: end))
    }

    /// Returns the share of the activity's energy in a number of seconds, in kilocalories.
    private func energy(of seconds: Double) -> Double? {
        let part = part
        guard let energy = part.energy, energy > 0 else { return nil }
        let paused = file.pauses.reduce(0) { sum, pause in
            sum + max(0, min(pause.end, part.end).timeIntervalSince(max(pause.start, part.start)))
        }
        let active = part.end.timeIntervalSince(part.start) - paused
        return active > 0 && active.isFinite ? energy * seconds / active : nil
    }

    private mutating func add(_ length: SwimmingLap, _ shift: Double, _ second: inout Second) {
        let start = max(length.start.addingTimeInterval(shift), lapEnd ?? .distantPast)
        let end = length.end.addingTimeInterval(shift)
        guard start < end else { return }
        lapEnd = end
        let lap = SwimmingLap(
            start: start, duration: end.timeIntervalSince(start), strokes: length.strokes, style: length.style)
        second.events.append(lap.event)
        guard length.style != .unknown else { return }
        if let metres = part.poolLength, metres > 0, metres.isFinite {
            second.samples.append(sample(.distanceSwimming, metres, .meter(), from: start, to: end))
        }
        second.samples.append(sample(.swimmingStrokeCount, length.strokes, .count(), from: start, to: end))
    }

    /// Adds a lap. In a pool each length is a lap, so a lap of the file becomes a segment.
    private mutating func add(_ lap: WorkoutFileLap, _ shift: Double, _ second: inout Second) {
        let end = lap.end.addingTimeInterval(shift)
        if !file.lengths.isEmpty {
            let start = lap.start.addingTimeInterval(shift)
            if start < end { second.events.append(HKWorkoutEvent(.segment, start: start, end: end)) }
            return
        }
        let start = max(lap.start.addingTimeInterval(shift), lapEnd ?? .distantPast)
        guard start < end else { return }
        lapEnd = end
        second.events.append(HKWorkoutEvent(.lap, start: start, end: end))
    }
}
