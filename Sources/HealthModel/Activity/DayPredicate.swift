// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The days of a time zone from a first to a last day, both included.
package struct PredicateDays: Hashable, Sendable {
    /// Days since 1970-01-01.
    package let first: Int64
    package let last: Int64
    package let timeZone: TimeZone

    /// Returns the number and the time zone of the day that the components name.
    ///
    /// - Throws: `errorInvalidArgument` if the components have no calendar or name no day of the calendar.
    static func day(_ components: DateComponents) throws(HKError) -> (number: Int64, timeZone: TimeZone) {
        guard let calendar = components.calendar else {
            throw refusal("the components have no calendar", "set their calendar")
        }
        guard let year = components.year, let month = components.month, let day = components.day else {
            throw refusal("the components name no day", "give them year, month and day")
        }
        // `Calendar` may not return for extreme numbers, so such components are rejected first.
        let numbers = [year, month, day, components.era ?? 0]
        guard numbers.allSatisfy({ $0.magnitude < 1_000_000 }) else { throw noDay(components) }
        var clocks = calendar
        clocks.timeZone = .gmt
        var asked = DateComponents(year: year, month: month, day: day, hour: 12)
        asked.era = components.era
        asked.isLeapMonth = components.isLeapMonth
        guard let noon = clocks.date(from: asked) else { throw noDay(components) }
        let found = clocks.dateComponents([.year, .month, .day, .isLeapMonth], from: noon)
        guard found.year == year, found.month == month, found.day == day,
            (found.isLeapMonth ?? false) == (components.isLeapMonth ?? false)
        else { throw noDay(components) }
        let number = (noon.timeIntervalSince1970 / 86_400).rounded(.down)
        guard number.magnitude < 1e9 else { throw noDay(components) }
        return (Int64(number), components.timeZone ?? calendar.timeZone)
    }

    private static func noDay(_ components: DateComponents) -> HKError {
        refusal("the calendar has no such day", "give year, month and day of the components' calendar")
    }

    private static func refusal(_ reason: String, _ advice: String) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: "predicate for activity summaries", advice: advice)
    }
}

extension HKQuery {
    /// Returns a predicate for the summary of one day: year, month and day in the calendar of the components.
    ///
    /// If the components have no calendar or name no day, HealthKit raises an exception; here the query reports
    /// `errorInvalidArgument`.
    public static func predicateForActivitySummary(with dateComponents: DateComponents) -> NSPredicate {
        predicate(forActivitySummariesBetweenStart: dateComponents, end: dateComponents)
    }

    /// Returns a predicate for the summaries of all days from a start to an end, both included.
    ///
    /// Both arguments follow the rules of ``predicateForActivitySummary(with:)``.
    public static func predicate(
        forActivitySummariesBetweenStart startDateComponents: DateComponents, end endDateComponents: DateComponents
    ) -> NSPredicate {
        do throws(HKError) {
            let (first, zone) = try PredicateDays.day(startDateComponents)
            let (last, _) = try PredicateDays.day(endDateComponents)
            return HealthPredicate(.days(PredicateDays(first: first, last: last, timeZone: zone)))
        } catch {
            return HealthPredicate(.refused(error))
        }
    }
}

extension SamplePredicate {
    /// Whether any part tests the day, which samples do not have.
    package var asksForDays: Bool {
        switch self {
        case .days: true
        case .and(let parts), .or(let parts): parts.contains { $0.asksForDays }
        case .not(let part): part.asksForDays
        default: false
        }
    }

    /// The error of the first part that a query cannot execute; nil if there is none.
    var refusal: HKError? {
        switch self {
        case .refused(let error): error
        case .and(let parts), .or(let parts): parts.lazy.compactMap(\.refusal).first
        case .not(let part): part.refusal
        default: nil
        }
    }
}
