// SPDX-License-Identifier: Apache-2.0

/// The text of lengths of time.
enum DurationText {
    /// Returns hours and minutes, rounded: `7:02`.
    static func hours(_ duration: Duration) -> String {
        let seconds = duration.components.seconds + (duration.components.attoseconds >= 500_000_000_000_000_000 ? 1 : 0)
        let minutes = (max(0, seconds) + 30) / 60
        return "\(minutes / 60):" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
    }

    /// Returns seconds, for other programs.
    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
