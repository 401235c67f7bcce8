// SPDX-License-Identifier: Apache-2.0

/// The length of a calendar step. Years to days follow the calendar; hours and smaller units are absolute time.
package struct CalendarStep: Sendable, Equatable {
    package var years = 0
    package var months = 0
    package var weeks = 0
    package var days = 0
    package var hours = 0
    package var minutes = 0
    package var seconds = 0
    package var nanoseconds: Int64 = 0

    package init(
        years: Int = 0, months: Int = 0, weeks: Int = 0, days: Int = 0, hours: Int = 0, minutes: Int = 0,
        seconds: Int = 0, nanoseconds: Int64 = 0
    ) {
        self.years = years
        self.months = months
        self.weeks = weeks
        self.days = days
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    package static let day = CalendarStep(days: 1)
    package static let week = CalendarStep(weeks: 1)
    package static let month = CalendarStep(months: 1)
    package static let quarter = CalendarStep(months: 3)
    package static let year = CalendarStep(years: 1)
    package static let hour = CalendarStep(hours: 1)

    /// The step as three numbers that cannot be converted into each other.
    struct Parts: Sendable, Equatable {
        var months: Int64
        var days: Int64
        var nanoseconds: Int128
    }

    /// The limit of ten thousand years, which keeps the arithmetic far from overflow.
    private static let longest: Int128 = 10_000 * 366 * 86_400 * 1_000_000_000

    /// Validates and sums the components.
    ///
    /// - Throws: `badStep` if a component is negative, all are zero, or the step exceeds ten thousand years.
    func parts() throws(CivilError) -> Parts {
        let all = [years, months, weeks, days, hours, minutes, seconds]
        if nanoseconds < 0 || all.contains(where: { $0 < 0 }) { throw CivilError.badStep("a component is negative") }
        let months = Int128(years) * 12 + Int128(months)
        let days = Int128(weeks) * 7 + Int128(days)
        let wholeSeconds = Int128(hours) * 3600 + Int128(minutes) * 60 + Int128(seconds)
        let nanoseconds = wholeSeconds * 1_000_000_000 + Int128(nanoseconds)
        if months == 0 && days == 0 && nanoseconds == 0 { throw CivilError.badStep("it has no length") }
        guard months <= 120_000, days <= 3_660_000, nanoseconds <= Self.longest else {
            throw CivilError.badStep("longer than ten thousand years")
        }
        return Parts(months: Int64(months), days: Int64(days), nanoseconds: nanoseconds)
    }
}
