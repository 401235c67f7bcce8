// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Days of a time zone, from one to another, both included.
package struct PredicateDays: Hashable, Sendable {
    /// Days since 1970-01-01.
    package let first: Int64
    package let last: Int64
    package let timeZone: TimeZone

    package init(first: Int64, last: Int64, timeZone: TimeZone) {
        self.first = first
        self.last = last
        self.timeZone = timeZone
    }

    /// The day that components name: its number, and its time zone.
    ///
    /// - Throws: `errorInvalidArgument` without a calendar, and for what is no day of it.
    static func day(_ components: DateComponents) throws(HKError) -> (number: Int64, timeZone: TimeZone) {
        guard let calendar = components.calendar else {
            throw refusal("the components have no calendar", "set their calendar")
        }
        guard let year = components.year, let month = components.month, let day = components.day else {
            throw refusal("the components name no day", "give them year, month and day")
        }
        // Numbers that no calendar has are not worth a computation, which might not end.
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
    /// The summary of a day: its year, month and day in the calendar that the components carry.
    ///
    /// Where the components have no calendar, or name no day, HealthKit raises an exception; here the query is told
    /// `errorInvalidArgument`.
    public static func predicateForActivitySummary(with dateComponents: DateComponents) -> NSPredicate {
        predicate(forActivitySummariesBetweenStart: dateComponents, end: dateComponents)
    }

    /// The summaries of the days from one to another, both included, each by the calendar that its components carry.
    ///
    /// What holds of ``predicateForActivitySummary(with:)`` holds of both.
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
    /// Whether a part of it asks for days, which samples do not have.
    package var asksForDays: Bool {
        switch self {
        case .days: true
        case .and(let parts), .or(let parts): parts.contains { $0.asksForDays }
        case .not(let part): part.asksForDays
        default: false
        }
    }

    /// Why a part of it cannot be asked; nil where all can.
    var refusal: HKError? {
        switch self {
        case .refused(let error): error
        case .and(let parts), .or(let parts): parts.lazy.compactMap(\.refusal).first
        case .not(let part): part.refusal
        default: nil
        }
    }
}
