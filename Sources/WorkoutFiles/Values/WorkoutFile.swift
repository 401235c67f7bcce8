// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// The content of a workout file: FIT, TCX or GPX.
///
/// ```swift
/// let file = try WorkoutFile(contentsOf: "run.fit")
/// if let damage = file.damage { print("incomplete: \(damage)") }
/// ```
///
/// A damaged file yields the items before the damage. ``damage`` has the reason and the byte offset.
///
/// At most 500,000 items are kept: points, laps, lengths, activities and changes of the timer together. If a file has
/// more, ``damage`` is `tooLarge`.
public struct WorkoutFile: Sendable {
    /// The format of a file.
    public enum Format: String, Sendable, CaseIterable {
        /// The binary format of Garmin devices and many others.
        case fit
        /// Garmin's Training Center XML.
        case tcx
        /// GPS Exchange XML.
        case gpx
    }

    /// The format.
    public let format: Format
    /// The points in ascending order of their dates.
    public private(set) var points: [WorkoutFilePoint] = []
    /// The activities in ascending order of their starts; never empty.
    public private(set) var parts: [WorkoutFilePart] = []
    /// The laps in ascending order of their starts.
    public private(set) var laps: [WorkoutFileLap] = []
    /// The lengths of a pool and the rests, in ascending order of their starts.
    public private(set) var lengths: [SwimmingLap] = []
    /// The intervals in which the timer of the device was stopped, in ascending order.
    public private(set) var pauses: [DateInterval] = []
    /// The first problem of a damaged file; nil for a complete file.
    public private(set) var damage: WorkoutFileError?

    /// The maximum number of items of all kinds together.
    private static let limit = 500_000

    /// Reads a file.
    ///
    /// - Throws: ``WorkoutFileError``: `unreadable`, `unknownFormat`, or for a file without an activity, a lap and a
    ///   point the damage.
    public init(contentsOf path: String) throws(WorkoutFileError) {
        var content = Content()
        let outcome = try WorkoutFileReader.read(path) { content.add($0) }
        try self.init(content, outcome)
    }

    /// Reads the bytes of a file.
    ///
    /// - Throws: ``WorkoutFileError``: `unknownFormat`, or for a file without an activity, a lap and a point the
    ///   damage.
    public init(bytes: [UInt8]) throws(WorkoutFileError) {
        var content = Content()
        let outcome = try WorkoutFileReader.read(bytes: bytes) { content.add($0) }
        try self.init(content, outcome)
    }

    private init(_ content: Content, _ outcome: WorkoutFileReader.Outcome) throws(WorkoutFileError) {
        format = outcome.format
        damage = content.excess ?? outcome.damage
        points = content.points.enumerated().sorted { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) }
            .map(\.element)
        laps = content.laps.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        lengths = content.lengths.sorted { ($0.start, $0.duration) < ($1.start, $1.duration) }
        parts = content.parts.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
        let dates = points.map(\.date) + laps.flatMap { [$0.start, $0.end] }
        if parts.isEmpty, let first = dates.min(), let last = dates.max() {
            parts = [WorkoutFilePart(activity: .other, start: first, end: last)]
        }
        guard !parts.isEmpty else {
            throw damage ?? WorkoutFileError(.malformed, at: 0, "the file has no workout")
        }
        pauses = Self.pauses(content.timer)
    }

    /// The start of the workout.
    public var startDate: Date { min(parts[0].start, points.first?.date ?? parts[0].start) }

    /// The end of the workout.
    public var endDate: Date {
        max(parts.map(\.end).max() ?? startDate, max(points.last?.date ?? startDate, startDate))
    }

    /// The configuration of the whole workout. A file with different activity types has the configuration of a
    /// `swimBikeRun` workout.
    public var configuration: HKWorkoutConfiguration {
        let kinds = Set(parts.map(\.activity)).subtracting([.transition])
        if kinds.count <= 1 { return (parts.first { $0.activity != .transition } ?? parts[0]).configuration }
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .swimBikeRun
        configuration.locationType = Set(parts.map(\.location)).count == 1 ? parts[0].location : .unknown
        return configuration
    }

    /// Returns the intervals between a stop of the timer and the next start.
    private static func pauses(_ timer: [(date: Date, isRunning: Bool)]) -> [DateInterval] {
        var pauses: [DateInterval] = []
        var stopped: Date?
        for change in timer.enumerated().sorted(by: { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) })
            .map(\.element)
        {
            if !change.isRunning {
                stopped = stopped ?? change.date
            } else if let start = stopped {
                if change.date > start { pauses.append(DateInterval(start: start, end: change.date)) }
                stopped = nil
            }
        }
        return pauses
    }

    /// The items so far.
    private struct Content {
        var points: [WorkoutFilePoint] = []
        var parts: [WorkoutFilePart] = []
        var laps: [WorkoutFileLap] = []
        var lengths: [SwimmingLap] = []
        var timer: [(date: Date, isRunning: Bool)] = []
        var excess: WorkoutFileError?
        private var count = 0

        /// Adds an item. Returns whether reading continues.
        mutating func add(_ item: WorkoutFileItem) -> Bool {
            count += 1
            guard count <= WorkoutFile.limit else {
                excess = WorkoutFileError(
                    .tooLarge, at: 0, "the file has more than \(WorkoutFile.limit) items; the rest was left out")
                return false
            }
            switch item {
            case .point(let point): points.append(point)
            case .lap(let lap): laps.append(lap)
            case .length(let length): lengths.append(length)
            case .part(let part): parts.append(part)
            case .timer(let isRunning, let date): timer.append((date, isRunning))
            }
            return true
        }
    }
}
