// SPDX-License-Identifier: Apache-2.0

package import CivilTime

/// A day of a person, beside the days before it: the screen of today. Types without data are missing.
package struct DayOverview: Sendable {
    /// The latest value of a type, beside the days before it.
    package struct Measure: Sendable {
        package let type: HealthType
        package let unit: String?
        /// The day of the value: the overview's day, or an earlier one; of a weight also a later one.
        package let date: CalendarDate
        package let value: Double
        /// The values of the days up to the overview's day; nil for a day without samples.
        package let recent: [Double?]
        /// The mean of the recent days with samples; of steps, only of days that are over.
        package let average: Double?
        /// The change of the average against the 30 days before the recent ones, as a share: 0.03 for 3 % more. Nil if
        /// fewer than seven of these days have samples.
        package let change: Double?
    }

    /// The latest day with activity.
    package struct Activity: Sendable {
        package let date: CalendarDate
        package let values: ActivityValues
        /// What the move ring counts, of each recent day; nil for a day without activity.
        package let recent: [Double?]
    }

    /// The latest night.
    package struct Sleep: Sendable {
        package let night: Night
        /// The seconds asleep of each recent night; nil for a night without sleep.
        package let recent: [Double?]
    }

    /// The latest day with steps, activity, pulse, sleep or a workout; without them, the latest day with a weight.
    package let date: CalendarDate
    /// Whether this day is not over.
    package let isToday: Bool
    package let zone: CivilZone
    package var steps: Measure?
    package var activity: Activity?
    package var restingPulse: Measure?
    package var sleep: Sleep?
    /// The latest weight up to the present day, of any age.
    package var weight: Measure?
    /// The workout that starts last up to the present time, of any age.
    package var lastWorkout: WorkoutSummary?
    /// The number of samples of all types, and the start of the first one.
    package var samples = 0
    package var first: Int64?
    /// The time of the latest import, and the number of days since then; nil without imports.
    package var lastImport: Int64?
    package var daysSinceImport: Int?
}

extension HealthStore {
    /// Returns the overview of today, or of the latest day with data; nil if the store has no steps, activity, resting
    /// pulse, sleep, weight and workouts.
    ///
    /// - Parameters:
    ///   - now: the present time in nanoseconds since 1970-01-01 UTC. Later samples are ignored.
    ///   - zone: the zone of the days.
    /// - Complexity: O(samples of 38 days) at most; mostly from summaries.
    package func dayOverview(now: Int64, zone: CivilZone) throws -> DayOverview? {
        try OverviewReader(store: self, zone: zone, now: now).read()
    }

    /// Returns the latest day with a sample of a type that starts before an instant; nil without one.
    package func latestDay(
        of type: HealthType, before end: Int64 = .max, in zone: CivilZone
    ) throws(HealthStoreError) -> CalendarDate? {
        try latest(type, before: end).map { CalendarDate(containing: $0.start, in: zone) }
    }

    /// Returns the sample with the latest start before an instant.
    func latest(_ type: HealthType, before end: Int64) throws(HealthStoreError) -> HealthSample? {
        try samples(SampleRequest(type, range: TimeRange(.min, end), limit: 1, order: .backward)).first
    }
}
