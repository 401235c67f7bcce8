// SPDX-License-Identifier: Apache-2.0
// CivilTime: days, months and time zone transitions as integer arithmetic, for calendar steps over nanosecond instants.
//
// An instant is an Int64 of nanoseconds since 1970-01-01 00:00 UTC (1677-09-21 to 2262-04-11). Days are numbered from
// 1970-01-01. The Gregorian calendar applies to all years. `Docs/Guide/Statistics.md` has the rules.

/// Arithmetic of the Gregorian calendar, without time zones.
package enum Civil {
    /// Nanoseconds in a second.
    package static let second: Int64 = 1_000_000_000
    /// Seconds in a calendar day without clock changes.
    package static let secondsPerDay: Int64 = 86_400

    /// Returns the number of a day, 0 for 1970-01-01. Months and days outside their range carry over (month 13, day 0).
    ///
    /// Exact for years of magnitude up to ten million; larger years are clamped.
    package static func days(year: Int, month: Int, day: Int) -> Int64 {
        let bound = 120_000_000
        let months = min(max(year, -bound / 12), bound / 12) * 12 + (min(max(month, -bound), bound) - 1)
        let clampedDay = Int64(min(max(day, -4_000_000_000), 4_000_000_000))
        // The computation starts years in March, so that the leap day is the last day of a year.
        let shifted = months - 2
        let y = Int64(shifted.dividedDown(by: 12))
        let m = Int64(shifted.remainderUp(by: 12))
        let era = y.dividedDown(by: 400)
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * m + 2) / 5 + clampedDay - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the date of a day number. Exact for magnitudes up to 4 * 10^12; larger numbers are clamped.
    package static func date(days: Int64) -> (year: Int, month: Int, day: Int) {
        let z = min(max(days, -4_000_000_000_000), 4_000_000_000_000) + 719_468
        let era = z.dividedDown(by: 146_097)
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let m = (5 * dayOfYear + 2) / 153
        let day = Int(dayOfYear - (153 * m + 2) / 5 + 1)
        let month = Int(m < 10 ? m + 3 : m - 9)
        return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, day)
    }

    /// Returns the weekday of a day number: 1 is Monday, 7 is Sunday (ISO 8601).
    package static func weekday(days: Int64) -> Int {
        Int((days.remainderUp(by: 7) + 3) % 7) + 1
    }

    /// Whether a year has a February 29.
    package static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the number of days in a month (1...12); 0 for any other month.
    package static func daysInMonth(year: Int, month: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: isLeap(year) ? 29 : 28
        case 1...12: 31
        default: 0
        }
    }

    /// Splits an instant into seconds since 1970 and nanoseconds in that second (0..<10^9).
    package static func split(_ instant: Int64) -> (seconds: Int64, nanoseconds: Int64) {
        (instant.dividedDown(by: second), instant.remainderUp(by: second))
    }

    /// Returns the instant of a second since 1970 and nanoseconds in it; throws `outOfRange` outside of 1677...2262.
    package static func instant(seconds: Int64, nanoseconds: Int64) throws(CivilError) -> Int64 {
        guard let instant = Int64(exactly: Int128(seconds) * Int128(second) + Int128(nanoseconds)) else {
            throw CivilError.outOfRange("second \(seconds) since 1970")
        }
        return instant
    }
}

extension FixedWidthInteger {
    /// Returns the quotient rounded towards minus infinity.
    ///
    /// - Requires: `divisor > 0`.
    @inline(__always)
    package func dividedDown(by divisor: Self) -> Self {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    /// Returns the remainder in `0..<divisor`.
    ///
    /// - Requires: `divisor > 0`.
    @inline(__always)
    func remainderUp(by divisor: Self) -> Self {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
