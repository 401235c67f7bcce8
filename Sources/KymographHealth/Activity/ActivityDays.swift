// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthModel

/// The days of a time zone, numbered from 1970-01-01.
struct ActivityDays: Sendable {
    let zone: CivilZone

    /// The days with possible samples.
    static let all: ClosedRange<Int64> =
        TimeLimits.earliest / nanosecondsPerDay + 1...TimeLimits.latest / nanosecondsPerDay - 1
    static let nanosecondsPerDay = Civil.secondsPerDay * Civil.second

    func day(of instant: Int64) -> Int64 {
        let seconds = Civil.split(instant).seconds
        return (seconds + Int64(zone.offset(at: seconds))).dividedDown(by: Civil.secondsPerDay)
    }

    /// Returns whether an imported summary stored at this UTC midnight belongs to a day of `all`.
    static func has(midnight: Int64?) -> Bool {
        midnight.map { all.contains($0.dividedDown(by: nanosecondsPerDay)) } ?? false
    }

    /// Returns the first instant of a day.
    ///
    /// - Requires: a day of `all`, or the day after them.
    func start(of day: Int64) -> Int64 { zone.instant(ofLocal: day * Civil.secondsPerDay) * Civil.second }

    /// An hour of the zone's clocks. When clocks go back, the repeated hour counts as two hours.
    struct Hour: Hashable, Sendable {
        /// Hours of local time since 1970.
        let number: Int64
        /// The zone's offset from UTC in that hour, in seconds.
        let offset: Int
    }

    func hour(of instant: Int64) -> Hour {
        let seconds = Civil.split(instant).seconds
        let offset = Int(zone.offset(at: seconds))
        return Hour(number: (seconds + Int64(offset)).dividedDown(by: 3_600), offset: offset)
    }

    /// Returns the time range of some days; nil if none of them is a day of `all`.
    func range(_ days: ClosedRange<Int64>) -> TimeRange? {
        guard days.overlaps(Self.all) else { return nil }
        let known = days.clamped(to: Self.all)
        return TimeRange(start(of: known.lowerBound), start(of: known.upperBound + 1))
    }
}
