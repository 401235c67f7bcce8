// SPDX-License-Identifier: Apache-2.0

internal import CivilTime

/// A day of the Gregorian calendar, without a time zone.
public struct CalendarDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The year, from 1677 to 2262.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1 to 31.
    public let day: Int

    /// Creates a day from its number; 0 is 1970-01-01.
    package init(number: Int64) { (year, month, day) = Civil.date(days: number) }

    /// The number of the day; 0 is 1970-01-01.
    package var number: Int64 { Civil.days(year: year, month: month, day: day) }

    /// The day of the week, from 1 for Monday to 7 for Sunday.
    public var weekday: Int { Civil.weekday(days: number) }

    /// The text of ISO 8601, such as `2024-01-31`.
    public var description: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }

    /// Returns whether a day is before another one.
    public static func < (left: CalendarDate, right: CalendarDate) -> Bool { left.number < right.number }
}
