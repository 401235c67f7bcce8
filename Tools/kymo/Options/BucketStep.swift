// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

/// The length of the buckets of statistics.
struct BucketStep: ExpressibleByArgument {
    enum Length {
        case minute, hour, day, week, month, year
    }

    let count: Int
    let length: Length
    /// The text on the command line.
    let text: String

    static let allValueStrings = ["15m", "hour", "day", "week", "month", "quarter", "year"]

    init?(argument: String) {
        text = argument
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        let unit = argument.dropFirst(digits.count)
        guard digits.isEmpty || digits.count <= 5, let number = digits.isEmpty ? 1 : Int(digits), number > 0 else {
            return nil
        }
        switch unit {
        case "m", "min", "minute", "minutes": (count, length) = (number, .minute)
        case "h", "hour", "hours": (count, length) = (number, .hour)
        case "d", "day", "days": (count, length) = (number, .day)
        case "w", "week", "weeks": (count, length) = (number, .week)
        case "mo", "month", "months": (count, length) = (number, .month)
        case "quarter", "quarters": (count, length) = (number * 3, .month)
        case "y", "year", "years": (count, length) = (number, .year)
        default: return nil
        }
    }

    /// Returns the division of time into buckets.
    ///
    /// Days begin at midnight, weeks on Monday, months on the first, years in January. Multiples are counted from the
    /// unit that contains `instant`, months from the January of its year, minutes and hours from its midnight.
    func buckets(near instant: Int64, _ zone: CivilZone) throws(CivilError) -> Buckets {
        let unit: Kymograph.CalendarUnit =
            switch length {
            case .minute: .minutes(count)
            case .hour: .hours(count)
            case .day: .days(count)
            case .week: .weeks(count)
            case .month: .months(count)
            case .year: .years(count)
            }
        return .calendar(unit, anchor: try anchor(near: instant, zone), zone: zone.identifier)
    }

    /// Returns the edges of the same buckets.
    func grid(near instant: Int64, _ zone: CivilZone) throws(CivilError) -> CalendarGrid {
        let step: CalendarStep =
            switch length {
            case .minute: CalendarStep(minutes: count)
            case .hour: CalendarStep(hours: count)
            case .day: CalendarStep(days: count)
            case .week: CalendarStep(weeks: count)
            case .month: CalendarStep(months: count)
            case .year: CalendarStep(years: count)
            }
        return try CalendarGrid(anchor: try anchor(near: instant, zone), step: step, zone: zone)
    }

    private func anchor(near instant: Int64, _ zone: CivilZone) throws(CivilError) -> Int64 {
        let unit: CivilTime.CalendarUnit =
            switch length {
            case .minute, .hour, .day: .day
            case .week: .week
            case .month, .year: .year
            }
        return try Civil.start(of: unit, containing: instant, zone: zone)
    }

    /// Returns a number of buckets: `1,294 days`, or `12 buckets of 15m`.
    func text(of buckets: Int) -> String {
        if text.hasPrefix("quarter") { return NumberText.count(buckets, "quarter") }
        guard count == 1 else { return "\(NumberText.count(buckets, "bucket")) of \(text)" }
        return NumberText.count(buckets, "\(length)")
    }

    /// Returns the label of a bucket in a table: the shortest prefix of its start that is unique.
    func label(_ start: Int64, _ zone: CivilZone) -> String {
        let date = Civil.formatDate(start, zone: zone)
        switch length {
        case .year: return String(date.prefix(4))
        case .month: return String(date.prefix(7))
        case .week, .day: return date
        case .minute, .hour:
            // The offset distinguishes the two hours with the same name at the end of daylight saving time.
            let text = Civil.format(start, zone: zone, fractionDigits: 0, style: .spaced)
            return zone.isFixed ? String(text.prefix(16)) : String(text.prefix(16)) + String(text.suffix(6))
        }
    }
}
