// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Dates as a store keeps them: nanoseconds since 1970-01-01 UTC.
///
/// What a clock gives survives: a `Date` of our time, and of any but the weeks around 2001-01-01, is a multiple of more
/// than a few nanoseconds, so that the nearest nanosecond leads back to it.
package enum StoredTime {
    /// The end of a sample whose end is not known (`Date.distantFuture`): the last nanosecond that a store can hold.
    static let openEnd = TimeLimits.latest
    private static let second: Int64 = 1_000_000_000
    /// From 1970 to 2001, in seconds.
    private static let reference: Int64 = 978_307_200

    /// The nearest nanosecond; nil outside of what a store holds.
    package static func nanoseconds(_ date: Date) -> Int64? {
        let time = date.timeIntervalSinceReferenceDate
        let whole = time.rounded(.down)
        guard whole.isFinite, abs(whole) < 1e11 else { return nil }
        let fraction = Int64(((time - whole) * 1e9).rounded())
        let (seconds, isLarge) = (Int64(whole) + reference).multipliedReportingOverflow(by: second)
        let (result, isLarger) = seconds.addingReportingOverflow(fraction)
        return isLarge || isLarger || result < TimeLimits.earliest || result > TimeLimits.latest ? nil : result
    }

    /// The end of a sample; that of an open one is `openEnd`.
    package static func end(_ date: Date) -> Int64? { date == .distantFuture ? openEnd : nanoseconds(date) }

    /// The date of a nanosecond.
    package static func date(_ nanoseconds: Int64) -> Date {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: second)
        return Date(timeIntervalSinceReferenceDate: Double(seconds - reference) + Double(rest) / 1e9)
    }

    /// The date of a sample's end.
    static func endDate(_ nanoseconds: Int64) -> Date {
        nanoseconds == openEnd ? .distantFuture : date(nanoseconds)
    }
}
