// SPDX-License-Identifier: Apache-2.0

package import CivilTime

/// How the total of one local day is made of its sources, in slices of half an hour.
package struct CountedDay: Sendable {
    package let date: CalendarDate
    package let zone: CivilZone
    package let bounds: TimeRange
    /// The starts of the slices: 48, fewer or more when the clocks change.
    package let starts: [Int64]
    /// The shares have as many slices.
    package let who: WhoCounted
}

extension HealthStore {
    /// Returns how the total of a day of a cumulative type is made of its sources.
    package func countedDay(
        _ type: HealthType, on date: CalendarDate, in zone: CivilZone, unit: HKUnit? = nil
    ) throws(HealthStoreError) -> CountedDay {
        let bounds = DaySpan(date, through: date, in: zone).bounds
        let halfHour = 1_800 * Civil.second
        let starts = Array(stride(from: bounds.start, to: bounds.end, by: Int64.Stride(halfHour)))
        let who = try whoCounted(
            StatisticsRequest(type, range: bounds, unit: unit), slices: .edges(starts + [bounds.end]))
        return CountedDay(date: date, zone: zone, bounds: bounds, starts: starts, who: who)
    }

    /// Returns the night to a day; nil if no source recorded sleep or time in bed.
    package func night(to date: CalendarDate, in zone: CivilZone) throws(HealthStoreError) -> Night? {
        let bounds = DaySpan(date, through: date, in: zone).bounds
        return try nights(NightRequest(range: bounds, zone: zone.identifier)).first
    }

    /// Returns the latest night; nil without one.
    package func latestNight(in zone: CivilZone) throws(HealthStoreError) -> Night? {
        let sleep = HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis)
        guard let day = try latestDay(of: sleep, in: zone) else { return nil }
        let span = DaySpan(day, through: day.adding(2), in: zone)
        return try nights(NightRequest(range: span.bounds, zone: zone.identifier)).last
    }
}
