// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import HealthViews

/// One day: a date, or a word such as `yesterday`.
struct DayArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A day: 2024-01-31, yesterday, monday. Default: the latest with data.", valueName: "day"),
        completion: Completions.days)
    var text: String?

    /// Returns the day; nil if none is given. Throws if the text means another period than one day.
    func resolved(_ zone: CivilZone) throws -> CalendarDate? {
        guard let text else { return nil }
        let period = try Civil.period(text, now: SystemClock.wallNanoseconds(), zone: zone)
        let date = CalendarDate(containing: period.lowerBound, in: zone)
        let day = DaySpan(date, through: date, in: zone).bounds
        guard day.start == period.lowerBound, day.end == period.upperBound else {
            throw Failure.usage("\"\(text)\" is not one day; use a date such as \(date), yesterday or monday")
        }
        return date
    }
}
