// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthViews

/// The labels of times below a picture: as many as have room, at whole steps of the calendar.
struct ClockAxis {
    let bounds: TimeRange
    let zone: CivilZone
    /// The width of the picture in characters.
    let columns: Int

    /// The steps between labels, with their length in seconds.
    private static let steps: [(text: String, seconds: Double)] = [
        ("5m", 300), ("15m", 900), ("30m", 1_800), ("hour", 3_600), ("3h", 10_800), ("6h", 21_600), ("12h", 43_200),
        ("day", 86_400), ("2d", 172_800), ("week", 604_800), ("2weeks", 1_209_600), ("month", 2_629_746),
        ("quarter", 7_889_238), ("6months", 15_778_476), ("year", 31_556_952), ("2years", 63_113_904),
        ("5years", 157_784_760), ("10years", 315_569_520), ("50years", 1_577_847_600),
    ]
    /// The least distance of two labels in characters.
    private static let distance = 14.0

    /// The line of labels. The first label is at the start if no step begins before the second one.
    var text: String {
        let length = Double(bounds.end) - Double(bounds.start)
        guard length > 0 else { return label(bounds.start, nil) }
        var line = ""
        for (place, label) in labels(length) {
            let room = place - line.count
            if room < (line.isEmpty ? 0 : 2) || place + label.count > columns + 2 { continue }
            line += String(repeating: " ", count: room) + label
        }
        return line.isEmpty ? label(bounds.start, nil) : line
    }

    private func labels(_ length: Double) -> [(place: Int, text: String)] {
        let seconds = length / 1e9 / Double(columns) * Self.distance
        let step = Self.steps.first { $0.seconds >= seconds } ?? Self.steps[Self.steps.count - 1]
        guard let step = BucketStep(argument: step.text), let grid = try? step.grid(near: bounds.start, zone),
            let edges = try? grid.edges(from: bounds.start, to: bounds.end, limit: 2_000)
        else { return [] }
        return edges.filter { bounds.contains($0) }.map { edge in
            let share = (Double(edge) - Double(bounds.start)) / length
            return (Int((share * Double(columns)).rounded(.down)), label(edge, step.length))
        }
    }

    /// Returns the time of a step: `06:00`, `13 May`, `May 2022`, `2022`.
    private func label(_ instant: Int64, _ length: BucketStep.Length?) -> String {
        let date = CalendarDate(containing: instant, in: zone)
        switch length {
        case .minute, .hour:
            let clock = DayText.clock(instant, zone)
            return clock == "00:00" && isLong ? DayText.brief(date) : clock
        case .day, .week: return DayText.brief(date)
        case .month: return DayText.month(date)
        case .year: return String(date.year)
        case nil: return "\(DayText.brief(date)) \(DayText.clock(instant, zone))"
        }
    }

    /// Whether the range is longer than a day, so that midnights need a date.
    private var isLong: Bool { Double(bounds.end) - Double(bounds.start) > 90_000e9 }
}
