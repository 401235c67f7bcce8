// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Dates in the form of a store: nanoseconds since 1970-01-01 UTC.
///
/// Dates of a clock survive the conversion: except in the weeks around 2001-01-01, two neighbouring `Date` values are
/// more than a few nanoseconds apart, so that the nearest nanosecond converts back to the same `Date`.
package enum StoredTime {
    /// The stored end of a sample with an unknown end (`Date.distantFuture`): the last nanosecond that a store can
    /// hold.
    static let openEnd = TimeLimits.latest
    private static let second: Int64 = 1_000_000_000
    /// The seconds from 1970 to 2001.
    private static let reference: Int64 = 978_307_200

    /// Returns the nearest nanosecond; nil outside of the storable range.
    package static func nanoseconds(_ date: Date) -> Int64? {
        let time = date.timeIntervalSinceReferenceDate
        let whole = time.rounded(.down)
        guard whole.isFinite, abs(whole) < 1e11 else { return nil }
        let fraction = Int64(((time - whole) * 1e9).rounded())
        let (seconds, isLarge) = (Int64(whole) + reference).multipliedReportingOverflow(by: second)
        let (result, isLarger) = seconds.addingReportingOverflow(fraction)
        return isLarge || isLarger || result < TimeLimits.earliest || result > TimeLimits.latest ? nil : result
    }

    /// Returns the stored end of a sample; `openEnd` for an unknown end.
    package static func end(_ date: Date) -> Int64? { date == .distantFuture ? openEnd : nanoseconds(date) }

    /// Returns the nearest time that can be stored; the latest one for no number.
    package static func clamped(_ date: Date) -> Int64 {
        nanoseconds(date) ?? (date.timeIntervalSinceReferenceDate < 0 ? .min : .max)
    }

    package static func date(_ nanoseconds: Int64) -> Date {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: second)
        return Date(timeIntervalSinceReferenceDate: Double(seconds - reference) + Double(rest) / 1e9)
    }

    static func endDate(_ nanoseconds: Int64) -> Date {
        nanoseconds == openEnd ? .distantFuture : date(nanoseconds)
    }
}
