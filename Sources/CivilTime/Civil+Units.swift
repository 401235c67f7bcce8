// SPDX-License-Identifier: Apache-2.0

/// The units of a calendar.
package enum CalendarUnit: Sendable, CaseIterable {
    case day, week, month, quarter, year

    package var step: CalendarStep {
        switch self {
        case .day: .day
        case .week: .week
        case .month: .month
        case .quarter: .quarter
        case .year: .year
        }
    }
}

extension Civil {
    /// Returns the first instant of the day, week, month, quarter or year that contains an instant, in local time.
    ///
    /// On a day without midnight the result is the first instant after the gap.
    /// - Parameter firstWeekday: the first day of a week, 1 for Monday to 7 for Sunday.
    /// - Throws: `outOfRange` if the result lies before 1677.
    package static func start(
        of unit: CalendarUnit, containing instant: Int64, zone: CivilZone, firstWeekday: Int = 1
    ) throws(CivilError) -> Int64 {
        let first = firstDay(of: unit, containing: instant, zone: zone, firstWeekday: firstWeekday)
        return try Civil.instant(seconds: zone.instant(ofLocal: first * secondsPerDay), nanoseconds: 0)
    }

    static func firstDay(
        of unit: CalendarUnit, containing instant: Int64, zone: CivilZone, firstWeekday: Int
    ) -> Int64 {
        let seconds = split(instant).seconds
        let today = (seconds + Int64(zone.offset(at: seconds))).dividedDown(by: secondsPerDay)
        let (year, month, _) = date(days: today)
        return switch unit {
        case .day: today
        case .week: today - Int64((weekday(days: today) - firstWeekday % 7).remainderUp(by: 7))
        case .month: days(year: year, month: month, day: 1)
        case .quarter: days(year: year, month: (month - 1) / 3 * 3 + 1, day: 1)
        case .year: days(year: year, month: 1, day: 1)
        }
    }
}

extension CalendarGrid {
    /// Creates the grid of whole days, weeks, months, quarters or years of a zone, anchored near an instant.
    ///
    /// Its edges are midnights, even if the anchor's day has no midnight.
    package init(
        unit: CalendarUnit, near instant: Int64, zone: CivilZone, firstWeekday: Int = 1
    ) throws(CivilError) {
        let day = Civil.firstDay(of: unit, containing: instant, zone: zone, firstWeekday: firstWeekday)
        let seconds = zone.instant(ofLocal: day * Civil.secondsPerDay)
        let anchor = try Civil.instant(seconds: seconds, nanoseconds: 0)
        try self.init(anchor: anchor, local: day * Civil.secondsPerDay, step: unit.step, zone: zone)
    }
}
