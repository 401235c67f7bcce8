// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthModel

/// Days of a zone by their numbers, counted from 1970-01-01.
struct ActivityDays: Sendable {
    let zone: CivilZone

    /// The days that a store can have samples of.
    static let all: ClosedRange<Int64> =
        TimeLimits.earliest / nanosecondsPerDay + 1...TimeLimits.latest / nanosecondsPerDay - 1
    static let nanosecondsPerDay = Civil.secondsPerDay * Civil.second

    /// The day of an instant.
    func day(of instant: Int64) -> Int64 {
        let seconds = Civil.split(instant).seconds
        return (seconds + Int64(zone.offset(at: seconds))).dividedDown(by: Civil.secondsPerDay)
    }

    /// Whether an imported summary that is kept at this midnight in UTC is one of a day of `all`.
    static func has(midnight: Int64?) -> Bool {
        midnight.map { all.contains($0.dividedDown(by: nanosecondsPerDay)) } ?? false
    }

    /// The first instant of a day, which is one of `all` or the one after them.
    func start(of day: Int64) -> Int64 { zone.instant(ofLocal: day * Civil.secondsPerDay) * Civil.second }

    /// An hour of the zone's clocks. Where clocks go back, the hour that comes twice is two.
    struct Hour: Hashable, Sendable {
        /// Hours of the clocks since 1970.
        let number: Int64
        /// What clocks are ahead of UTC then, in seconds.
        let offset: Int
    }

    /// The hour of an instant.
    func hour(of instant: Int64) -> Hour {
        let seconds = Civil.split(instant).seconds
        let offset = Int(zone.offset(at: seconds))
        return Hour(number: (seconds + Int64(offset)).dividedDown(by: 3_600), offset: offset)
    }

    /// The instants of some days; nil where none is among those that a store can have samples of.
    func range(_ days: ClosedRange<Int64>) -> TimeRange? {
        guard days.overlaps(Self.all) else { return nil }
        let known = days.clamped(to: Self.all)
        return TimeRange(start(of: known.lowerBound), start(of: known.upperBound + 1))
    }
}
