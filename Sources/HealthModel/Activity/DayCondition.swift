// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The days that a predicate selects.
package struct DayCondition: Hashable, Sendable {
    private let predicate: SamplePredicate
    /// The range that contains every selected day; nil if the predicate selects no day.
    package let bounds: ClosedRange<Int64>?
    /// The first time zone in the predicate; nil if the predicate names none.
    package let timeZone: TimeZone?

    /// - Throws: `errorInvalidArgument` for a predicate that tests anything but the day.
    package init(_ predicate: SamplePredicate) throws(HKError) {
        self.predicate = predicate
        timeZone = try Self.timeZone(predicate)
        bounds = Self.bounds(predicate)
    }

    /// Returns whether the predicate selects a day.
    package func matches(_ day: Int64) -> Bool { Self.matches(predicate, day) }

    private static func matches(_ predicate: SamplePredicate, _ day: Int64) -> Bool {
        switch predicate {
        case .always(let all): all
        case .and(let parts): parts.allSatisfy { matches($0, day) }
        case .or(let parts): parts.contains { matches($0, day) }
        case .not(let part): !matches(part, day)
        case .days(let days): day >= days.first && day <= days.last
        default: false
        }
    }

    /// A range wider than every date that a calendar can represent.
    static let all: ClosedRange<Int64> = -1_000_000_000...1_000_000_000

    private static func bounds(_ predicate: SamplePredicate) -> ClosedRange<Int64>? {
        switch predicate {
        case .days(let days): return days.first <= days.last ? days.first...days.last : nil
        case .always(false): return nil
        case .and(let parts):
            var found = all
            for part in parts {
                guard let bounds = bounds(part), bounds.overlaps(found) else { return nil }
                found = found.clamped(to: bounds)
            }
            return found
        case .or(let parts):
            return parts.compactMap { bounds($0) }.reduce(nil) { found, bounds in
                guard let found else { return bounds }
                return min(found.lowerBound, bounds.lowerBound)...max(found.upperBound, bounds.upperBound)
            }
        default: return all
        }
    }

    private static func timeZone(_ predicate: SamplePredicate) throws(HKError) -> TimeZone? {
        switch predicate {
        case .always: return nil
        case .days(let days): return days.timeZone
        case .not(let part): return try timeZone(part)
        case .and(let parts), .or(let parts):
            var found: TimeZone?
            for part in parts {
                let zone = try timeZone(part)
                found = found ?? zone
            }
            return found
        default:
            throw HKError(
                .errorInvalidArgument, reason: "an activity summary can match only by day", place: "\(predicate)",
                advice: "use HKQuery's predicates for activity summaries")
        }
    }
}
