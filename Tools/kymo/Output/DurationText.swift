// SPDX-License-Identifier: Apache-2.0

import HealthViews

/// The text of lengths of time.
enum DurationText {
    /// Returns hours and minutes, rounded: `7:02`.
    static func hours(_ duration: Duration) -> String {
        let (hours, minutes) = parts(duration)
        return "\(hours):" + (minutes < 10 ? "0" : "") + "\(minutes)"
    }

    /// Returns hours and minutes in words, rounded: `7 h 2 min`, `7 min`.
    static func words(_ duration: Duration) -> String {
        let (hours, minutes) = parts(duration)
        return hours == 0 ? "\(minutes) min" : "\(hours) h \(minutes) min"
    }

    private static func parts(_ duration: Duration) -> (hours: Int, minutes: Int) {
        let minutes = Int((max(0, duration.inSeconds) / 60).rounded())
        return (minutes / 60, minutes % 60)
    }
}
