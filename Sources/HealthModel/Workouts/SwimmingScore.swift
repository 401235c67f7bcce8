// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// SWOLF scores of swims: strokes plus seconds.
///
/// The score of a lap is the number of its strokes plus its duration in seconds, not rounded and not scaled to the
/// length of the pool. The score of a segment or a workout is the mean score of its laps. A lap of unknown stroke style
/// is a rest and has no score. Exported swims of a watch have the same values.
package enum SwimmingScore {
    /// Returns the score of a lap.
    package static func lap(strokes: Double, duration: TimeInterval) -> Double { strokes + duration }

    /// Returns the mean score of the laps within an interval; nil if no lap has a score.
    package static func mean(of laps: [HKWorkoutEvent], from start: Date, to end: Date) -> Double? {
        let scores = laps.compactMap { lap in
            lap.type == .lap && lap.start >= start && lap.end <= end ? score(of: lap) : nil
        }
        return scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count)
    }

    /// Returns the score in the metadata of a lap; nil for a rest and without a score.
    package static func score(of lap: HKWorkoutEvent) -> Double? {
        if case .integer(HKSwimmingStrokeStyle.unknown.rawValue)? = lap.values?[HKMetadataKeySwimmingStrokeStyle] {
            return nil
        }
        return switch lap.values?[HKMetadataKeySWOLFScore] {
        case .real(let score)?: score
        case .integer(let score)?: Double(score)
        default: nil
        }
    }

    /// Returns an event. A segment without a score gets the mean score of its laps.
    package static func scored(_ event: HKWorkoutEvent, by events: [HKWorkoutEvent]) -> HKWorkoutEvent {
        guard event.type == .segment, event.values?[HKMetadataKeySWOLFScore] == nil,
            let score = mean(of: events, from: event.start, to: event.end)
        else { return event }
        var values = event.values ?? [:]
        values[HKMetadataKeySWOLFScore] = .real(score)
        return HKWorkoutEvent(.segment, start: event.start, end: event.end, values: values)
    }

    /// Creates the event of a lap with its score.
    ///
    /// - Parameter style: the style; `.unknown` for a rest, which has no score.
    package static func event(
        from start: Date, to end: Date, strokes: Double, style: HKSwimmingStrokeStyle
    ) -> HKWorkoutEvent {
        var values: HealthMetadataValues = [HKMetadataKeySwimmingStrokeStyle: .integer(style.rawValue)]
        if style != .unknown {
            values[HKMetadataKeySWOLFScore] = .real(lap(strokes: strokes, duration: end.timeIntervalSince(start)))
        }
        return HKWorkoutEvent(.lap, start: start, end: end, values: values)
    }
}
