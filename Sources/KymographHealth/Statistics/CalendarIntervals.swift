// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import HealthModel

/// The intervals of a collection: an anchor, and every multiple of a calendar step before and after it.
struct CalendarIntervals: StatisticsIntervals {
    private let grid: CalendarGrid

    /// - Parameters:
    ///   - anchor: an edge between intervals.
    ///   - components: the step. Its time zone applies, else that of its calendar, else the current one.
    /// - Throws: `errorInvalidArgument` for a step that is zero, negative or has unsupported components; for an anchor
    ///   outside of 1678 to 2261; for months of a calendar other than the Gregorian one.
    init(anchor: Date, every components: DateComponents) throws(HKError) {
        guard let edge = StoredTime.nanoseconds(anchor) else {
            throw Self.refusal("the anchor is outside of the years 1678 to 2261", "use a date near the samples")
        }
        let calendar = components.calendar ?? Calendar.current
        let timeZone = components.timeZone ?? calendar.timeZone
        guard
            let zone = CivilZone(identifier: timeZone.identifier)
                ?? CivilZone(secondsEast: timeZone.secondsFromGMT(for: anchor))
        else { throw Self.refusal("the time zone \(timeZone.identifier) is unknown", nil) }
        let step = try Self.step(components)
        if step.months != 0 || step.years != 0, !Self.gregorian.contains(calendar.identifier) {
            throw Self.refusal(
                "months and years of the calendar \(calendar.identifier) are not supported",
                "give the components a Gregorian calendar, or use days")
        }
        do throws(CivilError) {
            grid = try CalendarGrid(anchor: edge, step: step, zone: zone)
        } catch {
            throw Self.refusal("\(error)", "use components such as DateComponents(day: 1)")
        }
    }

    init(daysOf zone: CivilZone) throws(HKError) {
        do throws(CivilError) {
            grid = try CalendarGrid(unit: .day, near: 0, zone: zone)
        } catch {
            throw Self.refusal("\(error)", nil)
        }
    }

    /// Calendars with the months and years of the Gregorian calendar.
    private static let gregorian: Set<Calendar.Identifier> = [
        .gregorian, .iso8601, .buddhist, .japanese, .republicOfChina,
    ]

    private static func step(_ components: DateComponents) throws(HKError) -> CalendarStep {
        let others = [
            components.era, components.weekday, components.weekdayOrdinal, components.yearForWeekOfYear,
            components.dayOfYear,
        ]
        if others.contains(where: { ($0 ?? 0) != 0 }) {
            throw refusal(
                "an interval has no era, no weekday, no day of the year and no year for weeks",
                "use years, quarters, months, weeks, days, hours, minutes, seconds and nanoseconds")
        }
        let (months, isLarge) = (components.quarter ?? 0).multipliedReportingOverflow(by: 3)
        let (allMonths, isLarger) = months.addingReportingOverflow(components.month ?? 0)
        let (weeks, areMany) = (components.weekOfYear ?? 0).addingReportingOverflow(components.weekOfMonth ?? 0)
        if isLarge || isLarger || areMany { throw refusal("the interval is too long", nil) }
        let parts = [components.quarter, components.month, components.weekOfYear, components.weekOfMonth]
        if parts.contains(where: { ($0 ?? 0) < 0 }) { throw refusal("a component of the interval is negative", nil) }
        return CalendarStep(
            years: components.year ?? 0, months: allMonths, weeks: weeks, days: components.day ?? 0,
            hours: components.hour ?? 0, minutes: components.minute ?? 0, seconds: components.second ?? 0,
            nanoseconds: Int64(components.nanosecond ?? 0))
    }

    private static func refusal(_ reason: String, _ advice: String?) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: "HKStatisticsCollection", advice: advice)
    }

    /// Returns the edges around a range, in nanoseconds: from the last edge at or before its start to the first edge at
    /// or after its end.
    ///
    /// - Throws: `errorInvalidArgument` for more intervals than the engine's limit, or an edge outside of the storable
    ///   range.
    func edges(around range: TimeRange) throws(HKError) -> [Int64] {
        do throws(CivilError) {
            return try grid.edges(from: range.start, to: range.end, limit: Snapshot.maximumBuckets + 1)
        } catch {
            throw Self.refusal("\(error)", "give a predicate with dates, or longer or shorter intervals")
        }
    }

    func edges(from date: Date, count: Int) -> [Date] {
        guard count > 0, !date.timeIntervalSinceReferenceDate.isNaN else { return [] }
        let isEarly = date.timeIntervalSinceReferenceDate < 0
        let instant = StoredTime.nanoseconds(date) ?? (isEarly ? TimeLimits.earliest : TimeLimits.latest)
        guard var bucket = bucket(instant) ?? (isEarly ? firstBucket(after: instant) : nil) else { return [] }
        // The date of the nearest nanosecond may be slightly before or after the given date.
        if StoredTime.date(bucket.lowerBound) > date, let before = self.bucket(bucket.lowerBound &- 1) {
            bucket = before
        } else if StoredTime.date(bucket.upperBound) <= date, let after = self.bucket(bucket.upperBound) {
            bucket = after
        }
        var found = [StoredTime.date(bucket.lowerBound), StoredTime.date(bucket.upperBound)]
        while found.count <= count, let next = self.bucket(bucket.upperBound) {
            found.append(StoredTime.date(next.upperBound))
            bucket = next
        }
        return found
    }

    private func bucket(_ instant: Int64) -> Range<Int64>? {
        do throws(CivilError) { return try grid.bucket(containing: instant) } catch { return nil }
    }

    /// Returns the first bucket in the storable range.
    private func firstBucket(after instant: Int64) -> Range<Int64>? {
        var (at, jump): (Int64, Int64) = (instant, 86_400_000_000_000)
        while true {
            let (next, isBeyond) = at.addingReportingOverflow(jump)
            if isBeyond || next > TimeLimits.latest { return nil }
            if var found = bucket(next) {
                while let before = bucket(found.lowerBound &- 1), before.lowerBound < found.lowerBound {
                    found = before
                }
                return found
            }
            (at, jump) = (next, min(jump &* 2, 1 << 60))
        }
    }
}
