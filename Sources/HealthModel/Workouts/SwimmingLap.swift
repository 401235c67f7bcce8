// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One length of a pool, or a rest at its edge. Not part of HealthKit, where the watch creates the events of laps.
///
/// ```swift
/// let laps = SwimmingLap.laps(from: start, durations: [31.5, 33], strokes: [16, 17], style: .freestyle)
/// try await builder.addWorkoutEvents(laps.map(\.event))
/// ```
public struct SwimmingLap: Hashable, Sendable {
    /// The start of the lap.
    public let start: Date
    /// The duration in seconds, finite and at least 0.
    public let duration: TimeInterval
    /// The number of strokes, finite and at least 0.
    public let strokes: Double
    /// The stroke style; `.unknown` for a rest.
    public let style: HKSwimmingStrokeStyle

    /// Creates a lap. A duration or a number of strokes that is negative or not finite becomes 0.
    public init(start: Date, duration: TimeInterval, strokes: Double, style: HKSwimmingStrokeStyle) {
        self.start = start
        self.duration = duration > 0 && duration.isFinite ? duration : 0
        self.strokes = strokes > 0 && strokes.isFinite ? strokes : 0
        self.style = style
    }

    /// The end of the lap.
    public var end: Date { start.addingTimeInterval(duration) }

    /// The SWOLF score: strokes plus seconds, not rounded; nil for a rest.
    public var score: Double? {
        style == .unknown ? nil : SwimmingScore.lap(strokes: strokes, duration: end.timeIntervalSince(start))
    }

    /// The event of the lap, with its style and its score.
    public var event: HKWorkoutEvent { SwimmingScore.event(from: start, to: end, strokes: strokes, style: style) }

    /// Returns consecutive laps of one style.
    ///
    /// - Parameters:
    ///   - start: the start of the first lap.
    ///   - durations: the duration of each lap, in seconds.
    ///   - strokes: the number of strokes of each lap; missing numbers are 0.
    public static func laps(
        from start: Date, durations: [TimeInterval], strokes: [Double], style: HKSwimmingStrokeStyle
    ) -> [SwimmingLap] {
        var laps: [SwimmingLap] = []
        laps.reserveCapacity(durations.count)
        for (place, duration) in durations.enumerated() {
            let first = laps.last?.end ?? start
            laps.append(
                SwimmingLap(
                    start: first, duration: duration, strokes: place < strokes.count ? strokes[place] : 0,
                    style: style))
        }
        return laps
    }

    /// Returns the mean SWOLF score of laps; nil if no lap has a score.
    public static func score(of laps: [SwimmingLap]) -> Double? {
        let scores = laps.compactMap(\.score)
        return scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count)
    }
}
