// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthViews

/// Days and times in words: `Friday, 13 May 2022`, `13 May`, `23:18`.
enum DayText {
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns the weekday and the date: `Friday, 13 May 2022`.
    static func full(_ date: CalendarDate) -> String { "\(weekdays[date.weekday - 1]), \(dated(date))" }

    /// Returns the date: `13 May 2022`.
    static func dated(_ date: CalendarDate) -> String { "\(short(date)) \(date.year)" }

    /// Returns the date without a year, unless it differs from that of another day: `13 May`.
    static func near(_ date: CalendarDate, _ other: CalendarDate) -> String {
        date.year == other.year ? short(date) : dated(date)
    }

    /// Returns the weekday and the date without a comma: `Friday 13 May 2022`.
    static func weekday(_ date: CalendarDate) -> String { "\(weekdays[date.weekday - 1]) \(dated(date))" }

    /// Returns the date in at most six characters: `13 May`, `3 Sep`.
    static func brief(_ date: CalendarDate) -> String { "\(date.day) \(shortMonth(date))" }

    /// Returns the first letters of the weekday: `Fri`.
    static func shortWeekday(_ date: CalendarDate) -> String { String(weekdays[date.weekday - 1].prefix(3)) }

    /// Returns the first letters of the month: `May`.
    static func shortMonth(_ date: CalendarDate) -> String { String(months[date.month - 1].prefix(3)) }

    /// Returns the month: `May 2022`.
    static func month(_ date: CalendarDate) -> String { "\(months[date.month - 1]) \(date.year)" }

    private static func short(_ date: CalendarDate) -> String { "\(date.day) \(months[date.month - 1])" }

    /// Returns the local time of day: `23:18`.
    static func clock(_ instant: Int64, _ zone: CivilZone) -> String {
        String(Civil.format(instant, zone: zone, fractionDigits: 0, style: .spaced).dropFirst(11).prefix(5))
    }
}

extension String {
    /// Returns the text with blanks on its right up to a width on the terminal.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - TextWidth.of(self)))
    }

    /// Returns the text with blanks on its left up to a width on the terminal.
    func aligned(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - TextWidth.of(self))) + self
    }
}
