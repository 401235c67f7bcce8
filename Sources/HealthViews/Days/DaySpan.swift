// SPDX-License-Identifier: Apache-2.0

package import CivilTime

/// Consecutive days of a zone.
package struct DaySpan: Sendable {
    /// The first day, and the last one.
    package let first: CalendarDate
    package let last: CalendarDate
    package let zone: CivilZone
    /// From the first midnight to the midnight after the last day.
    package let bounds: TimeRange

    /// - Requires: `first <= last`.
    package init(_ first: CalendarDate, through last: CalendarDate, in zone: CivilZone) {
        self.first = first
        self.last = max(first, last)
        self.zone = zone
        bounds = TimeRange(
            Self.midnight(first.number, zone), Self.midnight(max(first, last).number + 1, zone))
    }

    /// Creates the days that overlap a range.
    package init(_ range: TimeRange, in zone: CivilZone) {
        self.init(
            CalendarDate(containing: range.start, in: zone),
            through: CalendarDate(containing: max(range.start, range.end - 1), in: zone), in: zone)
    }

    package var count: Int { Int(last.number - first.number) + 1 }
    package var dates: [CalendarDate] { (0..<count).map { first.adding($0) } }

    /// The days as buckets of statistics.
    package var buckets: Buckets { .calendar(.days(1), anchor: bounds.start, zone: zone.identifier) }

    /// Returns the place of the day that contains an instant; nil outside of the span.
    package func place(of instant: Int64) -> Int? {
        let place = CalendarDate(containing: instant, in: zone).number - first.number
        return (0..<Int64(count)).contains(place) ? Int(place) : nil
    }

    static func midnight(_ day: Int64, _ zone: CivilZone) -> Int64 {
        zone.instant(ofLocal: day * Civil.secondsPerDay) * Civil.second
    }
}

extension CalendarDate {
    /// Creates the local day that contains an instant.
    package init(containing instant: Int64, in zone: CivilZone) {
        let seconds = instant.dividedDown(by: Civil.second)
        self.init(number: (seconds + Int64(zone.offset(at: seconds))).dividedDown(by: Civil.secondsPerDay))
    }

    /// Returns the day some days later.
    package func adding(_ days: Int) -> CalendarDate { CalendarDate(number: number + Int64(days)) }
}
